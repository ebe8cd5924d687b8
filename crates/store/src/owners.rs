//! Who owns the tags of a document.

use async_trait::async_trait;
use ibidem_ports::catalogue::CatalogueError;
use ibidem_ports::owners::{OwnedTag, Owner, Owners};
use ibidem_words::{DocumentId, Scope};
use uuid::Uuid;

use crate::Store;
use crate::asked::Asked as _;
use crate::convert::scope_tags;

#[async_trait]
impl Owners for Store {
    async fn owned_tags(&self, scope: &Scope, documents: &[DocumentId]) -> Result<Vec<OwnedTag>, CatalogueError> {
        let ids: Vec<Uuid> = documents.iter().map(|document| document.0).collect();
        let rows = sqlx::query!(
            r#"SELECT d.id, tag.name AS "tag!", u.id AS "owner?", u.email AS "email?"
               FROM documents d
               CROSS JOIN LATERAL unnest(d.tags) AS tag (name)
               LEFT JOIN tags t ON t.tenant_id = d.tenant_id AND t.name = tag.name
               LEFT JOIN users u ON u.tenant_id = t.tenant_id AND u.id = t.owner_user_id
               WHERE d.tenant_id = $1 AND d.id = ANY ($2) AND is_visible(d.tags, d.removed_at, $3)
                   AND tag.name = ANY ($3)
               ORDER BY d.id, tag.name COLLATE "C""#,
            scope.tenant().0,
            &ids,
            &scope_tags(scope),
        )
        .all_in_time(self)
        .await?;
        rows.into_iter()
            .map(|row| {
                let tag = row.tag.parse().map_err(|error| CatalogueError::Corrupt(format!("a tag: {error}")))?;
                let owner = row.owner.zip(row.email).map(|(user, email)| Owner { user, email });
                Ok(OwnedTag { document: DocumentId(row.id), tag, owner })
            })
            .collect()
    }
}
