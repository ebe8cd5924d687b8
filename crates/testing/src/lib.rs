//! The testing kit: a fake and a behaviour suite for each port. Only tests use it.

pub mod fakes;
#[cfg(feature = "skosmos")]
pub mod skosmos;
pub mod suites;
