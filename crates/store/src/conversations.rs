//! Conversations: kept for whoever asked, read by nobody else, and erased when they are deleted.

mod erase;
mod history;
mod retention;
mod title;
mod turns;

use chrono::{DateTime, Utc};
use ibidem_ports::catalogue::CatalogueError;
use ibidem_words::{Identity, SubjectId, TenantId};
use uuid::Uuid;

use crate::Store;
use crate::asked::{Asked as _, Run as _};
pub use erase::DeletedConversation;
pub use history::history;
pub use retention::Retention;
pub use title::{InvalidTitle, checked_title};
pub use turns::{ConversationTurn, NewTurn};

/// Whose conversations are meant: everything here takes it, and finds nothing of anybody else's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Talker {
    tenant: TenantId,
    subject: SubjectId,
}

impl Talker {
    pub fn of(identity: &Identity) -> Self {
        Self { tenant: identity.tenant(), subject: identity.subject().id() }
    }

    /// As rows have them.
    pub(crate) fn ids(&self) -> (TenantId, String) {
        (self.tenant, self.subject.to_string())
    }
}

/// A conversation as a list shows it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConversationRow {
    pub id: Uuid,
    pub title: String,
    pub created_at: DateTime<Utc>,
    /// When it was last asked in or renamed.
    pub changed_at: DateTime<Utc>,
    pub turns: i64,
}

impl Store {
    /// Begins a conversation. One without a title is called by its first question.
    pub async fn create_conversation(
        &self,
        talker: &Talker,
        title: Option<&str>,
    ) -> Result<ConversationRow, CatalogueError> {
        let row = sqlx::query!(
            "INSERT INTO conversations (tenant_id, id, subject_id, title, titled_by, created_at, changed_at)
             VALUES ($1, $2, $3, $4, $5, now(), now()) RETURNING id, title, created_at, changed_at",
            talker.tenant.0,
            Uuid::now_v7(),
            talker.subject.to_string(),
            title.unwrap_or_default(),
            if title.is_some() { "person" } else { "nobody" },
        )
        .one(&self.pool)
        .await?;
        Ok(ConversationRow {
            id: row.id,
            title: row.title,
            created_at: row.created_at,
            changed_at: row.changed_at,
            turns: 0,
        })
    }

    /// Somebody's conversations, the one that was last asked in first, a page after the other.
    pub async fn conversations(
        &self,
        talker: &Talker,
        after: Option<(DateTime<Utc>, Uuid)>,
        most: u16,
    ) -> Result<Vec<ConversationRow>, CatalogueError> {
        let (last_at, last_id) = after.unzip();
        sqlx::query_as!(
            ConversationRow,
            r#"SELECT c.id, c.title, c.created_at, c.changed_at,
                      (SELECT count(*) FROM conversation_turns t
                       WHERE t.tenant_id = c.tenant_id AND t.conversation_id = c.id) AS "turns!"
               FROM conversations c
               WHERE c.tenant_id = $1 AND c.subject_id = $2
                 AND ($3::timestamptz IS NULL OR (c.changed_at, c.id) < ($3, $4::uuid))
               ORDER BY c.changed_at DESC, c.id DESC LIMIT $5"#,
            talker.tenant.0,
            talker.subject.to_string(),
            last_at,
            last_id,
            i64::from(most),
        )
        .all(&self.pool)
        .await
    }

    /// None when there is no such conversation, or it is somebody else's: the two are the same.
    pub async fn conversation(&self, talker: &Talker, id: Uuid) -> Result<Option<ConversationRow>, CatalogueError> {
        sqlx::query_as!(
            ConversationRow,
            r#"SELECT c.id, c.title, c.created_at, c.changed_at,
                      (SELECT count(*) FROM conversation_turns t
                       WHERE t.tenant_id = c.tenant_id AND t.conversation_id = c.id) AS "turns!"
               FROM conversations c WHERE c.tenant_id = $1 AND c.subject_id = $2 AND c.id = $3"#,
            talker.tenant.0,
            talker.subject.to_string(),
            id,
        )
        .optional(&self.pool)
        .await
    }

    /// Gives a conversation another title. False when there is no such conversation.
    pub async fn rename_conversation(&self, talker: &Talker, id: Uuid, title: &str) -> Result<bool, CatalogueError> {
        let renamed = sqlx::query!(
            "UPDATE conversations SET title = $4, titled_by = 'person', changed_at = now()
             WHERE tenant_id = $1 AND subject_id = $2 AND id = $3",
            talker.tenant.0,
            talker.subject.to_string(),
            id,
            title,
        )
        .run(&self.pool)
        .await?;
        Ok(renamed.rows_affected() > 0)
    }

    /// The title that a model wrote, in place of the first question's words. What a person wrote stays.
    pub async fn title_conversation(&self, talker: &Talker, id: Uuid, title: &str) -> Result<(), CatalogueError> {
        sqlx::query!(
            "UPDATE conversations SET title = $4, titled_by = 'model'
             WHERE tenant_id = $1 AND subject_id = $2 AND id = $3 AND titled_by = 'question'",
            talker.tenant.0,
            talker.subject.to_string(),
            id,
            title,
        )
        .run(&self.pool)
        .await?;
        Ok(())
    }
}
