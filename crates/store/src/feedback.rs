//! What askers say of their answers.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use ibidem_ports::catalogue::CatalogueError;
use ibidem_words::{Scope, TenantId};
use serde_json::Value;
use uuid::Uuid;

use crate::Store;
use crate::asked::{Asked as _, Run as _};
use crate::audit::{StoredAnswer, without_nul};
use crate::conversations::Talker;
use crate::convert::{corrupt, scope_tags};

/// One line a word: the variant, and its name in the API and in the database.
macro_rules! named {
    ($(#[$doc:meta])* $name:ident: $($(#[$variant_doc:meta])* $variant:ident, $written:literal;)*) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum $name {
            $($(#[$variant_doc])* $variant,)*
        }

        impl $name {
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $written,)*
                }
            }

            /// By its name.
            pub fn named(written: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|known| known.as_str() == written)
            }
        }
    };
}

named! {
    /// Whether the answer helped.
    Thumb:
    Up, "up";
    Down, "down";
}

named! {
    /// What is wrong with an answer.
    FeedbackReason:
    /// It says something that is not so.
    Wrong, "wrong";
    /// Its sources do not say it.
    Unsupported, "unsupported";
    /// Something is missing.
    Incomplete, "incomplete";
    /// Nothing answers the question, and it was answered.
    ShouldHaveRefused, "should_have_refused";
    /// The documents answer the question, and it was refused.
    ShouldNotHaveRefused, "should_not_have_refused";
}

/// What somebody says of an answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Feedback {
    pub thumb: Thumb,
    pub reason: Option<FeedbackReason>,
    pub comment: Option<String>,
}

/// The same, with the answer that it is about.
#[derive(Clone, PartialEq, Debug)]
pub struct GivenFeedback {
    pub request_id: Uuid,
    pub given_at: DateTime<Utc>,
    pub feedback: Feedback,
    /// None where only a digest was kept, or the record is gone.
    pub question: Option<String>,
    /// The documents that the answer cites.
    pub documents: Vec<Uuid>,
}

impl Store {
    /// Keeps what somebody says of an answer of their own. False when there is no such answer, or it is not theirs.
    pub async fn give_feedback(
        &self,
        talker: &Talker,
        request_id: Uuid,
        feedback: &Feedback,
    ) -> Result<bool, CatalogueError> {
        let (tenant, subject) = talker.ids();
        let found = sqlx::query!(
            r#"SELECT asked_at AS "asked_at!", answer AS "answer!" FROM (
                   SELECT asked_at, answer FROM audit WHERE tenant_id = $1 AND request_id = $2 AND subject_id = $3
                   UNION ALL
                   SELECT t.asked_at, t.answer FROM conversation_turns t
                   JOIN conversations c ON c.tenant_id = t.tenant_id AND c.id = t.conversation_id
                   WHERE t.tenant_id = $1 AND t.request_id = $2 AND c.subject_id = $3) AS given
               ORDER BY asked_at DESC LIMIT 1"#,
            tenant.0,
            request_id,
            subject,
        )
        .optional(&self.pool)
        .await?;
        let Some(row) = found else { return Ok(false) };
        let passages = StoredAnswer::of(row.asked_at, row.answer).passages();
        let documents: BTreeSet<Uuid> = passages.into_iter().map(|key| key.document.0).collect();
        let documents: Vec<Uuid> = documents.into_iter().collect();
        sqlx::query!(
            "INSERT INTO feedback (tenant_id, request_id, subject_id, given_at, thumb, reason, comment, documents)
             VALUES ($1, $2, $3, now(), $4, $5, $6, $7)
             ON CONFLICT (tenant_id, request_id, subject_id) DO UPDATE
             SET given_at = now(), thumb = $4, reason = $5, comment = $6, documents = $7",
            tenant.0,
            request_id,
            subject,
            feedback.thumb.as_str(),
            feedback.reason.map(FeedbackReason::as_str),
            feedback.comment.clone().map(without_nul),
            &documents,
        )
        .run(&self.pool)
        .await?;
        Ok(true)
    }

    /// What was said of answers all of whose documents are visible in this scope, newest first, a page after the other.
    /// Of answers that cite nothing only where `with_uncited`.
    pub async fn feedback(
        &self,
        scope: &Scope,
        with_uncited: bool,
        after: Option<(DateTime<Utc>, Uuid)>,
        most: u16,
    ) -> Result<Vec<GivenFeedback>, CatalogueError> {
        let (last_at, last_id) = after.unzip();
        let rows = sqlx::query!(
            r#"SELECT f.request_id, f.given_at, f.thumb, f.reason, f.comment, f.documents,
                      (SELECT a.question FROM audit a
                       WHERE a.tenant_id = f.tenant_id AND a.request_id = f.request_id AND a.subject_id = f.subject_id
                         AND a.texts = 'plain' ORDER BY a.asked_at DESC LIMIT 1) AS question
               FROM feedback f
               WHERE f.tenant_id = $1 AND ($3 OR cardinality(f.documents) > 0)
                 AND NOT EXISTS (
                     SELECT FROM unnest(f.documents) AS cited
                     WHERE NOT EXISTS (SELECT FROM documents d WHERE d.tenant_id = $1 AND d.id = cited
                                       AND is_visible(d.tags, d.removed_at, $2)))
                 AND ($4::timestamptz IS NULL OR (f.given_at, f.request_id) < ($4, $5::uuid))
               ORDER BY f.given_at DESC, f.request_id DESC LIMIT $6"#,
            scope.tenant().0,
            &scope_tags(scope),
            with_uncited,
            last_at,
            last_id,
            i64::from(most),
        )
        .all(&self.pool)
        .await?;
        let given = rows.into_iter().map(|row| {
            let reason = row.reason.as_deref().map(|written| {
                FeedbackReason::named(written).ok_or_else(|| corrupt(format!("{written:?} is no reason")))
            });
            Ok(GivenFeedback {
                request_id: row.request_id,
                given_at: row.given_at,
                feedback: Feedback {
                    thumb: Thumb::named(&row.thumb).ok_or_else(|| corrupt(format!("{:?} is no thumb", row.thumb)))?,
                    reason: reason.transpose()?,
                    comment: row.comment,
                },
                question: row.question.as_ref().and_then(query_of),
                documents: row.documents,
            })
        });
        given.collect()
    }

    /// Takes away what was said of requests whose conversation is deleted.
    pub(crate) async fn erase_feedback_of_conversations(&self, tenant: Option<TenantId>) -> Result<(), CatalogueError> {
        sqlx::query!(
            "DELETE FROM feedback f USING conversation_erasures e
             WHERE ($1::uuid IS NULL OR e.tenant_id = $1) AND f.tenant_id = e.tenant_id
               AND f.request_id = e.request_id AND f.subject_id = e.subject_id",
            tenant.map(|tenant| tenant.0),
        )
        .run(&self.pool)
        .await?;
        Ok(())
    }
}

fn query_of(question: &Value) -> Option<String> {
    question["query"].as_str().map(str::to_owned)
}
