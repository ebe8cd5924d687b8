//! What is in force: what a document says of itself, and what others that the asker sees say of it.

use ibidem_words::ports::catalogue::Catalogue;
use ibidem_words::{Standing, Status};

use super::*;

async fn put(store: &Store, submission: Submission, address: &str, standing: Standing) -> DocumentId {
    let document = submission.document_id();
    store.submit(submission.tenant, Uuid::now_v7(), READING, &[submission]).await.unwrap();
    let job = Intake::claim(store, 1).await.unwrap().remove(0);
    let version = NewVersion { address: Some(address.to_owned()), standing, ..version(&["What it says."]) };
    Intake::commit(store, vec![(job, version)]).await.unwrap();
    document
}

fn replacing(status: Option<Status>, address: &str) -> Standing {
    Standing { status, replaces: vec![address.to_owned()], ..Standing::default() }
}

#[tokio::test]
async fn a_document_is_replaced_by_another_of_its_collection_for_whoever_sees_both() {
    with_store(|store, tenant| async move {
        let stated = Standing { valid_to: chrono::NaiveDate::from_ymd_opt(2026, 12, 31), ..Standing::default() };
        let old = put(&store, submission(tenant, "old.md", "one", &["public"]), "ADR-0003", stated.clone()).await;
        let new = submission(tenant, "new.md", "two", &["security"]);
        put(&store, new.clone(), "ADR-0031", replacing(Some(Status::InForce), "adr 3")).await;
        put(
            &store,
            submission(tenant, "draft.md", "three", &["public"]),
            "ADR-0040",
            replacing(Some(Status::Draft), "ADR-3"),
        )
        .await;
        let elsewhere =
            Submission { collection: "Policy".parse().unwrap(), ..submission(tenant, "p.md", "four", &["public"]) };
        put(&store, elsewhere, "POLICY-1", replacing(None, "ADR-3")).await;

        let standing = async |names: &[&str]| {
            let scope = scope(tenant, names);
            let seen = store.visible(&scope, &[key(old, 1, 0)]).await.unwrap().remove(0).standing;
            assert_eq!(store.readable(&scope, old).await.unwrap().unwrap().standing, seen);
            seen
        };
        let replaced = Standing { replaced_by: vec!["ADR-0031".to_owned()], ..stated.clone() };
        assert_eq!(standing(&["security"]).await, replaced);
        assert_eq!(standing(&[]).await, stated, "what the asker does not see changes nothing");
        store.remove(tenant, new.document_id()).await.unwrap();
        assert_eq!(standing(&["security"]).await, stated);
        assert_eq!(store.readable(&scope(tenant, &["security"]), new.document_id()).await.unwrap(), None);
    })
    .await;
}
