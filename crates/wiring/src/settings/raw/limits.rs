//! The section `limits`.

use std::collections::BTreeMap;

use ibidem_server::{QuotaSettings, UseLimits};
use ibidem_words::TenantId;
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawLimits {
    key: RawUse,
    person: RawUse,
    tenant: RawUse,
    #[serde(default)]
    tenants: BTreeMap<String, RawUse>,
}

/// 0, or nothing, is no limit.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawUse {
    #[serde(default)]
    requests_per_minute: u32,
    #[serde(default)]
    turns_at_once: u32,
    #[serde(default)]
    model_tokens_per_day: u64,
    #[serde(default)]
    documents_per_day: u64,
    #[serde(default)]
    bytes_per_day: u64,
}

impl From<RawUse> for UseLimits {
    fn from(raw: RawUse) -> Self {
        Self {
            requests_per_minute: raw.requests_per_minute,
            turns_at_once: raw.turns_at_once,
            model_tokens_per_day: raw.model_tokens_per_day,
            documents_per_day: raw.documents_per_day,
            bytes_per_day: raw.bytes_per_day,
        }
    }
}

impl RawLimits {
    pub(super) fn check(self) -> QuotaSettings {
        let of_tenants = self.tenants.into_iter().map(|(name, raw)| (TenantId::named(&name), raw.into())).collect();
        QuotaSettings { key: self.key.into(), person: self.person.into(), tenant: self.tenant.into(), of_tenants }
    }
}
