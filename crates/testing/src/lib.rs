//! The testing kit: a fake and a behaviour suite for each port. Only tests use it.

pub mod fakes;
pub mod suites;
