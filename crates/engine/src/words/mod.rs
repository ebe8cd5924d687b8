//! The vocabulary of the specification, as types.

mod document;
mod hash;
mod passage;
mod scope;

pub use document::{CollectionName, DocumentId, DocumentKind, InvalidName, TenantId};
pub use hash::{ModelHash, Sha256Hash};
pub use passage::{CharSpan, InvalidSourceId, PassageKey, SourceId, context_header, passage_in_context};
pub use scope::{Identity, InvalidTag, Role, Scope, Tag};
