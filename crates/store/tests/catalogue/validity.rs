//! What is in force: what a document says of itself, and what others that the asker sees say of it.

use ibidem_ports::catalogue::Catalogue;
use ibidem_store::DocumentsOf;
use ibidem_words::{Status, Validity};

use super::*;

async fn put(store: &Store, submission: Submission, address: &str, validity: Validity) -> DocumentId {
    let document = submission.document_id();
    store.submit(submission.tenant, Uuid::now_v7(), READING, &[submission]).await.unwrap();
    let job = Intake::claim(store, 1).await.unwrap().remove(0);
    let version = NewVersion { address: Some(address.to_owned()), validity, ..version(&["What it says."]) };
    Intake::commit(store, vec![(job, version)]).await.unwrap();
    document
}

fn replacing(status: Option<Status>, address: &str) -> Validity {
    Validity { status, replaces: vec![address.to_owned()], ..Validity::default() }
}

#[tokio::test]
async fn a_document_is_replaced_by_another_of_its_collection_for_whoever_sees_both() {
    with_store(|store, tenant| async move {
        let stated = Validity { valid_to: chrono::NaiveDate::from_ymd_opt(2026, 12, 31), ..Validity::default() };
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

        let validity_for = async |names: &[&str]| {
            let scope = scope(tenant, names);
            let seen = store.visible(&scope, &[key(old, 1, 0)]).await.unwrap().remove(0).validity;
            assert_eq!(store.readable(&scope, old).await.unwrap().unwrap().validity, seen);
            seen
        };
        let replaced = Validity { replaced_by: vec!["ADR-0031".to_owned()], ..stated.clone() };
        assert_eq!(validity_for(&["security"]).await, replaced);
        assert_eq!(validity_for(&[]).await, stated, "what the asker does not see changes nothing");
        store.remove(tenant, new.document_id()).await.unwrap();
        assert_eq!(validity_for(&["security"]).await, stated);
        assert_eq!(store.readable(&scope(tenant, &["security"]), new.document_id()).await.unwrap(), None);
    })
    .await;
}

#[tokio::test]
async fn a_list_by_status_has_the_documents_of_which_the_standing_says_so() {
    with_store(|store, tenant| async move {
        let day = |written: &str| written.parse::<chrono::NaiveDate>().unwrap();
        let today = day("2026-06-01");
        let every =
            [Status::InForce, Status::Superseded, Status::Rejected, Status::Deprecated, Status::Draft, Status::Expired];
        let every = || every.into_iter().chain([Status::NotYet]);
        let mut number = 0;
        for status in every().map(Some).chain([None]) {
            for replaced_by in [vec![], vec!["ADR-9000".to_owned()]] {
                for (from, to) in [
                    (None, None),
                    (None, Some("2026-05-31")),
                    (Some("2026-06-02"), None),
                    (Some("2026-06-01"), Some("2026-06-01")),
                ] {
                    let (valid_from, valid_to) = (from.map(day), to.map(day));
                    let validity = Validity {
                        status,
                        replaced_by: replaced_by.clone(),
                        valid_from,
                        valid_to,
                        ..Validity::default()
                    };
                    let location = format!("{number}.md");
                    put(
                        &store,
                        submission(tenant, &location, &location, &["public"]),
                        &format!("ADR-{number}"),
                        validity,
                    )
                    .await;
                    number += 1;
                }
            }
        }
        put(&store, submission(tenant, "new.md", "new", &["security"]), "ADR-7000", replacing(None, "ADR-56")).await;
        for names in [&[][..], &["security"]] {
            let scope = scope(tenant, names);
            let most = 200;
            let all = store.documents_of(&scope, &DocumentsOf { most, ..DocumentsOf::default() }, today).await.unwrap();
            let mut listed = 0;
            for status in every() {
                let of = DocumentsOf { status: Some(status), most, ..DocumentsOf::default() };
                let rows = store.documents_of(&scope, &of, today).await.unwrap();
                let expected: Vec<_> = all.iter().filter(|row| row.validity.on(today) == status).cloned().collect();
                assert_eq!(rows, expected, "{status:?}");
                listed += rows.len();
            }
            assert_eq!((listed, all.len()), (all.len(), number + names.len()));
        }
    })
    .await;
}
