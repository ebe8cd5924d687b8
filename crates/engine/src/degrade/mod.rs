//! Going on while parts fail: which of them are asked at all, and what is said of those that were gone without.

pub mod breaker;
mod fault;
pub mod flags;
mod in_time;
mod services;

pub use breaker::{BreakerSettings, BreakerState};
pub use fault::{Blame, Fault};
pub use in_time::Deadline;
pub use services::{BreakerStates, Breakers, Call, Clock, Refused, ServiceBreaker};
