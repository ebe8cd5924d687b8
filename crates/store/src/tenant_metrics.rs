//! What a tenant asked, got and said of it, counted by day.

use std::collections::BTreeMap;

use chrono::{DateTime, NaiveDate, Utc};
use ibidem_ports::catalogue::CatalogueError;
use ibidem_words::TenantId;

use crate::Store;
use crate::asked::Asked as _;

/// A day (UTC) of a tenant.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TenantDay {
    /// Questions that were answered with citations.
    pub answered: u64,
    /// Questions that were not, by the reason.
    pub not_answered: BTreeMap<String, u64>,
    pub thumbs_up: u64,
    pub thumbs_down: u64,
    /// Versions of documents that were taken in.
    pub versions: u64,
}

impl Store {
    /// The days since a moment on which anything happened.
    pub async fn tenant_days(
        &self,
        tenant: TenantId,
        since: DateTime<Utc>,
    ) -> Result<BTreeMap<NaiveDate, TenantDay>, CatalogueError> {
        let mut days: BTreeMap<NaiveDate, TenantDay> = BTreeMap::new();
        let turns = sqlx::query!(
            r#"SELECT (asked_at AT TIME ZONE 'UTC')::date AS "day!", action, reason, count(*) AS "count!"
               FROM audit WHERE tenant_id = $1 AND asked_at >= $2 GROUP BY 1, 2, 3"#,
            tenant.0,
            since,
        )
        .all_in_time(self)
        .await?;
        for row in turns {
            let (day, count) = (days.entry(row.day).or_default(), row.count.unsigned_abs());
            match row.action.as_str() {
                "cite" => day.answered += count,
                action => {
                    *day.not_answered.entry(row.reason.unwrap_or_else(|| action.to_owned())).or_default() += count;
                }
            }
        }
        let thumbs = sqlx::query!(
            r#"SELECT (given_at AT TIME ZONE 'UTC')::date AS "day!", thumb, count(*) AS "count!"
               FROM feedback WHERE tenant_id = $1 AND given_at >= $2 GROUP BY 1, 2"#,
            tenant.0,
            since,
        )
        .all_in_time(self)
        .await?;
        for row in thumbs {
            let day = days.entry(row.day).or_default();
            *(if row.thumb == "up" { &mut day.thumbs_up } else { &mut day.thumbs_down }) += row.count.unsigned_abs();
        }
        let versions = sqlx::query!(
            r#"SELECT (created_at AT TIME ZONE 'UTC')::date AS "day!", count(*) AS "count!"
               FROM document_versions WHERE tenant_id = $1 AND created_at >= $2 GROUP BY 1"#,
            tenant.0,
            since,
        )
        .all_in_time(self)
        .await?;
        for row in versions {
            days.entry(row.day).or_default().versions = row.count.unsigned_abs();
        }
        Ok(days)
    }

    /// How many documents a tenant has now, whoever may see them.
    pub async fn documents_of_tenant(&self, tenant: TenantId) -> Result<u64, CatalogueError> {
        let count = sqlx::query_scalar!(
            r#"SELECT count(*) AS "count!" FROM documents WHERE tenant_id = $1 AND removed_at IS NULL"#,
            tenant.0,
        )
        .one_in_time(self)
        .await?;
        Ok(count.unsigned_abs())
    }
}
