//! Documents listed by what they are, as far as somebody may see them.

use chrono::{DateTime, NaiveDate, Utc};
use ibidem_ports::catalogue::CatalogueError;
use ibidem_words::{CollectionName, DocumentId, Scope, Status, Tag, Validity};
use uuid::Uuid;

use crate::Store;
use crate::asked::Asked as _;
use crate::convert::{scope_tags, to_collection, to_tags, to_u32, to_validity};

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
    pub validity: Validity,
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
        let words: Vec<String> = of.words.iter().map(|word| as_pattern(word)).collect();
        // The newest of each audience, along the index, and of these the newest: what is hidden is not looked at.
        let rows = sqlx::query!(
            r#"WITH replaced AS MATERIALIZED (
                   SELECT newer.collection, key FROM audiences_seen($1, $2) AS seen
                   JOIN documents newer ON newer.tenant_id = $1 AND newer.collection = seen.collection
                       AND newer.tags = seen.tags AND newer.removed_at IS NULL AND newer.replaces <> '{}'
                   CROSS JOIN LATERAL unnest(newer.replaces) AS key
                   WHERE $6::text IS NOT NULL
               )
               SELECT d.id, d.collection, held_address($1, d.id, $2) AS address, d.source_location, d.tags, d.current_version, d.title, d.updated_at,
                      d.standing, v.kind, v.chunk_count,
                      replaced_by($1, d.collection, d.id, d.address_key, $2) AS "replaced_by?"
               FROM audiences_seen($1, $2) AS seen
               CROSS JOIN LATERAL (
                   SELECT * FROM documents listed
                   WHERE listed.tenant_id = $1 AND listed.collection = seen.collection AND listed.tags = seen.tags
                       AND listed.removed_at IS NULL
                       AND (listed.updated_at, listed.id) < (coalesce($8::timestamptz, 'infinity'),
                                                             coalesce($9::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
                       -- Hidden by `coalesce`: the planner would think that hardly any row meets the next two.
                       AND coalesce(lower(concat_ws(' ', listed.title, listed.address))
                           LIKE ALL (ARRAY(SELECT '%' || lower(word) || '%' FROM unnest($5::text[]) AS word)), false)
                       -- Most say nothing of their status and are replaced by nothing, which is seen at a glance.
                       AND ($6::text IS NULL OR coalesce($6 = CASE
                           WHEN listed.standing = '{}' AND ((listed.collection, listed.address_key) IN
                               (SELECT collection, key FROM replaced)) IS NOT TRUE THEN 'in_force'
                           ELSE status_on(listed.standing,
                                          replaced_by($1, listed.collection, listed.id, listed.address_key, $2), $7)
                           END, false))
                   ORDER BY listed.updated_at DESC, listed.id DESC LIMIT $10) d
               JOIN document_versions v ON v.tenant_id = $1 AND v.document_id = d.id AND v.version = d.current_version
               WHERE ($3::text IS NULL OR lower(seen.collection) = lower($3))
                   AND ($4::text IS NULL OR $4 = ANY (seen.tags))
               ORDER BY d.updated_at DESC, d.id DESC LIMIT $10"#,
            scope.tenant().0,
            &scope_tags(scope),
            of.collection,
            of.tag.as_ref().map(Tag::as_str),
            &words,
            of.status.map(Status::as_str),
            today,
            last_at,
            last_id,
            i64::from(of.most),
        ).all_in_time(self)
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
                validity: to_validity(row.standing, row.replaced_by)?,
            })
        });
        listed.collect()
    }
}

/// As `LIKE` reads it: nothing in the word stands for anything else.
fn as_pattern(word: &str) -> String {
    word.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_stands_for_itself() {
        assert_eq!(as_pattern(r"100 %_\n"), r"100 \%\_\\n");
    }
}
