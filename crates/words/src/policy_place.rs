//! Where a policy is in force.

use serde::{Deserialize, Serialize};

use super::{CollectionName, Sha256Hash};

/// A place that has a policy of its own: a tenant, or a collection of it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct PolicyPlace {
    /// What the policy file calls itself.
    pub policy: String,
    /// The collection that it was set for; null where it was set for the tenant as a whole.
    #[cfg_attr(feature = "schema", schema(value_type = Option<String>))]
    pub collection: Option<CollectionName>,
    /// Which setting of that place it is, counted from 1.
    pub version: u32,
}

/// The policy that a question is answered under.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PolicyInForce {
    pub sha256: Sha256Hash,
    /// None where it is the installation's.
    pub place: Option<PolicyPlace>,
}

impl From<Sha256Hash> for PolicyInForce {
    /// The installation's.
    fn from(sha256: Sha256Hash) -> Self {
        Self { sha256, place: None }
    }
}
