//! Deleting a conversation erases it: its turns, and its words in the records of its questions.

use chrono::{DateTime, Utc};
use ibidem_ports::catalogue::CatalogueError;
use ibidem_words::TenantId;
use serde_json::{Value, json};
use uuid::Uuid;

use super::Talker;
use crate::asked::{Asked as _, Run as _};
use crate::audit::{ERASED, StoredAnswer, without_reasons};
use crate::{Store, unavailable};

/// What a deletion took away.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct DeletedConversation {
    pub turns: u64,
    /// Records of its questions from which the words were taken.
    pub records: u64,
}

impl Store {
    /// Deletes a conversation. None when there is no such conversation.
    pub async fn delete_conversation(
        &self,
        talker: &Talker,
        id: Uuid,
    ) -> Result<Option<DeletedConversation>, CatalogueError> {
        let mut transaction = self.pool.begin().await.map_err(unavailable)?;
        // Its row first, as a turn that is added does.
        let found = sqlx::query!(
            "SELECT id FROM conversations WHERE tenant_id = $1 AND subject_id = $2 AND id = $3 FOR UPDATE",
            talker.tenant.0,
            talker.subject.to_string(),
            id,
        )
        .optional(&mut *transaction)
        .await?;
        if found.is_none() {
            return Ok(None);
        }
        let turns = sqlx::query!(
            "INSERT INTO conversation_erasures (tenant_id, request_id, subject_id, asked_for_at)
             SELECT tenant_id, request_id, $3, now() FROM conversation_turns
             WHERE tenant_id = $1 AND conversation_id = $2
             ON CONFLICT (tenant_id, request_id, subject_id) DO UPDATE SET asked_for_at = now()",
            talker.tenant.0,
            id,
            talker.subject.to_string(),
        )
        .run(&mut *transaction)
        .await?;
        sqlx::query!(
            "DELETE FROM confirmations WHERE tenant_id = $1 AND subject_id = $2 AND conversation = $3",
            talker.tenant.0,
            talker.subject.to_string(),
            id.to_string(),
        )
        .run(&mut *transaction)
        .await?;
        sqlx::query!("DELETE FROM conversations WHERE tenant_id = $1 AND id = $2", talker.tenant.0, id)
            .run(&mut *transaction)
            .await?;
        transaction.commit().await.map_err(unavailable)?;
        let records = self.erase_records_of(Some(talker.tenant)).await?;
        Ok(Some(DeletedConversation { turns: turns.rows_affected(), records }))
    }

    /// Takes the words of deleted conversations out of the records that have them. Records that were on their way are
    /// found by doing it again; a request that was asked for before `forget_before` is forgotten.
    pub async fn finish_conversation_erasures(&self, forget_before: DateTime<Utc>) -> Result<u64, CatalogueError> {
        let records = self.erase_records_of(None).await?;
        sqlx::query!("DELETE FROM conversation_erasures WHERE asked_for_at < $1", forget_before)
            .run(&self.pool)
            .await?;
        Ok(records)
    }

    async fn erase_records_of(&self, tenant: Option<TenantId>) -> Result<u64, CatalogueError> {
        let rows = sqlx::query!(
            r#"SELECT a.tenant_id, a.id, a.asked_at, a.question, a.answer, a.decision
               FROM conversation_erasures e
               JOIN audit a ON a.tenant_id = e.tenant_id AND a.request_id = e.request_id
                   AND a.subject_id = e.subject_id
               WHERE ($1::uuid IS NULL OR e.tenant_id = $1) AND a.question ->> 'query' IS DISTINCT FROM $2"#,
            tenant.map(|tenant| tenant.0),
            ERASED,
        )
        .all(&self.pool)
        .await?;
        self.erase_feedback_of_conversations(tenant).await?;
        let count = rows.len() as u64;
        for row in rows {
            sqlx::query!(
                "UPDATE audit SET question = $4, answer = $5, decision = $6,
                     draft = CASE WHEN draft IS NOT NULL THEN $7 END,
                     failure = CASE WHEN failure IS NOT NULL THEN $7 END
                 WHERE tenant_id = $1 AND asked_at = $2 AND id = $3",
                row.tenant_id,
                row.asked_at,
                row.id,
                without_words(row.question),
                StoredAnswer::of(row.asked_at, row.answer).without_words(),
                row.decision.map(|decision| without_variants(without_reasons(decision))),
                ERASED,
            )
            .run(&self.pool)
            .await?;
        }
        sqlx::query!(
            "UPDATE actions a SET details = a.details - 'query' FROM conversation_erasures e
             WHERE ($1::uuid IS NULL OR e.tenant_id = $1) AND a.tenant_id = e.tenant_id
               AND a.request_id = e.request_id AND a.subject_id = e.subject_id AND a.details ? 'query'",
            tenant.map(|tenant| tenant.0),
        )
        .run(&self.pool)
        .await?;
        // What waits to be handed over is not sent any more.
        sqlx::query!(
            "DELETE FROM hand_overs h USING conversation_erasures e
             WHERE ($1::uuid IS NULL OR e.tenant_id = $1) AND h.tenant_id = e.tenant_id
               AND h.request_id = e.request_id AND h.subject_id = e.subject_id",
            tenant.map(|tenant| tenant.0),
        )
        .run(&self.pool)
        .await?;
        Ok(count)
    }
}

/// A question of which nobody reads any more what was asked.
fn without_words(mut question: Value) -> Value {
    question["query"] = json!(ERASED);
    question["history"] = json!([]);
    question
}

/// A decision without the wordings of the question that were searched for. How many there were stays.
fn without_variants(value: Value) -> Value {
    match value {
        Value::Array(values) => values.into_iter().map(without_variants).collect(),
        Value::Object(fields) => {
            let kept = fields.into_iter().map(|(name, value)| match (name.as_str(), value) {
                ("variants", Value::Array(variants)) => (name, variants.iter().map(unworded).collect()),
                (_, value) => (name, without_variants(value)),
            });
            Value::Object(kept.collect())
        }
        other => other,
    }
}

/// A kind and a wording: the kind stays.
fn unworded(variant: &Value) -> Value {
    json!([variant[0], ERASED])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_was_asked_is_left_of_a_decision() {
        let decision =
            json!({"search": {"variants": [["question", "secret?"], ["paraphrase", "secret!"]], "round": 1}});
        let expected = json!({"search": {"variants": [["question", ERASED], ["paraphrase", ERASED]], "round": 1}});
        assert_eq!(without_variants(decision), expected);
        let question = without_words(json!({"query": "secret", "history": [{"content": "secret"}], "model": null}));
        assert_eq!(question, json!({"query": ERASED, "history": [], "model": null}));
    }
}
