//! Why a candidate keeps its place.

use serde::{Deserialize, Serialize};

/// Why gathering promised a candidate its place. A gate that would take the place away keeps the candidate all the same.
/// Where there are several reasons, the last of them in this order is the one that counts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Promise {
    /// It is among the best by the asker's own words, and has one of them that no better one of these has.
    Words,
    /// The policy reserves places for its kind, or the question asks for the kind.
    Kind,
    /// A curator chose it for this question.
    Curator,
    /// The asker named its document.
    Name,
}
