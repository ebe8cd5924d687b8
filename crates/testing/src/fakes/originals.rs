//! Originals in memory.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use chrono::{DateTime, Utc};

use ibidem_ports::originals::{KeptOriginal, Originals, OriginalsError};
use ibidem_words::{Sha256Hash, TenantId};

/// Every original counts as kept since 1970: it has no clock.
#[derive(Default)]
pub struct FakeOriginals {
    kept: Mutex<BTreeMap<(TenantId, Sha256Hash), Vec<u8>>>,
}

impl FakeOriginals {
    /// Since when everything is kept.
    pub const KEPT_AT: DateTime<Utc> = DateTime::UNIX_EPOCH;

    /// Replaces an original's bytes, as a damaged disk would.
    pub fn damage(&self, tenant: TenantId, digest: Sha256Hash) {
        self.kept().insert((tenant, digest), b"damaged".to_vec());
    }

    /// How many of them hold these words.
    pub fn count_with(&self, words: &str) -> usize {
        self.kept().values().filter(|original| String::from_utf8_lossy(original).contains(words)).count()
    }

    fn kept(&self) -> MutexGuard<'_, BTreeMap<(TenantId, Sha256Hash), Vec<u8>>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Originals for FakeOriginals {
    async fn keep(&self, tenant: TenantId, original: Vec<u8>) -> Result<Sha256Hash, OriginalsError> {
        let digest = Sha256Hash::of(&original);
        self.kept().entry((tenant, digest)).or_insert(original);
        Ok(digest)
    }

    async fn fetch(&self, tenant: TenantId, digest: Sha256Hash) -> Result<Vec<u8>, OriginalsError> {
        let original = self.kept().get(&(tenant, digest)).cloned();
        original.filter(|bytes| Sha256Hash::of(bytes) == digest).ok_or(OriginalsError::Lost(digest))
    }

    async fn list(&self, tenant: TenantId) -> Result<Vec<KeptOriginal>, OriginalsError> {
        let kept = self.kept();
        let own = kept.keys().filter(|(of, _)| *of == tenant);
        Ok(own.map(|(_, digest)| KeptOriginal { digest: *digest, kept_at: Self::KEPT_AT }).collect())
    }

    async fn remove(&self, tenant: TenantId, digest: Sha256Hash) -> Result<(), OriginalsError> {
        self.kept().remove(&(tenant, digest));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suites::originals::originals_suite;

    #[tokio::test]
    async fn the_fake_keeps_originals() {
        originals_suite(&FakeOriginals::default()).await;
    }

    #[tokio::test]
    async fn a_damaged_original_is_lost() {
        let fake = FakeOriginals::default();
        let digest = fake.keep(TenantId::named("one"), b"text".to_vec()).await.unwrap();
        fake.damage(TenantId::named("one"), digest);
        assert!(matches!(fake.fetch(TenantId::named("one"), digest).await, Err(OriginalsError::Lost(_))));
    }
}
