//! What must hold of an engine from outside, for the tests and the fuzz targets.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "suites are tests, run from other crates")]

pub mod outgoing;
