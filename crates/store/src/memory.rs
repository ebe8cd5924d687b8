//! Curated memory, as its authors keep it: write, list, read, remove. Recalling it for a question is in [`recall`].

mod index;
mod recall;

use chrono::{DateTime, Utc};
use ibidem_ports::catalogue::CatalogueError;
use ibidem_ports::curate::CheckedEntry;
use ibidem_words::{Identity, MemoryEntry, MemoryId, MemoryKind, Reference, Scope, Sha256Hash, Subject, Tag, TenantId};
use sqlx::PgConnection;
use uuid::Uuid;

use crate::asked::{Asked as _, Run as _};
use crate::collections::ensure_tags;
use crate::convert::{corrupt, scope_tags, tag_names, to_i32, to_tags, to_u32};
use crate::documents::ask_for_publication;
use crate::{Store, unavailable};
pub(crate) use index::as_document;

/// Who writes, and whom they may write for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Author {
    tenant: TenantId,
    name: String,
    /// None for whoever runs the installation: they write for everybody.
    tags: Option<Vec<String>>,
}

impl Author {
    /// Somebody who writes for those they share every tag with, and for the public.
    pub fn of(identity: &Identity) -> Self {
        let tags = scope_tags(&Scope::of(identity));
        Self { tenant: identity.tenant(), name: identity.subject().name().to_owned(), tags: Some(tags) }
    }

    pub fn operator(tenant: TenantId) -> Self {
        Self { tenant, name: Subject::operator().name().to_owned(), tags: None }
    }

    /// The first of the tags that this author may not write for.
    pub fn foreign<'a>(&self, tags: &'a [Tag]) -> Option<&'a Tag> {
        let own = self.tags.as_ref()?;
        tags.iter().find(|tag| !own.iter().any(|own| own == tag.as_str()))
    }
}

/// An entry as it is kept.
#[derive(Clone, PartialEq, Debug)]
pub struct MemoryRow {
    pub entry: MemoryEntry,
    pub version: u32,
    pub created_by: String,
    pub created_at: DateTime<Utc>,
    pub changed_by: String,
    pub changed_at: DateTime<Utc>,
}

/// What became of a change.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MemoryOutcome {
    Done,
    /// Nothing of that id is there, or not for this author.
    NotFound,
    /// The entry is for somebody too whom the author may not write for.
    Foreign(Tag),
}

impl Store {
    /// Keeps a new entry, and asks for its publication.
    pub async fn create_entry(&self, author: &Author, checked: &CheckedEntry) -> Result<MemoryId, CatalogueError> {
        let id = MemoryId(Uuid::now_v7());
        let entry = checked.entry();
        let mut transaction = self.pool.begin().await.map_err(unavailable)?;
        ensure_tags(&mut transaction, author.tenant, &entry.tags).await?;
        sqlx::query!(
            "INSERT INTO memory_entries (tenant_id, id, kind, text, triggers, refers_to, tags, version, passage_count,
                                         created_by, changed_by)
             VALUES ($1, $2, $3, $4, $5, $6, $7, 1, $8, $9, $9)",
            author.tenant.0,
            id.0,
            entry.kind.as_str(),
            entry.kind.text(),
            &entry.triggers,
            to_json(&entry.references)?,
            &tag_names(&entry.tags),
            to_i32(checked.passages().len())?,
            author.name,
        )
        .run(&mut *transaction)
        .await?;
        keep_passages(&mut transaction, author.tenant, id, checked.passages()).await?;
        transaction.commit().await.map_err(unavailable)?;
        Ok(id)
    }

    /// Puts a new wording in place of an entry, as of now. It stays what it is, a pin or a note.
    pub async fn replace_entry(
        &self,
        author: &Author,
        id: MemoryId,
        checked: &CheckedEntry,
    ) -> Result<MemoryOutcome, CatalogueError> {
        let mut transaction = self.pool.begin().await.map_err(unavailable)?;
        match held_entry(&mut transaction, author, id).await? {
            MemoryOutcome::Done => {}
            other => return Ok(other),
        }
        let entry = checked.entry();
        ensure_tags(&mut transaction, author.tenant, &entry.tags).await?;
        let replaced = sqlx::query!(
            "UPDATE memory_entries SET text = $4, triggers = $5, refers_to = $6, tags = $7, version = version + 1,
                 passage_count = $8, changed_by = $9, changed_at = now()
             WHERE tenant_id = $1 AND id = $2 AND kind = $3",
            author.tenant.0,
            id.0,
            entry.kind.as_str(),
            entry.kind.text(),
            &entry.triggers,
            to_json(&entry.references)?,
            &tag_names(&entry.tags),
            to_i32(checked.passages().len())?,
            author.name,
        )
        .run(&mut *transaction)
        .await?;
        if replaced.rows_affected() == 0 {
            return Ok(MemoryOutcome::NotFound);
        }
        keep_passages(&mut transaction, author.tenant, id, checked.passages()).await?;
        transaction.commit().await.map_err(unavailable)?;
        Ok(MemoryOutcome::Done)
    }

    /// Removes an entry and its text at once.
    pub async fn remove_entry(&self, author: &Author, id: MemoryId) -> Result<MemoryOutcome, CatalogueError> {
        let mut transaction = self.pool.begin().await.map_err(unavailable)?;
        match held_entry(&mut transaction, author, id).await? {
            MemoryOutcome::Done => {}
            other => return Ok(other),
        }
        sqlx::query!(
            "UPDATE memory_entries SET text = CASE WHEN kind = 'note' THEN '' END, triggers = '{}', refers_to = '[]',
                 version = version + 1, passage_count = 0, changed_by = $3, changed_at = now(), removed_at = now()
             WHERE tenant_id = $1 AND id = $2",
            author.tenant.0,
            id.0,
            author.name,
        )
        .run(&mut *transaction)
        .await?;
        keep_passages(&mut transaction, author.tenant, id, &[]).await?;
        transaction.commit().await.map_err(unavailable)?;
        Ok(MemoryOutcome::Done)
    }

    /// Entries visible in this scope, oldest first, page by page.
    pub async fn list_entries(
        &self,
        scope: &Scope,
        after: Option<MemoryId>,
        limit: i64,
    ) -> Result<Vec<MemoryRow>, CatalogueError> {
        let rows = sqlx::query_as!(
            EntryRow,
            "SELECT id, kind, text, triggers, refers_to, tags, version, created_by, created_at, changed_by, changed_at
             FROM memory_entries
             WHERE tenant_id = $1 AND is_visible(tags, removed_at, $2) AND ($3::uuid IS NULL OR id > $3)
             ORDER BY id LIMIT $4",
            scope.tenant().0,
            &scope_tags(scope),
            after.map(|id| id.0),
            limit,
        )
        .all(&self.pool)
        .await?;
        rows.into_iter().map(MemoryRow::try_from).collect()
    }

    /// An entry, if it is visible in this scope.
    pub async fn entry(&self, scope: &Scope, id: MemoryId) -> Result<Option<MemoryRow>, CatalogueError> {
        Ok(self.entries(scope, &[id]).await?.pop())
    }

    /// Those of the entries that are visible in this scope, in no order.
    async fn entries(&self, scope: &Scope, ids: &[MemoryId]) -> Result<Vec<MemoryRow>, CatalogueError> {
        let ids: Vec<Uuid> = ids.iter().map(|id| id.0).collect();
        let rows = sqlx::query_as!(
            EntryRow,
            "SELECT e.id, kind, text, triggers, refers_to, tags, version, created_by, created_at, changed_by, changed_at
             FROM unnest($2::uuid[]) AS asked (id)
             CROSS JOIN LATERAL (SELECT * FROM memory_entries
                 WHERE tenant_id = $1 AND id = asked.id AND is_visible(tags, removed_at, $3) OFFSET 0) e",
            scope.tenant().0,
            &ids,
            &scope_tags(scope),
        )
        .all_in_time(self)
        .await?;
        rows.into_iter().map(MemoryRow::try_from).collect()
    }
}

/// Holds an entry until the transaction ends, if this author may change it.
async fn held_entry(
    connection: &mut PgConnection,
    author: &Author,
    id: MemoryId,
) -> Result<MemoryOutcome, CatalogueError> {
    let tags = sqlx::query_scalar!(
        "SELECT tags FROM memory_entries
         WHERE tenant_id = $1 AND id = $2 AND removed_at IS NULL AND ($3::text[] IS NULL OR is_visible(tags, NULL, $3)) FOR UPDATE",
        author.tenant.0,
        id.0,
        author.tags.as_deref(),
    ).optional(connection).await?;
    let Some(tags) = tags else { return Ok(MemoryOutcome::NotFound) };
    let tags = to_tags(tags)?;
    Ok(author.foreign(&tags).map_or(MemoryOutcome::Done, |tag| MemoryOutcome::Foreign(tag.clone())))
}

/// Puts these in place of the entry's passages, and asks for publication.
async fn keep_passages(
    connection: &mut PgConnection,
    tenant: TenantId,
    id: MemoryId,
    passages: &[String],
) -> Result<(), CatalogueError> {
    sqlx::query!("DELETE FROM memory_passages WHERE tenant_id = $1 AND entry_id = $2", tenant.0, id.0)
        .run(&mut *connection)
        .await?;
    let keys: Vec<Vec<u8>> = passages.iter().map(|text| Sha256Hash::of(text.as_bytes()).as_bytes().to_vec()).collect();
    sqlx::query!(
        "INSERT INTO memory_passages (tenant_id, entry_id, chunk_index, embedding_key, text)
         SELECT $1, $2, passage.number - 1, embedding_key, text
         FROM unnest($3::bytea[], $4::text[]) WITH ORDINALITY AS passage (embedding_key, text, number)",
        tenant.0,
        id.0,
        &keys,
        passages,
    )
    .run(&mut *connection)
    .await?;
    ask_for_publication(connection, tenant, &[id.as_document()]).await
}

struct EntryRow {
    id: Uuid,
    kind: String,
    text: Option<String>,
    triggers: Vec<String>,
    refers_to: serde_json::Value,
    tags: Vec<String>,
    version: i32,
    created_by: String,
    created_at: DateTime<Utc>,
    changed_by: String,
    changed_at: DateTime<Utc>,
}

impl TryFrom<EntryRow> for MemoryRow {
    type Error = CatalogueError;

    fn try_from(row: EntryRow) -> Result<Self, Self::Error> {
        let kind = match (row.kind.as_str(), row.text) {
            ("pin", None) => MemoryKind::Pin,
            ("note", Some(text)) => MemoryKind::Note { text },
            (other, _) => return Err(corrupt(format!("an entry of the kind {other:?}"))),
        };
        let references = serde_json::from_value(row.refers_to).map_err(corrupt)?;
        let tags = to_tags(row.tags)?;
        Ok(Self {
            entry: MemoryEntry { id: MemoryId(row.id), kind, triggers: row.triggers, references, tags },
            version: to_u32(row.version)?,
            created_by: row.created_by,
            created_at: row.created_at,
            changed_by: row.changed_by,
            changed_at: row.changed_at,
        })
    }
}

fn to_json(references: &[Reference]) -> Result<serde_json::Value, CatalogueError> {
    serde_json::to_value(references).map_err(corrupt)
}
