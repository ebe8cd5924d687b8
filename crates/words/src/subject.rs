//! Who acts: an id that decides, and a name that people read.

use std::fmt;
use std::str::FromStr;

use uuid::Uuid;

/// What decides whether two acts are by the same: never a name, which two keys may share.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum SubjectId {
    Key(Uuid),
    /// Somebody who signs in at an identity provider.
    Person(Uuid),
    /// Whoever runs commands on this installation.
    Operator,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} names nobody: write `operator`, `key:` and the key's id, or `person:` and the person's id")]
pub struct InvalidSubject(pub String);

/// Records keep this form.
impl fmt::Display for SubjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Key(id) => write!(f, "key:{id}"),
            Self::Person(id) => write!(f, "person:{id}"),
            Self::Operator => f.write_str("operator"),
        }
    }
}

impl FromStr for SubjectId {
    type Err = InvalidSubject;

    fn from_str(written: &str) -> Result<Self, Self::Err> {
        let known = match written.split_once(':') {
            None if written == "operator" => Some(Self::Operator),
            Some(("key", id)) => id.parse().ok().map(Self::Key),
            Some(("person", id)) => id.parse().ok().map(Self::Person),
            _ => None,
        };
        known.ok_or_else(|| InvalidSubject(written.to_owned()))
    }
}

/// A subject is somebody who acts. The ways to make one are named after where the id comes from, so that none is made
/// of a name.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Subject {
    id: SubjectId,
    name: String,
}

impl Subject {
    /// Makes the subject of an API key, from the key's own row.
    pub fn of_key(id: Uuid, name: String) -> Self {
        Self { id: SubjectId::Key(id), name }
    }

    /// Makes the subject of a person who signed in, from the person's own row.
    pub fn of_person(id: Uuid, name: String) -> Self {
        Self { id: SubjectId::Person(id), name }
    }

    /// Whoever runs a command.
    pub fn operator() -> Self {
        Self { id: SubjectId::Operator, name: "operator".to_owned() }
    }

    /// A key that is in no database: the same name is always the same key.
    #[cfg(any(test, feature = "testing"))]
    pub fn for_tests(name: &str) -> Self {
        Self::of_key(Uuid::new_v5(&Uuid::NAMESPACE_OID, name.as_bytes()), name.to_owned())
    }

    pub fn id(&self) -> SubjectId {
        self.id
    }

    /// Returns a name for people to read: it decides nothing.
    pub fn name(&self) -> &str {
        &self.name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_keys_of_one_name_are_two_subjects() {
        let [one, other] = [1, 2].map(|number| Subject::of_key(Uuid::from_u128(number), "desk".to_owned()));
        assert_eq!(one.name(), other.name());
        assert_ne!(one.id(), other.id());
    }

    #[test]
    fn an_id_reads_back_and_a_name_is_none() {
        let seven = Uuid::from_u128(7);
        for id in [SubjectId::Operator, SubjectId::Key(seven), SubjectId::Person(seven)] {
            assert_eq!(id.to_string().parse(), Ok(id));
        }
        assert_ne!(SubjectId::Key(seven), SubjectId::Person(seven), "a key is no person, whatever its id");
        for name in ["desk", "key:desk", "key:", "", "Operator", "person:desk", "person:", "operator:"] {
            assert!(name.parse::<SubjectId>().is_err(), "{name:?}");
        }
    }
}
