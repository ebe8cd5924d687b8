//! What knows language: sentences, terms and their stems, figures and their units, with a folder of
//! tables for each language. Pure: texts in, findings out.

// No clock, file or environment, as clippy.toml lists them. Tests may use what they like.
#![cfg_attr(not(test), warn(clippy::disallowed_methods, clippy::disallowed_types))]

pub mod addresses;
pub mod alphabet;
pub mod asking;
pub mod bm25;
pub mod claims;
pub mod computing;
pub mod denials;
pub mod figures;
pub mod follow_ups;
mod language;
pub mod layout;
pub mod markers;
pub mod meaning;
pub mod quotations;
pub mod rows;
pub mod sentences;
pub mod stems;
mod stop_words;
mod tables;
pub mod talk;
mod terms;
pub mod validity;

pub use language::{Language, is_english};
pub use stems::{SHORTEST_STEM, same_word};
pub use stop_words::is_significant;
pub use terms::{PresentTerms, Terms, names_in, significant_terms, telling_terms};
