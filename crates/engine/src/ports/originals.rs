//! Originals: documents as they were handed in, kept by the digest of their bytes.

use async_trait::async_trait;

use crate::words::{Sha256Hash, TenantId};

#[derive(Debug, Clone, thiserror::Error)]
pub enum OriginalsError {
    /// Try again later.
    #[error("the originals store is unavailable: {0}")]
    Unavailable(String),
    /// The original is gone or was changed.
    #[error("the original {0} is missing or damaged; hand the document in again")]
    Lost(Sha256Hash),
}

#[async_trait]
pub trait Originals: Send + Sync {
    /// Keeps these bytes and returns the digest they are found by. Keeping them again changes nothing.
    async fn keep(&self, tenant: TenantId, original: Vec<u8>) -> Result<Sha256Hash, OriginalsError>;

    /// The bytes with this digest, checked: everything later rests on them.
    async fn fetch(&self, tenant: TenantId, digest: Sha256Hash) -> Result<Vec<u8>, OriginalsError>;
}
