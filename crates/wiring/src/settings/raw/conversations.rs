//! The section `conversations`.

use std::collections::BTreeMap;

use ibidem_store::Retention;
use ibidem_words::TenantId;
use serde::Deserialize;

use super::Problems;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawConversations {
    retention_days: Option<u32>,
    #[serde(default)]
    retention_days_of_tenants: BTreeMap<String, Option<u32>>,
}

impl RawConversations {
    pub(super) fn check(self, problems: &mut Problems) -> Retention {
        if let Some(days) = self.retention_days {
            problems.at_least("conversations.retention_days", days.into(), 1);
        }
        let mut of_tenants = BTreeMap::new();
        for (name, days) in self.retention_days_of_tenants {
            if let Some(days) = days {
                problems.at_least(&format!("conversations.retention_days_of_tenants.{name}"), days.into(), 1);
            }
            of_tenants.insert(TenantId::named(&name), days);
        }
        Retention { days: self.retention_days, of_tenants }
    }
}
