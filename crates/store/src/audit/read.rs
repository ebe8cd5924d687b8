//! Records, read again.

use std::collections::HashSet;

use chrono::{DateTime, Utc};
use ibidem_ports::catalogue::CatalogueError;
use ibidem_words::{PassageKey, Scope, Sha256Hash, SubjectId, TenantId};
use serde_json::Value;
use uuid::Uuid;

use super::StoredAnswer;
use super::stored::{GONE, passages_in, without_reasons, without_replies};
use crate::Store;
use crate::asked::Asked as _;
use crate::convert::to_digest;

/// A record as it stands. What it does not have was not counted when it was made.
#[derive(Clone, PartialEq, Debug)]
pub struct AuditRecord {
    pub asked_at: DateTime<Utc>,
    /// None in records from before subjects had ids.
    pub subject_id: Option<String>,
    pub subject_name: String,
    pub session_id: Option<String>,
    pub turn: i32,
    /// `plain`, or `hashed` where digests stand in place of words.
    pub texts: String,
    pub question: Value,
    pub route: String,
    pub retrieval: Option<Value>,
    pub decision: Option<Value>,
    pub answer: Value,
    pub draft: Option<String>,
    pub markers: Option<Value>,
    pub sentences: Option<Value>,
    pub markers_dropped: i32,
    pub sentences_dropped: i32,
    pub marker_score: Option<f64>,
    pub sentence_score: Option<f64>,
    pub citations_checked: Option<i32>,
    pub citations_broken: Option<i32>,
    pub tools: Value,
    pub fallback_flags: Value,
    pub policy_sha256: Sha256Hash,
    pub duration_ms: i64,
    pub stages: Value,
    pub failure: Option<String>,
}

impl AuditRecord {
    /// Every passage that led to the answer: whether they are visible now is asked before the record is shown.
    pub fn passages(&self) -> Vec<PassageKey> {
        let mut named = self.decision.as_ref().map(passages_in).unwrap_or_default();
        named.extend(StoredAnswer::of(self.asked_at, self.answer.clone()).passages());
        named.into_iter().collect()
    }

    /// Without the words of documents that are not among the visible: the sentences that rest on them, and, as nobody
    /// knows what is in them, the draft, the reasons in words and what the assistant had said before.
    #[must_use]
    pub fn masked(self, scope: &Scope, visible: &HashSet<PassageKey>) -> Self {
        let is_whole = self.passages().iter().all(|key| visible.contains(key));
        let answer = StoredAnswer::of(self.asked_at, self.answer).masked(scope, visible);
        if is_whole {
            return Self { answer, ..self };
        }
        Self {
            answer,
            question: without_replies(self.question, GONE, |_| true).0,
            decision: self.decision.map(without_reasons),
            draft: self.draft.map(|_| GONE.to_owned()),
            failure: self.failure.map(|_| GONE.to_owned()),
            ..self
        }
    }
}

/// The calls of tools, which stand with the decision that was made of them.
fn tools_in(decision: Option<&Value>) -> Option<Value> {
    decision?.get("tool_calls").cloned()
}

impl Store {
    /// The records of a request, oldest first: more than one where a caller chose an id twice.
    pub async fn audit(&self, tenant: TenantId, request_id: Uuid) -> Result<Vec<AuditRecord>, CatalogueError> {
        let rows = sqlx::query!(
            "SELECT asked_at, subject_id, subject_name, session_id, turn, texts, question, route, retrieval, decision, answer, draft,
                    markers, sentences, markers_dropped, sentences_dropped, marker_score, sentence_score,
                    citations_checked, citations_broken, tools, fallback_flags, policy_sha256, duration_ms, stages,
                    failure
             FROM audit WHERE tenant_id = $1 AND request_id = $2 ORDER BY asked_at, id",
            tenant.0,
            request_id,
        ).all(&self.pool).await?;
        let records = rows.into_iter().map(|row| {
            let tools = tools_in(row.decision.as_ref()).unwrap_or(row.tools);
            Ok(AuditRecord {
                asked_at: row.asked_at,
                subject_id: row.subject_id,
                subject_name: row.subject_name,
                session_id: row.session_id,
                turn: row.turn,
                texts: row.texts,
                question: row.question,
                route: row.route,
                retrieval: row.retrieval,
                decision: row.decision,
                answer: row.answer,
                draft: row.draft,
                markers: row.markers,
                sentences: row.sentences,
                markers_dropped: row.markers_dropped,
                sentences_dropped: row.sentences_dropped,
                marker_score: row.marker_score,
                sentence_score: row.sentence_score,
                citations_checked: row.citations_checked,
                citations_broken: row.citations_broken,
                tools,
                fallback_flags: row.fallback_flags,
                duration_ms: row.duration_ms,
                stages: row.stages,
                failure: row.failure,
                policy_sha256: to_digest(&row.policy_sha256)?,
            })
        });
        records.collect()
    }

    /// The answer that somebody got to a request, as it was given; of several under one id the last. Where only digests
    /// were kept there is none. What it cites may be gone by now: see [`StoredAnswer`].
    pub async fn answer(
        &self,
        tenant: TenantId,
        subject: SubjectId,
        request_id: Uuid,
    ) -> Result<Option<StoredAnswer>, CatalogueError> {
        let row = sqlx::query!(
            "SELECT asked_at, answer FROM audit
             WHERE tenant_id = $1 AND request_id = $2 AND subject_id = $3 AND texts = 'plain'
             ORDER BY asked_at DESC, id DESC LIMIT 1",
            tenant.0,
            request_id,
            subject.to_string(),
        )
        .optional(&self.pool)
        .await?;
        Ok(row.map(|row| StoredAnswer::of(row.asked_at, row.answer)))
    }

    /// How many turns are recorded, of all tenants.
    pub async fn turn_count(&self) -> Result<u64, CatalogueError> {
        let count = sqlx::query_scalar!(r#"SELECT count(*) AS "count!" FROM audit"#).one(&self.pool).await?;
        Ok(count.unsigned_abs())
    }
}
