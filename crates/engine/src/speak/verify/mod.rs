//! Verification: a sentence is held against the passages it cites before anybody sees it.

pub mod asides;
pub mod figures;
pub mod lexical;
pub mod windows;
