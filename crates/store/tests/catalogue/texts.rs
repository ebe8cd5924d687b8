//! Texts of documents for checking receipts: old versions, removed documents, and nobody else's.

use super::*;

#[tokio::test]
async fn old_versions_and_removed_documents_keep_their_texts_for_whoever_saw_them() {
    with_store(|store, tenant| async move {
        let document = take_in(&store, submission(tenant, "a.md", "one", &["finance"]), &["First text."]).await;
        take_in(&store, submission(tenant, "a.md", "two", &["finance"]), &["Second text."]).await;
        publish_all(&store).await;
        let asked = [(document, 1), (document, 9), (DocumentId(Uuid::from_u128(7)), 1)].into();
        let finance = scope(tenant, &["finance"]);
        let corpus = store.texts(&finance, &asked).await.unwrap();
        assert_eq!(corpus.len(), 1, "{corpus:?}");
        let kept = &corpus[&document];
        assert_eq!((kept.current_version, kept.is_removed), (2, false));
        let texts: Vec<_> = kept.versions.iter().map(|(version, kept)| (*version, kept.text.as_str())).collect();
        assert_eq!(texts, [(1, "First text."), (2, "Second text.")]);
        store.remove(tenant, document).await.unwrap();
        let removed = store.texts(&finance, &asked).await.unwrap();
        assert!(removed[&document].is_removed && removed[&document].versions.len() == 2, "{removed:?}");
        for hidden in [scope(tenant, &["sales"]), scope(TenantId::named("other"), &["finance"])] {
            assert!(store.texts(&hidden, &asked).await.unwrap().is_empty());
        }
    })
    .await;
}
