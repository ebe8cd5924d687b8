//! What everybody does who knows the owners of tags.

use super::catalogue::{Library, adr, asker, tags};
use crate::ports::owners::Owners;

/// Runs the whole suite.
pub async fn owners_suite(owners: &dyn Owners, library: &dyn Library) {
    let tenant = "owned";
    let mine = library.put(tenant, adr("ADR-0001", &["public", "hr"])).await;
    let hidden = library.put(tenant, adr("ADR-0002", &["others"])).await;
    let elsewhere = library.put("owned other", adr("ADR-0003", &["public", "hr"])).await;
    library.own(tenant, "hr", "hr@example.org").await;
    library.own(tenant, "others", "others@example.org").await;
    library.own("owned other", "hr", "elsewhere@example.org").await;

    let found = owners.owned_tags(&asker(tenant, &[]), &[mine, hidden, elsewhere]).await.unwrap();
    let found: Vec<_> = found
        .iter()
        .map(|owned| (owned.document, owned.tag.as_str(), owned.owner.as_ref().map(|owner| owner.email.as_str())))
        .collect();
    let expected = [(mine, "hr", Some("hr@example.org")), (mine, "public", None)];
    assert_eq!(found, expected, "by tag, and nothing of what the asker does not see");

    assert_eq!(owners.owned_tags(&asker(tenant, &[]), &[]).await.unwrap(), []);
    library.own(tenant, "hr", "new@example.org").await;
    library.retag(tenant, hidden, tags(&["public", "hr"])).await;
    let found = owners.owned_tags(&asker(tenant, &[]), &[hidden]).await.unwrap();
    let owner = found.iter().find_map(|owned| owned.owner.clone()).unwrap();
    assert_eq!((owner.email.as_str(), found.len()), ("new@example.org", 2));
}
