//! What knows language: sentences, terms and their stems, figures and their units. Pure: texts in, findings out.

// No clock, file or environment, as clippy.toml lists them. Tests may use what they like.
#![cfg_attr(not(test), warn(clippy::disallowed_methods, clippy::disallowed_types))]

pub mod bm25;
pub mod figures;
pub mod markers;
pub mod sentences;
mod sources;
mod terms;

pub use sources::SOURCES;
pub use terms::{PresentTerms, SHORTEST_STEM, Terms, is_significant, same_word, significant_terms};
