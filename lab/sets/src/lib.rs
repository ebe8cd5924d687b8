//! Sets of questions and claims whose answers are known, run through the engine and scored.

pub mod addresses;
pub mod adversarial;
pub mod answer_or_refuse;
pub mod beir;
pub mod detect;
pub mod follow_ups;
pub mod gather;
pub mod metrics;
pub mod retrieval;
pub mod share;
pub mod similarity;
pub mod squad;
pub mod trial;
