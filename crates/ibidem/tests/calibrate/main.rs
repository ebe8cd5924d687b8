//! Thresholds, answers and labels measured on the real parts, small.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "all of this is tests"
)]

mod bound;
#[path = "../common/mod.rs"]
mod common;
#[path = "../ask/model_server.rs"]
#[allow(dead_code, reason = "the servers are there for other tests too")]
mod model_server;
mod promoting;

use common::{installation, setting};

/// What a small model would write is not what these tests are about: the sources speak.
const WITHOUT_A_MODEL: [&str; 2] = ["--set", "language_model.url=http://127.0.0.1:1/v1"];
