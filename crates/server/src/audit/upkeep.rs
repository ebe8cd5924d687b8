//! What a running server does for the audit's table: the next month is there before it begins, the oldest goes. Calls that
//! nobody confirmed in time go too.

use std::time::Duration;

use chrono::{TimeDelta, Utc};
use ibidem_store::{ActionRecord, AuditLog, AuditedAction, Pruned, Store};
use serde_json::json;
use tokio::time::{Instant, interval};

use super::AuditSettings;

/// Often enough that a month is there in time after a database was away for days.
const LOOK_EVERY: Duration = Duration::from_secs(60 * 60);
/// How long it can be said of a confirmation that it has expired or was used.
const CONFIRMATIONS_KEPT: TimeDelta = TimeDelta::days(1);
const PRUNE_EVERY: Duration = Duration::from_secs(24 * 60 * 60);

/// Begins at once and goes on until it is dropped. Whatever fails is tried again the next hour.
pub(crate) async fn keep_up(store: Store, AuditSettings { log, retention }: AuditSettings) {
    let mut pruned_at: Option<Instant> = None;
    let mut looks = interval(LOOK_EVERY);
    loop {
        looks.tick().await;
        match store.make_audit_months(Utc::now()).await {
            Ok(0) => {}
            Ok(made) => tracing::info!(made, "months of the audit were made"),
            Err(error) => tracing::warn!(%error, "the audit's next month could not be made; it is tried again"),
        }
        if let Err(error) = store.sweep_confirmations(Utc::now() - CONFIRMATIONS_KEPT).await {
            tracing::warn!(%error, "old confirmations could not be deleted; it is tried again");
        }
        let Some(retention) = retention else { continue };
        if pruned_at.is_some_and(|at| at.elapsed() < PRUNE_EVERY) {
            continue;
        }
        let pruned = match store.earlier_clock(Utc::now()).await {
            Ok(now) => store.prune_audit(now - retention).await,
            Err(error) => Err(error),
        };
        match pruned {
            Ok(pruned) => {
                pruned_at = Some(Instant::now());
                if !pruned.months.is_empty() || pruned.records > 0 {
                    let months = pruned.months.join(" ");
                    tracing::info!(months, records = pruned.records, "old records of the audit were removed");
                    if let Some(log) = &log {
                        record(log, &pruned).await;
                    }
                }
            }
            Err(error) => tracing::warn!(%error, "old records of the audit could not be removed; it is tried again"),
        }
    }
}

async fn record(log: &AuditLog, pruned: &Pruned) {
    let details = json!({ "months": pruned.months, "records": pruned.records });
    let act = ActionRecord { details, ..ActionRecord::by_operator(AuditedAction::PruneAudit, None) };
    if let Err(error) = log.keep_action(act).await {
        tracing::warn!(%error, "it is not recorded that old records were removed");
    }
}
