//! Making the index hold exactly what the catalogue says of some documents.

use std::collections::BTreeMap;

use ibidem_language::bm25::{Analysis, TermWeights};
use ibidem_ports::index::{IndexDocument, IndexError, IndexFault, IndexPoint};
use ibidem_words::TenantId;
use qdrant_client::qdrant::{
    DeletePointsBuilder, NamedVectors, PointStruct, ShardKeySelector, UpsertPointsBuilder, Vector,
};

use super::shards::Division;
use super::{BM25, DENSE, QdrantIndex, filter, payload};

/// Bounds of one write; a gRPC message may have 32 MB by default.
const POINTS_WRITTEN_TOGETHER: usize = 256;
const BYTES_WRITTEN_TOGETHER: usize = 4 << 20;

/// New points come before old ones go, so that a document is never away while it is replaced. For that
/// moment both versions are found; the catalogue tells which is current.
pub(super) async fn publish(index: &QdrantIndex, documents: Vec<IndexDocument>) -> Result<(), IndexError> {
    let dimensions = index.model.dimensions;
    for point in documents.iter().flat_map(|document| &document.points) {
        if point.vector.len() != dimensions {
            let found = point.vector.len();
            return Err(IndexError::Own(IndexFault::Rejected(format!(
                "a vector of {found} dimensions, where the model's have {dimensions}"
            ))));
        }
    }
    let division = index.division().await?;
    match replace(index, division, &documents).await {
        Ok(()) => Ok(()),
        Err(refused) => {
            let division = index.divided_otherwise(division, refused).await?;
            replace(index, division, &documents).await
        }
    }
}

async fn replace(index: &QdrantIndex, division: Division, documents: &[IndexDocument]) -> Result<(), IndexError> {
    add(index, division, documents).await?;
    remove_outdated(index, division, documents).await
}

async fn add(index: &QdrantIndex, division: Division, documents: &[IndexDocument]) -> Result<(), IndexError> {
    let mut batch = Batch::default();
    for document in documents {
        let shards = division.shards_of(document.tenant);
        if batch.shards != shards {
            write(index, std::mem::replace(&mut batch, Batch::of(shards))).await?;
        }
        let shared = payload::of_document(document);
        for point in &document.points {
            batch.add(struct_of(document.tenant, point, &shared, &index.settings.analysis), bytes_of(point));
            if batch.is_full() {
                let next = Batch::of(batch.shards.clone());
                write(index, std::mem::replace(&mut batch, next)).await?;
            }
        }
    }
    write(index, batch).await
}

async fn remove_outdated(
    index: &QdrantIndex,
    division: Division,
    documents: &[IndexDocument],
) -> Result<(), IndexError> {
    let mut by_tenant: BTreeMap<TenantId, Vec<&IndexDocument>> = BTreeMap::new();
    for document in documents {
        by_tenant.entry(document.tenant).or_default().push(document);
    }
    for (tenant, documents) in by_tenant {
        let mut request =
            DeletePointsBuilder::new(&index.target).points(filter::outdated(tenant, &documents)).wait(true);
        if let Some(shards) = division.shards_of(tenant) {
            request = request.shard_key_selector(shards);
        }
        index.write(|node| async move { node.delete_points(request).await }).await?;
    }
    Ok(())
}

/// Points that are written together, all to the same shards.
#[derive(Default)]
struct Batch {
    shards: Option<ShardKeySelector>,
    points: Vec<PointStruct>,
    bytes: usize,
}

impl Batch {
    fn of(shards: Option<ShardKeySelector>) -> Self {
        Self { shards, ..Self::default() }
    }

    fn add(&mut self, point: PointStruct, bytes: usize) {
        self.points.push(point);
        self.bytes += bytes;
    }

    fn is_full(&self) -> bool {
        self.points.len() >= POINTS_WRITTEN_TOGETHER || self.bytes >= BYTES_WRITTEN_TOGETHER
    }
}

async fn write(index: &QdrantIndex, batch: Batch) -> Result<(), IndexError> {
    if batch.points.is_empty() {
        return Ok(());
    }
    let mut request = UpsertPointsBuilder::new(&index.target, batch.points).wait(true);
    if let Some(shards) = batch.shards {
        request = request.shard_key_selector(shards);
    }
    index.write(|node| async move { node.upsert_points(request).await }).await?;
    Ok(())
}

fn bytes_of(point: &IndexPoint) -> usize {
    const PAYLOAD: usize = 512;
    point.vector.len() * size_of::<f32>() + point.words.len() + PAYLOAD
}

fn struct_of(tenant: TenantId, point: &IndexPoint, shared: &payload::Payload, analysis: &Analysis) -> PointStruct {
    let (terms, weights) = sparse(&analysis.passage(&point.words));
    let vectors = NamedVectors::default()
        .add_vector(DENSE, Vector::new_dense(point.vector.clone()))
        .add_vector(BM25, Vector::new_sparse(terms, weights));
    PointStruct::new(point.passage.point_id(tenant).to_string(), vectors, payload::of_passage(shared, &point.passage))
}

/// Terms as the server takes them: ids and weights apart.
pub(super) fn sparse(terms: &TermWeights) -> (Vec<u32>, Vec<f32>) {
    terms.iter().map(|(term, weight)| (term.0, *weight)).unzip()
}
