//! Records, read again.

use chrono::{DateTime, Utc};
use ibidem_engine::ports::catalogue::CatalogueError;
use ibidem_engine::words::{Sha256Hash, TenantId};
use serde_json::Value;
use uuid::Uuid;

use crate::convert::to_digest;
use crate::{Store, unavailable};

/// A record as it stands. What it does not have was not counted when it was made.
#[derive(Clone, PartialEq, Debug)]
pub struct AuditRecord {
    pub asked_at: DateTime<Utc>,
    pub subject: String,
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

/// A decision on record, as replay reads it.
#[derive(Clone, PartialEq, Debug)]
pub struct StoredDecision {
    pub asked_at: DateTime<Utc>,
    pub id: Uuid,
    pub request_id: Uuid,
    pub policy_sha256: Sha256Hash,
    /// `hashed` where digests stand in place of words.
    pub question: Value,
    pub decision: Value,
}

impl Store {
    /// A tenant's decisions in the order of time, from `since` on or after the last that was read, at most so many.
    /// Records from before decisions were recorded are passed over.
    pub async fn decisions(
        &self,
        tenant: TenantId,
        since: DateTime<Utc>,
        after: Option<&StoredDecision>,
        most: u32,
    ) -> Result<Vec<StoredDecision>, CatalogueError> {
        let (since, id) = after.map_or((since, Uuid::nil()), |last| (last.asked_at, last.id));
        let rows = sqlx::query!(
            r#"SELECT asked_at, id, request_id, policy_sha256, question, decision AS "decision!" FROM audit
               WHERE tenant_id = $1 AND (asked_at, id) > ($2, $3) AND decision IS NOT NULL
               ORDER BY asked_at, id LIMIT $4"#,
            tenant.0,
            since,
            id,
            i64::from(most),
        )
        .fetch_all(&self.pool)
        .await
        .map_err(unavailable)?;
        let decisions = rows.into_iter().map(|row| {
            Ok(StoredDecision {
                asked_at: row.asked_at,
                id: row.id,
                request_id: row.request_id,
                policy_sha256: to_digest(&row.policy_sha256)?,
                question: row.question,
                decision: row.decision,
            })
        });
        decisions.collect()
    }

    /// The records of a request, oldest first: more than one where a caller chose an id twice.
    pub async fn audit(&self, tenant: TenantId, request_id: Uuid) -> Result<Vec<AuditRecord>, CatalogueError> {
        let rows = sqlx::query!(
            "SELECT asked_at, subject, session_id, turn, texts, question, route, retrieval, decision, answer, draft,
                    markers, sentences, markers_dropped, sentences_dropped, marker_score, sentence_score,
                    citations_checked, citations_broken, tools, fallback_flags, policy_sha256, duration_ms, stages,
                    failure
             FROM audit WHERE tenant_id = $1 AND request_id = $2 ORDER BY asked_at, id",
            tenant.0,
            request_id,
        )
        .fetch_all(&self.pool)
        .await
        .map_err(unavailable)?;
        let records = rows.into_iter().map(|row| {
            Ok(AuditRecord {
                asked_at: row.asked_at,
                subject: row.subject,
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
                tools: row.tools,
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
    /// were kept there is none.
    pub async fn answer(
        &self,
        tenant: TenantId,
        subject: &str,
        request_id: Uuid,
    ) -> Result<Option<Value>, CatalogueError> {
        sqlx::query_scalar!(
            "SELECT answer FROM audit WHERE tenant_id = $1 AND request_id = $2 AND subject = $3 AND texts = 'plain'
             ORDER BY asked_at DESC, id DESC LIMIT 1",
            tenant.0,
            request_id,
            subject,
        )
        .fetch_optional(&self.pool)
        .await
        .map_err(unavailable)
    }

    /// How many turns are recorded, of all tenants.
    pub async fn turn_count(&self) -> Result<u64, CatalogueError> {
        let count = sqlx::query_scalar!(r#"SELECT count(*) AS "count!" FROM audit"#)
            .fetch_one(&self.pool)
            .await
            .map_err(unavailable)?;
        Ok(count.unsigned_abs())
    }
}
