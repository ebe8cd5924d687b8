//! Documents listed by what they are, as far as somebody may see them.

use chrono::{DateTime, NaiveDate, Utc};
use ibidem_words::ports::catalogue::CatalogueError;
use ibidem_words::{CollectionName, DocumentId, Scope, Standing, Status, Tag};
use uuid::Uuid;

use crate::Store;
use crate::convert::{scope_tags, to_collection, to_standing, to_tags, to_u32};
use crate::in_time::InTime as _;

/// Which documents are listed. What is none is not looked at.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DocumentsOf {
    /// In any case.
    pub collection: Option<String>,
    pub tag: Option<Tag>,
    /// Each of them stands in the title or the address, in any case.
    pub words: Vec<String>,
    pub status: Option<Status>,
    /// Only those behind this one: when it was updated, and its id.
    pub after: Option<(DateTime<Utc>, Uuid)>,
    pub most: u16,
}

/// A document in a list, with its standing.
#[derive(Clone, PartialEq, Debug)]
pub struct ListedRow {
    pub id: DocumentId,
    pub collection: CollectionName,
    pub title: String,
    pub address: Option<String>,
    pub kind: Option<String>,
    pub source_location: String,
    pub tags: Vec<Tag>,
    pub version: u32,
    pub passages: u32,
    pub updated_at: DateTime<Utc>,
    pub standing: Standing,
}

impl Store {
    /// Visible documents, the one that was updated last first. `today` decides which are in force.
    pub async fn documents_of(
        &self,
        scope: &Scope,
        of: &DocumentsOf,
        today: NaiveDate,
    ) -> Result<Vec<ListedRow>, CatalogueError> {
        let (last_at, last_id) = of.after.unzip();
        let rows = sqlx::query!(
            r#"SELECT d.id, d.collection, d.address, d.source_location, d.tags, d.current_version,
                      v.title, v.kind, v.updated_at, v.chunk_count, v.standing, replaced.by AS "replaced_by?"
               FROM documents d
               JOIN document_versions v ON v.tenant_id = d.tenant_id AND v.document_id = d.id
                   AND v.version = d.current_version
               CROSS JOIN LATERAL (SELECT replaced_by($1, d.collection, d.id, d.address_key, $2) AS by) replaced
               WHERE v.tenant_id = $1 AND is_visible(d.tags, d.removed_at, $2)
                   AND ($3::text IS NULL OR lower(d.collection) = lower($3))
                   AND ($4::text IS NULL OR $4 = ANY (d.tags))
                   AND NOT EXISTS (SELECT FROM unnest($5::text[]) AS word
                                   WHERE strpos(lower(concat_ws(' ', v.title, d.address)), lower(word)) = 0)
                   AND ($6::text IS NULL OR status_on(v.standing, replaced.by, $7) = $6)
                   AND ($8::timestamptz IS NULL OR (v.updated_at, v.document_id) < ($8, $9::uuid))
               ORDER BY v.updated_at DESC, v.document_id DESC LIMIT $10"#,
            scope.tenant().0,
            &scope_tags(scope),
            of.collection,
            of.tag.as_ref().map(Tag::as_str),
            &of.words,
            of.status.map(Status::as_str),
            today,
            last_at,
            last_id,
            i64::from(of.most),
        )
        .fetch_all(&self.pool)
        .in_time(self)
        .await?;
        let listed = rows.into_iter().map(|row| {
            Ok(ListedRow {
                id: DocumentId(row.id),
                collection: to_collection(row.collection)?,
                title: row.title,
                address: row.address,
                kind: row.kind,
                source_location: row.source_location,
                tags: to_tags(row.tags)?,
                version: to_u32(row.current_version)?,
                passages: to_u32(row.chunk_count)?,
                updated_at: row.updated_at,
                standing: to_standing(row.standing, row.replaced_by)?,
            })
        });
        listed.collect()
    }
}
