//! The gates one after another. Each at, below and above its threshold is tested in its own file.

use ibidem_words::{Promise, Reason};
use proptest::prelude::*;

use super::fixtures::{BOOK, candidate, gathered, passes, pool};
use super::*;
use crate::policy::Policy;

#[test]
fn nothing_found_is_refused_as_such() {
    for gates in ["", "[]", "[{no_context: {least_hits: 3, least_mean: 0.5}}]"] {
        let SiftOutcome::Refused { refusal, .. } = sift(gathered("oil", gates, Vec::new())) else {
            panic!("nothing to say")
        };
        assert_eq!(refusal.reason, Reason::NoResults);
    }
}

#[test]
fn the_order_of_the_gates_is_the_policys() {
    // Three passages of one document, and a mean that only all of them together miss.
    let pool: Vec<Candidate> =
        (0..3).map(|place| candidate(1, place, if place == 0 { 0.9 } else { 0.2 }, &format!("text {place}"))).collect();
    let first = "[{per_document: 1}, {no_context: {least_hits: 1, least_mean: 0.5}}]";
    assert!(passes(&sift(gathered("oil", first, pool.clone()))));
    let last = "[{no_context: {least_hits: 1, least_mean: 0.5}}, {per_document: 1}]";
    assert!(!passes(&sift(gathered("oil", last, pool))));
}

#[test]
fn a_gate_that_drops_behind_one_that_looks_leaves_nothing_to_speak_from() {
    let outcome = sift(gathered("oil", "[{top1_similarity: 0.1}, {min_similarity: 0.999}]", pool(&[0.9])));
    let SiftOutcome::Refused { refusal, .. } = outcome else { panic!("nothing is left to speak from") };
    assert_eq!(refusal.reason, Reason::LowSimilarity);
}

#[test]
fn gates_that_contradict_themselves_are_refused_with_their_names() {
    for (gates, said) in [
        ("[{top1_similarity: 1.5}]", "top1_similarity must be between 0 and 1"),
        ("[{per_document: 0}]", "per_document is 0"),
        ("[{duplicates: 0.9}, {duplicates: 0.8}]", "stands there twice"),
        ("[{coverage: {sufficient: 0.7, least_of_kind: 2, confident: 0.6, bail_out: 0.4}}]", "rising order"),
    ] {
        let text = BOOK.split_once("\nsift:").unwrap().0.to_owned()
            + "\nsift: {gates: "
            + gates
            + "}\n\nspeak:"
            + BOOK.split_once("\nspeak:").unwrap().1;
        let error = Policy::parse(&text).unwrap_err().to_string();
        assert!(error.contains(said), "{error}");
    }
}

proptest! {
    /// Raising any threshold that refuses never turns a refusal into an answer.
    #[test]
    fn a_stricter_threshold_never_answers_more(
        cosines in prop::collection::vec(0.0_f32..1.0, 0..12),
        lectures in 0_usize..4,
        gate in 0_usize..8,
        promised in prop::collection::vec(prop::sample::select(vec![None, Some(Promise::Words), Some(Promise::Name)]), 12),
        read in prop::collection::vec(0.0_f32..1.0, 12),
        threshold in 0.0_f64..0.9,
        more in 0.0_f64..0.1,
    ) {
        let answers = |threshold: f64| {
            let gates = match gate {
                0 => format!("[{{top1_similarity: {threshold}}}]"),
                1 => format!("[{{min_similarity: {threshold}}}, {{top1_similarity: 0.4}}]"),
                2 => format!("[{{noise_floor: {{reranked: 0.1, otherwise: {threshold}}}}}, {{top1_similarity: 0.4}}]"),
                3 => format!("[{{no_context: {{least_hits: 2, least_mean: {threshold}}}}}]"),
                6 => format!("[{{min_similarity: {threshold}}}]"),
                // The fewer are kept, the stricter.
                7 => format!("[{{keep_best: {{at_least: {}}}}}, {{answerability: 0.5}}]", if threshold > 0.4 { 6 } else { 9 }),
                4 => format!("[{{no_context: {{least_hits: {:.0}, least_mean: 0.3}}}}]", threshold * 12.0),
                _ => format!(
                    "[{{coverage: {{sufficient: {threshold}, least_of_kind: 2, primary_kind: lecture, confident: 1.0, \
                     bail_out: 0.0}}}}]"
                ),
            };
            let mut pool = pool(&cosines);
            for candidate in pool.iter_mut().take(lectures) {
                candidate.passage.kind = Some("lecture".parse().unwrap());
            }
            for ((candidate, promised), read) in pool.iter_mut().zip(&promised).zip(&read) {
                candidate.promised = *promised;
                candidate.rerank = (gate == 7).then_some(*read);
            }
            passes(&sift(gathered("oil", &gates, pool)))
        };
        prop_assert!(answers(threshold) || !answers(threshold + more));
    }
}
