//! What a point carries beside its vectors, and how it reads back.

use std::collections::HashMap;

use ibidem_ports::index::{IndexDocument, StoredPoint};
use ibidem_words::{CollectionName, DocumentId, PassageKey, Tag, TenantId};
use qdrant_client::qdrant::Value;
use qdrant_client::qdrant::value::Kind;

pub(super) const TENANT: &str = "tenant";
pub(super) const TAGS: &str = "tags";
pub(super) const COLLECTION: &str = "collection";
pub(super) const DOCUMENT: &str = "document";
const KIND: &str = "kind";
const VERSION: &str = "version";
const CHUNK: &str = "chunk";
const STAMP: &str = "stamp";

/// What tells which passage a point is.
pub(super) const PASSAGE_FIELDS: [&str; 3] = [DOCUMENT, VERSION, CHUNK];
/// What reconciling looks at.
pub(super) const STORED_FIELDS: [&str; 5] = [TENANT, DOCUMENT, VERSION, CHUNK, STAMP];

pub(super) type Payload = HashMap<String, Value>;

/// A tenant as the index writes it.
pub(super) fn tenant_value(tenant: TenantId) -> String {
    tenant.0.to_string()
}

/// Tags and collections are written with their tenant. The server links points of one value to each
/// other where there are many of them: with the tenant in the value, those links never leave it.
pub(super) fn tag_value(tenant: TenantId, tag: &Tag) -> String {
    format!("{}/{tag}", tenant.0)
}

pub(super) fn collection_value(tenant: TenantId, collection: &CollectionName) -> String {
    format!("{}/{collection}", tenant.0)
}

pub(super) fn document_value(document: DocumentId) -> String {
    document.0.to_string()
}

/// The part that all points of a document share.
pub(super) fn of_document(document: &IndexDocument) -> Payload {
    let tags: Vec<Value> = document.tags.iter().map(|tag| tag_value(document.tenant, tag).into()).collect();
    let mut payload = Payload::from([
        (TENANT.to_owned(), tenant_value(document.tenant).into()),
        (TAGS.to_owned(), tags.into()),
        (COLLECTION.to_owned(), collection_value(document.tenant, &document.collection).into()),
        (STAMP.to_owned(), document.stamp().to_string().into()),
    ]);
    if let Some(kind) = &document.kind {
        payload.insert(KIND.to_owned(), kind.as_str().to_owned().into());
    }
    payload
}

/// The whole payload of one passage.
pub(super) fn of_passage(document: &Payload, passage: &PassageKey) -> Payload {
    let mut payload = document.clone();
    payload.insert(DOCUMENT.to_owned(), document_value(passage.document).into());
    payload.insert(VERSION.to_owned(), i64::from(passage.version).into());
    payload.insert(CHUNK.to_owned(), i64::from(passage.chunk_index).into());
    payload
}

/// `None` for a point that this program did not write.
pub(super) fn passage(payload: &Payload) -> Option<PassageKey> {
    Some(PassageKey {
        document: DocumentId(text(payload, DOCUMENT)?.parse().ok()?),
        version: number(payload, VERSION)?,
        chunk_index: number(payload, CHUNK)?,
    })
}

/// `None` for a point that this program did not write.
pub(super) fn stored_point(payload: &Payload) -> Option<StoredPoint> {
    Some(StoredPoint {
        tenant: TenantId(text(payload, TENANT)?.parse().ok()?),
        passage: passage(payload)?,
        stamp: text(payload, STAMP)?.to_owned(),
    })
}

fn text<'a>(payload: &'a Payload, field: &str) -> Option<&'a str> {
    match payload.get(field)?.kind.as_ref()? {
        Kind::StringValue(text) => Some(text),
        _ => None,
    }
}

fn number(payload: &Payload, field: &str) -> Option<u32> {
    match payload.get(field)?.kind.as_ref()? {
        Kind::IntegerValue(number) => u32::try_from(*number).ok(),
        _ => None,
    }
}
