//! Which policy a question is answered under: that of its collections, of its tenant, or of the installation.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use ibidem_engine::policy::{CalibratedModels, Policy, PolicyError, PolicyLimits};
use ibidem_ports::catalogue::CatalogueError;
use ibidem_store::{PlacedPolicy, Store};
use ibidem_words::{CollectionName, PolicyPlace, PolicyTexts, Sha256Hash, TenantId};

/// So many parsed policies are kept in memory, and what is in force for so many tenants.
const MOST_PARSED: usize = 64;
const MOST_TENANTS: usize = 4_096;

/// How many settings a tenant had when somebody's key was looked up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PolicySettings(pub i64);

#[derive(Debug, thiserror::Error)]
pub enum PlaceError {
    #[error(transparent)]
    Store(#[from] CatalogueError),
    /// It was set on a server of another version or with other models, or its text is gone.
    #[error("the policy {sha256} that is set for {place} cannot be used here: {reason}")]
    Unusable { place: String, sha256: Sha256Hash, reason: String },
}

/// What was in force after so many settings.
struct PlacedAfter {
    settings: PolicySettings,
    placed: Arc<[PlacedPolicy]>,
}

/// The policies of tenants and collections. Which one is in force is read anew for each question, unless who asks is
/// known to come after so many settings as were read before; their texts are read once, since a hash names one text.
#[derive(Default)]
pub struct PolicyPlaces {
    parsed: Mutex<HashMap<Sha256Hash, Arc<Policy>>>,
    placed: Mutex<HashMap<TenantId, PlacedAfter>>,
    /// Those that were calibrated with other models are not used. None: nobody said which are in use.
    models: Option<CalibratedModels>,
    /// What the operator allows them.
    limits: PolicyLimits,
}

impl PolicyPlaces {
    pub fn only_with(models: CalibratedModels) -> Self {
        Self { models: Some(models), ..Self::default() }
    }

    /// From now on only what the operator allows is put in force.
    #[must_use]
    pub fn within(self, limits: PolicyLimits) -> Self {
        Self { limits, ..self }
    }

    /// The policy for a question in these collections; none named means all.
    pub async fn in_force(
        &self,
        store: &Store,
        (tenant, settings): (TenantId, Option<PolicySettings>),
        collections: &[CollectionName],
        installation: Arc<Policy>,
    ) -> Result<Arc<Policy>, PlaceError> {
        let placed = self.placed(store, tenant, settings).await?;
        let Some((setting, sha256)) = chosen(&placed, collections) else { return Ok(installation) };
        let named = || setting.collection.as_ref().map_or("the tenant".to_owned(), |name| format!("{name:?}"));
        let policy = self.policy(store, named, sha256).await?;
        let (name, collection, version) = (policy.rules.name.clone(), setting.collection.clone(), setting.version);
        let place = Some(PolicyPlace { policy: name, collection, version });
        Ok(Arc::new(Policy { place, ..Policy::clone(&policy) }))
    }

    /// Settings are only ever added: after as many as were read before there are the same.
    async fn placed(
        &self,
        store: &Store,
        tenant: TenantId,
        settings: Option<PolicySettings>,
    ) -> Result<Arc<[PlacedPolicy]>, CatalogueError> {
        let known = |places: &HashMap<TenantId, PlacedAfter>| {
            let known = places.get(&tenant)?;
            (settings == Some(known.settings)).then(|| known.placed.clone())
        };
        if let Some(placed) = known(&self.placed.lock().unwrap_or_else(PoisonError::into_inner)) {
            return Ok(placed);
        }
        let placed: Arc<[PlacedPolicy]> = store.placed_policies(tenant).await?.into();
        // What is read may have more settings than there were when somebody counted. The next to ask counts them too.
        if let Some(settings) = settings {
            let mut places = self.placed.lock().unwrap_or_else(PoisonError::into_inner);
            if places.len() >= MOST_TENANTS {
                places.clear();
            }
            places.insert(tenant, PlacedAfter { settings, placed: placed.clone() });
        }
        Ok(placed)
    }

    /// The policy that a key for pages of other sites has of its own.
    pub async fn by_hash(&self, store: &Store, sha256: Sha256Hash) -> Result<Arc<Policy>, PlaceError> {
        self.policy(store, || "the key".to_owned(), sha256).await
    }

    async fn policy(
        &self,
        store: &Store,
        place: impl Fn() -> String + Send,
        sha256: Sha256Hash,
    ) -> Result<Arc<Policy>, PlaceError> {
        if let Some(policy) = self.parsed.lock().unwrap_or_else(PoisonError::into_inner).get(&sha256) {
            return Ok(policy.clone());
        }
        let unusable = |reason: String| PlaceError::Unusable { place: place(), sha256, reason };
        let texts = store.policy_texts(sha256).await?.ok_or_else(|| unusable("its text is gone".to_owned()))?;
        let (policy, changed) = self.stored(&texts).map_err(|error| unusable(error.to_string()))?;
        if !changed.is_empty() {
            // What it decides can be decided again: its text is kept as every policy's is that was in force.
            store.keep_policy(policy.hash, &policy.texts).await?;
            let (place, in_force) = (place(), policy.hash);
            tracing::warn!(
                place,
                policy = policy.rules.name,
                %sha256,
                %in_force,
                changed = changed.join("; "),
                "a stored policy asks for more or less than is allowed; it is in force with what is allowed"
            );
        }
        let policy = Arc::new(policy);
        let mut parsed = self.parsed.lock().unwrap_or_else(PoisonError::into_inner);
        if parsed.len() >= MOST_PARSED {
            parsed.clear();
        }
        parsed.insert(sha256, policy.clone());
        Ok(policy)
    }

    /// A policy that can be put in force here for a tenant.
    pub fn usable(&self, texts: &PolicyTexts) -> Result<Policy, PolicyError> {
        let policy = Policy::of_texts(texts)?;
        self.limits.check(&policy)?;
        self.check_models(&policy)?;
        Ok(policy)
    }

    /// One that was put in force earlier, with what is allowed now; and what of it is not.
    pub fn stored(&self, texts: &PolicyTexts) -> Result<(Policy, Vec<String>), PolicyError> {
        let (policy, changed) = Policy::of_stored(texts, &self.limits)?;
        self.check_models(&policy)?;
        Ok((policy, changed))
    }

    fn check_models(&self, policy: &Policy) -> Result<(), PolicyError> {
        self.models.as_ref().map_or(Ok(()), |models| policy.check_models(models))
    }
}

/// The rule: where all the collections that a question names have the same policy, that one; otherwise, and where none is
/// named, the tenant's. A collection without a policy of its own has the tenant's. None is the installation's.
fn chosen<'a>(placed: &'a [PlacedPolicy], collections: &[CollectionName]) -> Option<(&'a PlacedPolicy, Sha256Hash)> {
    let at = |name: Option<&CollectionName>| {
        let name = name.map(|name| name.as_str().to_lowercase());
        let is_it = |setting: &&PlacedPolicy| setting.collection.as_ref().map(|c| c.as_str().to_lowercase()) == name;
        placed.iter().find(is_it).and_then(|setting| Some((setting, setting.policy?)))
    };
    let of_tenant = at(None);
    let mut each = collections.iter().map(|name| at(Some(name)).or(of_tenant));
    let Some(first) = each.next() else { return of_tenant };
    let hash = |of: Option<(&PlacedPolicy, Sha256Hash)>| of.map(|(_, sha256)| sha256);
    if each.all(|other| hash(other) == hash(first)) { first } else { of_tenant }
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;

    use super::*;

    fn setting(collection: Option<&str>, policy: &str) -> PlacedPolicy {
        PlacedPolicy {
            collection: collection.map(|name| name.parse().unwrap()),
            version: 1,
            policy: Some(Sha256Hash::of(policy.as_bytes())),
            name: policy.to_owned(),
            set_by: "operator".to_owned(),
            set_at: DateTime::UNIX_EPOCH,
        }
    }

    #[test]
    fn a_question_has_the_policy_that_all_its_collections_have_and_otherwise_the_tenants() {
        let of_tenant = setting(None, "strict");
        let of_collections =
            [setting(Some("ADR"), "adr"), setting(Some("Minutes"), "notes"), setting(Some("Protocol"), "notes")];
        let all: Vec<_> = of_collections.iter().cloned().chain([of_tenant]).collect();
        for (placed, collections, expected) in [
            (&all[..], &[][..], Some("strict")),
            (&all, &["ADR"], Some("adr")),
            (&all, &["adr"], Some("adr")),
            (&all, &["Policy"], Some("strict")),
            (&all, &["ADR", "Minutes"], Some("strict")),
            (&all, &["ADR", "Policy"], Some("strict")),
            (&all, &["Minutes", "Protocol"], Some("notes")),
            (&all[..3], &[], None),
            (&all[..3], &["ADR"], Some("adr")),
            (&all[..3], &["ADR", "Policy"], None),
            (&all[..3], &["Policy", "Handbook"], None),
            (&[], &["ADR"], None),
        ] {
            let names: Vec<CollectionName> = collections.iter().map(|name| name.parse().unwrap()).collect();
            let found = chosen(placed, &names).map(|(setting, _)| setting.name.as_str());
            assert_eq!(found, expected, "{collections:?} of {}", placed.len());
        }
    }
}
