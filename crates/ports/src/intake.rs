//! Documents on their way into the catalogue: jobs to take, versions to commit.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::catalogue::CatalogueError;
use ibidem_words::fields::{self, InvalidField};
use ibidem_words::{
    CharSpan, CollectionName, DocumentId, DocumentKind, LinesAbove, Sha256Hash, Tag, TenantId, Validity,
};

/// The formats of originals, each with its name and the endings of its files, of which the first is the usual one. All that
/// names or lists formats takes them from here.
macro_rules! formats {
    ($($format:ident: $name:literal, $endings:expr;)*) => {
        /// How a document's original is to be read.
        #[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, Serialize, Deserialize)]
        pub enum Format {
            $(#[serde(rename = $name)] $format,)*
        }

        impl Format {
            pub const ALL: &[Self] = &[$(Self::$format),*];

            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$format => $name,)*
                }
            }

            pub fn endings(self) -> &'static [&'static str] {
                match self {
                    $(Self::$format => &$endings,)*
                }
            }
        }
    };
}

formats! {
    Markdown: "markdown", ["md", "markdown", "mdx"];
    Html: "html", ["html", "htm", "xhtml"];
    Plain: "plain", ["txt", "text"];
    Pdf: "pdf", ["pdf"];
    Docx: "docx", ["docx"];
    Csv: "csv", ["csv", "tsv"];
    Xlsx: "xlsx", ["xlsx", "xlsm"];
    Xls: "xls", ["xls"];
    Ods: "ods", ["ods"];
    Odt: "odt", ["odt"];
    Pptx: "pptx", ["pptx"];
    Odp: "odp", ["odp"];
    Epub: "epub", ["epub"];
    Mail: "mail", ["eml"];
    Rtf: "rtf", ["rtf"];
    Notebook: "notebook", ["ipynb"];
    Mailbox: "mailbox", ["mbox"];
    AsciiDoc: "asciidoc", ["adoc", "asciidoc"];
    ReStructuredText: "restructuredtext", ["rst"];
}

impl Format {
    /// The format a file's name promises; none when it is of no kind that can be read.
    pub fn of_file_name(name: &str) -> Option<Self> {
        let (_, ending) = name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty())?;
        let has_it = |format: &Self| format.endings().iter().any(|known| known.eq_ignore_ascii_case(ending));
        Self::ALL.iter().copied().find(has_it)
    }

    /// The usual ending of each format, for people: `.md .html` and so on.
    pub fn usual_endings() -> String {
        let usual = Self::ALL.iter().filter_map(|format| format.endings().first());
        usual.map(|ending| format!(".{ending}")).collect::<Vec<_>>().join(" ")
    }

    /// The names of all formats, for people: `markdown, html or plain`.
    pub fn names() -> String {
        let names: Vec<&str> = Self::ALL.iter().map(|format| format.as_str()).collect();
        match names.split_last() {
            Some((last, others)) if !others.is_empty() => format!("{} or {last}", others.join(", ")),
            _ => names.concat(),
        }
    }
}

impl std::str::FromStr for Format {
    type Err = String;

    fn from_str(written: &str) -> Result<Self, Self::Err> {
        let named = Self::ALL.iter().copied().find(|format| format.as_str() == written);
        named.ok_or_else(|| format!("{written:?} is not a format: use {}", Self::names()))
    }
}

/// A document as it was handed in: where its original lies, and what the person who handed it in said of it.
#[derive(Clone, PartialEq, Debug)]
pub struct Submission {
    pub tenant: TenantId,
    pub collection: CollectionName,
    /// Where it came from: a path below the ingested folder, or what the API caller named.
    pub source_location: String,
    pub format: Format,
    /// Digest of the original's bytes, under which the original is kept.
    pub original: Sha256Hash,
    /// Who may see it. Never taken from the document itself: a document must not make itself public.
    pub tags: Vec<Tag>,
    /// These win over what the document says of itself.
    pub title: Option<String>,
    pub address: Option<String>,
    pub kind: Option<DocumentKind>,
    /// When it was last changed, unless the document says so itself.
    pub updated_at: Option<DateTime<Utc>>,
}

impl Submission {
    /// The submission with every field cleaned and within its bounds, or the first field that cannot be kept.
    pub fn checked(mut self) -> Result<Self, InvalidField> {
        fields::location(&self.source_location)?;
        fields::tags(self.tags.len())?;
        self.title = self.title.as_deref().map(fields::title).transpose()?.flatten();
        self.address = self.address.as_deref().map(fields::address).transpose()?.flatten();
        self.updated_at = self.updated_at.map(|date| fields::date("updated_at", date)).transpose()?;
        Ok(self)
    }

    pub fn document_id(&self) -> DocumentId {
        DocumentId::at(self.tenant, &self.collection, &self.source_location)
    }

    /// Digest of everything that decides what the document will look like, but not who sees it nor its date:
    /// equal fingerprints mean there is nothing to read, split or embed again. `reading` names the way
    /// documents are read and split, so that a better reader is a change too.
    pub fn fingerprint(&self, reading: &str) -> Sha256Hash {
        let field = |value: Option<&str>| value.map_or_else(Vec::new, |value| [b"=", value.as_bytes()].concat());
        Sha256Hash::of_parts([
            reading.as_bytes(),
            self.format.as_str().as_bytes(),
            self.original.as_bytes(),
            &field(self.title.as_deref()),
            &field(self.address.as_deref()),
            &field(self.kind.as_ref().map(DocumentKind::as_str)),
        ])
    }
}

/// What became of a submission.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Submitted {
    /// A job was queued.
    Queued,
    /// Same content, other tags: visible to the new audience as of now, without any embedding.
    Retagged,
    /// Nothing to do.
    Unchanged,
}

/// A job somebody must do, leased to one worker at a time.
#[derive(Clone, PartialEq, Debug)]
pub struct Job {
    pub id: Uuid,
    /// Proof that the lease is still ours; a commit with an outdated one is refused.
    pub lease: Uuid,
    pub attempts: u32,
    pub submission: Submission,
}

/// A new passage is ready to be stored: cut, and identified by its digest.
#[derive(Clone, PartialEq, Debug)]
pub struct NewPassage {
    pub text: String,
    pub section: Option<String>,
    pub page: Option<u32>,
    pub span: CharSpan,
    /// What stands above it in the document, and its sentences need to be understood.
    pub above: LinesAbove,
    pub tokens: u32,
    /// Identifies `text` by its digest, so that equal passages share a vector.
    pub sha256: Sha256Hash,
    /// Digest of what was embedded for it (title and section with the text); the key of its vector.
    pub embedding_key: Sha256Hash,
}

/// A new version is ready to be stored with its passages, in order of their index.
#[derive(Clone, PartialEq, Debug)]
pub struct NewVersion {
    pub title: String,
    pub address: Option<String>,
    pub kind: Option<DocumentKind>,
    pub updated_at: DateTime<Utc>,
    /// Whether it is in force, as it says itself.
    pub validity: Validity,
    /// Holds the document's text, which spans point into.
    pub text: String,
    pub text_sha256: Sha256Hash,
    pub passages: Vec<NewPassage>,
    /// What was left out or changed in reading it, for whoever handed it in.
    pub remarks: Vec<String>,
}

/// What became of a commit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Committed {
    Done,
    /// The catalogue cannot keep this version, however often it is tried; why. Nothing was stored.
    Refused(String),
    /// The lease was lost: somebody else does, or did, this job. Nothing was stored.
    LeaseLost,
}

/// Why an attempt failed, as far as trying again is concerned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Failure {
    /// Trying again would end the same way.
    Permanent,
    /// It may go better next time, a few times over.
    Passing,
    /// A part that every document needs does not answer: not this document's fault, and not counted against it.
    Outage,
}

/// What became of a failed attempt.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Failed {
    WillRetry,
    GivenUp,
    LeaseLost,
}

#[async_trait]
pub trait Intake: Send + Sync {
    /// Leases up to `limit` jobs that nobody holds: one of each tenant in turn, a tenant's oldest first. What is under
    /// way for a tenant counts as its turns.
    async fn claim(&self, limit: usize) -> Result<Vec<Job>, CatalogueError>;

    /// Leases up to `limit` jobs in the same way, but only of tenants that have none under way, and one of each: what a
    /// tenant hands in need not wait until another's large documents are done.
    async fn claim_of_idle(&self, limit: usize) -> Result<Vec<Job>, CatalogueError>;

    /// Holds on to the leases while work goes on; returns the jobs whose lease is lost.
    async fn renew(&self, jobs: &[(Uuid, Uuid)]) -> Result<Vec<Uuid>, CatalogueError>;

    /// Stores the new versions, makes them current, asks for their publication and ends the jobs: each job for
    /// itself, all of it or nothing of it. An error is the catalogue's own: the jobs it left undone can be tried again.
    async fn commit(&self, versions: Vec<(Job, NewVersion)>) -> Result<Vec<Committed>, CatalogueError>;

    /// Ends an attempt: to be tried again later, or, if that is of no use or was done too often, given up with its
    /// reason kept.
    async fn fail(&self, job: &Job, reason: &str, failure: Failure) -> Result<Failed, CatalogueError>;
}
