//! Limits by key, person and tenant. What was used is counted in the database, so that all servers count together; what
//! a server knows to be used up it refuses by itself, so that a burst does not reach the database.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use chrono::{DateTime, TimeDelta, Utc};
use ibidem_ports::catalogue::CatalogueError;
use ibidem_ports::records::TurnRecord;
use ibidem_store::{DailyUse, Exceeded, Holder, Store, TurnPlace};
use ibidem_words::{Identity, SubjectId, TenantId};

/// What one key, one person or one tenant may use. 0 is no limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct UseLimits {
    pub requests_per_minute: u32,
    /// Questions under way at the same time.
    pub turns_at_once: u32,
    pub model_tokens_per_day: u64,
    pub documents_per_day: u64,
    pub bytes_per_day: u64,
}

/// The limits in force.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct QuotaSettings {
    pub key: UseLimits,
    pub person: UseLimits,
    pub tenant: UseLimits,
    /// Of tenants with limits of their own.
    pub of_tenants: BTreeMap<TenantId, UseLimits>,
}

/// A limit that is reached.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OverLimit {
    /// `key`, `person` or `tenant`.
    pub who: &'static str,
    /// As the settings name it.
    pub what: &'static str,
    pub most: u64,
    /// Until there is room again.
    pub wait: TimeDelta,
}

/// Why something is not done.
#[derive(Debug, thiserror::Error)]
pub enum QuotaError {
    #[error("the limit {} of this {} is reached", .0.what, .0.who)]
    Over(OverLimit),
    #[error(transparent)]
    Store(#[from] CatalogueError),
}

/// One server's share in counting. Cheap to clone.
#[derive(Clone)]
pub struct Quotas {
    settings: Arc<QuotaSettings>,
    /// Who asks too often, and until when: such requests are not counted any more.
    refused: Arc<Mutex<HashMap<Holder, DateTime<Utc>>>>,
}

/// So many are remembered; more are asked about in the database.
const MOST_REFUSED: usize = 10_000;
/// A token has about so many characters.
const CHARACTERS_OF_A_TOKEN: u64 = 4;

impl Quotas {
    pub fn new(settings: QuotaSettings) -> Self {
        Self { settings: Arc::new(settings), refused: Arc::default() }
    }

    /// The limits of each key, of each person, and of this tenant.
    pub(crate) fn in_force(&self, tenant: TenantId) -> [UseLimits; 3] {
        [self.settings.key, self.settings.person, self.of_tenant(tenant)]
    }

    fn of_tenant(&self, tenant: TenantId) -> UseLimits {
        self.settings.of_tenants.get(&tenant).copied().unwrap_or(self.settings.tenant)
    }

    /// Each limit that holds for somebody, the narrower first.
    fn of(&self, identity: &Identity) -> [(&'static str, Holder, UseLimits); 2] {
        let subject = identity.subject().id();
        let (who, limits) = if subject == SubjectId::Operator {
            ("operator", UseLimits::default())
        } else if matches!(subject, SubjectId::Key(_)) {
            ("key", self.settings.key)
        } else {
            ("person", self.settings.person)
        };
        let tenant = identity.tenant();
        [(who, Holder::subject(identity), limits), ("tenant", Holder::tenant(tenant), self.of_tenant(tenant))]
    }

    /// Counts a request. `at` is the present unless a test has a clock of its own.
    pub async fn admit(&self, store: &Store, identity: &Identity, at: Option<DateTime<Utc>>) -> Result<(), QuotaError> {
        let of = self.of(identity);
        let limited = of.iter().filter(|(.., limits)| limits.requests_per_minute > 0);
        let named: Vec<(&'static str, Holder, u32)> =
            limited.map(|(who, holder, limits)| (*who, holder.clone(), limits.requests_per_minute)).collect();
        if named.is_empty() {
            return Ok(());
        }
        let now = at.unwrap_or_else(Utc::now);
        let over = |place: usize, wait| {
            let (who, _, most) = named[place];
            QuotaError::Over(OverLimit { who, what: "requests_per_minute", most: most.into(), wait })
        };
        for (place, (_, holder, _)) in named.iter().enumerate() {
            if let Some(until) = self.refused_until(holder, now) {
                return Err(over(place, until - now));
            }
        }
        let limits: Vec<(Holder, u32)> = named.iter().map(|(_, holder, most)| (holder.clone(), *most)).collect();
        match store.take_request(&limits, at).await? {
            Ok(()) => Ok(()),
            Err(Exceeded { place, wait }) => {
                self.refuse_until(limits[place].0.clone(), now + wait, now);
                Err(over(place, wait))
            }
        }
    }

    fn refused_until(&self, holder: &Holder, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
        let refused = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
        refused.get(holder).copied().filter(|until| *until > now)
    }

    fn refuse_until(&self, holder: Holder, until: DateTime<Utc>, now: DateTime<Utc>) {
        let mut refused = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
        if refused.len() >= MOST_REFUSED {
            refused.retain(|_, until| *until > now);
        }
        if refused.len() < MOST_REFUSED {
            refused.insert(holder, until);
        }
    }

    /// Counts a question under way, if there is room for it, and if its models may still be asked today. None where
    /// nothing is counted.
    pub async fn begin_turn(
        &self,
        store: &Store,
        identity: &Identity,
        longest: TimeDelta,
    ) -> Result<Option<TurnPlace>, QuotaError> {
        let (of, now) = (self.of(identity), Utc::now());
        let tokens: Vec<_> = of.iter().filter(|(.., limits)| limits.model_tokens_per_day > 0).collect();
        let limits: Vec<_> = tokens
            .iter()
            .map(|(_, holder, limits)| (holder.clone(), DailyUse::ModelTokens, limits.model_tokens_per_day))
            .collect();
        if let Err(Exceeded { place, wait }) = store.is_left(&limits, now).await? {
            let (who, _, limits) = tokens[place];
            let most = limits.model_tokens_per_day;
            return Err(QuotaError::Over(OverLimit { who, what: "model_tokens_per_day", most, wait }));
        }
        let at_once: Vec<_> = of.iter().filter(|(.., limits)| limits.turns_at_once > 0).collect();
        if at_once.is_empty() {
            return Ok(None);
        }
        let limits: Vec<_> = at_once.iter().map(|(_, holder, limits)| (holder.clone(), limits.turns_at_once)).collect();
        match store.begin_turn(&limits, now, now + longest).await? {
            Ok(place) => Ok(Some(place)),
            Err(Exceeded { place, .. }) => {
                let (who, _, limits) = at_once[place];
                let (most, wait) = (limits.turns_at_once.into(), TimeDelta::seconds(1));
                Err(QuotaError::Over(OverLimit { who, what: "turns_at_once", most, wait }))
            }
        }
    }

    /// Counts what a turn has used, when it has ended.
    pub async fn end_turn(
        &self,
        store: &Store,
        identity: &Identity,
        place: Option<TurnPlace>,
        record: Option<&TurnRecord>,
    ) -> Result<(), CatalogueError> {
        if let Some(place) = place {
            store.end_turn(&place).await?;
        }
        let used = record.map_or(0, model_tokens);
        let of = self.of(identity);
        let holders: Vec<Holder> = of
            .iter()
            .filter(|(.., limits)| limits.model_tokens_per_day > 0)
            .map(|(_, holder, _)| holder.clone())
            .collect();
        if used > 0 && !holders.is_empty() {
            store.was_used(&holders, DailyUse::ModelTokens, used, Utc::now()).await?;
        }
        Ok(())
    }

    /// Counts a document that is handed in.
    pub async fn take_document(&self, store: &Store, identity: &Identity, bytes: usize) -> Result<(), QuotaError> {
        let of = self.of(identity);
        let mut named = Vec::new();
        for (who, holder, limits) in &of {
            if limits.documents_per_day > 0 {
                named.push((*who, "documents_per_day", holder.clone(), DailyUse::Documents, limits.documents_per_day));
            }
            if limits.bytes_per_day > 0 {
                named.push((*who, "bytes_per_day", holder.clone(), DailyUse::Bytes, limits.bytes_per_day));
            }
        }
        if named.is_empty() {
            return Ok(());
        }
        let limits: Vec<_> = named.iter().map(|(_, _, holder, what, most)| (holder.clone(), *what, *most)).collect();
        let amount = move |what| if what == DailyUse::Bytes { bytes as u64 } else { 1 };
        match store.use_up(&limits, amount, Utc::now()).await? {
            Ok(()) => Ok(()),
            Err(Exceeded { place, wait }) => {
                let (who, what, _, _, most) = named[place];
                Err(QuotaError::Over(OverLimit { who, what, most, wait }))
            }
        }
    }
}

/// What a language model has read and written for a turn, as far as it is known.
fn model_tokens(record: &TurnRecord) -> u64 {
    let answer = &record.answer;
    if record.draft.is_none() {
        return 0;
    }
    let written = record.draft.as_ref().map_or(0, |draft| draft.chars().count() as u64);
    answer.context_tokens_used + written.div_ceil(CHARACTERS_OF_A_TOKEN)
}
