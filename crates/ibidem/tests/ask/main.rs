//! Questions put to the real binary, with the real database, index, embedding model and model server,
//! and with model servers that fail in every way.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "all of this is tests"
)]

mod agents;
mod asking;
mod audit;
mod collector;
#[path = "../common/mod.rs"]
mod common;
mod failing;
mod first_sentence;
mod hand_over;
mod left_alone;
mod metrics;
mod model_server;
mod policy;
mod real;
mod recording_server;
mod replay;
mod roles;
mod same;
mod talking;
mod telemetry;
mod terms;
mod traces;
mod verify;

use common::{installation, setting};
