//! Who is asking, and therefore what may be seen.

use std::collections::BTreeSet;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::{CollectionName, HandIn, Subject, TenantId, is_unseen};

/// A label on documents and on people: a document is visible to those who share one with it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Tag(String);

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a tag: use 1 to 64 letters, digits, '-', '_', '.', '/' or ':'")]
pub struct InvalidTag(pub String);

impl Tag {
    const LONGEST: usize = 64;

    /// The tag that makes a document visible to everybody in its tenant.
    pub fn public() -> Self {
        Self("public".to_owned())
    }

    pub fn is_public(&self) -> bool {
        self.0 == "public"
    }

    /// Tags for those who see a document with these tags and also with the others: everybody sees what is public.
    pub fn of_both(tags: &[Self], others: &[Self]) -> Vec<Self> {
        let is_public = |tags: &[Self]| tags.iter().any(Self::is_public);
        match (is_public(tags), is_public(others)) {
            (true, _) => others.to_vec(),
            (false, true) => tags.to_vec(),
            (false, false) => tags.iter().filter(|tag| others.contains(tag)).cloned().collect(),
        }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for Tag {
    type Error = InvalidTag;

    /// Tags are compared in lower case, so that `Security` never hides from `security`.
    fn try_from(written: String) -> Result<Self, Self::Error> {
        let name = written.trim().to_lowercase();
        // Some letters show nothing: a tag with one would pass for another.
        let allowed = |c: char| (c.is_alphanumeric() && !is_unseen(c)) || "-_./:".contains(c);
        let well_formed = !name.is_empty() && name.chars().count() <= Self::LONGEST && name.chars().all(allowed);
        if well_formed { Ok(Self(name)) } else { Err(InvalidTag(written)) }
    }
}

impl std::str::FromStr for Tag {
    type Err = InvalidTag;

    fn from_str(written: &str) -> Result<Self, Self::Err> {
        written.to_owned().try_into()
    }
}

impl From<Tag> for String {
    fn from(tag: Tag) -> Self {
        tag.0
    }
}

impl fmt::Display for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What an identity may do besides asking. Each role includes the ones before it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    Asker,
    Curator,
    Admin,
}

impl Role {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Asker => "asker",
            Self::Curator => "curator",
            Self::Admin => "admin",
        }
    }
}

impl std::str::FromStr for Role {
    type Err = String;

    fn from_str(written: &str) -> Result<Self, Self::Err> {
        match written {
            "asker" => Ok(Self::Asker),
            "curator" => Ok(Self::Curator),
            "admin" => Ok(Self::Admin),
            other => Err(format!("{other:?} is not a role: use asker, curator or admin")),
        }
    }
}

/// Somebody whose credentials were checked. Each way to make one is named after what was checked, and nobody can make
/// one by listing its fields.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Identity {
    tenant: TenantId,
    subject: Subject,
    role: Role,
    tags: BTreeSet<Tag>,
    hand_in: HandIn,
}

impl Identity {
    /// The holder of a valid API key, from the key's own row.
    pub fn of_key(tenant: TenantId, key: Subject, role: Role, tags: BTreeSet<Tag>) -> Self {
        Self { tenant, subject: key, role, tags, hand_in: HandIn::default() }
    }

    /// Somebody who signed in, with the role and the tags that their groups give them at this moment.
    pub fn of_person(tenant: TenantId, person: Subject, role: Role, tags: BTreeSet<Tag>) -> Self {
        Self { tenant, subject: person, role, tags, hand_in: HandIn::default() }
    }

    /// Whoever runs a command on this installation: they read as somebody who has these tags.
    pub fn operator(tenant: TenantId, tags: BTreeSet<Tag>) -> Self {
        Self { tenant, subject: Subject::operator(), role: Role::Admin, tags, hand_in: HandIn::Everywhere }
    }

    /// The same with this right to hand documents in. Without it there is none.
    #[must_use]
    pub fn handing_in(self, hand_in: HandIn) -> Self {
        Self { hand_in, ..self }
    }

    /// The same with a role no higher than another's, and with a right to hand documents in that the other has too.
    #[must_use]
    pub fn at_most(self, other: &Self) -> Self {
        let hand_in = self.hands_in().within(&other.hands_in());
        Self { role: self.role.min(other.role), hand_in, ..self }
    }

    /// An asker with a key that is in no database.
    #[cfg(any(test, feature = "testing"))]
    pub fn for_tests(tenant: TenantId, name: &str, tags: BTreeSet<Tag>) -> Self {
        Self { tenant, subject: Subject::for_tests(name), role: Role::Asker, tags, hand_in: HandIn::default() }
    }

    #[cfg(any(test, feature = "testing"))]
    pub fn with_role(self, role: Role) -> Self {
        Self { role, ..self }
    }

    pub fn tenant(&self) -> TenantId {
        self.tenant
    }

    /// Who, by id.
    pub fn subject(&self) -> &Subject {
        &self.subject
    }

    pub fn role(&self) -> Role {
        self.role
    }

    pub fn tags(&self) -> &BTreeSet<Tag> {
        &self.tags
    }

    /// The collections that they may hand documents in to: an asker none, an admin all.
    pub fn hands_in(&self) -> HandIn {
        match self.role {
            Role::Asker => HandIn::default(),
            Role::Curator => self.hand_in.clone(),
            Role::Admin => HandIn::Everywhere,
        }
    }

    pub fn may_hand_in(&self, collection: &CollectionName) -> bool {
        self.hands_in().includes(collection)
    }
}

/// What one asker may see: documents of one tenant that carry `public` or a tag of the asker.
///
/// The only way to make one is from an [`Identity`], and everything that reads asks for one,
/// so there is no way to search without saying who is asking.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Scope {
    tenant: TenantId,
    tags: BTreeSet<Tag>,
}

impl Scope {
    pub fn of(identity: &Identity) -> Self {
        let mut tags = identity.tags.clone();
        tags.insert(Tag::public());
        Self { tenant: identity.tenant, tags }
    }

    pub fn tenant(&self) -> TenantId {
        self.tenant
    }

    /// The asker's tags, `public` always among them: a document is visible if it carries any.
    pub fn tags(&self) -> impl ExactSizeIterator<Item = &Tag> {
        self.tags.iter()
    }

    /// The rule itself, for what is already in memory; stores apply the same rule in their filters.
    pub fn sees<'a>(&self, tenant: TenantId, tags: impl IntoIterator<Item = &'a Tag>) -> bool {
        tenant == self.tenant && tags.into_iter().any(|tag| self.tags.contains(tag))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tag(name: &str) -> Tag {
        name.parse().unwrap()
    }

    fn asker(tenant: TenantId, tags: &[&str]) -> Scope {
        Scope::of(&Identity::for_tests(tenant, "someone", tags.iter().map(|name| tag(name)).collect()))
    }

    #[test]
    fn a_document_is_visible_by_tenant_and_a_shared_or_public_tag() {
        let here = TenantId::named("here");
        let elsewhere = TenantId::named("elsewhere");
        let scope = asker(here, &["security"]);
        let cases: [(TenantId, &[&str], bool); 6] = [
            (here, &["public"], true),
            (here, &["security"], true),
            (here, &["finance", "security"], true),
            (here, &["finance"], false),
            (here, &[], false),
            (elsewhere, &["public", "security"], false),
        ];
        for (tenant, tags, visible) in cases {
            let tags: Vec<Tag> = tags.iter().map(|name| tag(name)).collect();
            assert_eq!(scope.sees(tenant, &tags), visible, "{tags:?}");
        }
    }

    #[test]
    fn tags_of_both_are_for_those_who_see_a_document_either_way() {
        for (some, others, both) in [
            (&["public"][..], &["public"][..], &["public"][..]),
            (&["public"], &["staff"], &["staff"]),
            (&["staff"], &["public"], &["staff"]),
            (&["board", "staff"], &["staff", "guests"], &["staff"]),
            (&["board"], &["guests"], &[]),
        ] {
            let tags = |names: &[&str]| names.iter().map(|name| tag(name)).collect::<Vec<_>>();
            assert_eq!(Tag::of_both(&tags(some), &tags(others)), tags(both), "{some:?} {others:?}");
        }
    }

    #[test]
    fn tags_are_compared_in_lower_case_and_odd_ones_are_refused() {
        assert_eq!(tag(" Security "), tag("security"));
        for odd in ["", " ", "a b", "a,b", "a\"b", "\u{0}", "a\u{3164}", &"x".repeat(65)] {
            assert!(odd.parse::<Tag>().is_err(), "{odd:?}");
        }
    }
}
