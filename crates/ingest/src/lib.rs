//! A document's life: found, read, split, identified, embedded, committed, published.

pub mod address_form;
pub mod embed;
pub mod find;
pub mod identify;
pub mod progress;
pub mod publish;
pub mod read;
pub mod split;
pub mod work;

/// Names the way documents are read and split. Raised when either changes what it makes of the same original,
/// so that ingesting again makes new versions.
pub const READING: &str = "7";
