//! The vocabulary of the specification as types.

// No clock, file or environment, as clippy.toml lists them. Tests may use what they like.
#![cfg_attr(not(test), warn(clippy::disallowed_methods, clippy::disallowed_types))]

mod address;
mod answer;
mod canonical;
mod clean;
mod computation;
mod confirmation;
mod decision;
mod document;
mod fallback;
pub mod fields;
mod hand_in;
mod hand_over;
mod hash;
mod memory;
mod passage;
mod policy_place;
mod policy_texts;
mod promise;
mod question;
mod receipt;
mod scope;
mod sheet;
mod signing;
mod similarity;
mod subject;
mod unambiguous;
mod validity;

pub use address::AddressKey;
pub use answer::{
    Answer, Citation, CitedTool, Confidence, ConfidenceLevel, NearestMiss, Offer, RetrievalQuality, RouteTarget,
    Transparency,
};
pub use canonical::digest_of_json;
pub use clean::{escaped_json, is_unseen, seen, unsteered};
pub use computation::{Computation, ComputedCondition, ComputedFunction, ComputedTest};
pub use confirmation::{ConfirmationToken, InvalidToken, ProposedCall, without_tokens};
pub use decision::{Action, GateRecord, Reason, Refusal, Verdict, as_shown};
pub use document::{CollectionName, DocumentId, DocumentKind, InvalidName, TenantId};
pub use fallback::Fallback;
pub use hand_in::HandIn;
pub use hand_over::{FoundPassage, HandOver, PinDraft, PinHere, hand_over_id};
pub use hash::{ModelHash, Sha256Hash};
pub use memory::{InvalidReference, MemoryEntry, MemoryId, MemoryKind, Reference};
pub use passage::{
    CharSpan, CitedSource, InvalidSourceId, LineAbove, LinesAbove, PassageKey, SourceId, ToolCallId, characters_above,
    context_header, passage_in_context,
};
pub use policy_place::{PolicyInForce, PolicyPlace};
pub use policy_texts::PolicyTexts;
pub use promise::Promise;
pub use question::{InvalidQuestion, Message, Question, QuestionDraft, Speaker, checked_query};
pub use receipt::{
    RECEIPT_VERSION, Receipt, ReceiptSource, Seal, SentenceCheck, SentenceVerdict, Stretch, StretchKind,
    receipt_sha256, shown_sha256, trace_sha256,
};
pub use scope::{Identity, InvalidTag, Role, Scope, Tag};
pub use sheet::SheetRows;
pub use signing::{
    InvalidKey, KeyInForce, KeySet, KnownKey, PublicKey, PublicKeys, ReceiptSignature, Revocation, SignatureOutcome,
    SigningKey, WebKey,
};
pub use similarity::SimilarityScale;
pub use subject::{InvalidSubject, Subject, SubjectId};
pub use unambiguous::unambiguous_json;
pub use validity::{Status, Validity};
