//! Erasing: a document goes with everything that repeats it, or a tenant with everything that is its own.
//!
//! Whatever is needed to find the rest goes last: an erasure that was interrupted is finished by running it again.

mod conversations;
mod hand_overs;
mod originals;
mod tenant;
mod words;

use ibidem_ports::catalogue::CatalogueError;
use ibidem_ports::originals::{Originals, OriginalsError};
use ibidem_words::{AddressKey, DocumentId, Reference, SourceId, TenantId};
use serde::Serialize;
use uuid::Uuid;

use crate::asked::{Asked as _, Run as _};
use crate::convert::corrupt;
use crate::documents::ask_for_publication;
use crate::next_versions::forget_next_version;
use crate::{Store, unavailable};

#[derive(Debug, thiserror::Error)]
pub enum EraseError {
    #[error(transparent)]
    Catalogue(#[from] CatalogueError),
    #[error(transparent)]
    Originals(#[from] OriginalsError),
}

/// What an erasure took away, and what it left and why.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Erased {
    pub documents: u64,
    /// Versions, with their texts.
    pub versions: u64,
    pub passages: u64,
    /// Stored vectors that no passage uses any more.
    pub vectors: u64,
    /// Originals that no other document has.
    pub originals: u64,
    /// Documents that were on their way in.
    pub jobs: u64,
    /// Records of questions from which words were taken, or, of a tenant, that were deleted.
    pub records: u64,
    /// Sentences of answers that rested on it.
    pub sentences: u64,
    /// Earlier replies, in the histories that askers sent along, that repeated it.
    pub replies: u64,
    /// References of curated memory.
    pub references: u64,
    /// Entries of curated memory: of a tenant.
    pub entries: u64,
    pub keys: u64,
    /// Records of actions: of a tenant.
    pub actions: u64,
    /// What was left, each with its reason.
    pub kept: Vec<String>,
}

impl Erased {
    fn keep(&mut self, what: impl Into<String>) {
        self.kept.push(what.into());
    }

    /// Whether there was nothing left to take away.
    pub fn is_nothing(&self) -> bool {
        *self == Self { kept: self.kept.clone(), ..Self::default() }
    }
}

/// What a document is known by in what repeats it.
struct Traces {
    /// Titles of its versions and its address.
    names: Vec<String>,
    /// The texts of its versions.
    texts: Vec<String>,
    address: Option<AddressKey>,
}

impl Store {
    /// Erases a document. None when there is no such document, and none on its way in. The index follows through the
    /// outbox, as with a removal. Doing it again finishes what was interrupted, and then changes nothing.
    pub async fn erase_document(
        &self,
        originals: &dyn Originals,
        tenant: TenantId,
        document: DocumentId,
    ) -> Result<Option<Erased>, EraseError> {
        let mut erased = Erased::default();
        let digests = self.original_digests(tenant, document).await?;
        let known = sqlx::query_scalar!(
            r#"SELECT erased_at IS NOT NULL AS "is_erased!" FROM documents WHERE tenant_id = $1 AND id = $2"#,
            tenant.0,
            document.0,
        )
        .optional(&self.pool)
        .await?;
        let passages = self.passages_of(tenant, document).await?;
        // Nobody finds it from here on, and a worker that holds it can no longer commit it.
        let jobs = self.cancel_and_remove(tenant, document).await?;
        if known.is_none() && jobs == 0 {
            return Ok(None);
        }
        erased.jobs = jobs;
        erased.passages = passages;
        self.erase_originals(originals, (tenant, document), &digests, &mut erased).await?;
        let traces = self.traces_of(tenant, document).await?;
        self.erase_references(tenant, document, &traces, &mut erased).await?;
        self.erase_words(tenant, document, &traces, &mut erased).await?;
        self.erase_from_conversations(tenant, document, &traces, &mut erased).await?;
        self.erase_from_hand_overs(tenant, document).await?;
        erased.documents = u64::from(known == Some(false));
        erased.versions = self.erase_row(tenant, document).await?;
        erased.vectors = self.erase_unused_vectors(tenant).await?;
        erased.keep("the record of each question: when it was asked, its numbers and its decision, without the words");
        erased.keep("what people typed themselves: questions, and notes and triggers of curated memory");
        erased.keep("backups, logs, and answers and receipts that were handed out: they are out of reach from here");
        erased.keep("former collections of the index and those of other embedding models, where there are any");
        Ok(Some(erased))
    }

    async fn passages_of(&self, tenant: TenantId, document: DocumentId) -> Result<u64, CatalogueError> {
        let count = sqlx::query_scalar!(
            r#"SELECT count(*) AS "count!" FROM chunks WHERE tenant_id = $1 AND document_id = $2"#,
            tenant.0,
            document.0,
        )
        .one(&self.pool)
        .await?;
        Ok(count.unsigned_abs())
    }

    /// Removes the document, if it is there, and what is on its way in. Returns how many were on their way.
    async fn cancel_and_remove(&self, tenant: TenantId, document: DocumentId) -> Result<u64, CatalogueError> {
        let jobs = sqlx::query_scalar!(
            r#"SELECT count(*) AS "count!" FROM jobs WHERE tenant_id = $1 AND document_id = $2"#,
            tenant.0,
            document.0,
        )
        .one(&self.pool)
        .await?;
        self.remove(tenant, document).await?;
        Ok(jobs.unsigned_abs())
    }

    async fn traces_of(&self, tenant: TenantId, document: DocumentId) -> Result<Traces, CatalogueError> {
        let rows = sqlx::query!(
            "SELECT d.address, v.title, v.text FROM documents d
             JOIN document_versions v ON v.tenant_id = d.tenant_id AND v.document_id = d.id
             WHERE d.tenant_id = $1 AND d.id = $2",
            tenant.0,
            document.0,
        )
        .all(&self.pool)
        .await?;
        let address = rows.iter().find_map(|row| row.address.clone());
        let mut names: Vec<String> = rows.iter().map(|row| row.title.clone()).chain(address.clone()).collect();
        names.sort_unstable();
        names.dedup();
        Ok(Traces {
            names,
            texts: rows.into_iter().map(|row| row.text).collect(),
            address: address.as_deref().and_then(AddressKey::of),
        })
    }

    /// Takes references to the document out of curated memory. An address goes too, unless another document has it.
    async fn erase_references(
        &self,
        tenant: TenantId,
        document: DocumentId,
        traces: &Traces,
        erased: &mut Erased,
    ) -> Result<(), CatalogueError> {
        let is_shared = sqlx::query_scalar!(
            r#"SELECT EXISTS (SELECT FROM documents WHERE tenant_id = $1 AND id <> $2 AND address_key = $3)
                   AS "is_shared!""#,
            tenant.0,
            document.0,
            traces.address.as_ref().map(AddressKey::as_str),
        )
        .one(&self.pool)
        .await?;
        let address = traces.address.as_ref().filter(|_| !is_shared);
        let leads_there = |reference: &Reference| match reference {
            Reference::Passage(SourceId { document: named, .. }) | Reference::Document(named) => *named == document,
            Reference::Address(written) => address.is_some() && AddressKey::of(written).as_ref() == address,
        };
        let mut transaction = self.pool.begin().await.map_err(unavailable)?;
        let rows = sqlx::query!(
            "SELECT id, refers_to FROM memory_entries WHERE tenant_id = $1 AND refers_to <> '[]' ORDER BY id FOR UPDATE",
            tenant.0,
        ).all(&mut *transaction).await?;
        let mut touched: Vec<Uuid> = Vec::new();
        for row in rows {
            let references: Vec<Reference> = serde_json::from_value(row.refers_to).map_err(corrupt)?;
            let (gone, left): (Vec<_>, Vec<_>) = references.into_iter().partition(leads_there);
            if gone.is_empty() {
                continue;
            }
            erased.references += gone.len() as u64;
            touched.push(row.id);
            sqlx::query!(
                "UPDATE memory_entries SET refers_to = $3, changed_at = now() WHERE tenant_id = $1 AND id = $2",
                tenant.0,
                row.id,
                serde_json::to_value(&left).map_err(corrupt)?,
            )
            .run(&mut *transaction)
            .await?;
        }
        transaction.commit().await.map_err(unavailable)?;
        for id in touched {
            erased.keep(format!("entry {id} of curated memory, which referred to it: its words are a curator's own"));
        }
        Ok(())
    }

    /// Leaves of the document its id alone: an index that is built meanwhile must learn that it went. Returns how many
    /// versions there were.
    async fn erase_row(&self, tenant: TenantId, document: DocumentId) -> Result<u64, CatalogueError> {
        let mut transaction = self.pool.begin().await.map_err(unavailable)?;
        forget_next_version(&mut transaction, tenant.0, document.0).await?;
        sqlx::query!("DELETE FROM source_folders WHERE tenant_id = $1 AND document_id = $2", tenant.0, document.0)
            .run(&mut *transaction)
            .await?;
        let versions = sqlx::query!(
            "DELETE FROM document_versions WHERE tenant_id = $1 AND document_id = $2",
            tenant.0,
            document.0,
        )
        .run(&mut *transaction)
        .await?;
        sqlx::query!("DELETE FROM chunks WHERE tenant_id = $1 AND document_id = $2", tenant.0, document.0)
            .run(&mut *transaction)
            .await?;
        sqlx::query!(
            "UPDATE documents SET source_location = 'erased', tags = '{}', fingerprint = decode(repeat('00', 32), 'hex'),
                 address = NULL, address_key = NULL, words = NULL, replaces = '{}', removed_at = coalesce(removed_at, now()),
                 erased_at = coalesce(erased_at, now()), changed_at = now()
             WHERE tenant_id = $1 AND id = $2",
            tenant.0,
            document.0,
        ).run(&mut *transaction).await?;
        ask_for_publication(&mut transaction, tenant, &[document]).await?;
        transaction.commit().await.map_err(unavailable)?;
        Ok(versions.rows_affected())
    }

    /// Vectors are kept by what was embedded, which passages share. What a worker is about to use is made again.
    async fn erase_unused_vectors(&self, tenant: TenantId) -> Result<u64, CatalogueError> {
        let gone = sqlx::query!(
            "DELETE FROM embeddings e WHERE e.tenant_id = $1
                 AND NOT EXISTS (SELECT FROM chunks c WHERE c.tenant_id = $1 AND c.embedding_key = e.embedding_key)
                 AND NOT EXISTS (SELECT FROM memory_passages p
                     WHERE p.tenant_id = $1 AND p.embedding_key = e.embedding_key)",
            tenant.0,
        )
        .run(&self.pool)
        .await?;
        Ok(gone.rows_affected())
    }
}
