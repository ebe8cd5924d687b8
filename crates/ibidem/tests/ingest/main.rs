//! A corpus on its way in: the real binary, database, index and embedding model, undisturbed and disturbed.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "all of this is tests"
)]

mod backup;
mod bucket;
#[path = "../common/mod.rs"]
mod common;
mod complete;
mod corpus;
mod erase;
mod fair;
mod kill;
mod memory;
mod state;
mod sync;

use common::{installation, setting};
