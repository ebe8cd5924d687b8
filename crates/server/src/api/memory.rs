//! `/v1/memory`: what curators write down. Here what goes in and comes out; [`write`] and [`read`] have the handlers.

pub(crate) mod read;
pub(crate) mod write;

use chrono::{DateTime, Utc};
use garde::Validate;
use ibidem_store::MemoryRow;
use ibidem_words::{DocumentId, InvalidSourceId, MemoryId, Reference, Scope, Tag};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::problem::Problem;
use crate::state::AppState;

/// What an entry points at.
#[derive(Clone, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ReferenceBody {
    /// One passage: `{document_id}:{chunk_index}`, as a search names it.
    Passage(String),
    /// A document, for the passages of it that answer.
    Document(Uuid),
    /// A document by the name people call it, for instance `ADR-0012`, in any spelling.
    Address(String),
}

impl TryFrom<ReferenceBody> for Reference {
    type Error = InvalidSourceId;

    fn try_from(body: ReferenceBody) -> Result<Self, Self::Error> {
        Ok(match body {
            ReferenceBody::Passage(written) => Self::Passage(written.try_into()?),
            ReferenceBody::Document(id) => Self::Document(DocumentId(id)),
            ReferenceBody::Address(address) => Self::Address(address),
        })
    }
}

impl From<Reference> for ReferenceBody {
    fn from(reference: Reference) -> Self {
        match reference {
            Reference::Passage(source) => Self::Passage(source.to_string()),
            Reference::Document(document) => Self::Document(document.0),
            Reference::Address(address) => Self::Address(address),
        }
    }
}

/// A question, worded by a curator, with the sources that answer it.
#[derive(Deserialize, Validate, ToSchema)]
#[serde(deny_unknown_fields)]
#[garde(allow_unvalidated)]
pub(crate) struct PinBody {
    /// Questions for which it is used, 1 to 20 of at most 500 characters. Similar questions count too.
    #[schema(min_items = 1, max_items = 20)]
    triggers: Vec<String>,
    /// The sources that answer it, 1 to 50. They may be cited.
    #[schema(min_items = 1, max_items = 50)]
    references: Vec<ReferenceBody>,
    /// Whose answers may use it: people with one of these tags. Use tags that the key itself has, or `public`.
    #[schema(value_type = Vec<String>, min_items = 1, max_items = 50)]
    tags: Vec<Tag>,
}

/// Background that shapes answers. It is never quoted and never cited; what it refers to may be.
#[derive(Deserialize, Validate, ToSchema)]
#[serde(deny_unknown_fields)]
#[garde(allow_unvalidated)]
pub(crate) struct NoteBody {
    /// 1 to 20,000 characters.
    #[schema(min_length = 1, max_length = 20_000)]
    text: String,
    /// Questions for which it is used, 1 to 20 of at most 500 characters. Similar questions count too.
    #[schema(min_items = 1, max_items = 20)]
    triggers: Vec<String>,
    /// Documents or passages with more about it, up to 50.
    #[serde(default)]
    #[schema(max_items = 50)]
    references: Vec<ReferenceBody>,
    /// Whose answers may use it: people with one of these tags. Use tags that the key itself has, or `public`.
    #[schema(value_type = Vec<String>, min_items = 1, max_items = 50)]
    tags: Vec<Tag>,
}

/// The new text of an entry. A pin stays a pin, and a note stays a note.
#[derive(Deserialize, Validate, ToSchema)]
#[serde(deny_unknown_fields)]
#[garde(allow_unvalidated)]
pub(crate) struct RewordingBody {
    /// Of a note; a pin has none.
    #[schema(min_length = 1, max_length = 20_000)]
    text: Option<String>,
    #[schema(min_items = 1, max_items = 20)]
    triggers: Vec<String>,
    #[serde(default)]
    #[schema(max_items = 50)]
    references: Vec<ReferenceBody>,
    #[schema(value_type = Vec<String>, min_items = 1, max_items = 50)]
    tags: Vec<Tag>,
}

/// An entry of curated memory, in the form of the API; the command line prints the same.
#[derive(Serialize, ToSchema)]
pub struct MemoryEntryBody {
    id: Uuid,
    /// `pin` or `note`
    kind: &'static str,
    /// A note's text; null of a pin.
    text: Option<String>,
    triggers: Vec<String>,
    references: Vec<ReferenceBody>,
    tags: Vec<String>,
    /// Counts its changes.
    version: u32,
    created_by: String,
    created_at: DateTime<Utc>,
    changed_by: String,
    changed_at: DateTime<Utc>,
}

impl From<MemoryRow> for MemoryEntryBody {
    fn from(row: MemoryRow) -> Self {
        Self {
            id: row.entry.id.0,
            kind: row.entry.kind.as_str(),
            text: row.entry.kind.text().map(str::to_owned),
            triggers: row.entry.triggers,
            references: row.entry.references.into_iter().map(ReferenceBody::from).collect(),
            tags: row.entry.tags.into_iter().map(String::from).collect(),
            version: row.version,
            created_by: row.created_by,
            created_at: row.created_at,
            changed_by: row.changed_by,
            changed_at: row.changed_at,
        }
    }
}

impl MemoryEntryBody {
    /// As a key sees it: of its tags only those that the key carries. Who else it is for is not the key's to know.
    fn seen_in(scope: &Scope, row: MemoryRow) -> Self {
        let mut seen = Self::from(row);
        seen.tags.retain(|tag| scope.tags().any(|carried| carried.as_str() == tag));
        seen
    }
}

/// An entry with its references that lead nowhere.
#[derive(Serialize, ToSchema)]
pub(crate) struct EntryReply {
    #[serde(flatten)]
    entry: MemoryEntryBody,
    /// References that lead to nothing this key can see now.
    unresolved: Vec<ReferenceBody>,
}

impl EntryReply {
    async fn of(state: &AppState, scope: &Scope, id: MemoryId) -> Result<Self, Problem> {
        let row = state.store.entry(scope, id).await?.ok_or_else(Problem::no_such_entry)?;
        let unresolved = state.store.leading_nowhere(scope, &row.entry.references).await?;
        Ok(Self {
            entry: MemoryEntryBody::seen_in(scope, row),
            unresolved: unresolved.into_iter().map(ReferenceBody::from).collect(),
        })
    }
}

/// What is no id is the id of no entry.
fn entry_id(written: &str) -> Result<MemoryId, Problem> {
    written.parse().map(MemoryId).map_err(|_| Problem::no_such_entry())
}
