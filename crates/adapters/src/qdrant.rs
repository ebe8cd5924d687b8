//! The index on Qdrant, over gRPC.

mod collection;
mod filter;
mod names;
mod nodes;
mod payload;
mod publish;
mod scan;
mod search;
mod shards;

use std::time::Duration;

use async_trait::async_trait;
use ibidem_language::bm25::Analysis;
use ibidem_ports::embedder::EmbeddingModel;
use ibidem_ports::index::{
    Index, IndexDocument, IndexError, IndexFault, IndexHit, IndexQuery, IndexWriter, StoredPage, StoredPoint,
};
use ibidem_words::{Scope, TenantId};
use qdrant_client::{Qdrant, QdrantError};
use serde::Deserialize;
use uuid::Uuid;

pub use collection::IndexState;
use names::Names;
use nodes::{NodeNumber, Nodes};
use shards::KnownDivision;

/// The dense vector of a point.
const DENSE: &str = "dense";
/// The sparse vector of a point.
const BM25: &str = "bm25";

/// How vectors are kept in memory for searching. Scores are always computed on the full vectors.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Quantization {
    #[default]
    None,
    /// A quarter of the memory.
    Int8,
    /// A thirty-second of the memory, for models of 1,000 dimensions and more.
    Binary,
}

/// What a collection is made with, from `shards` to `build_breadth`, stays as it is until the index is rebuilt; so does
/// `analysis`, which points and queries must agree on.
#[derive(Clone, PartialEq, Debug)]
pub struct QdrantSettings {
    /// The server's gRPC address.
    pub url: String,
    /// Other nodes of the same cluster: asked when the one before does not answer.
    pub also_at: Vec<String>,
    pub api_key: Option<String>,
    /// What the names of all collections and aliases begin with.
    pub alias: String,
    /// For a search, connecting included.
    pub search_timeout: Duration,
    /// For a write or a change of the collection itself, each.
    pub write_timeout: Duration,
    /// gRPC connections to spread requests over.
    pub connections: usize,
    pub shards: u32,
    /// Tenants whose points have shards of their own, as many as `shards`; the other tenants share as many. Without any,
    /// points are spread by their ids. It needs servers that run as a cluster, if only of one node.
    pub own_shards: Vec<TenantId>,
    pub replicas: u32,
    /// Replicas that must confirm a write. With 1, writes go on while a replica is down, and it catches up.
    pub write_consistency: u32,
    /// Vectors and graphs on disk, cached in what memory there is.
    pub on_disk: bool,
    pub quantization: Quantization,
    /// Links of each point to others, and as many again to others of its tenant, tag or collection where those are many.
    pub links: u64,
    /// Up to so many visible passages the query is compared with every one, which is exact; beyond, links are followed.
    pub exact_up_to: u64,
    /// Candidates looked at while a point is linked.
    pub build_breadth: u64,
    /// Candidates looked at while searching, at least.
    pub search_breadth: u64,
    /// How texts are cut into terms for the lexical lane.
    pub analysis: Analysis,
}

impl QdrantSettings {
    /// One node in its default arrangement.
    pub fn at(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            also_at: Vec::new(),
            api_key: None,
            alias: "ibidem-passages".to_owned(),
            search_timeout: Duration::from_secs(5),
            write_timeout: Duration::from_secs(60),
            connections: 3,
            shards: 1,
            own_shards: Vec::new(),
            replicas: 1,
            write_consistency: 1,
            on_disk: false,
            quantization: Quantization::None,
            links: 16,
            exact_up_to: 10_000,
            build_breadth: 100,
            search_breadth: 128,
            analysis: Analysis::default(),
        }
    }
}

/// The index of one embedding model's vectors. Cheap to clone: clones share their connections.
#[derive(Clone)]
pub struct QdrantIndex {
    settings: QdrantSettings,
    model: EmbeddingModel,
    names: Names,
    /// What reads and writes go to: the model's alias, or a collection being built.
    target: String,
    nodes: Nodes,
    division: KnownDivision,
}

impl QdrantIndex {
    /// Connects when first used. Fails only if the settings cannot be meant.
    pub fn new(settings: QdrantSettings, model: EmbeddingModel) -> Result<Self, IndexError> {
        let names = Names::new(&settings.alias, model.hash);
        let nodes = Nodes::of(&settings).map_err(|error| IndexError::Own(IndexFault::Rejected(error.to_string())))?;
        Ok(Self { target: names.alias(), settings, model, names, nodes, division: KnownDivision::default() })
    }

    /// The server's version.
    pub async fn version(&self) -> Result<String, IndexError> {
        let reply = self.query(|node| async move { node.health_check().await }).await?;
        Ok(reply.version)
    }

    /// The collection or alias that reads and writes go to.
    pub fn target(&self) -> &str {
        &self.target
    }

    /// Reads from the node that is asked at present, or else from the next. Of several each has its share of the time:
    /// one that hangs leaves the others theirs.
    async fn query<T, Reading>(&self, call: impl Fn(Qdrant) -> Reading) -> Result<T, IndexError>
    where
        Reading: Future<Output = Result<T, QdrantError>>,
    {
        let nodes = u32::try_from(self.nodes.count()).unwrap_or(u32::MAX);
        let share = self.settings.search_timeout / nodes;
        for _ in 1..nodes {
            let node = self.nodes.current();
            match self.within(share, node, call(self.nodes.reader(node).clone())).await {
                Err(IndexError::Unavailable(_)) => {}
                outcome => return outcome,
            }
        }
        let node = self.nodes.current();
        self.within(share, node, call(self.nodes.reader(node).clone())).await
    }

    /// Writes to the node that is asked at present. Who writes does so again where it fails, and then to the next.
    async fn write<T, Writing>(&self, call: impl FnOnce(Qdrant) -> Writing) -> Result<T, IndexError>
    where
        Writing: Future<Output = Result<T, QdrantError>>,
    {
        let node = self.nodes.current();
        self.within(self.settings.write_timeout, node, call(self.nodes.writer(node).clone())).await
    }

    /// Runs a call with an outer time limit: the client's own does not cover connecting again.
    async fn within<T>(
        &self,
        limit: Duration,
        node: NodeNumber,
        call: impl Future<Output = Result<T, QdrantError>>,
    ) -> Result<T, IndexError> {
        let error = match tokio::time::timeout(limit, call).await {
            Ok(Ok(value)) => return Ok(value),
            Ok(Err(error)) => self.explained(error).await,
            Err(_) => IndexError::Unavailable(format!("no answer within {limit:?}")),
        };
        if matches!(error, IndexError::Unavailable(_)) {
            self.nodes.leave(node);
        }
        Err(error)
    }

    /// An error as the caller should see it. A missing collection may be that of another model.
    async fn explained(&self, error: QdrantError) -> IndexError {
        match meaning(&error) {
            Meaning::Missing => self.why_missing().await,
            Meaning::Rejected => IndexError::Own(IndexFault::Rejected(reason(&error))),
            Meaning::Unavailable => IndexError::Unavailable(reason(&error)),
        }
    }
}

enum Meaning {
    Missing,
    Rejected,
    Unavailable,
}

fn meaning(error: &QdrantError) -> Meaning {
    // Codes of the gRPC specification.
    const INVALID_ARGUMENT: i32 = 3;
    const NOT_FOUND: i32 = 5;
    const ALREADY_EXISTS: i32 = 6;
    const PERMISSION_DENIED: i32 = 7;
    const FAILED_PRECONDITION: i32 = 9;
    const OUT_OF_RANGE: i32 = 11;
    const UNIMPLEMENTED: i32 = 12;
    const UNAUTHENTICATED: i32 = 16;
    match error {
        QdrantError::ResponseError { status } => match i32::from(status.code()) {
            NOT_FOUND => Meaning::Missing,
            INVALID_ARGUMENT | ALREADY_EXISTS | PERMISSION_DENIED | FAILED_PRECONDITION | OUT_OF_RANGE
            | UNIMPLEMENTED | UNAUTHENTICATED => Meaning::Rejected,
            _ => Meaning::Unavailable,
        },
        QdrantError::ConversionError(_) | QdrantError::InvalidUri(_) | QdrantError::JsonToPayload(_) => {
            Meaning::Rejected
        }
        _ => Meaning::Unavailable,
    }
}

/// The server's own words, without the metadata that the client adds.
fn reason(error: &QdrantError) -> String {
    match error {
        QdrantError::ResponseError { status } | QdrantError::ResourceExhaustedError { status, .. } => {
            status.message().to_owned()
        }
        other => other.to_string(),
    }
}

#[async_trait]
impl Index for QdrantIndex {
    async fn search(&self, scope: &Scope, queries: Vec<IndexQuery>) -> Result<Vec<Vec<IndexHit>>, IndexError> {
        search::search(self, scope, queries).await
    }
}

#[async_trait]
impl IndexWriter for QdrantIndex {
    async fn publish(&self, documents: Vec<IndexDocument>) -> Result<(), IndexError> {
        publish::publish(self, documents).await
    }

    async fn scan(&self, from: Option<Uuid>, page: usize) -> Result<StoredPage, IndexError> {
        scan::scan(self, from, page).await
    }

    async fn remove_points(&self, points: Vec<StoredPoint>) -> Result<(), IndexError> {
        scan::remove_points(self, points).await
    }
}
