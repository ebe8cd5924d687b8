//! The outbox and the vectors it needs.

use ibidem_ports::catalogue::Catalogue as _;
use ibidem_ports::outbox::Outbox;
use ibidem_ports::vectors::{NewVector, VectorShelf};
use ibidem_words::ModelHash;

use super::*;

fn model(name: &str) -> ModelHash {
    ModelHash(Sha256Hash::of(name.as_bytes()))
}

#[tokio::test]
async fn a_publication_brings_passages_with_stored_vectors_and_names_the_missing_ones() {
    with_store(|store, tenant| async move {
        let document = take_in(&store, submission(tenant, "a.md", "one", &["public"]), &["First.", "Second."]).await;
        let first = passage("First.", 0).embedding_key;
        let vector = NewVector { tenant, key: first, vector: vec![0.6, 0.8] };
        store.store(model("m"), vec![vector.clone(), vector]).await.unwrap();

        let claimed = Outbox::claim(&store, 10).await.unwrap();
        assert_eq!(claimed.len(), 1);
        assert!(Outbox::claim(&store, 10).await.unwrap().is_empty(), "it is leased");
        let wanted = store.wanted(model("m"), &[(tenant, document)]).await.unwrap().remove(0);
        assert_eq!(wanted.document.points.len(), 1);
        assert_eq!(wanted.document.points[0].vector, [0.6, 0.8]);
        assert_eq!(wanted.document.points[0].words, "A title: Decision\nFirst.");
        assert_eq!(wanted.missing.len(), 1);
        assert_eq!(Sha256Hash::of(wanted.missing[0].text.as_bytes()), wanted.missing[0].key);
        // Vectors of another model are no vectors.
        assert_eq!(store.wanted(model("other"), &[(tenant, document)]).await.unwrap()[0].missing.len(), 2);

        store.acknowledge(&claimed).await.unwrap();
        assert_eq!(store.backlog().await.unwrap().publications, 0);
    })
    .await;
}

#[tokio::test]
async fn a_change_during_publication_is_published_again() {
    with_store(|store, tenant| async move {
        let document = take_in(&store, submission(tenant, "a.md", "one", &["public"]), &["First."]).await;
        let claimed = Outbox::claim(&store, 10).await.unwrap();
        store.retag(tenant, document, &tags(&["finance"])).await.unwrap();
        store.acknowledge(&claimed).await.unwrap();
        let again = Outbox::claim(&store, 10).await.unwrap();
        assert_eq!(again.len(), 1);
        let wanted = store.wanted(model("m"), &[(tenant, document)]).await.unwrap();
        assert_eq!(wanted[0].document.tags, tags(&["finance"]));
    })
    .await;
}

#[tokio::test]
async fn a_removed_document_is_wanted_with_no_points() {
    with_store(|store, tenant| async move {
        let document = take_in(&store, submission(tenant, "a.md", "one", &["public"]), &["First."]).await;
        store.remove(tenant, document).await.unwrap();
        let wanted = store.wanted(model("m"), &[(tenant, document)]).await.unwrap().remove(0);
        assert!(wanted.document.points.is_empty() && wanted.missing.is_empty());
    })
    .await;
}

#[tokio::test]
async fn vectors_are_found_by_their_own_tenant_only_and_pruned_when_unused() {
    with_store(|store, tenant| async move {
        take_in(&store, submission(tenant, "a.md", "one", &["public"]), &["First."]).await;
        let (used, unused) = (passage("First.", 0).embedding_key, Sha256Hash::of(b"unused"));
        let vectors = [used, unused].map(|key| NewVector { tenant, key, vector: vec![1.0] });
        store.store(model("m"), vectors.to_vec()).await.unwrap();
        let other = store.ensure_tenant("other").await.unwrap();
        let stored = store.stored(model("m"), &[(tenant, used), (other, used), (tenant, unused)]).await.unwrap();
        assert_eq!(stored.len(), 2);
        assert!(!stored.contains(&(other, used)));
        assert_eq!(store.prune_vectors(model("m")).await.unwrap(), 1);
        assert_eq!(store.stored(model("m"), &[(tenant, used), (tenant, unused)]).await.unwrap(), [(tenant, used)]);
    })
    .await;
}

#[tokio::test]
async fn a_publisher_that_lost_its_lease_has_the_document_published_again() {
    let database = TestDatabase::create().await;
    let store = database.store.clone();
    let tenant = store.ensure_tenant("default").await.unwrap();
    take_in(&store, submission(tenant, "a.md", "one", &["public"]), &["First."]).await;
    let slow = Outbox::claim(&store, 10).await.unwrap();
    Outbox::renew(&store, &slow).await.unwrap();
    database.pass(store.lease() * 2).await;
    let quick = Outbox::claim(&store, 10).await.unwrap();
    store.acknowledge(&quick).await.unwrap();
    assert_eq!(store.backlog().await.unwrap().publications, 0);

    store.acknowledge(&slow).await.unwrap();
    assert_eq!(Outbox::claim(&store, 10).await.unwrap().len(), 1, "what the slow one wrote may be outdated");
    database.drop_database().await;
}

#[tokio::test]
async fn a_lease_is_held_by_renewing_it_and_given_back_at_once() {
    let database = TestDatabase::create().await;
    let store = database.store.clone();
    let tenant = store.ensure_tenant("default").await.unwrap();
    take_in(&store, submission(tenant, "a.md", "one", &["public"]), &["First."]).await;
    let held = Outbox::claim(&store, 10).await.unwrap();
    for _ in 0..4 {
        database.pass(store.lease() * 2 / 3).await;
        Outbox::renew(&store, &held).await.unwrap();
        assert!(Outbox::claim(&store, 10).await.unwrap().is_empty());
    }
    store.release(&held).await.unwrap();
    assert_eq!(Outbox::claim(&store, 10).await.unwrap().len(), 1);
    database.drop_database().await;
}

#[tokio::test]
async fn the_old_version_is_read_until_the_new_one_is_published_by_those_who_may_see_both() {
    with_store(|store, tenant| async move {
        let document = take_in(&store, submission(tenant, "a.md", "one", &["staff", "board"]), &["One."]).await;
        publish_all(&store).await;
        let reads = async |names: &[&str]| {
            let both = [key(document, 1, 0), key(document, 2, 0)];
            let read = store.visible(&scope(tenant, names), &both).await.unwrap();
            read.into_iter().map(|passage| passage.text).collect::<Vec<_>>()
        };
        take_in(&store, submission(tenant, "a.md", "two", &["staff", "guests"]), &["Two."]).await;
        assert_eq!(reads(&["staff"]).await, ["One."]);
        assert!(reads(&["board"]).await.is_empty(), "who may not see the new version sees neither, from now on");
        assert!(reads(&["guests"]).await.is_empty(), "who may see the new version only has to wait for it");
        publish_all(&store).await;
        for names in [["staff"], ["guests"]] {
            assert_eq!(reads(&names).await, ["Two."]);
        }
        assert!(reads(&["board"]).await.is_empty());

        // What is removed or retagged meanwhile is so at once, and stays so.
        take_in(&store, submission(tenant, "a.md", "three", &["staff"]), &["Three."]).await;
        store.retag(tenant, document, &tags(&["board"])).await.unwrap();
        assert!(reads(&["staff"]).await.is_empty());
        assert_eq!(reads(&["board"]).await, ["Two."]);
        publish_all(&store).await;
        let three = store.visible(&scope(tenant, &["board"]), &[key(document, 3, 0)]).await.unwrap();
        assert_eq!(three[0].text, "Three.");
        take_in(&store, submission(tenant, "a.md", "four", &["board"]), &["Four."]).await;
        store.remove(tenant, document).await.unwrap();
        publish_all(&store).await;
        let all = [3, 4].map(|version| key(document, version, 0));
        assert!(store.visible(&scope(tenant, &["board"]), &all).await.unwrap().is_empty());
        assert!(store.still_visible(&scope(tenant, &["board"]), &all).await.unwrap().is_empty());
    })
    .await;
}
