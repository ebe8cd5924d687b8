//! Originals in object storage: a folder by default, or a bucket.

mod location;

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use futures::TryStreamExt as _;
use ibidem_ports::originals::{KeptOriginal, Originals, OriginalsError};
use ibidem_words::{Sha256Hash, TenantId};
use object_store::prefix::PrefixStore;
use object_store::{ObjectStore, ObjectStoreExt as _, PutMode, PutOptions};

pub use self::location::{BucketAddress, BucketKeys, BucketSettings, OriginalsLocation};

#[derive(Debug, thiserror::Error)]
#[error("`originals.location` cannot be used ({location}): {reason}; name a folder that can be written, or a bucket")]
pub struct LocationError {
    location: String,
    reason: String,
}

/// Originals in an object store. Each tenant's lie apart. Cheap to clone.
#[derive(Clone, Debug)]
pub struct StoredOriginals {
    store: Arc<dyn ObjectStore>,
}

impl StoredOriginals {
    /// Opens a folder, or gets ready to ask a bucket. A bucket that is not there is noticed when it is asked.
    pub fn at(location: &OriginalsLocation) -> Result<Self, LocationError> {
        match location {
            OriginalsLocation::Folder(folder) => Self::in_folder(folder),
            OriginalsLocation::Bucket(settings) => {
                let store = location::open(settings)
                    .map_err(|error| LocationError { location: location.to_string(), reason: error.to_string() })?;
                Ok(Self { store: Arc::new(PrefixStore::new(store, settings.address.prefix().clone())) })
            }
        }
    }

    /// Opens a folder, making it when it is not there.
    pub fn in_folder(folder: &Path) -> Result<Self, LocationError> {
        let refused = |reason: String| LocationError { location: folder.display().to_string(), reason };
        std::fs::create_dir_all(folder).map_err(|error| refused(error.to_string()))?;
        let store = object_store::local::LocalFileSystem::new_with_prefix(folder)
            .map_err(|error| refused(error.to_string()))?;
        Ok(Self { store: Arc::new(store) })
    }

    /// Whether something can be written here and removed again.
    pub async fn check(&self) -> Result<(), OriginalsError> {
        let probe = object_store::path::Path::from(format!(".check-{}", std::process::id()));
        self.store.put(&probe, b"x".to_vec().into()).await.map_err(unavailable)?;
        self.store.delete(&probe).await.map_err(unavailable)
    }
}

#[async_trait]
impl Originals for StoredOriginals {
    async fn keep(&self, tenant: TenantId, original: Vec<u8>) -> Result<Sha256Hash, OriginalsError> {
        let digest = Sha256Hash::of(&original);
        let (place, original) = (place(tenant, digest), object_store::PutPayload::from(original));
        let options = PutOptions { mode: PutMode::Create, ..PutOptions::default() };
        let kept = match self.store.put_opts(&place, original.clone(), options).await {
            // Storage that cannot refuse what is already there: the same bytes are written again.
            Err(object_store::Error::NotImplemented { .. }) => self.store.put(&place, original).await,
            kept => kept,
        };
        match kept {
            Ok(_) | Err(object_store::Error::AlreadyExists { .. }) => Ok(digest),
            Err(error) => Err(unavailable(error)),
        }
    }

    async fn fetch(&self, tenant: TenantId, digest: Sha256Hash) -> Result<Vec<u8>, OriginalsError> {
        let unavailable = |error: object_store::Error| match error {
            object_store::Error::NotFound { .. } => OriginalsError::Lost(digest),
            other => unavailable(other),
        };
        let found = self.store.get(&place(tenant, digest)).await.map_err(unavailable)?;
        let bytes = found.bytes().await.map_err(unavailable)?;
        if Sha256Hash::of(&bytes) == digest { Ok(bytes.into()) } else { Err(OriginalsError::Lost(digest)) }
    }

    async fn list(&self, tenant: TenantId) -> Result<Vec<KeptOriginal>, OriginalsError> {
        let folder = object_store::path::Path::from(tenant.to_string());
        let found: Vec<_> = self.store.list(Some(&folder)).try_collect().await.map_err(unavailable)?;
        // What has no digest for a name is nobody's original.
        let kept = found.into_iter().filter_map(|object| {
            let digest = object.location.filename()?.parse().ok()?;
            Some(KeptOriginal { digest, kept_at: object.last_modified })
        });
        Ok(kept.collect())
    }

    async fn remove(&self, tenant: TenantId, digest: Sha256Hash) -> Result<(), OriginalsError> {
        match self.store.delete(&place(tenant, digest)).await {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(unavailable(error)),
        }
    }
}

#[expect(clippy::needless_pass_by_value, reason = "shaped for `map_err`")]
fn unavailable(error: object_store::Error) -> OriginalsError {
    OriginalsError::Unavailable(error.to_string())
}

/// Two levels of folders, so that no folder holds more than a few thousand files at 10^6 originals.
fn place(tenant: TenantId, digest: Sha256Hash) -> object_store::path::Path {
    let name = digest.to_string();
    object_store::path::Path::from_iter([tenant.to_string().as_str(), &name[..2], &name])
}

#[cfg(test)]
mod tests {
    use ibidem_testing::suites::originals::originals_suite;

    use super::*;

    #[tokio::test]
    async fn a_folder_keeps_originals() {
        let folder = tempfile::tempdir().unwrap();
        originals_suite(&StoredOriginals::in_folder(folder.path()).unwrap()).await;
    }

    #[tokio::test]
    async fn a_damaged_original_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let originals = StoredOriginals::in_folder(folder.path()).unwrap();
        let tenant = TenantId::named("one");
        let digest = originals.keep(tenant, b"text".to_vec()).await.unwrap();
        let name = digest.to_string();
        std::fs::write(folder.path().join(tenant.to_string()).join(&name[..2]).join(&name), b"changed").unwrap();
        assert!(matches!(originals.fetch(tenant, digest).await, Err(OriginalsError::Lost(_))));
    }
}
