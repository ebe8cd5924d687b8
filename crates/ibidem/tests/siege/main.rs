//! The siege: everything that somebody outside can try at the door, against the binary on real servers.
//!
//! CI runs a slice; `just lab siege` runs the whole (`IBIDEM_SIEGE=whole`). Each test prints what it counted.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "all of this is tests"
)]

#[path = "../common/mod.rs"]
mod common;

mod access;
mod chat;
mod impostor;
mod model;
mod overload;
mod slow;
mod smuggling;
mod streams;
mod wire;
mod world;

pub(crate) use common::installation;

/// So much of what can be tried is tried: all of it when it is asked for, a slice otherwise.
pub(crate) fn share(slice: usize, whole: usize) -> usize {
    if std::env::var("IBIDEM_SIEGE").is_ok_and(|asked| asked == "whole") { whole } else { slice }
}
