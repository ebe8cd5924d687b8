//! Originals: documents as they were handed in, kept by the digest of their bytes.

use async_trait::async_trait;
use chrono::{DateTime, Utc};

use ibidem_words::{Sha256Hash, TenantId};

#[derive(Debug, Clone, thiserror::Error)]
pub enum OriginalsError {
    /// Try again later.
    #[error("the originals store is unavailable: {0}")]
    Unavailable(String),
    /// The original is gone or was changed.
    #[error("the original {0} is missing or damaged; hand the document in again")]
    Lost(Sha256Hash),
}

/// An original that is kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KeptOriginal {
    pub digest: Sha256Hash,
    /// When it was put there, or last put there again.
    pub kept_at: DateTime<Utc>,
}

#[async_trait]
pub trait Originals: Send + Sync {
    /// Keeps these bytes and returns the digest they are found by. Keeping them again changes nothing.
    async fn keep(&self, tenant: TenantId, original: Vec<u8>) -> Result<Sha256Hash, OriginalsError>;

    /// The bytes with this digest, checked: everything later rests on them.
    async fn fetch(&self, tenant: TenantId, digest: Sha256Hash) -> Result<Vec<u8>, OriginalsError>;

    /// Everything that is kept of a tenant, in no order.
    async fn list(&self, tenant: TenantId) -> Result<Vec<KeptOriginal>, OriginalsError>;

    /// Removes an original. One that is not there is removed already.
    async fn remove(&self, tenant: TenantId, digest: Sha256Hash) -> Result<(), OriginalsError>;
}
