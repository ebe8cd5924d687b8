//! The audit: each turn and each action ends in a record, and nobody waits for it.

mod actions;
mod citations;
mod queue;
mod rows;
mod upkeep;
mod writer;

use std::sync::Arc;

use chrono::TimeDelta;
use ibidem_ports::records::TurnRecord;
use ibidem_store::{AuditLog, AuditRow, Store};
use ibidem_words::Scope;
use tokio_util::task::TaskTracker;

use crate::metrics::{AuditCounts, Metrics};
pub(crate) use actions::{Act, Actions, record_action};
use citations::check_citations;
use queue::Queue;
pub(crate) use upkeep::keep_up;

/// Whether turns and actions are recorded, and for how long the records are kept.
#[derive(Clone, Debug, Default)]
pub struct AuditSettings {
    /// None when nothing is recorded.
    pub log: Option<AuditLog>,
    /// None when records are kept for ever.
    pub retention: Option<TimeDelta>,
}

/// Where turns and actions are left to be recorded.
#[derive(Clone)]
pub(crate) struct Recorder {
    store: Store,
    metrics: Arc<Metrics>,
    /// None when nothing is recorded.
    turns: Option<Arc<Queue<AuditRow>>>,
    pub(crate) actions: Actions,
}

impl Recorder {
    /// Starts the tasks that write records: it needs a runtime. What cannot be put down at once waits among `tasks`.
    pub(crate) fn start(log: Option<AuditLog>, store: Store, metrics: Arc<Metrics>, tasks: TaskTracker) -> Self {
        // The metrics count turns; of actions they count what is lost.
        let counts = AuditCounts { lost: metrics.audit.lost.clone(), ..AuditCounts::default() };
        let actions = Actions::new(log.clone().map(|log| Queue::start(log, counts)), tasks);
        let turns = log.map(|log| Queue::start(log, metrics.audit.clone()));
        Self { store, metrics, turns, actions }
    }

    /// The end of a turn: what it cites is checked, and it is put where it will be written.
    pub(crate) async fn turn(&self, scope: &Scope, record: TurnRecord) {
        let citations = check_citations(&self.store, &self.metrics, scope, &record.answer).await;
        if let Some(queue) = &self.turns {
            queue.put(record, citations).await;
        }
    }

    /// The server stops: records are still taken, and not waited for any longer than they must.
    pub(crate) fn hurry(&self) {
        if let Some(queue) = &self.turns {
            queue.hurry();
        }
        self.actions.hurry();
    }

    /// Returns when everything is written, or given up and counted. Nothing may be recorded after this.
    pub(crate) async fn finish(&self) {
        self.actions.put_down();
        if let Some(queue) = &self.turns {
            queue.finish().await;
        }
        self.actions.finish().await;
    }
}
