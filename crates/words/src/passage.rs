//! Passages of documents, and what points at them.

use std::fmt;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{DocumentId, SheetRows, TenantId};

/// A half-open range of characters (Unicode scalar values) in a document's text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct CharSpan {
    pub start: u32,
    pub end: u32,
}

/// Lines of a document above one of its passages that say what the passage is about. Without them an item of a list may
/// say the opposite of what was meant, and a row of a table nothing.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct LinesAbove {
    /// The innermost heading, where it stands in the text above the passage and not in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heading: Option<LineAbove>,
    /// The sentence with a colon that leads in the list which the passage begins in the middle of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lead_in: Option<LineAbove>,
    /// The head of the table that the passage begins in the middle of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<LineAbove>,
    /// The rows of a sheet that the passage holds. They are no line above it, but say where on its sheet it stands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<SheetRows>,
}

impl LinesAbove {
    pub fn all(&self) -> impl Iterator<Item = &LineAbove> {
        [&self.heading, &self.lead_in, &self.head].into_iter().flatten()
    }
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct LineAbove {
    /// Holds the characters of the document's text at `span`.
    pub text: String,
    pub span: CharSpan,
}

/// Identifies one chunk of one version of one document: the index returns keys, and the catalogue resolves them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct PassageKey {
    pub document: DocumentId,
    pub version: u32,
    pub chunk_index: u32,
}

impl PassageKey {
    /// Returns the id of this passage's point in the index. The same passage always has the same point, so publishing
    /// twice changes nothing.
    pub fn point_id(&self, tenant: TenantId) -> Uuid {
        let mut name = [0_u8; 24];
        name[..16].copy_from_slice(self.document.0.as_bytes());
        name[16..20].copy_from_slice(&self.version.to_be_bytes());
        name[20..].copy_from_slice(&self.chunk_index.to_be_bytes());
        Uuid::new_v5(&tenant.0, &name)
    }

    pub fn source_id(&self) -> SourceId {
        SourceId { document: self.document, chunk_index: self.chunk_index }
    }
}

/// What a citation resolves to, written `{document_id}:{chunk_index}`. No model ever sees one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct SourceId {
    pub document: DocumentId,
    pub chunk_index: u32,
}

impl SourceId {
    /// Where the API gives the passage, below the address of the installation.
    pub fn link(&self) -> String {
        format!("/v1/documents/{}/passages/{}", self.document, self.chunk_index)
    }

    /// Where the pages show the passage, below the address of the installation.
    pub fn page(&self) -> String {
        format!("/#/passage/{}/{}", self.document, self.chunk_index)
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a source id: it reads {{document_id}}:{{chunk_index}}")]
pub struct InvalidSourceId(pub String);

impl fmt::Display for SourceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.document, self.chunk_index)
    }
}

impl From<SourceId> for String {
    fn from(id: SourceId) -> Self {
        id.to_string()
    }
}

impl TryFrom<String> for SourceId {
    type Error = InvalidSourceId;

    fn try_from(written: String) -> Result<Self, Self::Error> {
        let parsed = written.split_once(':').and_then(|(document, chunk_index)| {
            Some(Self { document: DocumentId(document.parse().ok()?), chunk_index: chunk_index.parse().ok()? })
        });
        parsed.ok_or(InvalidSourceId(written))
    }
}

/// Says what a citation points at: a passage of a document, a concept of a vocabulary by its URI, or the result of a
/// tool by its call.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum CitedSource {
    Passage(SourceId),
    Concept(String),
    Tool(ToolCallId),
}

/// One call of a tool, written `tool:{server}/{tool}/{call}`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ToolCallId {
    /// The server, as the settings name it.
    pub server: String,
    pub tool: String,
    pub call: Uuid,
}

impl ToolCallId {
    const SCHEME: &str = "tool:";

    fn parse(written: &str) -> Option<Self> {
        let (server, rest) = written.strip_prefix(Self::SCHEME)?.split_once('/')?;
        let (tool, call) = rest.rsplit_once('/')?;
        let call = Uuid::try_parse(call).ok()?;
        let is_named = !server.is_empty() && !tool.is_empty();
        is_named.then(|| Self { server: server.to_owned(), tool: tool.to_owned(), call })
    }
}

impl std::fmt::Display for ToolCallId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}/{}/{}", Self::SCHEME, self.server, self.tool, self.call)
    }
}

impl From<CitedSource> for String {
    fn from(source: CitedSource) -> Self {
        match source {
            CitedSource::Passage(id) => id.to_string(),
            CitedSource::Concept(uri) => uri,
            CitedSource::Tool(call) => call.to_string(),
        }
    }
}

impl From<String> for CitedSource {
    fn from(written: String) -> Self {
        if let Some(call) = ToolCallId::parse(&written) {
            return Self::Tool(call);
        }
        SourceId::try_from(written).map_or_else(|InvalidSourceId(uri)| Self::Concept(uri), Self::Passage)
    }
}

/// What is embedded and indexed for a passage: its text under its document's title and section,
/// so that a passage is found by what it is about and not only by what it happens to say.
pub fn passage_in_context(title: &str, section: Option<&str>, text: &str) -> String {
    line_above(title, section) + text
}

/// How many characters stand above the text in [`passage_in_context`].
pub fn characters_above(title: &str, section: Option<&str>) -> usize {
    line_above(title, section).chars().count()
}

/// The header with its end of line; nothing where there is no header.
fn line_above(title: &str, section: Option<&str>) -> String {
    let header = context_header(title, section);
    if header.is_empty() { header } else { header + "\n" }
}

/// Writes the line above the text in [`passage_in_context`]. It is bounded, so that it never crowds out the text.
pub fn context_header(title: &str, section: Option<&str>) -> String {
    const LONGEST_PART: usize = 160;
    let bounded = |part: &str| part.chars().take(LONGEST_PART).collect::<String>();
    match section {
        Some(section) if title.is_empty() || section.starts_with(title) => bounded(section),
        Some(section) => format!("{}: {}", bounded(title), bounded(section)),
        None => bounded(title),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_passage_is_indexed_under_its_title_and_section() {
        assert_eq!(passage_in_context("", None, "Text."), "Text.");
        assert_eq!(passage_in_context("Leave", None, "Text."), "Leave\nText.");
        assert_eq!(passage_in_context("Leave", Some("Carry-over"), "Text."), "Leave: Carry-over\nText.");
        assert_eq!(passage_in_context("Leave", Some("Leave > Carry-over"), "Text."), "Leave > Carry-over\nText.");
        assert_eq!(context_header(&"x".repeat(1_000), None).len(), 160);
    }

    #[test]
    fn a_call_of_a_tool_is_read_as_it_is_written_and_what_only_looks_like_one_is_not() {
        let call = ToolCallId { server: "desk".to_owned(), tool: "get/price".to_owned(), call: Uuid::from_u128(7) };
        let written = String::from(CitedSource::Tool(call.clone()));
        assert_eq!(written, "tool:desk/get/price/00000000-0000-0000-0000-000000000007");
        assert_eq!(CitedSource::from(written), CitedSource::Tool(call));
        for other in ["tool:desk/price/7", "tool:/price/00000000-0000-0000-0000-000000000007", "tool:desk"] {
            assert_eq!(CitedSource::from(other.to_owned()), CitedSource::Concept(other.to_owned()));
        }
    }

    fn key(version: u32, chunk_index: u32) -> PassageKey {
        PassageKey { document: DocumentId(Uuid::from_u128(7)), version, chunk_index }
    }

    #[test]
    fn point_ids_differ_by_tenant_version_and_chunk_and_never_otherwise() {
        let tenant = TenantId::named("default");
        assert_eq!(key(1, 2).point_id(tenant), key(1, 2).point_id(tenant));
        assert_ne!(key(1, 2).point_id(tenant), key(2, 1).point_id(tenant));
        assert_ne!(key(1, 2).point_id(tenant), key(1, 3).point_id(tenant));
        assert_ne!(key(1, 2).point_id(tenant), key(1, 2).point_id(TenantId::named("other")));
    }

    #[test]
    fn a_source_id_reads_back_as_written() {
        let id = key(3, 14).source_id();
        assert_eq!(id.to_string(), "00000000-0000-0000-0000-000000000007:14");
        assert_eq!(SourceId::try_from(id.to_string()), Ok(id));
        for odd in ["", "7:1", "00000000-0000-0000-0000-000000000007", "00000000-0000-0000-0000-000000000007:-1"] {
            assert!(SourceId::try_from(odd.to_owned()).is_err(), "{odd:?}");
        }
    }
}
