//! Walking over every point, for reconciling with the catalogue.

use std::collections::BTreeMap;

use ibidem_ports::index::{IndexError, StoredPage, StoredPoint};
use ibidem_words::TenantId;
use qdrant_client::qdrant::point_id::PointIdOptions;
use qdrant_client::qdrant::{DeletePointsBuilder, PayloadIncludeSelector, PointId, PointsIdsList, ScrollPointsBuilder};
use uuid::Uuid;

use super::shards::Division;
use super::{QdrantIndex, payload};

const POINTS_REMOVED_TOGETHER: usize = 1_000;

pub(super) async fn scan(index: &QdrantIndex, from: Option<Uuid>, page: usize) -> Result<StoredPage, IndexError> {
    let limit = u32::try_from(page.max(1)).unwrap_or(u32::MAX);
    let mut request = ScrollPointsBuilder::new(&index.target)
        .limit(limit)
        .with_payload(PayloadIncludeSelector { fields: payload::STORED_FIELDS.map(str::to_owned).to_vec() })
        .with_vectors(false);
    if let Some(from) = from {
        request = request.offset(PointId::from(from.to_string()));
    }
    let reply = index.write(|node| async move { node.scroll(request).await }).await?;
    let mut points = Vec::with_capacity(reply.result.len());
    for point in reply.result {
        match payload::stored_point(&point.payload) {
            Some(stored) => points.push(stored),
            None => tracing::warn!(id = ?point.id, collection = %index.target, "a point that is not ours"),
        }
    }
    let next = reply.next_page_offset.and_then(|id| match id.point_id_options? {
        PointIdOptions::Uuid(id) => id.parse().ok(),
        PointIdOptions::Num(_) => None,
    });
    Ok(StoredPage { points, next })
}

pub(super) async fn remove_points(index: &QdrantIndex, points: Vec<StoredPoint>) -> Result<(), IndexError> {
    let mut by_tenant: BTreeMap<TenantId, Vec<PointId>> = BTreeMap::new();
    for point in points {
        by_tenant.entry(point.tenant).or_default().push(point.passage.point_id(point.tenant).to_string().into());
    }
    let division = index.division().await?;
    match remove(index, division, &by_tenant).await {
        Ok(()) => Ok(()),
        Err(refused) => {
            let division = index.divided_otherwise(division, refused).await?;
            remove(index, division, &by_tenant).await
        }
    }
}

async fn remove(
    index: &QdrantIndex,
    division: Division,
    by_tenant: &BTreeMap<TenantId, Vec<PointId>>,
) -> Result<(), IndexError> {
    for (tenant, ids) in by_tenant {
        for ids in ids.chunks(POINTS_REMOVED_TOGETHER) {
            let ids = PointsIdsList { ids: ids.to_vec() };
            let mut request = DeletePointsBuilder::new(&index.target).points(ids).wait(true);
            if let Some(shards) = division.shards_of(*tenant) {
                request = request.shard_key_selector(shards);
            }
            index.write(|node| async move { node.delete_points(request).await }).await?;
        }
    }
    Ok(())
}
