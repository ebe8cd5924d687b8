//! Vectors in memory.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;

use ibidem_ports::catalogue::CatalogueError;
use ibidem_ports::vectors::{NewVector, VectorShelf};
use ibidem_words::{ModelHash, Sha256Hash, TenantId};

type Key = (ModelHash, TenantId, Sha256Hash);

#[derive(Default)]
pub struct FakeVectors {
    shelf: Mutex<BTreeMap<Key, Vec<f32>>>,
}

impl FakeVectors {
    /// The vector of this model for what has this digest, if it was stored.
    pub fn vector(&self, model: ModelHash, tenant: TenantId, key: Sha256Hash) -> Option<Vec<f32>> {
        self.shelf().get(&(model, tenant, key)).cloned()
    }

    fn shelf(&self) -> MutexGuard<'_, BTreeMap<Key, Vec<f32>>> {
        self.shelf.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl VectorShelf for FakeVectors {
    async fn stored(
        &self,
        model: ModelHash,
        keys: &[(TenantId, Sha256Hash)],
    ) -> Result<Vec<(TenantId, Sha256Hash)>, CatalogueError> {
        let shelf = self.shelf();
        Ok(keys.iter().filter(|(tenant, key)| shelf.contains_key(&(model, *tenant, *key))).copied().collect())
    }

    async fn store(&self, model: ModelHash, vectors: Vec<NewVector>) -> Result<(), CatalogueError> {
        let mut shelf = self.shelf();
        for new in vectors {
            shelf.entry((model, new.tenant, new.key)).or_insert(new.vector);
        }
        Ok(())
    }
}
