//! Hostile files, each through a real worker under its limits: it ends as a document or as a failure with a reason, and
//! a good document beside it is taken in.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "all of this is tests"
)]

#[path = "../common/mod.rs"]
mod common;
mod confined;
mod docx;
mod fields;
mod files;
mod html;
mod markdown;
mod office;
mod pdf;
mod plain;
mod siege;

use common::installation;
