//! What everybody does who keeps vectors.

use super::intake::Desk;
use ibidem_ports::vectors::{NewVector, VectorShelf};
use ibidem_words::{ModelHash, Sha256Hash};

/// Runs the whole suite.
pub async fn vectors_suite(vectors: &dyn VectorShelf, desk: &dyn Desk) {
    let (tenant, other) = (desk.tenant("vectors").await, desk.tenant("vectors other").await);
    let (one, two) = (Sha256Hash::of(b"one"), Sha256Hash::of(b"two"));
    let all = [(tenant, one), (other, one), (tenant, two)];
    assert_eq!(vectors.stored(model("m"), &all).await.unwrap(), []);
    assert_eq!(vectors.stored(model("m"), &[]).await.unwrap(), []);

    // The same one twice is kept once.
    let vector = NewVector { tenant, key: one, vector: vec![0.6, 0.8] };
    vectors.store(model("m"), vec![vector.clone(), vector.clone()]).await.unwrap();
    vectors.store(model("m"), vec![vector]).await.unwrap();
    vectors.store(model("m"), Vec::new()).await.unwrap();
    assert_eq!(vectors.stored(model("m"), &all).await.unwrap(), [(tenant, one)], "found by its own tenant only");
    assert_eq!(vectors.stored(model("other"), &all).await.unwrap(), [], "a vector of another model is none");
}

pub(super) fn model(name: &str) -> ModelHash {
    ModelHash(Sha256Hash::of(name.as_bytes()))
}
