//! The vocabulary of the specification, as types.

mod address;
mod answer;
mod canonical;
mod clean;
mod decision;
mod document;
mod evidence;
pub mod fields;
mod hash;
mod memory;
mod passage;
mod question;
mod reading;
mod receipt;
mod scope;
mod terms;

pub use address::AddressKey;
pub use answer::{Answer, Citation, Confidence, ConfidenceLevel, RetrievalQuality, RouteTarget, Transparency};
pub(crate) use canonical::digest_of_json;
pub use clean::{is_unseen, seen, unsteered};
pub use decision::{Action, GateRecord, Reason, Refusal, Verdict};
pub use document::{CollectionName, DocumentId, DocumentKind, InvalidName, TenantId};
pub use evidence::Candidate;
pub(crate) use evidence::as_shown;
pub use hash::{ModelHash, Sha256Hash};
pub use memory::{InvalidReference, MemoryEntry, MemoryId, MemoryKind, Reference};
pub use passage::{CharSpan, CitedSource, InvalidSourceId, PassageKey, SourceId, context_header, passage_in_context};
pub use question::{Message, Question, Speaker};
pub use reading::{LEAST_LIKENESS, Reading};
pub use receipt::{Receipt, ReceiptSentence, ReceiptSource, SentenceCheck, SentenceVerdict, trace_sha256};
pub use scope::{Identity, InvalidTag, Role, Scope, Tag};
pub use terms::{PresentTerms, Terms, same_word, significant_terms};
pub(crate) use terms::{SHORTEST_STEM, is_significant};
