//! A turn's stages, as types: what was not gathered cannot be sifted, what was not sifted cannot be spoken.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::policy::Policy;
use crate::words::{Candidate, GateRecord, Question, Refusal, Scope};

/// A question, by somebody, under a policy. Time and id come from outside.
#[derive(Clone, Debug)]
pub struct Asked {
    pub request_id: Uuid,
    pub at: DateTime<Utc>,
    pub scope: Scope,
    pub question: Question,
    pub policy: std::sync::Arc<Policy>,
}

/// What the lanes brought, confirmed by the catalogue, best first.
#[derive(Clone, Debug)]
pub struct Gathered {
    pub asked: Asked,
    pub candidates: Vec<Candidate>,
    /// Why the search was simpler than it should have been.
    pub fallback_reasons: Vec<String>,
}

/// The evidence that survived, and every gate's record. Only this can be spoken from.
#[derive(Clone, Debug)]
pub struct Sifted {
    pub asked: Asked,
    pub evidence: Vec<Candidate>,
    pub fallback_reasons: Vec<String>,
    pub trace: Vec<GateRecord>,
    pub warnings: Vec<String>,
}

/// What sifting ends in: evidence to speak from, or a refusal before any model runs.
#[derive(Clone, Debug)]
pub enum Sieve {
    Through(Sifted),
    Stopped { sifted: Sifted, refusal: Refusal },
}
