//! The record of a turn, for whoever must explain it later.

mod decision;
mod numbers;

use async_trait::async_trait;
use chrono::{DateTime, Utc};

use crate::catalogue::CatalogueError;
pub use decision::{
    CandidateRecord, DecisionRecord, PoolRecord, QueryClass, Searched, SentenceRecord, Speech, ToolCallRecord,
    ToolOutcome, Weighed, Written, as_place,
};
use ibidem_words::{Answer, Question, Sha256Hash, Subject, TenantId};
pub use numbers::{MarkerCounts, SearchNumbers, SentenceCounts, TurnNumbers};

/// Stands before the digest that stands for a text, in a record that hides texts.
pub const HIDDEN: &str = "hmac-sha256:";

/// What happened, as far as it is kept.
#[derive(Clone, PartialEq, Debug)]
pub struct TurnRecord {
    pub tenant: TenantId,
    pub subject: Subject,
    pub asked_at: DateTime<Utc>,
    pub duration_ms: u64,
    pub policy_hash: Sha256Hash,
    pub question: Question,
    pub answer: Answer,
    /// What was decided, and what it depended on: enough to decide it again.
    pub decision: DecisionRecord,
    /// What the model produced before the gauntlet changed it; none when no model ran.
    pub draft: Option<String>,
    pub markers_dropped: u32,
    pub sentences_dropped: u32,
    /// What went wrong with a part, in its own words; none when nothing did.
    pub failure: Option<String>,
    pub numbers: TurnNumbers,
}

#[async_trait]
pub trait Records: Send + Sync {
    async fn keep(&self, record: TurnRecord) -> Result<(), CatalogueError>;
}
