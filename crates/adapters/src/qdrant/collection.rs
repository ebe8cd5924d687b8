//! The collection behind the index: made, checked, rebuilt beside itself and swapped.

use ibidem_ports::index::{IndexError, IndexFault};
use qdrant_client::qdrant::{
    BinaryQuantizationBuilder, CollectionInfo, CollectionStatus, CreateAliasBuilder, CreateCollectionBuilder,
    CreateFieldIndexCollectionBuilder, DeleteCollectionBuilder, Distance, FieldType, HnswConfigDiffBuilder,
    KeywordIndexParamsBuilder, Modifier, ScalarQuantizationBuilder, ShardingMethod, SparseIndexConfigBuilder,
    SparseVectorParamsBuilder, SparseVectorsConfigBuilder, UuidIndexParamsBuilder, VectorParams, VectorParamsBuilder,
    VectorsConfigBuilder, payload_index_params::IndexParams, vectors_config,
};

use super::names::CollectionId;
use super::shards::KnownDivision;
use super::{BM25, DENSE, QdrantIndex, Quantization, payload};

/// What there is of the index.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum IndexState {
    Ready {
        collection: String,
        points: u64,
    },
    Missing,
    /// There is an index, but of another embedding model.
    OtherModel {
        found: String,
    },
}

impl QdrantIndex {
    /// Whether the index is there, is of the configured model and has the shape it should have.
    pub async fn check(&self) -> Result<IndexState, IndexError> {
        let Some(collection) = self.aliased_collection().await? else {
            return Ok(match self.why_missing().await {
                IndexError::Own(IndexFault::OtherModel { found, .. }) => IndexState::OtherModel { found },
                IndexError::Own(IndexFault::Missing) => IndexState::Missing,
                other => return Err(other),
            });
        };
        let info = self.collection_info(&collection).await?;
        self.check_shape(&collection, &info)?;
        Ok(IndexState::Ready { collection, points: info.points_count.unwrap_or(0) })
    }

    /// Makes the collection, its payload indexes and its alias where they are missing.
    /// Two processes may do this at the same time.
    ///
    /// Where there is an index of another model it is refused: an empty index beside a full one would answer
    /// every question with nothing, where a rebuild is what is needed.
    pub async fn ensure_collection(&self) -> Result<(), IndexError> {
        let aliased = self.aliased_collection().await?;
        if aliased.is_none() {
            match self.why_missing().await {
                IndexError::Own(IndexFault::Missing) => {}
                other => return Err(other),
            }
        }
        let collection = aliased.clone().unwrap_or_else(|| self.names.collection(1));
        if aliased.is_none() {
            self.create_collection(&collection).await?;
        }
        let info = self.collection_info(&collection).await?;
        self.check_shape(&collection, &info)?;
        self.create_payload_indexes(&collection).await?;
        if aliased.is_none() {
            self.point_alias_at(&collection).await?;
        }
        Ok(())
    }

    /// A handle that writes to a new collection, which nobody reads yet. What an earlier rebuild left behind
    /// is dropped: the caller makes sure that only one rebuild runs at a time.
    pub async fn begin_rebuild(&self) -> Result<Self, IndexError> {
        let current = self.current_serial().await?;
        for (name, id) in self.collections().await? {
            if self.names.is_ours(&id) && Some(id.serial) != current {
                self.drop_collection(&name).await?;
            }
        }
        let collection = self.names.collection(current.map_or(1, |serial| serial + 1));
        self.create_collection(&collection).await?;
        self.create_payload_indexes(&collection).await?;
        Ok(Self { target: collection, division: KnownDivision::default(), ..self.clone() })
    }

    /// Whether the server has finished organising what was written: until then searches are right, but slower.
    pub async fn is_organised(&self) -> Result<bool, IndexError> {
        let info = self.collection_info(&self.target).await?;
        Ok(info.status() == CollectionStatus::Green)
    }

    /// Lets reads and writes go to the rebuilt collection from now on, in one step, and drops the former one
    /// unless it is to be kept.
    pub async fn finish_rebuild(&self, rebuilt: &Self, keep_former: bool) -> Result<(), IndexError> {
        let is_rebuild = self.names.parse(&rebuilt.target).is_some_and(|id| self.names.is_ours(&id));
        if !is_rebuild {
            return Err(IndexError::Own(IndexFault::Rejected(format!(
                "{} is not a rebuild of this index",
                rebuilt.target
            ))));
        }
        let former = self.aliased_collection().await?;
        self.point_alias_at(&rebuilt.target).await?;
        match former {
            Some(former) if !keep_former && former != rebuilt.target => self.drop_collection(&former).await,
            _ => Ok(()),
        }
    }

    /// Drops the collections of all other models, and with them their aliases. Returns their names.
    pub async fn drop_other_models(&self) -> Result<Vec<String>, IndexError> {
        self.drop_collections(|id| !self.names.is_ours(id)).await
    }

    /// Drops everything under this index's names, of any model. Returns the names of the collections.
    pub async fn drop_all(&self) -> Result<Vec<String>, IndexError> {
        self.drop_collections(|_| true).await
    }

    async fn drop_collections(&self, chosen: impl Fn(&CollectionId) -> bool) -> Result<Vec<String>, IndexError> {
        let mut dropped = Vec::new();
        for (name, id) in self.collections().await? {
            if chosen(&id) {
                self.drop_collection(&name).await?;
                dropped.push(name);
            }
        }
        Ok(dropped)
    }

    /// Called when the server knows no such collection: there is none, or that of another model.
    pub(super) async fn why_missing(&self) -> IndexError {
        // Not by `query`, which calls this.
        let limit = self.settings.search_timeout;
        let reader = self.nodes.reader(self.nodes.current());
        let aliases = match tokio::time::timeout(limit, reader.list_aliases()).await {
            Ok(Ok(reply)) => reply.aliases,
            Ok(Err(error)) => return IndexError::Unavailable(super::reason(&error)),
            Err(_) => return IndexError::Unavailable(format!("no answer within {limit:?}")),
        };
        let models = aliases.iter().filter_map(|alias| self.names.model_of_alias(&alias.alias_name));
        let mut others: Vec<&str> = models.filter(|model| *model != self.names.model()).collect();
        others.sort_unstable();
        if others.is_empty() {
            return IndexError::Own(IndexFault::Missing);
        }
        IndexError::Own(IndexFault::OtherModel { expected: self.names.model().to_owned(), found: others.join(", ") })
    }

    /// The collection our alias points at.
    async fn aliased_collection(&self) -> Result<Option<String>, IndexError> {
        let alias = self.names.alias();
        let reply = self.query(|node| async move { node.list_aliases().await }).await?;
        let found = reply.aliases.into_iter().find(|description| description.alias_name == alias);
        Ok(found.map(|description| description.collection_name))
    }

    async fn current_serial(&self) -> Result<Option<u32>, IndexError> {
        let collection = self.aliased_collection().await?;
        Ok(collection.and_then(|collection| self.names.parse(&collection)).map(|id| id.serial))
    }

    /// Collections under this index's names, of any model.
    async fn collections(&self) -> Result<Vec<(String, CollectionId)>, IndexError> {
        let reply = self.query(|node| async move { node.list_collections().await }).await?;
        let named = reply.collections.into_iter();
        Ok(named.filter_map(|found| self.names.parse(&found.name).map(|id| (found.name, id))).collect())
    }

    pub(super) async fn collection_info(&self, collection: &str) -> Result<CollectionInfo, IndexError> {
        let reply = self.query(|node| async move { node.collection_info(collection).await }).await?;
        reply.result.ok_or_else(|| IndexError::Unavailable(format!("no description of {collection}")))
    }

    /// An existing collection is left as it is.
    async fn create_collection(&self, collection: &str) -> Result<(), IndexError> {
        let settings = &self.settings;
        let mut sparse = SparseVectorsConfigBuilder::default();
        sparse.add_named_vector_params(
            BM25,
            // No modifier: the server would weigh words by how rare they are in all tenants' documents together.
            SparseVectorParamsBuilder::default().index(SparseIndexConfigBuilder::default().on_disk(settings.on_disk)),
        );
        let mut request = CreateCollectionBuilder::new(collection)
            .vectors_config(self.dense_config())
            .sparse_vectors_config(sparse)
            .shard_number(settings.shards)
            .replication_factor(settings.replicas)
            .write_consistency_factor(settings.write_consistency)
            .on_disk_payload(true)
            .timeout(settings.write_timeout.as_secs().max(1));
        let by_tenant = !settings.own_shards.is_empty();
        if by_tenant {
            request = request.sharding_method(ShardingMethod::Custom.into());
        }
        let is_new = match self.write(|node| async move { node.create_collection(request).await }).await {
            Err(IndexError::Own(IndexFault::Rejected(_))) if self.exists(collection).await? => false,
            created => created.map(|_| true)?,
        };
        if !by_tenant {
            return Ok(());
        }
        let made = self.create_shards(collection).await;
        if is_new && made.is_err() {
            // Without shards it takes no point, and whoever comes next would use it as it is.
            self.drop_collection(collection).await?;
        }
        made
    }

    fn dense_config(&self) -> VectorsConfigBuilder {
        let settings = &self.settings;
        let dimensions = self.model.dimensions as u64;
        // Links join points of one tenant, tag or collection, where those are many, and all points besides: a search
        // enters the graph at a point that its filter lets through, and without the graph over all points there is
        // one such entrance for each tenant, which most askers may not see.
        let graph = HnswConfigDiffBuilder::default()
            .m(settings.links)
            .payload_m(settings.links)
            .ef_construct(settings.build_breadth)
            .full_scan_threshold(kilobytes(settings.exact_up_to, dimensions))
            .on_disk(settings.on_disk);
        let mut params =
            VectorParamsBuilder::new(dimensions, Distance::Cosine).hnsw_config(graph).on_disk(settings.on_disk);
        params = match settings.quantization {
            Quantization::None => params,
            Quantization::Int8 => params.quantization_config(ScalarQuantizationBuilder::default().always_ram(true)),
            Quantization::Binary => params.quantization_config(BinaryQuantizationBuilder::new(true)),
        };
        let mut config = VectorsConfigBuilder::default();
        config.add_named_vector_params(DENSE, params);
        config
    }

    async fn exists(&self, collection: &str) -> Result<bool, IndexError> {
        self.write(|node| async move { node.collection_exists(collection).await }).await
    }

    /// Doing it again changes nothing.
    async fn create_payload_indexes(&self, collection: &str) -> Result<(), IndexError> {
        let keyword = || KeywordIndexParamsBuilder::default().on_disk(self.settings.on_disk);
        let indexes: [(&str, FieldType, IndexParams); 4] = [
            (payload::TENANT, FieldType::Keyword, keyword().is_tenant(true).into()),
            (payload::TAGS, FieldType::Keyword, keyword().into()),
            (payload::COLLECTION, FieldType::Keyword, keyword().into()),
            (
                payload::DOCUMENT,
                FieldType::Uuid,
                UuidIndexParamsBuilder::default().on_disk(self.settings.on_disk).into(),
            ),
        ];
        for (field, field_type, params) in indexes {
            let request = CreateFieldIndexCollectionBuilder::new(collection, field, field_type)
                .field_index_params(params)
                .wait(true);
            self.write(|node| async move { node.create_field_index(request).await }).await?;
        }
        Ok(())
    }

    /// Moves the alias if it is already there.
    async fn point_alias_at(&self, collection: &str) -> Result<(), IndexError> {
        let request = CreateAliasBuilder::new(collection, self.names.alias());
        self.write(|node| async move { node.create_alias(request).await }).await?;
        Ok(())
    }

    async fn drop_collection(&self, collection: &str) -> Result<(), IndexError> {
        let timeout = self.settings.write_timeout.as_secs().max(1);
        let request = DeleteCollectionBuilder::new(collection).timeout(timeout);
        self.write(|node| async move { node.delete_collection(request).await }).await?;
        Ok(())
    }

    fn check_shape(&self, collection: &str, info: &CollectionInfo) -> Result<(), IndexError> {
        let params = info.config.as_ref().and_then(|config| config.params.as_ref());
        let dense = params.and_then(|params| params.vectors_config.as_ref()?.config.as_ref());
        let dense: Option<&VectorParams> = match dense {
            Some(vectors_config::Config::ParamsMap(named)) => named.map.get(DENSE),
            _ => None,
        };
        let sparse = params.and_then(|params| params.sparse_vectors_config.as_ref()?.map.get(BM25));
        let wrong = |what: &str| {
            IndexError::Own(IndexFault::Rejected(format!(
                "collection {collection} {what}; run `ibidem reindex` to make it anew"
            )))
        };
        let Some(dense) = dense else { return Err(wrong("has no dense vectors")) };
        if dense.size != self.model.dimensions as u64 {
            let (found, wanted) = (dense.size, self.model.dimensions);
            return Err(wrong(&format!("has vectors of {found} dimensions, the model has {wanted}")));
        }
        if dense.distance() != Distance::Cosine {
            return Err(wrong("does not compare vectors by cosine"));
        }
        let Some(sparse) = sparse else { return Err(wrong("has no BM25 vectors")) };
        if sparse.modifier() != Modifier::None {
            return Err(wrong("weighs words by how rare they are in all tenants' documents, as Ibidem no longer does"));
        }
        Ok(())
    }
}

/// The size of so many vectors, in the unit the server takes.
fn kilobytes(vectors: u64, dimensions: u64) -> u64 {
    (vectors * dimensions * size_of::<f32>() as u64 / 1_024).max(1)
}
