//! Filters: what an asker may see, and which points are a document's.

use ibidem_ports::index::{IndexDocument, IndexQuery, Shelf};
use ibidem_words::{Scope, TenantId};
use qdrant_client::qdrant::{Condition, Filter};

use super::payload;

/// The one place where a scope becomes a filter: of the asker's tenant, with at least one of the asker's tags.
/// Every read goes through it.
pub(super) fn visible(scope: &Scope, shelf: Shelf) -> Filter {
    let tenant = shelf.tenant(scope);
    let tags: Vec<String> = scope.tags().map(|tag| payload::tag_value(tenant, tag)).collect();
    Filter::must([of_tenant(tenant), Condition::matches(payload::TAGS, tags)])
}

/// What of it a query looks through.
pub(super) fn searched(scope: &Scope, query: &IndexQuery) -> Filter {
    let tenant = query.shelf.tenant(scope);
    let mut filter = visible(scope, query.shelf);
    if !query.collections.is_empty() {
        let collections: Vec<String> =
            query.collections.iter().map(|collection| payload::collection_value(tenant, collection)).collect();
        filter.must.push(Condition::matches(payload::COLLECTION, collections));
    }
    if !query.documents.is_empty() {
        let documents: Vec<String> =
            query.documents.iter().map(|document| payload::document_value(*document)).collect();
        filter.must.push(Condition::matches(payload::DOCUMENT, documents));
    }
    filter
}

/// Points of these documents of one tenant other than the ones they should have.
pub(super) fn outdated(tenant: TenantId, documents: &[&IndexDocument]) -> Filter {
    let ids: Vec<String> = documents.iter().map(|document| payload::document_value(document.document)).collect();
    let wanted = documents.iter().flat_map(|document| &document.points);
    let wanted = wanted.map(|point| point.passage.point_id(tenant).to_string().into());
    Filter {
        must: vec![of_tenant(tenant), Condition::matches(payload::DOCUMENT, ids)],
        must_not: vec![Condition::has_id(wanted.collect::<Vec<qdrant_client::qdrant::PointId>>())],
        ..Filter::default()
    }
}

fn of_tenant(tenant: TenantId) -> Condition {
    Condition::matches(payload::TENANT, payload::tenant_value(tenant))
}
