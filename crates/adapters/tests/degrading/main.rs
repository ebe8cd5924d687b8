//! A question's life while its parts fail: what is still answered, and what is said about it.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "all of this is tests")]

mod deadlines;
mod ladder;
mod world;
