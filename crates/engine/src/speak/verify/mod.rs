//! Verification: a sentence is held against the passages it cites before anybody sees it.

pub mod figures;
