//! The months that records are kept in: made before they begin, dropped when they are old.

use chrono::{DateTime, Utc};
use ibidem_ports::catalogue::CatalogueError;

use crate::Store;
use crate::asked::Asked as _;

/// What is kept of the audit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Months {
    /// As `2026_11`, oldest first.
    pub names: Vec<String>,
    /// Records for which no month was made: they are safe, and move when it is.
    pub elsewhen: u64,
}

/// What was removed for its age.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pruned {
    pub months: Vec<String>,
    /// Records that were in no month.
    pub records: u64,
}

impl Store {
    /// Makes the month of a moment and the one after it, where they are missing, for questions and for actions. Returns
    /// how many it made; servers that do it at the same time wait for each other.
    pub async fn make_audit_months(&self, now: DateTime<Utc>) -> Result<usize, CatalogueError> {
        let made = sqlx::query_scalar!(
            r#"SELECT audit_make_month(moment)::int + actions_make_month(moment)::int AS "made!"
               FROM unnest(ARRAY[$1::timestamptz,
                                 date_trunc('month', date_trunc('month', $1, 'UTC') + interval '32 days', 'UTC')])
                    AS months (moment)"#,
            now,
        )
        .all(&self.pool)
        .await?;
        Ok(made.into_iter().filter(|made| *made > 0).count())
    }

    /// Drops the months that ended before this moment, and what is older and in no month, of questions and of actions.
    pub async fn prune_audit(&self, before: DateTime<Utc>) -> Result<Pruned, CatalogueError> {
        let pruned = sqlx::query!(
            r#"SELECT ARRAY(SELECT DISTINCT month FROM unnest(asked.months || acted.months) AS month ORDER BY month)
                          AS "months!",
                      asked.records + acted.records AS "records!"
               FROM audit_prune($1) AS asked, actions_prune($1) AS acted"#,
            before,
        )
        .one(&self.pool)
        .await?;
        Ok(Pruned { months: pruned.months, records: pruned.records.unsigned_abs() })
    }

    pub async fn audit_months(&self) -> Result<Months, CatalogueError> {
        let found = sqlx::query!(
            r#"SELECT ARRAY(SELECT right(pg_class.relname, 7)
                            FROM pg_inherits JOIN pg_class ON pg_class.oid = pg_inherits.inhrelid
                            WHERE pg_inherits.inhparent = 'audit'::regclass AND pg_class.relname ~ '^audit_\d{4}_\d{2}$'
                            ORDER BY pg_class.relname) AS "names!",
                      (SELECT count(*) FROM audit_elsewhen) AS "elsewhen!""#
        )
        .one(&self.pool)
        .await?;
        Ok(Months { names: found.names, elsewhen: found.elsewhen.unsigned_abs() })
    }
}
