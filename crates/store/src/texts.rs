//! Texts of documents as they were and as they are, for whoever checks a receipt.

use std::collections::{BTreeMap, BTreeSet};

use ibidem_ports::catalogue::CatalogueError;
use ibidem_ports::corpus::{Corpus, KeptDocument, KeptVersion};
use ibidem_words::{DocumentId, Scope};

use crate::Store;
use crate::asked::Asked as _;
use crate::convert::{scope_tags, to_i32, to_u32};

impl Store {
    /// These versions and the current one of each document that this scope sees, or saw when it was removed.
    pub async fn texts(&self, scope: &Scope, versions: &BTreeSet<(DocumentId, u32)>) -> Result<Corpus, CatalogueError> {
        let documents: Vec<_> = versions.iter().map(|(document, _)| document.0).collect();
        // A version beyond the column's numbers never was; the document is looked up all the same.
        let numbers: Vec<_> = versions.iter().map(|(_, version)| to_i32(*version).unwrap_or(0)).collect();
        let rows = sqlx::query!(
            r#"SELECT d.id, d.current_version, d.address, d.removed_at IS NOT NULL AS "is_removed!", v.version, v.title, v.text, v.updated_at
               FROM unnest($2::uuid[], $3::integer[]) AS asked (document_id, version)
               CROSS JOIN LATERAL (SELECT * FROM documents
                   WHERE tenant_id = $1 AND id = asked.document_id OFFSET 0) d
               CROSS JOIN LATERAL (SELECT * FROM document_versions
                   WHERE tenant_id = $1 AND document_id = d.id
                       AND version IN (asked.version, d.current_version) OFFSET 0) v
               -- What was removed is shown as it was to whoever saw it then.
               WHERE is_visible(d.tags, NULL, $4)"#,
            scope.tenant().0,
            &documents,
            &numbers,
            &scope_tags(scope),
        ).all(&self.pool).await?;
        let mut corpus = Corpus::new();
        for row in rows {
            let current_version = to_u32(row.current_version)?;
            let document = corpus.entry(DocumentId(row.id)).or_insert_with(|| KeptDocument {
                current_version,
                address: row.address,
                is_removed: row.is_removed,
                versions: BTreeMap::new(),
            });
            let version = KeptVersion { title: row.title, text: row.text, updated_at: row.updated_at };
            document.versions.insert(to_u32(row.version)?, version);
        }
        Ok(corpus)
    }
}
