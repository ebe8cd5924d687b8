//! What every catalogue does. Each case has its own tenant, so that all of them share one catalogue.

use async_trait::async_trait;

use ibidem_ports::catalogue::{Catalogue, DocumentFilter};
use ibidem_words::{AddressKey, CollectionName, DocumentId, Identity, PassageKey, Scope, Tag, TenantId};

/// A document to put in.
#[derive(Clone, PartialEq, Debug)]
pub struct NewDocument {
    pub collection: CollectionName,
    pub source_location: String,
    pub title: String,
    pub address: Option<String>,
    pub tags: Vec<Tag>,
    /// One paragraph each; there is at least one.
    pub passages: Vec<String>,
}

/// How documents come into the catalogue under test, and change there.
#[async_trait]
pub trait Library: Send + Sync {
    /// A document that is there gets a newer version, which is the current one at once.
    async fn put(&self, tenant: &str, document: NewDocument) -> DocumentId;
    async fn remove(&self, tenant: &str, document: DocumentId);
    async fn retag(&self, tenant: &str, document: DocumentId, tags: Vec<Tag>);
    /// Makes somebody the owner of a tag.
    async fn own(&self, tenant: &str, tag: &str, email: &str);
}

/// Runs the whole suite.
pub async fn catalogue_suite(catalogue: &dyn Catalogue, library: &dyn Library) {
    an_address_is_found_in_any_spelling_and_only_where_it_may_be_seen(catalogue, library).await;
    neighbours_are_the_nearest_that_may_be_seen(catalogue, library).await;
    what_was_withdrawn_is_no_longer_visible(catalogue, library).await;
    what_was_read_before_a_newer_version_came_is_still_there(catalogue, library).await;
    a_collection_is_seen_by_whoever_sees_one_of_its_documents(catalogue, library).await;
    lists_are_in_one_order_and_bounded(catalogue, library).await;
    lists_have_what_they_are_about(catalogue, library).await;
}

async fn an_address_is_found_in_any_spelling_and_only_where_it_may_be_seen(
    catalogue: &dyn Catalogue,
    library: &dyn Library,
) {
    let tenant = "addressed";
    let mine = library.put(tenant, adr("ADR-0007", &["public"])).await;
    let hidden = library.put(tenant, adr("ADR-0008", &["others"])).await;
    let policy = NewDocument { collection: collection("Policy"), ..adr("ADR-7", &["public"]) };
    let other_collection = library.put(tenant, policy).await;
    library.put("addressed other", adr("ADR-0009", &["public"])).await;

    let scope = asker("addressed", &[]);
    let found = async |collection: Option<&CollectionName>, keys: &[&str]| {
        let keys: Vec<AddressKey> = keys.iter().map(|key| AddressKey::of(key).unwrap()).collect();
        catalogue.addressed(&scope, collection, &keys).await.unwrap()
    };
    for spelling in ["adr 7", "ADR.07", "Adr-0007"] {
        let named = found(Some(&collection("ADR")), &[spelling]).await;
        assert_eq!(named.len(), 1, "{spelling}");
        assert_eq!((named[0].document, named[0].version, named[0].passages), (mine, 1, 1));
        assert_eq!((named[0].address.as_str(), named[0].collection.as_str()), ("ADR-0007", "ADR"));
    }
    let mut anywhere: Vec<_> =
        found(None, &["adr 7", "adr 70"]).await.into_iter().map(|named| named.document).collect();
    anywhere.sort_unstable();
    let mut expected = [mine, other_collection];
    expected.sort_unstable();
    assert_eq!(anywhere, expected);
    assert_eq!(found(None, &["adr 8", "adr 9", "adr", "7"]).await, []);
    library.retag(tenant, hidden, tags(&["public"])).await;
    assert_eq!(found(None, &["adr 8"]).await.len(), 1);
}

async fn neighbours_are_the_nearest_that_may_be_seen(catalogue: &dyn Catalogue, library: &dyn Library) {
    let tenant = "neighbours";
    for number in [2, 9, 10, 11, 40, 41, 100] {
        library.put(tenant, adr(&format!("ADR-{number}"), &["public"])).await;
    }
    library.put(tenant, adr("ADR-20", &["others"])).await;
    for copy in 0..30 {
        let source_location = format!("copy {copy}.md");
        library.put(tenant, NewDocument { source_location, ..adr("ADR-11", &["public"]) }).await;
    }
    for other in ["ADS-20", "AD-20", "ADR"] {
        library.put(tenant, adr(other, &["public"])).await;
    }
    let around = async |number: &str, most: usize| {
        let key = AddressKey::of(number).unwrap();
        let around = catalogue.neighbours(&asker("neighbours", &[]), None, &key, most).await.unwrap();
        around.into_iter().map(|(_, address)| address).collect::<Vec<_>>()
    };
    assert_eq!(around("ADR-20", 2).await, ["ADR-10", "ADR-11", "ADR-40", "ADR-41"]);
    assert_eq!(around("ADR-1", 1).await, ["ADR-2"]);
    assert_eq!(around("ADR-999", 1).await, ["ADR-100"]);
    assert_eq!(around("ADR-10", 1).await, ["ADR-9", "ADR-11"]);
}

async fn what_was_withdrawn_is_no_longer_visible(catalogue: &dyn Catalogue, library: &dyn Library) {
    let tenant = "withdrawn";
    let two = vec!["One.".to_owned(), "Two.".to_owned()];
    let stays = library.put(tenant, adr("ADR-1", &["public"])).await;
    let goes = library.put(tenant, NewDocument { passages: two, ..adr("ADR-2", &["public"]) }).await;
    let scope = asker("withdrawn", &[]);
    let key = |document, version, chunk_index| PassageKey { document, version, chunk_index };
    let asked = [key(stays, 1, 0), key(stays, 2, 0), key(stays, 1, 9), key(goes, 1, 0)];
    let visible = async || {
        let mut there = catalogue.still_visible(&scope, &asked).await.unwrap();
        there.sort_unstable();
        let mut read: Vec<_> =
            catalogue.visible(&scope, &asked).await.unwrap().into_iter().map(|passage| passage.passage).collect();
        read.sort_unstable();
        assert_eq!(there, read, "both say the same");
        there
    };
    let mut both = [key(stays, 1, 0), key(goes, 1, 0)];
    both.sort_unstable();
    assert_eq!(visible().await, both);
    library.retag(tenant, goes, tags(&["others"])).await;
    assert_eq!(visible().await, [key(stays, 1, 0)]);
    library.remove(tenant, stays).await;
    assert_eq!(visible().await, []);
    assert_eq!(catalogue.still_visible(&scope, &[]).await.unwrap(), []);
}

async fn what_was_read_before_a_newer_version_came_is_still_there(catalogue: &dyn Catalogue, library: &dyn Library) {
    let tenant = "newer";
    let one = NewDocument { passages: vec!["One.".to_owned()], ..adr("ADR-1", &["public"]) };
    let document = library.put(tenant, one.clone()).await;
    library.put(tenant, NewDocument { passages: vec!["Two.".to_owned()], ..one }).await;
    let scope = asker("newer", &[]);
    let key = |version, chunk_index| PassageKey { document, version, chunk_index };
    let asked = [key(1, 0), key(1, 9), key(2, 0), key(3, 0)];
    let read = catalogue.visible(&scope, &asked).await.unwrap();
    assert_eq!(read.iter().map(|passage| passage.passage).collect::<Vec<_>>(), [key(2, 0)], "one version answers");
    assert_eq!(read[0].text, "Two.");
    let still = async || {
        let mut still = catalogue.still_visible(&scope, &asked).await.unwrap();
        still.sort_unstable();
        still
    };
    assert_eq!(still().await, [key(1, 0), key(2, 0)], "who has begun to read the old one may finish");
    library.retag(tenant, document, tags(&["others"])).await;
    assert_eq!(still().await, []);
    library.retag(tenant, document, tags(&["public"])).await;
    library.remove(tenant, document).await;
    assert_eq!(still().await, []);
}

async fn a_collection_is_seen_by_whoever_sees_one_of_its_documents(catalogue: &dyn Catalogue, library: &dyn Library) {
    let tenant = "collections";
    let audiences: [&[&str]; 5] = [&["a"], &["a", "b"], &["b"], &["c", "d"], &["e"]];
    let mut first = None;
    for (number, audience) in audiences.iter().enumerate() {
        let put = library.put(tenant, adr(&format!("ADR-{number}"), audience)).await;
        first.get_or_insert(put);
    }
    let policy = NewDocument { collection: collection("Policy"), ..adr("P-1", &["public"]) };
    let policy = library.put(tenant, policy).await;
    library.put("collections other", NewDocument { collection: collection("Other"), ..adr("O-1", &["public"]) }).await;

    let unseen = async |carried: &[&str], asked: &[&str]| {
        let asked: Vec<CollectionName> = asked.iter().map(|name| collection(name)).collect();
        let unseen = catalogue.unseen_collections(&asker(tenant, carried), &asked).await.unwrap();
        unseen.into_iter().map(String::from).collect::<Vec<_>>()
    };
    assert_eq!(unseen(&[], &["Policy", "Other", "adr", "Nothing"]).await, ["Other", "adr", "Nothing"]);
    for carried in ["a", "b", "c", "d", "e"] {
        assert_eq!(unseen(&[carried], &["ADR", "adr", "policy"]).await, <[&str; 0]>::default(), "{carried}");
    }
    assert_eq!(unseen(&["f"], &["ADR"]).await, ["ADR"]);
    assert_eq!(unseen(&["a"], &[]).await, <[&str; 0]>::default());
    library.retag(tenant, first.unwrap(), tags(&["f"])).await;
    assert_eq!(unseen(&["f"], &["ADR"]).await, <[&str; 0]>::default());
    library.remove(tenant, policy).await;
    assert_eq!(unseen(&["a"], &["Policy"]).await, ["Policy"]);
}

async fn lists_are_in_one_order_and_bounded(catalogue: &dyn Catalogue, library: &dyn Library) {
    let tenant = "lists";
    for address in ["ADR-10", "ADR-9", "ADR-100"] {
        library.put(tenant, adr(address, &["public"])).await;
    }
    library.put(tenant, adr("ADR-11", &["others"])).await;
    let unaddressed = NewDocument { address: None, title: "A note".to_owned(), ..adr("note", &["public"]) };
    library.put(tenant, unaddressed).await;
    let policy = NewDocument { collection: collection("Policy"), ..adr("P-1", &["public"]) };
    library.put(tenant, policy).await;

    let listed = async |collections: &[&str], most: usize| {
        let collections = collections.iter().map(|name| (*name).to_owned()).collect();
        let filter = DocumentFilter { collections, about: None, most };
        let list = catalogue.list(&asker("lists", &[]), &filter).await.unwrap();
        let titles: Vec<String> = list.documents.into_iter().map(|listed| listed.title).collect();
        (titles, list.total)
    };
    let adrs = ["ADR-9", "ADR-10", "ADR-100", "A note"].map(str::to_owned);
    assert_eq!(listed(&["adr"], 10).await, (adrs.to_vec(), 4));
    assert_eq!(listed(&["ADR"], 2).await, (adrs[..2].to_vec(), 4));
    assert_eq!(listed(&[], 10).await.0, [&adrs[..], &["P-1".to_owned()]].concat());
    assert_eq!(listed(&["Nothing"], 10).await, (vec![], 0));
}

async fn lists_have_what_they_are_about(catalogue: &dyn Catalogue, library: &dyn Library) {
    let tenant = "about";
    for (address, text) in [
        ("ADR-1", "Passwords are hashed. This is about security."),
        ("ADR-2", "Security policies of the network."),
        ("ADR-3", "Queues are used between services."),
    ] {
        library.put(tenant, NewDocument { passages: vec![text.to_owned()], ..adr(address, &["public"]) }).await;
    }
    let hidden = NewDocument { passages: vec!["Secret security.".to_owned()], ..adr("ADR-4", &["others"]) };
    library.put(tenant, hidden).await;
    for (about, expected) in [
        ("security", vec!["ADR-1", "ADR-2"]),
        ("network security", vec!["ADR-2"]),
        ("queue", vec!["ADR-3"]),
        ("penguins", vec![]),
        ("' & ) | !", vec!["ADR-1", "ADR-2", "ADR-3"]),
    ] {
        let filter = DocumentFilter { collections: Vec::new(), about: Some(about.to_owned()), most: 10 };
        let list = catalogue.list(&asker("about", &[]), &filter).await.unwrap();
        let titles: Vec<&str> = list.documents.iter().map(|listed| listed.title.as_str()).collect();
        assert_eq!(titles, expected, "{about}");
        assert_eq!(list.total, expected.len() as u64);
    }
}

pub(super) fn adr(address: &str, names: &[&str]) -> NewDocument {
    NewDocument {
        collection: collection("ADR"),
        source_location: format!("{address}.md"),
        title: address.to_owned(),
        address: Some(address.to_owned()),
        tags: tags(names),
        passages: vec![format!("What {address} says.")],
    }
}

fn collection(name: &str) -> CollectionName {
    name.parse().unwrap()
}

pub(super) fn tags(names: &[&str]) -> Vec<Tag> {
    names.iter().map(|tag| tag.parse().unwrap()).collect()
}

pub(super) fn asker(tenant: &str, names: &[&str]) -> Scope {
    Scope::of(&Identity::for_tests(TenantId::named(tenant), "someone", tags(names).into_iter().collect()))
}
