//! Filters: what an asker may see, and which points are a document's.

use ibidem_engine::ports::index::IndexDocument;
use ibidem_engine::words::{CollectionName, Scope, TenantId};
use qdrant_client::qdrant::{Condition, Filter};

use super::payload;

/// The one place where a scope becomes a filter: of the asker's tenant, with at least one of the asker's tags.
/// Every read goes through it.
pub(super) fn visible(scope: &Scope, collections: &[CollectionName]) -> Filter {
    let tenant = scope.tenant();
    let tags: Vec<String> = scope.tags().map(|tag| payload::tag_value(tenant, tag)).collect();
    let mut must = vec![of_tenant(tenant), Condition::matches(payload::TAGS, tags)];
    if !collections.is_empty() {
        let collections: Vec<String> =
            collections.iter().map(|collection| payload::collection_value(tenant, collection)).collect();
        must.push(Condition::matches(payload::COLLECTION, collections));
    }
    Filter::must(must)
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
