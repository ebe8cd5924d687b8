//! What was decided, and why.

use serde::{Deserialize, Serialize};

/// What the asker gets.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// An answer with citations.
    Cite,
    /// Somebody who may know.
    Route,
    /// No answer, with the reason.
    Refuse,
    /// A question back.
    Clarify,
}

/// Why there is no answer, as a code that programs can rely on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    NoResults,
    LowSimilarity,
    LowCoverage,
    LowConfidence,
    NoThesis,
    UnsupportedClaims,
    OutOfScope,
    TerminologyNotFound,
    TerminologyTimeout,
    TerminologyError,
    TerminologyAmbiguous,
    EntityNotFound,
    RetrievalUnavailable,
    GenerationUnavailable,
    BudgetExceeded,
    Deadline,
}

/// A refusal: a value, not an error.
#[derive(Clone, PartialEq, Debug)]
pub struct Refusal {
    pub reason: Reason,
    /// For people, with the numbers: "Top-1 similarity (0.62) below threshold (0.7)".
    pub explanation: String,
    /// What the asker can do next.
    pub suggestions: Vec<String>,
}

/// How a gate found the evidence.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    Pass,
    Warn,
    Stop,
}

/// One gate's record: what it looked at, and against what.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct GateRecord {
    pub gate: String,
    pub verdict: Verdict,
    pub observed: f64,
    pub threshold: f64,
}
