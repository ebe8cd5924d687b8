//! Originals: those that nothing refers to any more go.

use std::collections::HashSet;

use chrono::{TimeDelta, Utc};
use ibidem_ports::catalogue::CatalogueError;
use ibidem_ports::originals::Originals;
use ibidem_words::{DocumentId, Sha256Hash, TenantId};

use super::{EraseError, Erased};
use crate::Store;
use crate::asked::Asked as _;
use crate::convert::to_digest;

/// An original that nothing refers to may belong to a document that is being handed in this moment.
const YOUNG: TimeDelta = TimeDelta::hours(1);

impl Store {
    /// The originals of a document's versions, and of what is on its way in.
    pub(super) async fn original_digests(
        &self,
        tenant: TenantId,
        document: DocumentId,
    ) -> Result<HashSet<Sha256Hash>, CatalogueError> {
        let rows = sqlx::query_scalar!(
            r#"SELECT original_sha256 AS "digest!" FROM document_versions
               WHERE tenant_id = $1 AND document_id = $2
               UNION SELECT original_sha256 FROM jobs WHERE tenant_id = $1 AND document_id = $2"#,
            tenant.0,
            document.0,
        )
        .all(&self.pool)
        .await?;
        rows.iter().map(|digest| to_digest(digest)).collect()
    }

    /// Removes the document's originals that no other document has, and what was left behind by submissions that others
    /// took the place of.
    pub(super) async fn erase_originals(
        &self,
        originals: &dyn Originals,
        (tenant, document): (TenantId, DocumentId),
        own: &HashSet<Sha256Hash>,
        erased: &mut Erased,
    ) -> Result<(), EraseError> {
        let in_use = self.digests_of_others(tenant, document).await?;
        let (mut shared, mut young) = (0, 0);
        for kept in originals.list(tenant).await? {
            let digest = kept.digest;
            if in_use.contains(&digest) {
                shared += u64::from(own.contains(&digest));
            } else if own.contains(&digest) || kept.kept_at < Utc::now() - YOUNG {
                originals.remove(tenant, digest).await?;
                erased.originals += 1;
            } else {
                young += 1;
            }
        }
        if shared > 0 {
            erased.keep(format!("{shared} originals: another document was handed in with the same bytes"));
        }
        if young > 0 {
            erased.keep(format!(
                "{young} originals that nothing refers to and that are less than an hour old: they may be of documents on \
                 their way in; erase again later to remove what is left over"
            ));
        }
        Ok(())
    }

    /// Of all other documents, removed ones included.
    async fn digests_of_others(
        &self,
        tenant: TenantId,
        document: DocumentId,
    ) -> Result<HashSet<Sha256Hash>, CatalogueError> {
        let rows = sqlx::query_scalar!(
            r#"SELECT original_sha256 AS "digest!" FROM document_versions WHERE tenant_id = $1 AND document_id <> $2
               UNION SELECT original_sha256 FROM jobs WHERE tenant_id = $1 AND document_id <> $2"#,
            tenant.0,
            document.0,
        )
        .all(&self.pool)
        .await?;
        rows.iter().map(|digest| to_digest(digest)).collect()
    }
}
