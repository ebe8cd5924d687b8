//! The vocabulary of the specification, as types.

mod address;
mod answer;
mod canonical;
mod clean;
mod decision;
mod document;
mod evidence;
mod hash;
mod memory;
mod passage;
mod question;
mod reading;
mod receipt;
mod scope;
mod signing;
mod subject;
mod terms;

pub use address::AddressKey;
pub use answer::{Answer, Citation, Confidence, ConfidenceLevel, RetrievalQuality, RouteTarget, Transparency};
pub use clean::{escaped_json, is_unseen, seen, unsteered};
pub use decision::{Action, GateRecord, Reason, Refusal, Verdict};
pub use document::{CollectionName, DocumentId, DocumentKind, InvalidName, TenantId};
pub use evidence::Candidate;
pub(crate) use evidence::as_shown;
pub use hash::{ModelHash, Sha256Hash};
pub use memory::{InvalidReference, MemoryEntry, MemoryId, MemoryKind, Reference};
pub use passage::{CharSpan, CitedSource, InvalidSourceId, PassageKey, SourceId, context_header, passage_in_context};
pub use question::{InvalidQuestion, Message, Question, QuestionDraft, Speaker, checked_query};
pub use reading::{LEAST_LIKENESS, Reading};
pub(crate) use receipt::receipt_sha256;
pub use receipt::{Receipt, ReceiptSource, SentenceCheck, SentenceVerdict, Stretch, StretchKind, trace_sha256};
pub use scope::{Identity, InvalidTag, Role, Scope, Tag};
pub use signing::{InvalidKey, KeySet, PublicKey, PublicKeys, ReceiptSignature, SignatureOutcome, SigningKey, WebKey};
pub use subject::{InvalidSubject, Subject, SubjectId};
pub use terms::{PresentTerms, Terms, same_word, significant_terms};
pub(crate) use terms::{SHORTEST_STEM, is_significant};
