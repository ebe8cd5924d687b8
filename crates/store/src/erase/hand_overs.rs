//! A document's names in questions that wait to be handed over.

use ibidem_ports::catalogue::CatalogueError;
use ibidem_words::{DocumentId, TenantId};

use crate::Store;
use crate::asked::Run as _;

impl Store {
    /// Takes the document out of what was found. The question, which its asker typed, is still handed over.
    pub(super) async fn erase_from_hand_overs(
        &self,
        tenant: TenantId,
        document: DocumentId,
    ) -> Result<(), CatalogueError> {
        sqlx::query!(
            "UPDATE hand_overs SET message = jsonb_set(jsonb_set(message,
                 '{found}', coalesce((SELECT jsonb_agg(one) FROM jsonb_array_elements(message -> 'found') AS one
                     WHERE strpos(one::text, $2) = 0), '[]')),
                 '{pin,body,references}', coalesce((SELECT jsonb_agg(one)
                     FROM jsonb_array_elements(message #> '{pin,body,references}') AS one
                     WHERE strpos(one::text, $2) = 0), '[]'))
             WHERE tenant_id = $1 AND strpos(message::text, $2) > 0",
            tenant.0,
            document.to_string(),
        )
        .run(&self.pool)
        .await?;
        Ok(())
    }
}
