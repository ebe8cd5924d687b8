//! The testing kit: a fake and a behaviour suite for each port, and a database for each test. Only tests use it.

#[cfg(feature = "database")]
pub mod database;
pub mod fakes;
#[cfg(feature = "skosmos")]
pub mod skosmos;
#[cfg(feature = "engine")]
pub mod small_corpus;
pub mod suites;
