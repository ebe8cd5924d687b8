//! Vectors once made are kept: by what was embedded and by which model.

use async_trait::async_trait;

use crate::catalogue::CatalogueError;
use ibidem_words::{ModelHash, Sha256Hash, TenantId};

/// A passage whose vector is wanted and may not be stored yet.
#[derive(Clone, PartialEq, Debug)]
pub struct MissingVector {
    pub tenant: TenantId,
    /// Identifies the vector: it is the digest of `text`.
    pub key: Sha256Hash,
    /// Holds what is embedded.
    pub text: String,
}

/// A vector to keep.
#[derive(Clone, PartialEq, Debug)]
pub struct NewVector {
    pub tenant: TenantId,
    pub key: Sha256Hash,
    pub vector: Vec<f32>,
}

#[async_trait]
pub trait VectorShelf: Send + Sync {
    /// Which of these keys have a vector of this model. A vector is found only by the tenant that made it:
    /// one that is already there must not tell a tenant what another one keeps.
    async fn stored(
        &self,
        model: ModelHash,
        keys: &[(TenantId, Sha256Hash)],
    ) -> Result<Vec<(TenantId, Sha256Hash)>, CatalogueError>;

    /// Keeps these; those already there stay as they are.
    async fn store(&self, model: ModelHash, vectors: Vec<NewVector>) -> Result<(), CatalogueError>;
}
