//! Going on while parts fail: which of them are asked at all, and what is said of those that were gone without.

pub mod breaker;
mod deadline;
mod fault;
pub mod flags;
mod services;

pub use breaker::{BreakerSettings, BreakerState};
pub use deadline::Deadline;
pub use fault::{Blame, Fault};
pub use services::{BreakerStates, Breakers, Call, Clock, Refused, ServiceBreaker};
