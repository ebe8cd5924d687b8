//! A passage as tests need one.

use chrono::DateTime;
use uuid::Uuid;

use ibidem_ports::catalogue::CataloguePassage;
use ibidem_words::{CharSpan, CollectionName, DocumentId, PassageKey, Sha256Hash};

/// The only passage of a document with this number. What a test is about, it says over this.
pub fn passage(document: u128, collection: &CollectionName, text: &str) -> CataloguePassage {
    CataloguePassage {
        passage: PassageKey { document: DocumentId(Uuid::from_u128(document)), version: 1, chunk_index: 0 },
        collection: collection.clone(),
        kind: None,
        title: String::new(),
        address: None,
        source_location: String::new(),
        updated_at: DateTime::UNIX_EPOCH,
        section: None,
        page: None,
        span: CharSpan { start: 0, end: 1 },
        document_sha256: Sha256Hash::of(text.as_bytes()),
        text: text.to_owned(),
        above: Default::default(),
        validity: Default::default(),
        tokens: 8,
    }
}
