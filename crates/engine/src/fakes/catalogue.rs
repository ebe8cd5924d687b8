//! A catalogue in memory, for passages that are all of one version.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;

use crate::ports::catalogue::{Catalogue, CatalogueError, CataloguePassage};
use crate::words::{PassageKey, Scope, Tag, TenantId};

#[derive(Default)]
pub struct FakeCatalogue(Mutex<HashMap<PassageKey, Shelved>>);

struct Shelved {
    tenant: TenantId,
    tags: Vec<Tag>,
    passage: CataloguePassage,
}

impl FakeCatalogue {
    pub fn put(&self, tenant: TenantId, tags: Vec<Tag>, passage: CataloguePassage) {
        let mut shelf = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        shelf.insert(passage.passage, Shelved { tenant, tags, passage });
    }
}

#[async_trait]
impl Catalogue for FakeCatalogue {
    async fn visible(&self, scope: &Scope, passages: &[PassageKey]) -> Result<Vec<CataloguePassage>, CatalogueError> {
        let shelf = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = passages.iter().filter_map(|key| shelf.get(key));
        let visible = found.filter(|shelved| scope.sees(shelved.tenant, &shelved.tags));
        Ok(visible.map(|shelved| shelved.passage.clone()).collect())
    }
}
