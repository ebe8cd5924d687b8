//! Two halves of a set: thresholds are chosen on one of them, and shown to hold on the other.

use std::collections::BTreeMap;

use ibidem_words::Sha256Hash;
use serde::{Deserialize, Serialize};

use super::{Category, GoldenQuery};

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Half {
    /// What numbers may be chosen by.
    Calibration,
    /// What no number was chosen by.
    HeldOut,
}

impl Half {
    /// For people.
    pub fn words(self) -> &'static str {
        match self {
            Self::Calibration => "calibration half",
            Self::HeldOut => "held-out half",
        }
    }
}

/// The half of each question, in their order. Every category is parted alike; within one, the digest of the id decides,
/// so that nobody chose.
pub fn halves(queries: &[GoldenQuery]) -> Vec<Half> {
    let mut by_category: BTreeMap<Category, Vec<(Sha256Hash, usize)>> = BTreeMap::new();
    for (place, query) in queries.iter().enumerate() {
        let digest = Sha256Hash::of(query.id.as_bytes());
        by_category.entry(query.category).or_default().push((digest, place));
    }
    let mut halves = vec![Half::HeldOut; queries.len()];
    for (at, mut places) in by_category.into_values().enumerate() {
        places.sort();
        // The odd one out goes to one half in this category and to the other in the next.
        for (_, place) in places.into_iter().skip(at % 2).step_by(2) {
            halves[place] = Half::Calibration;
        }
    }
    halves
}
