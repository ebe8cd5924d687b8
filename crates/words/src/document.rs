//! Tenants, collections and documents: the names of what is kept.

use std::fmt;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::is_unseen;

/// Every deterministic id of Ibidem is a UUIDv5 under this namespace.
const NAMESPACE: Uuid = Uuid::from_u128(0x6962_6964_656d_5000_8000_0000_0000_0001);

macro_rules! uuid_id {
    ($(#[$documentation:meta])* $name:ident) => {
        $(#[$documentation])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub Uuid);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&self.0, f)
            }
        }
    };
}

uuid_id!(
    /// An organisation whose documents no other organisation ever sees.
    TenantId
);
uuid_id!(
    /// One document, whatever its version.
    DocumentId
);

impl TenantId {
    /// A tenant's id follows from its name, so that a database and an index restored apart still agree.
    pub fn named(name: &str) -> Self {
        Self(Uuid::new_v5(&NAMESPACE, format!("tenant\0{name}").as_bytes()))
    }
}

impl DocumentId {
    /// A document is the same document as long as it stays at the same place in the same collection.
    pub fn at(tenant: TenantId, collection: &CollectionName, source_location: &str) -> Self {
        let name = format!("document\0{}\0{source_location}", collection.as_str());
        Self(Uuid::new_v5(&tenant.0, name.as_bytes()))
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a name: use 1 to 100 letters, digits, spaces, '-', '_' or '.'")]
pub struct InvalidName(pub String);

fn checked_name(written: String) -> Result<String, InvalidName> {
    let name = written.trim();
    // Some letters show nothing: a name with one would pass for another.
    let allowed = |c: char| (c.is_alphanumeric() && !is_unseen(c)) || "-_. ".contains(c);
    let well_formed = !name.is_empty() && name.chars().count() <= 100 && name.chars().all(allowed);
    if well_formed { Ok(name.to_owned()) } else { Err(InvalidName(written)) }
}

macro_rules! checked_name {
    ($(#[$documentation:meta])* $name:ident) => {
        $(#[$documentation])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(String);

        impl $name {
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl TryFrom<String> for $name {
            type Error = InvalidName;

            fn try_from(written: String) -> Result<Self, Self::Error> {
                checked_name(written).map(Self)
            }
        }

        impl std::str::FromStr for $name {
            type Err = InvalidName;

            fn from_str(written: &str) -> Result<Self, Self::Err> {
                written.to_owned().try_into()
            }
        }

        impl From<$name> for String {
            fn from(name: $name) -> Self {
                name.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

checked_name!(
    /// A tenant's collection of documents of one class: ADR, Principle, Policy, Vocabulary.
    CollectionName
);
impl CollectionName {
    /// What curated memory is filed under in the index.
    pub fn memory() -> Self {
        Self("memory".to_owned())
    }
}

checked_name!(
    /// What sort of document this is within its collection: a decision, a lecture, a form.
    DocumentKind
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_id_follows_from_tenant_collection_and_place() {
        let tenant = TenantId::named("default");
        let adr: CollectionName = "ADR".parse().unwrap();
        let policy: CollectionName = "Policy".parse().unwrap();
        let id = DocumentId::at(tenant, &adr, "a.md");
        assert_eq!(id, DocumentId::at(tenant, &adr, "a.md"));
        assert_ne!(id, DocumentId::at(tenant, &adr, "b.md"));
        assert_ne!(id, DocumentId::at(tenant, &policy, "a.md"));
        assert_ne!(id, DocumentId::at(TenantId::named("other"), &adr, "a.md"));
    }

    #[test]
    fn odd_collection_names_are_refused() {
        for odd in ["", "  ", "a\0b", "a/b", "a\nb", "ADR\u{3164}", "A\u{115f}DR"] {
            assert!(odd.parse::<CollectionName>().is_err(), "{odd:?}");
        }
    }
}
