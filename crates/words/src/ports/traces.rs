//! Traces: how a turn went, stage by stage, for whoever watches many systems in one place.

use super::records::TurnRecord;

/// Never waits and never fails: who watches must not slow down what is watched.
pub trait Traces: Send + Sync {
    fn turn(&self, record: &TurnRecord);
}
