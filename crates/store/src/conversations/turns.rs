//! The questions of a conversation, with their answers.

use chrono::{DateTime, Utc};
use ibidem_ports::catalogue::CatalogueError;
use serde_json::Value;
use uuid::Uuid;

use super::{Talker, title};
use crate::asked::{Asked as _, Run as _};
use crate::audit::{StoredAnswer, storable, without_nul};
use crate::{Store, unavailable};

/// A question that was asked, and its answer.
#[derive(Clone, PartialEq, Debug)]
pub struct ConversationTurn {
    /// 1 is the first.
    pub number: i32,
    pub request_id: Uuid,
    pub asked_at: DateTime<Utc>,
    /// As it was asked.
    pub question: String,
    /// As it was searched for, where it went on with an earlier one.
    pub rewritten: Option<String>,
    /// What of it may be seen now is asked of the catalogue before it is shown.
    pub answer: StoredAnswer,
}

/// A turn that just ended.
#[derive(Clone, PartialEq, Debug)]
pub struct NewTurn {
    pub request_id: Uuid,
    pub asked_at: DateTime<Utc>,
    pub question: String,
    pub rewritten: Option<String>,
    pub answer: Value,
}

impl Store {
    /// Adds a turn to a conversation. Its number; none when the conversation is gone, and then the words of the turn are
    /// to be taken out of the records too.
    pub async fn add_turn(
        &self,
        talker: &Talker,
        conversation: Uuid,
        turn: NewTurn,
    ) -> Result<Option<i32>, CatalogueError> {
        let mut transaction = self.pool.begin().await.map_err(unavailable)?;
        // One turn at a time is numbered.
        let found = sqlx::query!(
            "UPDATE conversations SET changed_at = greatest(changed_at, now()),
                 title = CASE WHEN titled_by = 'nobody' THEN $4 ELSE title END,
                 titled_by = CASE WHEN titled_by = 'nobody' THEN 'question' ELSE titled_by END
             WHERE tenant_id = $1 AND subject_id = $2 AND id = $3",
            talker.tenant.0,
            talker.subject.to_string(),
            conversation,
            title::of_question(&without_nul(turn.question.clone())),
        )
        .run(&mut *transaction)
        .await?;
        if found.rows_affected() == 0 {
            sqlx::query!(
                "INSERT INTO conversation_erasures (tenant_id, request_id, subject_id, asked_for_at)
                 VALUES ($1, $2, $3, now()) ON CONFLICT DO NOTHING",
                talker.tenant.0,
                turn.request_id,
                talker.subject.to_string(),
            )
            .run(&mut *transaction)
            .await?;
            transaction.commit().await.map_err(unavailable)?;
            return Ok(None);
        }
        let number = sqlx::query_scalar!(
            r#"INSERT INTO conversation_turns (tenant_id, conversation_id, number, request_id, asked_at, question,
                                               rewritten, answer)
               SELECT $1, $2, coalesce(max(number), 0) + 1, $3, $4, $5, $6, $7
               FROM conversation_turns WHERE tenant_id = $1 AND conversation_id = $2
               RETURNING number"#,
            talker.tenant.0,
            conversation,
            turn.request_id,
            turn.asked_at,
            without_nul(turn.question),
            turn.rewritten.map(without_nul),
            storable(turn.answer),
        )
        .one(&mut *transaction)
        .await?;
        transaction.commit().await.map_err(unavailable)?;
        Ok(Some(number))
    }

    /// The last turns of a conversation, oldest first.
    pub async fn conversation_turns(
        &self,
        talker: &Talker,
        conversation: Uuid,
        most: u32,
    ) -> Result<Vec<ConversationTurn>, CatalogueError> {
        let mut rows = sqlx::query!(
            "SELECT t.number, t.request_id, t.asked_at, t.question, t.rewritten, t.answer
             FROM conversation_turns t
             JOIN conversations c ON c.tenant_id = t.tenant_id AND c.id = t.conversation_id
             WHERE t.tenant_id = $1 AND c.subject_id = $2 AND t.conversation_id = $3
             ORDER BY t.number DESC LIMIT $4",
            talker.tenant.0,
            talker.subject.to_string(),
            conversation,
            i64::from(most),
        )
        .all(&self.pool)
        .await?;
        rows.reverse();
        let turns = rows.into_iter().map(|row| ConversationTurn {
            number: row.number,
            request_id: row.request_id,
            asked_at: row.asked_at,
            question: row.question,
            rewritten: row.rewritten,
            answer: StoredAnswer::of(row.asked_at, row.answer),
        });
        Ok(turns.collect())
    }
}
