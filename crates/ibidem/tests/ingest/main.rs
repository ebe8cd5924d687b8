//! A corpus on its way in: the real binary, database, index and embedding model, undisturbed and disturbed.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "all of this is tests"
)]

mod complete;
mod corpus;
mod installation;
mod kill;
mod state;

/// A setting of the running stack. Without it there is nothing to test against, and a test that
/// silently does nothing is worse than one that fails.
fn setting(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| panic!("{name} is not set; run `stack/up`, then `eval \"$(stack/env)\"`"))
}
