//! The audit: each turn and each action ends in a record, and nobody waits for it.

mod actions;
mod citations;
mod queue;
mod upkeep;
mod writer;

use chrono::TimeDelta;
use ibidem_ports::records::TurnRecord;
use ibidem_store::{ActionRow, AuditLog, AuditRow};
use ibidem_words::Scope;

use crate::state::AppState;
pub use actions::{AUDITED_ROUTES, EXEMPT_ROUTES};
pub(crate) use actions::{Act, Tally, record_action, record_for};
use citations::check_citations;
pub(crate) use queue::{AuditCounts, Queue};
pub(crate) use upkeep::keep_up;

pub(crate) type AuditQueue = Queue<AuditRow>;
pub(crate) type ActionQueue = Queue<ActionRow>;

/// Whether turns and actions are recorded, and for how long the records are kept.
#[derive(Clone, Debug, Default)]
pub struct AuditSettings {
    /// None when nothing is recorded.
    pub log: Option<AuditLog>,
    /// None when records are kept for ever.
    pub retention: Option<TimeDelta>,
}

/// The end of a turn: what it cites is checked, and it is put where it will be written.
pub(crate) async fn record(state: &AppState, scope: &Scope, record: TurnRecord) {
    let citations = check_citations(state, scope, &record.answer).await;
    if let Some(queue) = &state.audit_queue {
        queue.put(record, citations).await;
    }
}
