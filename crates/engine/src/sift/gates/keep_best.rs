//! `keep_best`: keeps the best, as many as the question asks for. Where no policy says when, it is done at the end.

use serde::Deserialize;

use super::{Absent, DropsCandidates, GateRule, Look};
use crate::sift::pool::WorkingPool;

/// There is nothing to say about it: the number is the question's.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KeepBest {
    MaxContextChunks,
}

impl GateRule for KeepBest {
    fn name() -> &'static str {
        "keep_best"
    }

    fn when_absent() -> Absent {
        Absent::Still("What is beyond the asker's `max_context_chunks` is dropped.")
    }

    fn look(&self) -> Look<'_> {
        Look::AtEach(self)
    }

    fn words(&self) -> Vec<String> {
        vec!["The best are kept, as many as the asker's `max_context_chunks`.".to_owned()]
    }

    fn shares(&self) -> Vec<(&'static str, f64)> {
        Vec::new()
    }
}

impl DropsCandidates for KeepBest {
    fn drop_from(&self, pool: &mut WorkingPool<'_>) {
        keep_best(pool);
    }

    fn may_drop_all(&self) -> bool {
        false
    }
}

/// The best, as many as the question asks for. Doing it again changes nothing.
pub(in crate::sift) fn keep_best(pool: &mut WorkingPool<'_>) {
    let beyond = pool.kept.split_off(pool.kept.len().min(pool.most_kept));
    pool.dropped.extend(beyond.into_iter().map(|candidate| ("max_context_chunks", candidate)));
}

#[cfg(test)]
mod tests {
    use super::super::tests::words_of;
    use crate::sift::fixtures::{evidence, gathered, passes, pool};
    use crate::sift::sift;

    #[test]
    fn the_best_stay_and_the_gate_says_only_when() {
        let mean = "{no_context: {least_hits: 1, least_mean: 0.5}}";
        let cases = [
            (format!("[{{keep_best: max_context_chunks}}, {mean}]"), true),
            (format!("[{mean}, {{keep_best: max_context_chunks}}]"), false),
            (format!("[{mean}]"), false),
        ];
        for (gates, expected) in cases {
            let mut gathered = gathered("oil", &gates, pool(&[0.9, 0.6, 0.1, 0.1]));
            gathered.asked.question.max_context_chunks = 2;
            let found = sift(gathered);
            assert_eq!(evidence(&found), [0, 1], "{gates}");
            assert_eq!(passes(&found), expected, "{gates}");
        }
    }

    #[test]
    fn it_says_whose_number_it_is() {
        let said = ["The best are kept, as many as the asker's `max_context_chunks`."];
        assert_eq!(words_of("{keep_best: max_context_chunks}"), said);
    }
}
