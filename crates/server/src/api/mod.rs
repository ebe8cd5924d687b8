//! One file for each endpoint: its parameters, its response, its description and its handler.

pub(crate) mod answers;
pub(crate) mod audit;
pub(crate) mod claims;
pub(crate) mod conversations;
mod cursor;
pub(crate) mod documents;
pub(crate) mod evaluations;
pub(crate) mod feedback;
pub(crate) mod groups;
pub(crate) mod health;
pub(crate) mod keys;
pub(crate) mod limits;
pub(crate) mod me;
pub(crate) mod memory;
pub(crate) mod metrics;
pub(crate) mod people;
pub(crate) mod policies;
pub(crate) mod protected_resource;
pub(crate) mod queue;
pub(crate) mod receipt_keys;
pub(crate) mod search;
pub(crate) mod sign_in;
pub(crate) mod tenant_metrics;
pub(crate) mod terms;
