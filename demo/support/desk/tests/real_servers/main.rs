//! Tools for facts with real servers: the desk over a real database, and one that misbehaves.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a failing assertion is a test's product, in its helpers too"
)]

mod confirmed;
mod desk;
mod hostile;
mod hostile_http;
mod reference;
mod world;
