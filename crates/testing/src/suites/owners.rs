//! What everybody does who knows the owners of tags.

use super::catalogue::{Library, adr, asker, tags};
use ibidem_ports::owners::{OwnedTag, Owners};

/// Runs the whole suite.
pub async fn owners_suite(owners: &dyn Owners, library: &dyn Library) {
    let tenant = "owned";
    let mine = library.put(tenant, adr("ADR-0001", &["public", "hr"])).await;
    let hidden = library.put(tenant, adr("ADR-0002", &["others"])).await;
    let elsewhere = library.put("owned other", adr("ADR-0003", &["public", "hr"])).await;
    library.own(tenant, "hr", "hr@example.org").await;
    library.own(tenant, "others", "others@example.org").await;
    library.own("owned other", "hr", "elsewhere@example.org").await;

    let found = async |names: &[&str]| {
        let found = owners.owned_tags(&asker(tenant, names), &[mine, hidden, elsewhere]).await.unwrap();
        let owner = |owned: &OwnedTag| owned.owner.as_ref().map(|owner| owner.email.clone());
        found.iter().map(|owned| (owned.document, owned.tag.to_string(), owner(owned))).collect::<Vec<_>>()
    };
    let public = (mine, "public".to_owned(), None);
    let hr = (mine, "hr".to_owned(), Some("hr@example.org".to_owned()));
    assert_eq!(found(&["hr"]).await, [hr, public.clone()], "by tag, and nothing of what the asker does not see");
    assert_eq!(found(&[]).await, [public], "no tag that the asker does not carry, though the document has it");

    assert_eq!(owners.owned_tags(&asker(tenant, &[]), &[]).await.unwrap(), []);
    library.own(tenant, "hr", "new@example.org").await;
    library.retag(tenant, hidden, tags(&["public", "hr"])).await;
    let found = owners.owned_tags(&asker(tenant, &["hr"]), &[hidden]).await.unwrap();
    let owner = found.iter().find_map(|owned| owned.owner.clone()).unwrap();
    assert_eq!((owner.email.as_str(), found.len()), ("new@example.org", 2));
}
