//! What several test binaries need: an installation of their own, and the settings of the running stack.

#![allow(dead_code, reason = "each test binary uses its part")]

pub(crate) mod installation;

/// A setting of the running stack. Without it there is nothing to test against, and a test that
/// silently does nothing is worse than one that fails.
pub(crate) fn setting(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| panic!("{name} is not set; run `stack/up`, then `eval \"$(stack/env)\"`"))
}
