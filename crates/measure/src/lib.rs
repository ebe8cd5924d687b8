//! What an operator measures their own installation with: golden sets, calibrated thresholds, recorded decisions under
//! another policy, and a blind judge.

pub mod calibrate;
pub mod golden;
mod html;
pub mod judge;
pub mod metrics;
pub mod promote;
pub mod reliability;
pub mod replay;
pub mod squad;

use ibidem_words::Fallback;

/// Why a search does not count: what was skipped, and what went wrong.
pub fn simplified(fallbacks: &[Fallback], failures: &[String]) -> String {
    [Fallback::names(fallbacks), failures.iter().map(String::as_str).collect()].concat().join(": ")
}
