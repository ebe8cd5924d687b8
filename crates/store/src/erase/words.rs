//! A document's words in the records of questions, which are also the stored answers.

use std::collections::HashSet;

use chrono::{DateTime, Utc};
use ibidem_ports::catalogue::CatalogueError;
use ibidem_words::{DocumentId, TenantId};
use serde_json::Value;
use uuid::Uuid;

use super::{Erased, Traces};
use crate::Store;
use crate::asked::{Asked as _, Run as _};
use crate::audit::{ERASED, StoredAnswer, without_reasons, without_replies};

/// Records that are read together.
const ROWS_A_PAGE: i64 = 200;
/// A shorter sentence is anybody's.
const SHORTEST_QUOTE: usize = 12;
/// A shorter name is part of too many words.
const SHORTEST_NAME: usize = 3;

/// A record that may have words of the document.
struct Suspect {
    id: Uuid,
    asked_at: DateTime<Utc>,
    question: Value,
    answer: Value,
    decision: Option<Value>,
    /// The document was among what the question found: its words may be in whatever a model wrote.
    is_about: bool,
}

impl Store {
    /// Every record that may have words of the document is read; those that have any are written without them.
    pub(super) async fn erase_words(
        &self,
        tenant: TenantId,
        document: DocumentId,
        traces: &Traces,
        erased: &mut Erased,
    ) -> Result<(), CatalogueError> {
        let names = traces.lower_names();
        // What is quoted is known by the answers that quote it: histories go first, then the answers.
        let mut quotes: HashSet<String> = traces.texts.iter().flat_map(|text| pieces(text)).collect();
        let mut after = None;
        while let Some(page) = self.suspects(tenant, document, &names, &mut after).await? {
            for suspect in page {
                let answer = StoredAnswer::of(suspect.asked_at, suspect.answer);
                quotes.extend(answer.sentences_on(document).flat_map(pieces));
            }
        }
        let is_quoted = |content: &str| pieces(content).any(|piece| quotes.contains(&piece));
        let mut after = None;
        while let Some(page) = self.suspects(tenant, document, &names, &mut after).await? {
            for suspect in page {
                let (question, replies) = without_replies(suspect.question, ERASED, is_quoted);
                if replies > 0 {
                    erased.replies += replies;
                    self.replace_question(tenant, &suspect.id, suspect.asked_at, question).await?;
                }
            }
        }
        let mut after = None;
        while let Some(page) = self.suspects(tenant, document, &names, &mut after).await? {
            for suspect in page {
                self.erase_from(tenant, document, &names, suspect, erased).await?;
            }
        }
        Ok(())
    }

    /// The next records, oldest first, that name the document's id, suggest it by name, or have earlier replies in them.
    async fn suspects(
        &self,
        tenant: TenantId,
        document: DocumentId,
        names: &[String],
        after: &mut Option<(DateTime<Utc>, Uuid)>,
    ) -> Result<Option<Vec<Suspect>>, CatalogueError> {
        let (last_at, last_id) = after.unzip();
        let rows = sqlx::query_as!(
            Suspect,
            r#"SELECT id, asked_at, question, answer, decision,
                      strpos(answer::text, $2) > 0 OR strpos(coalesce(decision::text, ''), $2) > 0 AS "is_about!"
               FROM audit
               WHERE tenant_id = $1
                 AND (asked_at, id) > (coalesce($4::timestamptz, '-infinity'),
                                       coalesce($5::uuid, '00000000-0000-0000-0000-000000000000'))
                 AND (strpos(answer::text, $2) > 0 OR strpos(coalesce(decision::text, ''), $2) > 0
                      OR jsonb_array_length(coalesce(question -> 'history', '[]')) > 0
                      OR EXISTS (SELECT FROM unnest($3::text[]) AS name
                                 WHERE strpos(lower(coalesce(answer ->> 'suggestions', '')), name) > 0
                                    OR strpos(lower(coalesce(answer ->> 'warnings', '')), name) > 0))
               ORDER BY asked_at, id LIMIT $6"#,
            tenant.0,
            document.to_string(),
            names,
            last_at,
            last_id,
            ROWS_A_PAGE,
        )
        .all(&self.pool)
        .await?;
        *after = rows.last().map(|row| (row.asked_at, row.id));
        Ok(Some(rows).filter(|rows| !rows.is_empty()))
    }

    async fn replace_question(
        &self,
        tenant: TenantId,
        id: &Uuid,
        asked_at: DateTime<Utc>,
        question: Value,
    ) -> Result<(), CatalogueError> {
        sqlx::query!(
            "UPDATE audit SET question = $4 WHERE tenant_id = $1 AND asked_at = $2 AND id = $3",
            tenant.0,
            asked_at,
            id,
            question,
        )
        .run(&self.pool)
        .await?;
        Ok(())
    }

    async fn erase_from(
        &self,
        tenant: TenantId,
        document: DocumentId,
        names: &[String],
        suspect: Suspect,
        erased: &mut Erased,
    ) -> Result<(), CatalogueError> {
        let Suspect { id, asked_at, answer: former, decision, is_about, .. } = suspect;
        let (answer, sentences) = StoredAnswer::of(asked_at, former.clone()).without_document(document, names);
        if answer == former && !is_about {
            return Ok(());
        }
        erased.sentences += sentences;
        // Whatever a model wrote from notes of which this was one, and whatever was said about it.
        let changed = sqlx::query!(
            "UPDATE audit SET answer = $4, decision = CASE WHEN $6 THEN $5 ELSE decision END,
                 draft = CASE WHEN $6 AND draft IS NOT NULL THEN $7 ELSE draft END,
                 failure = CASE WHEN $6 AND failure IS NOT NULL THEN $7 ELSE failure END
             WHERE tenant_id = $1 AND asked_at = $2 AND id = $3
               AND (answer <> $4 OR $6 AND (decision <> $5 OR draft <> $7 OR failure <> $7))",
            tenant.0,
            asked_at,
            id,
            answer,
            decision.map(without_reasons),
            is_about,
            ERASED,
        )
        .run(&self.pool)
        .await?;
        erased.records += changed.rows_affected();
        Ok(())
    }
}

impl Traces {
    /// What it is called, as texts are searched for it.
    pub(super) fn lower_names(&self) -> Vec<String> {
        let names = self.names.iter().filter(|name| name.chars().count() >= SHORTEST_NAME);
        names.map(|name| name.to_lowercase()).collect()
    }
}

/// Sentences, or what looks like them, so that they are found again however a client laid them out: without markers,
/// white space and case.
fn pieces(text: &str) -> impl Iterator<Item = String> + '_ {
    let pieces = text.split(['.', '!', '?', ':', ';', '\n', '\r', '。', '！', '？']);
    let letters =
        |piece: &str| -> String { piece.chars().filter(|c| c.is_alphabetic()).flat_map(char::to_lowercase).collect() };
    pieces.map(letters).filter(|piece| piece.chars().count() >= SHORTEST_QUOTE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_is_found_again_whatever_its_markers_and_layout() {
        let quotes: HashSet<String> = pieces("The okapi sleeps at noon.[1] So.").collect();
        assert_eq!(quotes.len(), 1);
        for content in
            ["the  okapi sleeps\tat noon", "- Yes. The okapi sleeps at noon [2]!", "THE OKAPI SLEEPS AT NOON"]
        {
            assert!(pieces(content).any(|piece| quotes.contains(&piece)), "{content}");
        }
        assert!(!pieces("The okapi sleeps at night.").any(|piece| quotes.contains(&piece)));
    }
}
