//! How long conversations are kept, tenant by tenant.

use std::collections::BTreeMap;

use chrono::{DateTime, TimeDelta, Utc};
use ibidem_ports::catalogue::CatalogueError;
use ibidem_words::TenantId;

use crate::Store;
use crate::asked::Run as _;

/// How long a deletion looks for records that were still on their way.
const LOOKS_FOR_RECORDS: TimeDelta = TimeDelta::days(2);

/// After how many days without a question a conversation is deleted; none keeps them for ever.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Retention {
    pub days: Option<u32>,
    /// Of tenants that have a term of their own.
    pub of_tenants: BTreeMap<TenantId, Option<u32>>,
}

impl Store {
    /// Deletes the conversations whose term is over, and finishes deletions whose records were written late. The audit
    /// has a term of its own, and its records stay. Returns how many conversations went.
    pub async fn sweep_conversations(&self, retention: &Retention, now: DateTime<Utc>) -> Result<u64, CatalogueError> {
        let before = |days: Option<u32>| days.map(|days| now - TimeDelta::days(days.into()));
        let mut gone = 0;
        for (tenant, days) in &retention.of_tenants {
            if let Some(before) = before(*days) {
                let deleted = sqlx::query!(
                    "DELETE FROM conversations WHERE tenant_id = $1 AND changed_at < $2",
                    tenant.0,
                    before,
                )
                .run(&self.pool)
                .await?;
                gone += deleted.rows_affected();
            }
        }
        if let Some(before) = before(retention.days) {
            let others: Vec<_> = retention.of_tenants.keys().map(|tenant| tenant.0).collect();
            let deleted = sqlx::query!(
                "DELETE FROM conversations WHERE changed_at < $1 AND tenant_id <> ALL ($2::uuid[])",
                before,
                &others,
            )
            .run(&self.pool)
            .await?;
            gone += deleted.rows_affected();
        }
        self.finish_conversation_erasures(now - LOOKS_FOR_RECORDS).await?;
        Ok(gone)
    }
}
