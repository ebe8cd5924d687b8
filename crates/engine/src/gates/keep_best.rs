//! `keep_best`: keeps the best, as many as the question asks for, or as the policy says at least; and beside them what
//! gathering promised a place. Where no policy says when, it is done at the end.

use crate::word_overlap::WordOverlap;
use serde::Deserialize;

use super::{Absent, DropsCandidates, GateRule, Look};
use crate::gates::pool::{BEYOND_THE_BEST, WorkingPool, promised};

#[derive(Clone, Copy, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KeepBest {
    /// As many as the question asks for.
    MaxContextChunks,
    /// As many as the question asks for, and so many at least.
    AtLeast(usize),
    /// The same, and what repeats a better one gives way to what says something else.
    Diverse(Diverse),
}

/// How many are kept at least, and what repeating costs.
#[derive(Clone, Copy, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Diverse {
    pub at_least: usize,
    /// So much of a candidate's likeness to one that is kept already counts against it: 0 for nothing, 1 for all.
    pub likeness: f64,
}

impl KeepBest {
    fn least(&self) -> Option<usize> {
        match self {
            Self::MaxContextChunks => None,
            Self::AtLeast(least) | Self::Diverse(Diverse { at_least: least, .. }) => Some(*least),
        }
    }
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
        let at_least = self.least().map(|least| format!(" and at least {least}")).unwrap_or_default();
        let mut lines = vec![format!(
            "The best are kept, as many as the asker's `max_context_chunks`{at_least}, and beside them what was promised \
             a place."
        )];
        if let Self::Diverse(Diverse { likeness, .. }) = self {
            lines.push(format!(
                "Each but the first is chosen by its probability of answering, or its similarity if no reader read it, \
                 less {likeness} of its likeness to the most alike of those chosen before."
            ));
        }
        lines
    }

    fn shares(&self) -> Vec<(&'static str, f64)> {
        match self {
            Self::Diverse(Diverse { likeness, .. }) => vec![("keep_best.likeness", *likeness)],
            Self::MaxContextChunks | Self::AtLeast(_) => Vec::new(),
        }
    }
}

impl DropsCandidates for KeepBest {
    fn drop_from(&self, pool: &mut WorkingPool<'_>) {
        if let Some(least) = self.least() {
            pool.most_kept = pool.most_kept.max(least);
        }
        if let Self::Diverse(Diverse { likeness, .. }) = self {
            pool.cost_of_likeness = Some(*likeness);
        }
        keep_best(pool);
    }

    fn may_drop_all(&self) -> bool {
        false
    }
}

/// The place of what a reader finds likeliest to answer, the best of equals; of documents that the question names, where it
/// names any.
fn likeliest(pool: &WorkingPool<'_>) -> Option<usize> {
    let is_named = pool.is_named_and_read;
    let asked = pool.kept.iter().enumerate().filter(|(_, one)| !is_named || one.is_named_and_read());
    let read = asked.filter_map(|(place, one)| Some((place, one.answering()?)));
    read.reduce(|best, one| if one.1 > best.1 { one } else { best }).map(|(place, _)| place)
}

/// So many of what is kept, one after the other: the best of what is left, less what its likeness to one of those before
/// costs (maximal marginal relevance). Done again with these and some more of the others, it chooses the same.
fn diverse(pool: &mut WorkingPool<'_>, most: usize, cost: f64) -> Vec<bool> {
    let terms = &pool.terms;
    let worth: Vec<f64> = pool.kept.iter().map(|one| one.answering().unwrap_or_else(|| one.similarity())).collect();
    let overlaps: Vec<&WordOverlap> = pool.kept.iter_mut().map(|candidate| candidate.overlap_with(terms)).collect();
    let mut is_chosen = vec![false; worth.len()];
    let mut likeness = vec![0.0_f64; worth.len()];
    // The first in the order is kept in any case: a gate that drops what repeats a better one never drops that. Then the
    // better of equals is what comes first.
    let mut next = Some(0);
    for _ in 0..most.min(worth.len()) {
        let Some(chosen) = next else { break };
        is_chosen[chosen] = true;
        for (place, likeness) in likeness.iter_mut().enumerate() {
            *likeness = likeness.max(overlaps[place].likeness(overlaps[chosen]).unwrap_or(0.0));
        }
        let value = |place: &usize| worth[*place] - cost * likeness[*place];
        let left = (0..worth.len()).filter(|place| !is_chosen[*place]);
        next = left.reduce(|best, one| if value(&one) > value(&best) { one } else { best });
    }
    is_chosen
}

/// The best, and what was promised a place: of a document that was named, as many as of all others. Doing it again changes
/// nothing.
pub(crate) fn keep_best(pool: &mut WorkingPool<'_>) {
    let most = pool.most_kept;
    if pool.kept.len() <= most {
        return;
    }
    let mut passing = match pool.cost_of_likeness {
        Some(cost) => diverse(pool, most, cost),
        None => (0..pool.kept.len()).map(|place| place < most).collect(),
    };
    // What the reader finds likeliest is never cut off: whether the question is answered hangs on it.
    if let Some(likeliest) = likeliest(pool).filter(|_| pool.gates_look_alone) {
        passing[likeliest] = true;
    }
    let promised = promised(&pool.kept, &passing, most);
    let keeps: Vec<bool> = passing.iter().zip(&promised).map(|(passes, is_promised)| *passes || *is_promised).collect();
    pool.drop_kept_but(BEYOND_THE_BEST, &keeps);
    let count = promised.iter().filter(|is_promised| **is_promised).count();
    pool.record_promises(KeepBest::name(), count, most as f64);
}

#[cfg(test)]
mod tests {
    use crate::candidate::Candidate;
    use ibidem_words::Promise;

    use super::super::tests::{contradictions_of, words_of};
    use crate::sift::fixtures::{candidate, evidence, gathered, passes, pool};
    use crate::sift::sift;

    #[test]
    fn the_best_stay_wherever_the_gate_stands_and_others_see_what_it_cut_off() {
        let mean = "{no_context: {least_hits: 1, least_mean: 0.5}}";
        let cases = [
            format!("[{{keep_best: max_context_chunks}}, {mean}]"),
            format!("[{mean}, {{keep_best: max_context_chunks}}]"),
            format!("[{mean}]"),
        ];
        for gates in cases {
            let mut gathered = gathered("oil", &gates, pool(&[0.9, 0.6, 0.1, 0.1]));
            gathered.asked.question.max_context_chunks = 2;
            let found = sift(gathered);
            assert_eq!(evidence(&found), [0, 1], "{gates}");
            assert!(!passes(&found), "the mean is of all that was found: {gates}");
        }
    }

    #[test]
    fn what_a_gate_behind_it_drops_leaves_its_place_to_the_next_best() {
        for gates in ["[{keep_best: max_context_chunks}, {min_similarity: 0.5}]", "[{min_similarity: 0.5}]"] {
            assert_eq!(kept(gates, pool(&[0.1, 0.1, 0.9, 0.8, 0.7]), 2), [2, 3], "{gates}");
        }
    }

    fn kept(gates: &str, candidates: Vec<Candidate>, most: usize) -> Vec<u32> {
        let mut gathered = gathered("oil", gates, candidates);
        gathered.asked.question.max_context_chunks = most;
        evidence(&sift(gathered))
    }

    #[test]
    fn what_was_promised_a_place_is_kept_beside_the_best_wherever_the_gate_stands() {
        let mut candidates = pool(&[0.9, 0.8, 0.7, 0.6, 0.5]);
        candidates[3].promised = Some(Promise::Kind);
        for gates in ["[]", "[{keep_best: max_context_chunks}]"] {
            assert_eq!(kept(gates, candidates.clone(), 2), [0, 1, 3], "{gates}");
        }
        let mut gathered = gathered("oil", "[{keep_best: max_context_chunks}]", candidates);
        gathered.asked.question.max_context_chunks = 2;
        let outcome = sift(gathered);
        let kept = outcome.sifted().log.trace.iter().filter(|record| record.gate == "keep_best_promised");
        assert_eq!(kept.map(|record| record.observed).collect::<Vec<_>>(), [1.0]);
    }

    #[test]
    fn of_each_document_that_was_named_as_many_are_kept_as_of_all_others() {
        let named = |document, chunk| candidate(document, chunk, 0.9, &format!("text {chunk}")).promised(Promise::Name);
        let candidates = (0..4).map(|chunk| named(1, chunk)).chain((4..8).map(|chunk| named(2, chunk))).collect();
        assert_eq!(kept("[]", candidates, 2), [0, 1, 4, 5]);
    }

    #[test]
    fn the_policy_may_keep_more_than_the_question_asks_for() {
        let at_least = "[{keep_best: {at_least: 3}}]";
        assert_eq!(kept(at_least, pool(&[0.9, 0.8, 0.7, 0.6]), 2), [0, 1, 2]);
        assert_eq!(kept(at_least, pool(&[0.9, 0.8, 0.7, 0.6]), 4), [0, 1, 2, 3]);
    }

    #[test]
    fn what_repeats_a_better_one_gives_way_to_what_says_something_else() {
        let oil = "The gearbox holds 1.8 litres of oil, which is changed every 40,000 km by the workshop";
        let texts = [oil, &format!("{oil} in spring"), &format!("{oil} in autumn"), "The pump has a valve and a seal"];
        let candidates: Vec<Candidate> = (0_u32..)
            .zip(texts)
            .map(|(place, text)| candidate(u128::from(place), place, 0.9 - 0.1 * place as f32, text))
            .collect();
        let diverse = |likeness: f64| format!("[{{keep_best: {{diverse: {{at_least: 2, likeness: {likeness}}}}}}}]");
        assert_eq!(kept(&diverse(0.3), candidates.clone(), 1), [0, 3]);
        assert_eq!(kept(&diverse(0.0), candidates.clone(), 1), [0, 1]);
        // A few that were promised a place change nothing of the choice, however often it is made.
        let mut promised = candidates;
        promised[2].promised = Some(Promise::Kind);
        assert_eq!(kept(&diverse(0.3), promised, 1), [0, 2, 3]);
        let too_much = contradictions_of("[{keep_best: {diverse: {at_least: 8, likeness: 1.5}}}]");
        assert_eq!(too_much, ["sift.keep_best.likeness must be between 0 and 1"]);
    }

    #[test]
    fn it_says_whose_number_it_is() {
        assert_eq!(
            words_of("{keep_best: max_context_chunks}"),
            ["The best are kept, as many as the asker's `max_context_chunks`, and beside them what was promised a \
              place."]
        );
        let [line] = &words_of("{keep_best: {at_least: 16}}")[..] else { panic!("one line") };
        assert!(line.contains("`max_context_chunks` and at least 16,"), "{line}");
        let [_, how] = &words_of("{keep_best: {diverse: {at_least: 8, likeness: 0.3}}}")[..] else {
            panic!("two lines")
        };
        assert!(how.contains("less 0.3 of its likeness"), "{how}");
    }
}
