//! What everybody does who keeps originals.

use ibidem_ports::originals::{Originals, OriginalsError};
use ibidem_words::{Sha256Hash, TenantId};

/// Runs the whole suite.
pub async fn originals_suite(originals: &dyn Originals) {
    let (tenant, other) = (TenantId::named("originals"), TenantId::named("originals other"));
    assert!(originals.list(tenant).await.unwrap().is_empty());

    let digest = originals.keep(tenant, b"text".to_vec()).await.unwrap();
    assert_eq!(digest, Sha256Hash::of(b"text"), "it is found by the digest of its bytes");
    assert_eq!(originals.fetch(tenant, digest).await.unwrap(), b"text");
    assert!(is_lost(originals, other, digest).await, "an original is found only by its tenant");
    assert!(is_lost(originals, tenant, Sha256Hash::of(b"never kept")).await);

    // Keeping it again changes nothing.
    assert_eq!(originals.keep(tenant, b"text".to_vec()).await.unwrap(), digest);
    assert_eq!(listed(originals, tenant).await, [digest]);
    let empty = originals.keep(tenant, Vec::new()).await.unwrap();
    assert!(originals.fetch(tenant, empty).await.unwrap().is_empty());
    let mut both = [digest, empty];
    both.sort_unstable();
    assert_eq!(listed(originals, tenant).await, both);

    originals.keep(other, b"text".to_vec()).await.unwrap();
    for _ in 0..2 {
        originals.remove(tenant, digest).await.unwrap();
        assert_eq!(listed(originals, tenant).await, [empty]);
        assert!(is_lost(originals, tenant, digest).await);
    }
    assert_eq!(originals.fetch(other, digest).await.unwrap(), b"text", "another tenant's stays");
    assert_eq!(listed(originals, other).await, [digest]);
}

async fn is_lost(originals: &dyn Originals, tenant: TenantId, digest: Sha256Hash) -> bool {
    matches!(originals.fetch(tenant, digest).await, Err(OriginalsError::Lost(lost)) if lost == digest)
}

async fn listed(originals: &dyn Originals, tenant: TenantId) -> Vec<Sha256Hash> {
    let kept = originals.list(tenant).await.unwrap();
    let mut digests: Vec<_> = kept.iter().map(|kept| kept.digest).collect();
    digests.sort_unstable();
    digests
}
