//! Where points are: spread over the shards of a collection by their ids, or by tenant. Of a collection that is divided by
//! tenant, large tenants have shards of their own, and all others share some.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use ibidem_ports::index::{IndexError, IndexFault};
use ibidem_words::TenantId;
use qdrant_client::qdrant::{
    CreateShardKeyBuilder, CreateShardKeyRequestBuilder, ShardKey, ShardKeySelector, ShardingMethod, shard_key::Key,
};

use super::{QdrantIndex, payload};

/// The key of the shards that tenants without shards of their own share.
const SHARED: &str = "shared";

/// How long it counts what was found out of a collection: another one may take its place under the same alias. Until that
/// is noticed all shards are searched, and a write that names the wrong ones is refused and tried again.
const KNOWN_FOR: Duration = Duration::from_secs(60);

/// How a collection is divided into shards.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Division {
    ById,
    ByTenant,
}

impl Division {
    /// The shards of a tenant; none where they are all shards.
    pub(super) fn shards_of(self, tenant: TenantId) -> Option<ShardKeySelector> {
        (self == Self::ByTenant).then(|| ShardKeySelector {
            shard_keys: vec![key(&payload::tenant_value(tenant))],
            fallback: Some(key(SHARED)),
        })
    }
}

fn key(word: &str) -> ShardKey {
    ShardKey { key: Some(Key::Keyword(word.to_owned())) }
}

/// What was found out last, and when. Clones know it together.
#[derive(Clone, Default)]
pub(super) struct KnownDivision(Arc<Mutex<Option<(Division, Instant)>>>);

impl KnownDivision {
    fn get(&self) -> Option<Division> {
        let known = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.filter(|(_, since)| since.elapsed() < KNOWN_FOR).map(|(division, _)| division)
    }

    fn set(&self, division: Division) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((division, Instant::now()));
    }
}

impl QdrantIndex {
    /// How the collection is divided, as far as is known.
    pub(super) async fn division(&self) -> Result<Division, IndexError> {
        match self.division.get() {
            Some(known) => Ok(known),
            None => self.ask_for_division().await,
        }
    }

    /// After a refusal: how the collection is divided, where that is no longer as it was `known`; else the refusal.
    pub(super) async fn divided_otherwise(&self, known: Division, refused: IndexError) -> Result<Division, IndexError> {
        if !matches!(refused, IndexError::Own(IndexFault::Rejected(_) | IndexFault::Missing)) {
            return Err(refused);
        }
        match self.ask_for_division().await? {
            now if now == known => Err(refused),
            now => Ok(now),
        }
    }

    async fn ask_for_division(&self) -> Result<Division, IndexError> {
        let info = self.collection_info(&self.target).await?;
        let params = info.config.and_then(|config| config.params);
        let method = params.and_then(|params| params.sharding_method);
        let division = match method {
            Some(method) if method == ShardingMethod::Custom as i32 => Division::ByTenant,
            _ => Division::ById,
        };
        self.division.set(division);
        Ok(division)
    }

    /// Makes the shards of a collection that is divided by tenant; those that are there are left as they are.
    pub(super) async fn create_shards(&self, collection: &str) -> Result<(), IndexError> {
        let own = self.settings.own_shards.iter().map(|tenant| payload::tenant_value(*tenant));
        for name in std::iter::once(SHARED.to_owned()).chain(own) {
            let request = CreateShardKeyRequestBuilder::new(collection)
                .request(
                    CreateShardKeyBuilder::default()
                        .shard_key(Key::Keyword(name.clone()))
                        .shards_number(self.settings.shards)
                        .replication_factor(self.settings.replicas),
                )
                .timeout(self.settings.write_timeout.as_secs().max(1));
            match self.write(|node| async move { node.create_shard_key(request).await }).await {
                Err(IndexError::Own(IndexFault::Rejected(reason))) => {
                    if !self.has_shards(collection, &name).await? {
                        return Err(IndexError::Own(IndexFault::Rejected(format!(
                            "tenants get no shards of their own: {reason}; run Qdrant 1.16 or newer as a cluster, or leave \
                             `index.own_shards` empty"
                        ))));
                    }
                }
                created => drop(created?),
            }
        }
        Ok(())
    }

    async fn has_shards(&self, collection: &str, name: &str) -> Result<bool, IndexError> {
        let info = self.query(|node| async move { node.collection_cluster_info(collection).await }).await?;
        let local = info.local_shards.into_iter().map(|shard| shard.shard_key);
        let remote = info.remote_shards.into_iter().map(|shard| shard.shard_key);
        Ok(local.chain(remote).flatten().any(|found| found == key(name)))
    }
}
