//! A document's words in conversations.

use ibidem_ports::catalogue::CatalogueError;
use ibidem_words::{DocumentId, TenantId};

use super::{Erased, Traces};
use crate::Store;
use crate::asked::{Asked as _, Run as _};
use crate::audit::StoredAnswer;

impl Store {
    /// Every answer of a conversation that may have words of the document is written without them.
    pub(super) async fn erase_from_conversations(
        &self,
        tenant: TenantId,
        document: DocumentId,
        traces: &Traces,
        erased: &mut Erased,
    ) -> Result<(), CatalogueError> {
        let names = traces.lower_names();
        let rows = sqlx::query!(
            "SELECT conversation_id, number, asked_at, answer FROM conversation_turns
             WHERE tenant_id = $1
               AND (strpos(answer::text, $2) > 0
                    OR EXISTS (SELECT FROM unnest($3::text[]) AS name
                               WHERE strpos(lower(coalesce(answer ->> 'suggestions', '')), name) > 0
                                  OR strpos(lower(coalesce(answer ->> 'warnings', '')), name) > 0))",
            tenant.0,
            document.to_string(),
            &names,
        )
        .all(&self.pool)
        .await?;
        for row in rows {
            let stored = StoredAnswer::of(row.asked_at, row.answer.clone());
            let (answer, sentences) = stored.without_document(document, &names);
            if answer == row.answer {
                continue;
            }
            sqlx::query!(
                "UPDATE conversation_turns SET answer = $4
                 WHERE tenant_id = $1 AND conversation_id = $2 AND number = $3",
                tenant.0,
                row.conversation_id,
                row.number,
                answer,
            )
            .run(&self.pool)
            .await?;
            erased.sentences += sentences;
            erased.records += 1;
        }
        Ok(())
    }
}
