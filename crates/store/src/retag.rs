//! A curator changes who sees a document: only tags of their own, and `public`.

use std::collections::BTreeSet;

use ibidem_ports::catalogue::CatalogueError;
use ibidem_words::{CollectionName, DocumentId, HandIn, Scope, Tag};

use crate::asked::{Asked as _, Run as _};
use crate::collections::ensure_tags;
use crate::convert::{scope_tags, tag_names, to_collection, to_tags};
use crate::documents::{retag_document, retag_next_version};
use crate::{Store, unavailable};

/// What became of a curator's change.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RetagOutcome {
    Done,
    /// Nothing of that id is visible in this scope.
    NotFound,
    /// It carries none of the curator's own tags.
    NotTheirs,
    /// It is of a collection that the curator may not hand documents in to.
    NotTheirCollection(CollectionName),
}

impl Store {
    /// Gives a document these tags in place of those of the scope. Tags of others that it has stay, so that nobody who
    /// curates one audience takes a document from another.
    pub async fn retag_within(
        &self,
        scope: &Scope,
        hand_in: &HandIn,
        document: DocumentId,
        tags: &[Tag],
    ) -> Result<RetagOutcome, CatalogueError> {
        let tenant = scope.tenant();
        let mut transaction = self.pool.begin().await.map_err(unavailable)?;
        ensure_tags(&mut transaction, tenant, tags).await?;
        // The job first, as a commit does: the other order could deadlock with it.
        let waiting = sqlx::query!(
            "SELECT tags FROM jobs WHERE tenant_id = $1 AND document_id = $2 FOR UPDATE",
            tenant.0,
            document.0,
        )
        .optional(&mut *transaction)
        .await?;
        let found = sqlx::query!(
            r#"SELECT d.collection, d.tags, n.tags AS "next_tags?"
               FROM documents d LEFT JOIN next_versions n ON n.tenant_id = d.tenant_id AND n.document_id = d.id
               WHERE d.tenant_id = $1 AND d.id = $2 AND is_visible(d.tags, d.removed_at, $3) FOR UPDATE OF d"#,
            tenant.0,
            document.0,
            &scope_tags(scope),
        )
        .optional(&mut *transaction)
        .await?;
        let Some(found) = found else { return Ok(RetagOutcome::NotFound) };
        let collection = to_collection(found.collection)?;
        if !hand_in.includes(&collection) {
            return Ok(RetagOutcome::NotTheirCollection(collection));
        }
        let carried: BTreeSet<&Tag> = scope.tags().collect();
        let before = to_tags(found.tags)?;
        if !before.iter().any(|tag| !tag.is_public() && carried.contains(tag)) {
            return Ok(RetagOutcome::NotTheirs);
        }
        let with_others = |before: Vec<Tag>| -> Vec<Tag> {
            before.into_iter().filter(|tag| !carried.contains(tag)).chain(tags.iter().cloned()).collect()
        };
        if let Some(waiting) = waiting {
            sqlx::query!(
                "UPDATE jobs SET tags = $3 WHERE tenant_id = $1 AND document_id = $2",
                tenant.0,
                document.0,
                &tag_names(&with_others(to_tags(waiting.tags)?)),
            )
            .run(&mut *transaction)
            .await?;
        }
        retag_document(&mut transaction, tenant, document, &with_others(before)).await?;
        if let Some(next) = found.next_tags {
            retag_next_version(&mut transaction, tenant, document, &with_others(to_tags(next)?)).await?;
        }
        transaction.commit().await.map_err(unavailable)?;
        Ok(RetagOutcome::Done)
    }
}
