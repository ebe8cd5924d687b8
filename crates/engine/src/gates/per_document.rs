//! `per_document`: drops all but so many candidates of one document. What gathering promised a place is exempt.

use std::collections::HashMap;

use ibidem_words::DocumentId;
use serde::Deserialize;

use super::{Absent, DropsCandidates, GateRule, Look};
use crate::gates::pool::WorkingPool;

/// Keeps at most so many candidates of one document.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(transparent)]
pub struct PerDocument(pub usize);

impl GateRule for PerDocument {
    fn name() -> &'static str {
        "per_document"
    }

    fn when_absent() -> Absent {
        Absent::Off("the limit for one document")
    }

    fn look(&self) -> Look<'_> {
        Look::AtEach(self)
    }

    fn words(&self) -> Vec<String> {
        vec![format!(
            "Of one document at most the best {} are kept, and what was promised a place; of one that the question names, \
             all.",
            self.0
        )]
    }

    fn shares(&self) -> Vec<(&'static str, f64)> {
        Vec::new()
    }
}

impl DropsCandidates for PerDocument {
    fn drop_from(&self, pool: &mut WorkingPool<'_>) {
        let most = self.0;
        let mut seen: HashMap<DocumentId, usize> = HashMap::new();
        pool.keep_if_or_promised(Self::name(), most as f64, usize::MAX, |candidate| {
            // What was named is asked for as a whole.
            if candidate.addressed && candidate.on_its_text {
                return true;
            }
            let count = seen.entry(candidate.passage.passage.document).or_default();
            *count += 1;
            *count <= most
        });
    }

    /// It cannot be 0.
    fn may_drop_all(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use crate::candidate::Candidate;
    use ibidem_words::Promise;

    use super::super::tests::words_of;
    use crate::sift::fixtures::{candidate, evidence, gathered};
    use crate::sift::sift;

    #[test]
    fn a_document_brings_at_most_so_many_passages() {
        let pool = |count: u32| {
            (0..count).map(|place| candidate(1, place, 0.9, &format!("text {place} {}", place * 7))).collect()
        };
        for (count, kept) in [(2, 2), (3, 3), (4, 3)] {
            assert_eq!(evidence(&sift(gathered("oil", "[{per_document: 3}]", pool(count)))).len(), kept, "{count}");
        }
    }

    #[test]
    fn of_a_document_that_was_named_all_are_kept() {
        let named = (0..5).map(|place| Candidate {
            addressed: true,
            on_its_text: true,
            ..candidate(1, place, 0.9, &format!("text {place} {}", place * 7))
        });
        assert_eq!(evidence(&sift(gathered("oil", "[{per_document: 3}]", named.collect()))).len(), 5);
    }

    #[test]
    fn what_was_promised_a_place_is_kept_beside_the_limit() {
        let mut pool: Vec<Candidate> =
            (0..5).map(|place| candidate(1, place, 0.9, &format!("text {place} {}", place * 7))).collect();
        pool[4].promised = Some(Promise::Kind);
        assert_eq!(evidence(&sift(gathered("oil", "[{per_document: 3}]", pool))), [0, 1, 2, 4]);
    }

    #[test]
    fn test_limit_per_document() {
        let candidates: Vec<Candidate> =
            (0..5_u32).map(|number| candidate(1, number, 0.9, &format!("text {number}"))).collect();
        assert_eq!(evidence(&sift(gathered("leave", "[{per_document: 3}]", candidates))), [0, 1, 2]);
    }

    #[test]
    fn it_says_its_number() {
        assert_eq!(
            words_of("{per_document: 3}"),
            ["Of one document at most the best 3 are kept, and what was promised a place; of one that the question \
              names, all."]
        );
    }
}
