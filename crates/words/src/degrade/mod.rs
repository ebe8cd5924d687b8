//! Going on while parts fail: which of them are asked at all and for how long, and what is said of those that were
//! skipped.

pub mod breaker;
mod deadline;
mod error;
mod fallback;
mod part;
mod services;

pub use breaker::{BreakerSettings, BreakerState};
pub use deadline::Deadline;
pub use error::{Blame, Fault, OwnFault, PartError};
pub use fallback::Fallback;
pub use part::Part;
pub use services::{BreakerStates, Breakers, Call, Refused, ServiceBreaker};
