//! Going on while parts fail: which of them are asked at all, and for how long.

pub mod breaker;
mod deadline;
mod error;
mod part;
mod services;

pub use breaker::{BreakerSettings, BreakerState};
pub use deadline::Deadline;
pub use error::{Blame, Fault, OwnFault, PartError};
pub(crate) use part::Limit;
pub use part::Part;
pub use services::{BreakerStates, Breakers, Call, Refused, ServiceBreaker};
