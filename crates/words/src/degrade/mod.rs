//! Going on while parts fail: which of them are asked at all, and what is said of those that were skipped.

pub mod breaker;
mod deadline;
mod fallback;
mod fault;
mod services;

pub use breaker::{BreakerSettings, BreakerState};
pub use deadline::Deadline;
pub use fallback::Fallback;
pub use fault::{Blame, Fault};
pub use services::{BreakerStates, Breakers, Call, Clock, Refused, ServiceBreaker};
