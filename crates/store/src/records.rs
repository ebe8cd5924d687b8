//! Turns: what was asked and answered.

use async_trait::async_trait;
use ibidem_engine::ports::catalogue::CatalogueError;
use ibidem_engine::ports::records::{Records, TurnRecord};
use ibidem_engine::words::TenantId;
use uuid::Uuid;

use crate::convert::to_i32;
use crate::{Store, unavailable};

#[async_trait]
impl Records for Store {
    async fn keep(&self, record: TurnRecord) -> Result<(), CatalogueError> {
        let unwritable = |error: serde_json::Error| CatalogueError::Corrupt(error.to_string());
        let duration_ms = i64::try_from(record.duration_ms).unwrap_or(i64::MAX);
        sqlx::query!(
            "INSERT INTO turns (id, tenant_id, request_id, subject, session_id, asked_at, duration_ms, policy_sha256,
                                question, answer, draft, markers_dropped, sentences_dropped, failure)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)",
            Uuid::now_v7(),
            record.tenant.0,
            record.answer.request_id,
            without_nul(record.subject),
            record.question.session_id.clone().map(without_nul),
            record.asked_at,
            duration_ms,
            record.policy_hash.as_bytes(),
            storable(serde_json::to_value(&record.question).map_err(unwritable)?),
            storable(serde_json::to_value(&record.answer).map_err(unwritable)?),
            record.draft.map(without_nul),
            to_i32(record.markers_dropped)?,
            to_i32(record.sentences_dropped)?,
            record.failure.map(without_nul),
        )
        .execute(&self.pool)
        .await
        .map_err(unavailable)?;
        Ok(())
    }
}

impl Store {
    /// The records of a request, oldest first, each with the answer as it was given and the model's own words.
    pub async fn turns(
        &self,
        tenant: TenantId,
        request_id: Uuid,
    ) -> Result<Vec<(serde_json::Value, Option<String>)>, CatalogueError> {
        let rows = sqlx::query!(
            "SELECT answer, draft FROM turns WHERE tenant_id = $1 AND request_id = $2 ORDER BY id",
            tenant.0,
            request_id,
        )
        .fetch_all(&self.pool)
        .await
        .map_err(unavailable)?;
        Ok(rows.into_iter().map(|row| (row.answer, row.draft)).collect())
    }

    /// The answer that somebody got to a request, as it was given; of several under one id the last.
    pub async fn answer(
        &self,
        tenant: TenantId,
        subject: &str,
        request_id: Uuid,
    ) -> Result<Option<serde_json::Value>, CatalogueError> {
        sqlx::query_scalar!(
            "SELECT answer FROM turns WHERE tenant_id = $1 AND request_id = $2 AND subject = $3
             ORDER BY id DESC LIMIT 1",
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
        let count = sqlx::query_scalar!(r#"SELECT count(*) AS "count!" FROM turns"#)
            .fetch_one(&self.pool)
            .await
            .map_err(unavailable)?;
        Ok(count.unsigned_abs())
    }
}

/// PostgreSQL's text has no NUL; a record that could not be written would be worse than one without it.
fn without_nul(text: String) -> String {
    if text.contains('\0') { text.replace('\0', "\u{fffd}") } else { text }
}

fn storable(value: serde_json::Value) -> serde_json::Value {
    use serde_json::Value;
    match value {
        Value::String(text) => Value::String(without_nul(text)),
        Value::Array(values) => Value::Array(values.into_iter().map(storable).collect()),
        Value::Object(fields) => {
            Value::Object(fields.into_iter().map(|(name, value)| (name, storable(value))).collect())
        }
        other => other,
    }
}
