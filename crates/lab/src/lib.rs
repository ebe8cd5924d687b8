//! Measuring: sets of questions with known answers, run through the engine and scored.

pub mod addresses;
pub mod adversarial;
pub mod answer_or_refuse;
pub mod beir;
pub mod calibrate;
pub mod detect;
pub mod follow_ups;
pub mod gather;
pub mod golden;
mod html;
pub mod judge;
pub mod metrics;
pub mod promote;
pub mod reliability;
pub mod replay;
pub mod retrieval;
pub mod similarity;
pub mod squad;
pub mod trial;

use ibidem_words::degrade::Fallback;

/// Why a search does not count: what was skipped, and what went wrong.
fn simplified(fallbacks: &[Fallback], failures: &[String]) -> String {
    [Fallback::names(fallbacks), failures.iter().map(String::as_str).collect()].concat().join(": ")
}
