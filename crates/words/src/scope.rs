//! Who is asking, and therefore what may be seen.

use std::collections::BTreeSet;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::{CollectionName, HandIn, Subject, SubjectId, TenantId, is_unseen};

/// A tag is put on documents and on people: a document is visible to those who share one with it.
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

    /// The tag that one key or one person carries and nobody else ever: their id. None of the operator, who is nobody's
    /// colleague and names all tags.
    pub fn of_subject(subject: SubjectId) -> Option<Self> {
        match subject {
            SubjectId::Key(_) | SubjectId::Person(_) => Some(Self(subject.to_string())),
            SubjectId::Operator => None,
        }
    }

    /// Whether it is somebody's own tag, which no key and no group can give.
    pub fn is_of_a_subject(&self) -> bool {
        matches!(self.0.parse(), Ok(SubjectId::Key(_) | SubjectId::Person(_)))
    }

    /// Who sees what has these tags, in a sentence to `reader`.
    pub fn audience_in_words(tags: &[Self], reader: SubjectId) -> String {
        if tags.iter().any(Self::is_public) {
            return "Everybody of the tenant can see it.".to_owned();
        }
        let own = Self::of_subject(reader);
        let (mine, others): (Vec<&Self>, Vec<&Self>) = tags.iter().partition(|tag| Some(*tag) == own.as_ref());
        let named: Vec<String> = others.iter().map(|tag| format!("`{tag}`")).collect();
        match (mine.is_empty(), named.as_slice()) {
            (true, []) => "Nobody can see it.".to_owned(),
            (false, []) => "Only you can see it.".to_owned(),
            (_, [one]) => format!("Whoever has the tag {one} can see it."),
            (_, several) => format!("Whoever has one of the tags {} can see it.", several.join(", ")),
        }
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
    /// Makes the identity of whoever holds a valid API key. It is read from the key's own row.
    pub fn of_key(tenant: TenantId, key: Subject, role: Role, tags: BTreeSet<Tag>) -> Self {
        Self { tenant, subject: key, role, tags: given(tags), hand_in: HandIn::default() }
    }

    /// Somebody who signed in, with the role and the tags that their groups give them at this moment.
    pub fn of_person(tenant: TenantId, person: Subject, role: Role, tags: BTreeSet<Tag>) -> Self {
        Self { tenant, subject: person, role, tags: given(tags), hand_in: HandIn::default() }
    }

    /// Whoever runs a command on this installation: they read as somebody who has these tags.
    pub fn operator(tenant: TenantId, tags: BTreeSet<Tag>) -> Self {
        Self { tenant, subject: Subject::operator(), role: Role::Admin, tags, hand_in: HandIn::Everywhere }
    }

    /// Gives the right to hand documents in. An identity has none without this.
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

    /// Returns who acts, by id.
    pub fn subject(&self) -> &Subject {
        &self.subject
    }

    pub fn role(&self) -> Role {
        self.role
    }

    /// The tags that were given to them: their own is not among them.
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

    /// The tag that nobody else carries.
    pub fn own_tag(&self) -> Option<Tag> {
        Tag::of_subject(self.subject.id())
    }

    /// Whether what has this tag is for them, too.
    pub fn carries(&self, tag: &Tag) -> bool {
        tag.is_public() || self.tags.contains(tag) || self.own_tag().as_ref() == Some(tag)
    }
}

/// What is for one person or key alone stays so, whatever an admin writes into a group or a key.
fn given(mut tags: BTreeSet<Tag>) -> BTreeSet<Tag> {
    tags.retain(|tag| !tag.is_of_a_subject());
    tags
}

/// What one asker may see: documents of one tenant that carry `public`, a tag of the asker, or the asker's own.
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
        tags.extend(identity.own_tag());
        Self { tenant: identity.tenant, tags }
    }

    pub fn tenant(&self) -> TenantId {
        self.tenant
    }

    /// Returns the asker's tags, `public` always among them: a document is visible if it carries any.
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
    fn an_own_tag_is_carried_by_one_subject_and_given_to_no_other() {
        let tenant = TenantId::named("here");
        let [anna, ben] = [1, 2].map(|number| Subject::of_person(uuid::Uuid::from_u128(number), "x".to_owned()));
        let own = Tag::of_subject(anna.id()).unwrap();
        assert_eq!(own, tag(&anna.id().to_string()), "it is a tag like others where it is stored");
        let person = |subject: &Subject, tags: &[Tag]| {
            Identity::of_person(tenant, subject.clone(), Role::Admin, tags.iter().cloned().collect())
        };
        let (anna, ben) = (person(&anna, &[]), person(&ben, &[own.clone(), tag("staff")]));
        assert!(anna.carries(&own) && Scope::of(&anna).sees(tenant, [&own]));
        assert!(!ben.carries(&own) && !Scope::of(&ben).sees(tenant, [&own]), "a group that gives it gives nothing");
        assert!(ben.carries(&tag("staff")) && ben.carries(&Tag::public()));
        assert_eq!(Identity::operator(tenant, BTreeSet::new()).own_tag(), None);
    }

    #[test]
    fn who_sees_something_is_said_in_a_sentence() {
        let subject = Subject::for_tests("anna").id();
        let own = Tag::of_subject(subject).unwrap();
        for (tags, expected) in [
            (vec![own.clone()], "Only you can see it."),
            (vec![own.clone(), tag("hr")], "Whoever has the tag `hr` can see it."),
            (vec![tag("board"), tag("hr")], "Whoever has one of the tags `board`, `hr` can see it."),
            (vec![own, Tag::public()], "Everybody of the tenant can see it."),
            (Vec::new(), "Nobody can see it."),
        ] {
            assert_eq!(Tag::audience_in_words(&tags, subject), expected);
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
