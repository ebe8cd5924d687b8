//! What a document says of another counts only where whoever handed it in may change that other one, and an address stays
//! with the document that has it. The rules themselves are functions of the database (migration 0040).

use std::collections::HashSet;

use ibidem_ports::catalogue::{CatalogueError, CataloguePassage};
use ibidem_ports::intake::Submission;
use ibidem_words::{AddressKey, Scope};
use sqlx::PgConnection;

use crate::Store;
use crate::asked::Asked as _;
use crate::convert::{scope_tags, tag_names};
use crate::new_version::EndedJob;

impl Store {
    /// Takes out of each passage's standing what its document says it changes in part without a right to. What replaces a
    /// document is read with that document; few documents change others in part, so these are asked for apart.
    pub(crate) async fn settle_amends(
        &self,
        scope: &Scope,
        mut passages: Vec<CataloguePassage>,
    ) -> Result<Vec<CataloguePassage>, CatalogueError> {
        let amended = passages.iter().flat_map(|passage| {
            let keys = passage.validity.amends.iter().filter_map(|address| AddressKey::of(address));
            keys.map(|key| (passage.passage.document.0, key.as_str().to_owned()))
        });
        let amended: HashSet<_> = amended.collect();
        if amended.is_empty() {
            return Ok(passages);
        }
        let (documents, keys): (Vec<_>, Vec<_>) = amended.into_iter().unzip();
        let counting = sqlx::query!(
            r#"SELECT asked.document_id AS "document!", asked.address_key AS "key!"
               FROM unnest($2::uuid[], $3::text[]) AS asked (document_id, address_key)
               JOIN documents d ON d.tenant_id = $1 AND d.id = asked.document_id
               WHERE EXISTS (SELECT FROM documents other
                   WHERE other.tenant_id = $1 AND other.address_key = asked.address_key AND other.id <> d.id
                       AND other.collection = d.collection AND is_visible(other.tags, other.removed_at, $4)
                       AND held_address($1, other.id, $4) IS NOT NULL
                       AND may_change($1, d.source_location, other.collection, other.source_location, other.tags))"#,
            scope.tenant().0,
            &documents,
            &keys,
            &scope_tags(scope),
        )
        .all_in_time(self)
        .await?;
        let counting: HashSet<_> = counting.into_iter().map(|row| (row.document, row.key)).collect();
        for passage in &mut passages {
            let document = passage.passage.document.0;
            passage.validity.amends.retain(|address| {
                AddressKey::of(address).is_some_and(|key| counting.contains(&(document, key.as_str().to_owned())))
            });
        }
        Ok(passages)
    }

    /// Whether the address that is stated for a document is another's, as far as whoever hands it in sees that one.
    pub async fn address_is_taken(&self, scope: &Scope, submission: &Submission) -> Result<bool, CatalogueError> {
        let Some(key) = submission.address.as_deref().and_then(AddressKey::of) else { return Ok(false) };
        sqlx::query_scalar!(
            r#"SELECT address_is_taken($1, $2, $3, $4, $5, $6, $7) AS "is_taken!""#,
            scope.tenant().0,
            submission.document_id().0,
            submission.source_location,
            submission.collection.as_str(),
            &tag_names(&submission.tags),
            key.as_str(),
            &scope_tags(scope),
        )
        .one_in_time(self)
        .await
    }
}

/// Refuses a version whose address is another document's. One that whoever handed this in does not see is no obstacle: the
/// refusal would tell of it. Then the address is that other document's for whoever sees both.
pub(crate) async fn refuse_taken_address(
    connection: &mut PgConnection,
    ended: &EndedJob,
    address: Option<&str>,
) -> Result<(), CatalogueError> {
    let Some((address, key)) = address.and_then(|address| Some((address, AddressKey::of(address)?))) else {
        return Ok(());
    };
    let is_taken = sqlx::query_scalar!(
        r#"SELECT address_is_taken($1, $2, $3, $4, $5, $6, array_append(
               coalesce((SELECT tags FROM rights_of($1, handed_in_by($3))), '{}'), 'public')) AS "is_taken!""#,
        ended.tenant.0,
        ended.document.0,
        ended.source_location,
        ended.collection,
        &ended.tags,
        key.as_str(),
    )
    .one(connection)
    .await?;
    if is_taken {
        return Err(CatalogueError::Refused(format!(
            "the address {address} is that of another document, which whoever handed this one in may not change; hand it \
             in with an address of its own"
        )));
    }
    Ok(())
}
