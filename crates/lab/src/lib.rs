//! Measuring: sets of questions with known answers, run through the engine and scored.

pub mod addresses;
pub mod adversarial;
pub mod beir;
pub mod calibrate;
pub mod detect;
pub mod gather;
pub mod golden;
pub mod metrics;
pub mod replay;
pub mod retrieval;
pub mod similarity;
pub mod squad;
