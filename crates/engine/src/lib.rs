//! A question's life, from the asker's words to an answer with its sources. No I/O of its own.

// No clock, file or environment, as clippy.toml lists them. Tests may use what they like.
#![cfg_attr(not(test), warn(clippy::disallowed_methods, clippy::disallowed_types))]

pub mod ask;
pub mod candidate;
pub mod claims;
mod columns;
pub mod draft;
mod evidence;
mod exemplars;
pub mod explain;
mod figures;
mod follow_up;
pub mod gates;
pub mod gather;
mod in_force;
pub mod listener;
mod nearest;
mod no_look_alike;
mod offers;
mod outcome;
pub mod parts;
pub mod plain;
pub mod policy;
pub mod receipts;
pub mod replay;
mod revocation;
pub mod roles;
pub mod route;
pub mod search;
pub mod sift;
pub mod speak;
pub mod texts;
mod time_limit;
mod title;
pub mod turn;
pub mod word_overlap;
pub mod yes_no;
