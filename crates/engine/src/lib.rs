//! A question's life: the words it is told in, the ports it reaches the world through, and no I/O of its own.

pub mod ask;
pub mod bm25;
pub mod curate;
pub mod degrade;
pub mod explain;
pub mod gather;
pub mod policy;
pub mod ports;
pub mod receipts;
pub mod replay;
pub mod roles;
pub mod search;
pub mod sift;
pub mod speak;
pub mod turn;
pub mod words;
pub mod yes_no;

#[cfg(any(test, feature = "testing"))]
pub mod fakes;
#[cfg(any(test, feature = "testing"))]
pub mod suites;
