//! What of their limits everybody in a tenant has used.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use ibidem_ports::catalogue::CatalogueError;
use ibidem_words::TenantId;

use crate::Store;
use crate::asked::Asked as _;

/// What somebody has used. Only what is limited is counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct HolderUse {
    /// Questions under way at this moment.
    pub turns: u64,
    /// Since midnight (UTC), as the other two.
    pub model_tokens: u64,
    pub documents: u64,
    pub bytes: u64,
}

impl Store {
    /// By `tenant`, or by the id of a key or a person as records have it.
    pub async fn uses(
        &self,
        tenant: TenantId,
        now: DateTime<Utc>,
    ) -> Result<BTreeMap<String, HolderUse>, CatalogueError> {
        let mut uses = BTreeMap::<String, HolderUse>::new();
        let of_day = sqlx::query!(
            "SELECT holder, what, used FROM daily_use WHERE tenant_id = $1 AND day = $2",
            tenant.0,
            now.date_naive(),
        )
        .all_in_time(self)
        .await?;
        for row in of_day {
            let of = uses.entry(row.holder).or_default();
            match row.what.as_str() {
                "model_tokens" => of.model_tokens = row.used.unsigned_abs(),
                "documents" => of.documents = row.used.unsigned_abs(),
                _ => of.bytes = row.used.unsigned_abs(),
            }
        }
        let under_way = sqlx::query!(
            r#"SELECT holder, count(*) AS "turns!" FROM turns_under_way
               WHERE tenant_id = $1 AND ends_by > $2 GROUP BY holder"#,
            tenant.0,
            now,
        )
        .all_in_time(self)
        .await?;
        for row in under_way {
            uses.entry(row.holder).or_default().turns = row.turns.unsigned_abs();
        }
        Ok(uses)
    }
}
