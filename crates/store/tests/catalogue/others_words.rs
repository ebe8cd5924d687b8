//! What a document says of another counts where whoever handed it in may change that other one, and an address stays with
//! the document that has it.

use ibidem_ports::catalogue::Catalogue;
use ibidem_ports::identity_provider::PersonClaims;
use ibidem_ports::intake::Committed;
use ibidem_store::{DocumentsOf, NewGroup, NewKey};
use ibidem_words::{AddressKey, CollectionName, Status, Subject, SubjectId, Validity};

use super::*;

/// A key, as what it hands in is kept under.
async fn curator(store: &Store, tenant: TenantId, names: &[&str]) -> String {
    key_of(store, tenant, Role::Curator, names).await
}

async fn key_of(store: &Store, tenant: TenantId, role: Role, names: &[&str]) -> String {
    let new = NewKey {
        tenant,
        name: "desk".to_owned(),
        role,
        tags: tags(names),
        hand_in: HandIn::Everywhere,
        expires_at: None,
    };
    let key = store.create_key(&new).await.unwrap();
    format!("api:{}", Subject::of_key(key.id, new.name).id())
}

struct Handed<'a> {
    location: String,
    address: &'a str,
    audience: &'a [&'a str],
    validity: Validity,
}

fn handed<'a>(by: &str, address: &'a str, audience: &'a [&'a str], validity: Validity) -> Handed<'a> {
    Handed { location: format!("{by}/{address}.md"), address, audience, validity }
}

async fn take_in_of(store: &Store, tenant: TenantId, handed: &Handed<'_>) -> (DocumentId, Committed) {
    let text = format!("{} for {:?}", handed.location, handed.audience);
    let submission = submission(tenant, &handed.location, &text, handed.audience);
    let document = submission.document_id();
    store.submit(tenant, Uuid::now_v7(), READING, &[submission]).await.unwrap();
    let job = Intake::claim(store, 1).await.unwrap().remove(0);
    let validity = handed.validity.clone();
    let version = NewVersion { address: Some(handed.address.to_owned()), validity, ..version(&["What it says."]) };
    let committed = Intake::commit(store, vec![(job.clone(), version)]).await.unwrap().remove(0);
    if let Committed::Refused(reason) = &committed {
        store.fail(&job, reason, ibidem_ports::intake::Failure::Permanent).await.unwrap();
    }
    (document, committed)
}

async fn put(store: &Store, tenant: TenantId, handed: Handed<'_>) -> DocumentId {
    let (document, committed) = take_in_of(store, tenant, &handed).await;
    assert_eq!(committed, Committed::Done, "{}", handed.location);
    document
}

fn superseding(address: &str) -> Validity {
    Validity { status: Some(Status::InForce), replaces: vec![address.to_owned()], ..Validity::default() }
}

fn amending(address: &str) -> Validity {
    Validity { amends: vec![address.to_owned()], ..Validity::default() }
}

/// What somebody reads of a document's standing, by every way of reading it.
async fn validity_of(store: &Store, scope: &Scope, document: DocumentId) -> Validity {
    let seen = store.visible(scope, &[key(document, 1, 0)]).await.unwrap().remove(0).validity;
    assert_eq!(store.readable(scope, document).await.unwrap().unwrap().validity.replaced_by, seen.replaced_by);
    let all = DocumentsOf { most: 200, ..DocumentsOf::default() };
    let today = chrono::NaiveDate::from_ymd_opt(2026, 6, 1).unwrap();
    let listed = store.documents_of(scope, &all, today).await.unwrap();
    let listed = listed.into_iter().find(|row| row.id == document).unwrap();
    assert_eq!(listed.validity.replaced_by, seen.replaced_by);
    let of = DocumentsOf { status: Some(seen.on(today)), ..all };
    assert!(store.documents_of(scope, &of, today).await.unwrap().iter().any(|row| row.id == document));
    seen
}

#[tokio::test]
async fn an_impostor_that_says_it_replaces_the_official_document_replaces_nothing() {
    with_store(|store, tenant| async move {
        let official = put(&store, tenant, handed("adr", "ADR-0003", &["public"], Validity::default())).await;
        let everybody = scope(tenant, &[]);
        for (by, address) in [
            (curator(&store, tenant, &[]).await, "ADR-0666"),
            (curator(&store, tenant, &["board"]).await, "ADR-0667"),
            (key_of(&store, tenant, Role::Asker, &["staff"]).await, "ADR-0668"),
            (format!("api:key:{}", Uuid::now_v7()), "ADR-0669"),
            ("api:anna".to_owned(), "ADR-0670"),
        ] {
            put(&store, tenant, handed(&by, address, &["public"], superseding("ADR-0003"))).await;
            assert_eq!(validity_of(&store, &everybody, official).await, Validity::default(), "{by}");
        }
        let by_admin = key_of(&store, tenant, Role::Admin, &[]).await;
        put(&store, tenant, handed(&by_admin, "ADR-0031", &["public"], superseding("ADR-0003"))).await;
        assert_eq!(validity_of(&store, &everybody, official).await.replaced_by, ["ADR-0031"]);
    })
    .await;
}

#[tokio::test]
async fn a_curators_word_counts_of_what_is_the_curators_to_change_from_one_moment_to_the_next() {
    with_store(|store, tenant| async move {
        let of_staff = curator(&store, tenant, &["staff"]).await;
        let everybody = scope(tenant, &["staff", "board"]);
        let official = put(&store, tenant, handed("adr", "ADR-0003", &["staff"], Validity::default())).await;
        put(&store, tenant, handed(&of_staff, "ADR-0031", &["public"], superseding("ADR-0003"))).await;
        let replaced_by = async || validity_of(&store, &everybody, official).await.replaced_by;
        assert_eq!(replaced_by().await, ["ADR-0031"]);
        for (audience, counts) in [
            (&["public", "staff"][..], true),
            (&["public"], false),
            (&["staff", "board"], false),
            (&["board"], false),
            (&["staff"], true),
        ] {
            store.retag(tenant, official, &tags(audience)).await.unwrap();
            publish_all(&store).await;
            assert_eq!(!replaced_by().await.is_empty(), counts, "{audience:?}");
        }
        // What somebody handed in they can hand in again, whoever else may see it by now.
        let own = put(&store, tenant, handed(&of_staff, "ADR-0050", &["public"], Validity::default())).await;
        put(&store, tenant, handed(&of_staff, "ADR-0051", &["public"], superseding("ADR-0050"))).await;
        assert_eq!(validity_of(&store, &everybody, own).await.replaced_by, ["ADR-0051"]);
    })
    .await;
}

#[tokio::test]
async fn what_a_document_changes_in_part_is_what_its_author_may_change() {
    with_store(|store, tenant| async move {
        let everybody = scope(tenant, &["staff"]);
        put(&store, tenant, handed("adr", "ADR-0003", &["staff"], Validity::default())).await;
        for (by, address, expected) in [
            (curator(&store, tenant, &[]).await, "ADR-0666", Vec::new()),
            (curator(&store, tenant, &["staff"]).await, "ADR-0031", vec!["ADR-0003".to_owned()]),
            ("adr".to_owned(), "ADR-0032", vec!["ADR-0003".to_owned()]),
        ] {
            let document = put(&store, tenant, handed(&by, address, &["public"], amending("ADR-0003"))).await;
            assert_eq!(validity_of(&store, &everybody, document).await.amends, expected, "{by}");
            assert!(validity_of(&store, &scope(tenant, &[]), document).await.amends.is_empty(), "it is not seen");
        }
    })
    .await;
}

#[tokio::test]
async fn an_address_that_anothers_document_has_is_refused() {
    with_store(|store, tenant| async move {
        let official = put(&store, tenant, handed("adr", "ADR-0003", &["public"], Validity::default())).await;
        let of_staff = curator(&store, tenant, &["staff"]).await;
        let (_, committed) =
            take_in_of(&store, tenant, &handed(&of_staff, "adr 3", &["public"], Validity::default())).await;
        let Committed::Refused(reason) = committed else { panic!("{committed:?}") };
        assert!(reason.contains("adr 3") && reason.contains("another document"), "{reason}");
        assert_eq!(addressed(&store, &scope(tenant, &[])).await, [official]);
        // An admin may have two documents of one address, and whoever handed the first in hands it in again.
        let by_admin = key_of(&store, tenant, Role::Admin, &[]).await;
        put(&store, tenant, handed(&by_admin, "ADR-0003", &["public"], Validity::default())).await;
        put(&store, tenant, handed(&of_staff, "ADR-0070", &["public"], Validity::default())).await;
        put(&store, tenant, handed(&of_staff, "ADR-0070", &["staff"], Validity::default())).await;
    })
    .await;
}

async fn addressed(store: &Store, scope: &Scope) -> Vec<DocumentId> {
    let keys = [AddressKey::of("ADR-0003").unwrap()];
    let found = store.addressed(scope, None, &keys).await.unwrap();
    found.into_iter().map(|one| one.document).collect()
}

#[tokio::test]
async fn an_address_stays_with_the_document_that_has_it_for_whoever_sees_both() {
    with_store(|store, tenant| async move {
        let official = put(&store, tenant, handed("adr", "ADR-0003", &["board"], Validity::default())).await;
        // What the curator does not see makes no difference to them.
        let of_staff = curator(&store, tenant, &["staff"]).await;
        let other = put(&store, tenant, handed(&of_staff, "ADR-0003", &["staff"], Validity::default())).await;
        let address = async |names: &[&str]| {
            store.visible(&scope(tenant, names), &[key(other, 1, 0)]).await.unwrap().remove(0).address
        };
        assert_eq!(addressed(&store, &scope(tenant, &["staff"])).await, [other]);
        assert_eq!(address(&["staff"]).await.as_deref(), Some("ADR-0003"));
        let both = scope(tenant, &["staff", "board"]);
        assert_eq!(addressed(&store, &both).await, [official]);
        assert_eq!(address(&["staff", "board"]).await, None);
        assert_eq!(store.readable(&both, other).await.unwrap().unwrap().address, None);
        store.remove(tenant, official).await.unwrap();
        assert_eq!(addressed(&store, &both).await, [other], "as soon as the other is gone");
        // Whoever may change the one that came first takes the address over.
        let by_operator = Handed {
            location: "again/ADR-0003.md".to_owned(),
            ..handed("", "ADR-0003", &["public"], Validity::default())
        };
        let again = put(&store, tenant, by_operator).await;
        assert_eq!(addressed(&store, &both).await, [again]);
    })
    .await;
}

#[tokio::test]
async fn a_persons_word_counts_while_their_groups_let_them_hand_in_to_the_collection() {
    with_store(|store, tenant| async move {
        let give = async |hand_in: &[&str]| {
            let names: Vec<String> = hand_in.iter().map(|&name| name.to_owned()).collect();
            let group = NewGroup::new("editors", Role::Curator, tags(&["staff"])).unwrap();
            store.map_group(tenant, &group.handing_in(HandIn::parse(&names).unwrap())).await.unwrap();
        };
        let collection = |name: &str| name.parse::<CollectionName>().unwrap();
        give(&["ADR", "Minutes"]).await;
        let claims = PersonClaims {
            issuer: "https://id.example".to_owned(),
            subject: "anna".to_owned(),
            name: None,
            email: None,
            groups: vec!["editors".to_owned(), "others".to_owned()],
            issued_at: chrono::Utc::now(),
        };
        let anna = store.admit_person(tenant, &claims).await.unwrap();
        assert!(anna.may_hand_in(&collection("ADR")) && !anna.may_hand_in(&collection("Policy")));

        let official = put(&store, tenant, handed("adr", "ADR-0003", &["staff"], Validity::default())).await;
        let by_anna = format!("api:{}", anna.subject().id());
        put(&store, tenant, handed(&by_anna, "ADR-0031", &["public"], superseding("ADR-0003"))).await;
        for (hand_in, counts) in
            [(&["ADR"][..], true), (&["Policy"], false), (&[], false), (&["*"], true), (&["Minutes"], false)]
        {
            give(hand_in).await;
            let seen = validity_of(&store, &scope(tenant, &["staff"]), official).await;
            assert_eq!(!seen.replaced_by.is_empty(), counts, "{hand_in:?}");
        }
        // What one of several groups gives is given.
        let others = NewGroup::new("others", Role::Asker, Vec::new()).unwrap();
        store.map_group(tenant, &others.handing_in(HandIn::Everywhere)).await.unwrap();
        assert!(!validity_of(&store, &scope(tenant, &["staff"]), official).await.replaced_by.is_empty());
        assert!(store.person(tenant, anna_id(&anna)).await.unwrap().may_hand_in(&collection("Policy")));
    })
    .await;
}

fn anna_id(person: &Identity) -> Uuid {
    match person.subject().id() {
        SubjectId::Person(id) => id,
        other => panic!("{other}"),
    }
}

#[tokio::test]
async fn a_new_key_hands_in_where_it_is_said() {
    with_store(|store, tenant| async move {
        let new = |hand_in: HandIn| NewKey {
            tenant,
            name: "desk".to_owned(),
            role: Role::Curator,
            tags: Vec::new(),
            hand_in,
            expires_at: None,
        };
        let adr: CollectionName = "ADR".parse().unwrap();
        for (given, may) in [
            (HandIn::default(), false),
            (HandIn::Everywhere, true),
            (HandIn::parse(&["ADR".to_owned()]).unwrap(), true),
            (HandIn::parse(&["Policy".to_owned()]).unwrap(), false),
        ] {
            let key = store.create_key(&new(given.clone())).await.unwrap();
            let holder = store.authenticate(&key.secret).await.unwrap().identity;
            assert_eq!(holder.may_hand_in(&adr), may, "{given:?}");
            let listed = store.list_keys(tenant).await.unwrap();
            assert_eq!(listed.into_iter().find(|row| row.id == key.id).unwrap().hand_in, given);
        }
    })
    .await;
}
