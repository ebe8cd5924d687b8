//! Whom to ask where the documents give no answer, or none that is sure enough.

use std::collections::{BTreeMap, HashMap};

use crate::candidate::Candidate;
use ibidem_ports::owners::{OwnedTag, Owners};
use ibidem_words::{DocumentId, RouteTarget, Scope, Tag};

use crate::texts::Texts;

/// What a fallback's tag is called.
const SYSTEM: &str = "system";

/// The owner of the commonest of the asker's tags in the evidence, or else the configured admin, in words.
pub(crate) async fn route_to(
    owners: Option<&dyn Owners>,
    admin: Option<&str>,
    scope: &Scope,
    evidence: &[Candidate],
    texts: &Texts,
) -> RouteTarget {
    let documents: Vec<DocumentId> = evidence.iter().map(|candidate| candidate.passage.passage.document).collect();
    let mut distinct = documents.clone();
    distinct.sort_unstable();
    distinct.dedup();
    let tags = match owners {
        Some(owners) if !distinct.is_empty() => owners.owned_tags(scope, &distinct).await.map_err(|_| ()),
        _ => Ok(Vec::new()),
    };
    match tags {
        Ok(mut tags) => {
            tags.retain(|owned| scope.tags().any(|carried| *carried == owned.tag));
            target(&documents, &tags, admin, texts)
        }
        Err(()) => to_admin(admin, texts.whom(None, admin, false)),
    }
}

/// Pure. Each passage counts its document's tags; of tags that are equally common one that says something about the
/// subject comes before the one that everybody has, and then the first by name.
fn target(documents: &[DocumentId], tags: &[OwnedTag], admin: Option<&str>, texts: &Texts) -> RouteTarget {
    let mut of_document: HashMap<DocumentId, Vec<&OwnedTag>> = HashMap::new();
    for tag in tags {
        of_document.entry(tag.document).or_default().push(tag);
    }
    let mut counts: BTreeMap<&Tag, (usize, &OwnedTag)> = BTreeMap::new();
    for tag in documents.iter().filter_map(|document| of_document.get(document)).flatten() {
        counts.entry(&tag.tag).or_insert((0, *tag)).0 += 1;
    }
    let rank = |tag: &Tag, count: usize| (count, !tag.is_public());
    let commonest = counts.iter().rev().max_by_key(|(tag, (count, _))| rank(tag, *count));
    let Some((tag, (_, owned))) = commonest else {
        return to_admin(admin, texts.whom(None, admin, true));
    };
    match &owned.owner {
        Some(owner) => RouteTarget {
            tag: tag.to_string(),
            owner_user_id: Some(owner.user),
            owner_email: Some(owner.email.clone()),
            reason: texts.whom(Some(&owner.email), admin, true),
            fallback: false,
            handed_over: false,
        },
        None => to_admin(admin, texts.whom(None, admin, true)),
    }
}

fn to_admin(admin: Option<&str>, reason: String) -> RouteTarget {
    RouteTarget {
        tag: SYSTEM.to_owned(),
        owner_user_id: None,
        owner_email: admin.map(str::to_owned),
        reason,
        fallback: true,
        handed_over: false,
    }
}

#[cfg(test)]
mod tests {
    use async_trait::async_trait;
    use uuid::Uuid;

    use super::*;
    use ibidem_ports::catalogue::CatalogueError;
    use ibidem_ports::owners::Owner;
    use ibidem_testing::fakes;
    use ibidem_words::{Identity, TenantId};

    /// Knows every tag of every document, and says so to everybody.
    struct Indiscreet(Vec<OwnedTag>);

    #[async_trait]
    impl Owners for Indiscreet {
        async fn owned_tags(&self, _: &Scope, _: &[DocumentId]) -> Result<Vec<OwnedTag>, CatalogueError> {
            Ok(self.0.clone())
        }
    }

    #[tokio::test]
    async fn a_tag_that_the_asker_does_not_carry_is_never_named_nor_its_owner() {
        let passage = fakes::passage(0, &"Book".parse().unwrap(), "text");
        let evidence = vec![Candidate::unscored(passage.clone()); 3];
        let of =
            |tag: &str, owner: Option<&str>| OwnedTag { document: passage.passage.document, ..tagged(1, tag, owner) };
        let owners = Indiscreet(vec![
            of("hr", Some("hr@example.org")),
            of("public", None),
            of("reorganisation", Some("board@example.org")),
        ]);
        let routed = async |names: &[&str]| {
            let tags = names.iter().map(|name| name.parse().unwrap()).collect();
            let identity = Identity::for_tests(TenantId::named("t"), "s", tags);
            route_to(Some(&owners), Some("admin@example.org"), &Scope::of(&identity), &evidence, Texts::english()).await
        };
        let public = routed(&[]).await;
        assert_eq!((public.tag.as_str(), public.owner_email.as_deref()), ("system", Some("admin@example.org")));
        assert_eq!(public.reason, NOBODY);
        let hr = routed(&["hr", "travel"]).await;
        assert_eq!((hr.tag.as_str(), hr.owner_email.as_deref()), ("hr", Some("hr@example.org")));
    }

    fn document(number: u128) -> DocumentId {
        DocumentId(Uuid::from_u128(number))
    }

    fn tagged(number: u128, tag: &str, owner: Option<&str>) -> OwnedTag {
        let owner = owner.map(|email| Owner { user: Uuid::from_u128(9), email: email.to_owned() });
        OwnedTag { document: document(number), tag: tag.parse().unwrap(), owner }
    }

    const NOBODY: &str = "Nobody is named for this subject yet. Your administrator can help: admin@example.org";

    #[test]
    fn test_get_route_target_with_owner() {
        let tags = [
            tagged(1, "public", None),
            tagged(1, "hr", Some("hr@example.org")),
            tagged(2, "public", None),
            tagged(2, "hr", Some("hr@example.org")),
            tagged(2, "travel", Some("travel@example.org")),
        ];
        let target =
            target(&[document(1), document(2), document(2)], &tags, Some("admin@example.org"), Texts::english());
        assert_eq!((target.tag.as_str(), target.owner_email.as_deref()), ("hr", Some("hr@example.org")));
        assert_eq!((target.owner_user_id, target.fallback), (Some(Uuid::from_u128(9)), false));
        assert_eq!(target.reason, "hr@example.org looks after this subject.");
    }

    #[test]
    fn test_get_route_target_fallback() {
        for tags in [vec![tagged(1, "hr", None)], vec![]] {
            let target = target(&[document(1)], &tags, Some("admin@example.org"), Texts::english());
            assert_eq!((target.tag.as_str(), target.fallback), ("system", true));
            assert_eq!(target.owner_email.as_deref(), Some("admin@example.org"));
            assert_eq!(target.reason, NOBODY);
        }
        let nobody = target(&[document(1)], &[], None, Texts::english());
        assert_eq!((nobody.owner_email, nobody.fallback), (None, true));
        assert_eq!(nobody.reason, "Nobody is named for this subject yet. Ask your administrator.");
    }

    #[test]
    fn the_commonest_tag_counts_each_passage_and_ties_break_by_name() {
        let tags = [
            tagged(1, "b", Some("b@example.org")),
            tagged(2, "a", Some("a@example.org")),
            tagged(3, "c", Some("c@example.org")),
        ];
        let of = |documents: &[u128]| {
            let documents: Vec<_> = documents.iter().map(|number| document(*number)).collect();
            target(&documents, &tags, None, Texts::english()).tag
        };
        assert_eq!(of(&[1, 2, 3]), "a");
        assert_eq!(of(&[1, 2, 3, 3]), "c");
        assert_eq!(of(&[7]), "system");
    }
}
