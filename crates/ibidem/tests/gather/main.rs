//! Gathering on the real parts: every lane does what it is there for, and addresses bring exactly what they name.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "all of this is tests"
)]

#[path = "../common/mod.rs"]
mod common;

mod lanes;
