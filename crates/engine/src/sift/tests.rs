//! The gates one after another. Each at, below and above its threshold is tested in its own file.

use ibidem_words::{Promise, Reason};
use proptest::prelude::*;

use super::fixtures::{BOOK, candidate, evidence, gathered, passes, pool};
use super::*;
use crate::policy::{Gate, Policy};

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
fn of_two_gates_that_stop_the_first_in_the_policy_says_why() {
    for (gates, reason) in [
        ("[{top1_similarity: 0.5}, {retrieval_confidence: 0.5}]", Reason::LowSimilarity),
        ("[{retrieval_confidence: 0.5}, {top1_similarity: 0.5}]", Reason::LowConfidence),
    ] {
        let SiftOutcome::Refused { refusal, .. } = sift(gathered("oil", gates, pool(&[0.3]))) else {
            panic!("it stops")
        };
        assert_eq!(refusal.reason, reason, "{gates}");
    }
}

#[test]
fn a_gate_looks_at_all_that_was_found_whatever_the_others_dropped() {
    // The mean of all of them is too low, and would not be without the weak ones.
    let weak = "[{min_similarity: 0.5}, {no_context: {least_hits: 1, least_mean: 0.6}}]";
    assert!(!passes(&sift(gathered("oil", weak, pool(&[0.9, 0.1, 0.1])))));
    // Three of one document stand before the one that answers, and places are for three.
    let four = || {
        let mut four: Vec<Candidate> =
            (0..4).map(|place| candidate(1 + u128::from(place / 3), place, 0.9, &format!("text {place}"))).collect();
        for (candidate, read) in four.iter_mut().zip([0.2, 0.2, 0.2, 0.9]) {
            candidate.rerank = Some(read);
        }
        four
    };
    for gates in [
        "[{keep_best: {at_least: 1}}, {answerability: 0.5}]",
        "[{per_document: 1}, {keep_best: {at_least: 1}}, {answerability: 0.5}]",
    ] {
        let mut gathered = gathered("oil", gates, four());
        gathered.asked.question = gathered.asked.question.with_context_chunks(3);
        let outcome = sift(gathered);
        assert!(passes(&outcome), "what is likeliest to answer is never cut off: {gates}");
        assert!(evidence(&outcome).contains(&3), "and is there to answer from");
    }
    // Of three that are alike in turn, the second is dropped for the first, and the third for the second all the same.
    let words = |from: usize| (from..from + 22).map(|number| format!("w{number}")).collect::<Vec<_>>().join(" ");
    let alike = vec![candidate(1, 0, 0.9, &words(0)), candidate(2, 1, 0.8, &words(1)), candidate(3, 2, 0.7, &words(2))];
    assert_eq!(evidence(&sift(gathered("oil", "[{duplicates: 0.85}]", alike))), [0]);
}

#[test]
fn a_gate_that_drops_behind_one_that_looks_leaves_nothing_to_speak_from() {
    let outcome = sift(gathered("oil", "[{top1_similarity: 0.1}, {min_similarity: 0.999}]", pool(&[0.9])));
    let SiftOutcome::Refused { refusal, .. } = outcome else { panic!("nothing is left to speak from") };
    assert_eq!(refusal.reason, Reason::LowSimilarity);
}

#[test]
fn what_there_was_no_place_for_counts_only_where_no_other_gate_drops_it() {
    for cut in ["", "{keep_best: {at_least: 1}}, "] {
        let gates = format!("[{cut}{{min_similarity: 0.5}}, {{no_context: {{least_hits: 2, least_mean: 0.0}}}}]");
        let mut gathered = gathered("oil", &gates, pool(&[0.9, 0.2]));
        gathered.asked.question = gathered.asked.question.with_context_chunks(1);
        assert!(!passes(&sift(gathered)), "{gates}: of two one is too far away");
    }
}

#[test]
fn gates_that_contradict_themselves_are_refused_with_their_names() {
    for (gates, expected) in [
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
        assert!(error.contains(expected), "{error}");
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

/// A gate with its numbers as a policy file writes it, or the other way in which it can be written. The higher `a` and `b`,
/// the stricter.
fn written(gate: usize, a: f64, b: f64, otherwise: bool) -> String {
    let count = |most: f64, share: f64| (most * share).round();
    match gate {
        0 => format!("{{noise_floor: {{reranked: {a}, otherwise: {b}}}}}"),
        1 => format!("{{min_similarity: {a}}}"),
        2 => format!("{{duplicates: {}}}", 1.0 - 0.7 * a),
        3 => format!("{{per_document: {}}}", 1.0 + count(4.0, 1.0 - a)),
        4 => format!("{{collections: {{default: {{distance_threshold: {}, min_query_coverage: {b}}}}}}}", 1.0 - a),
        5 if otherwise => {
            format!("{{keep_best: {{diverse: {{at_least: {}, likeness: {b}}}}}}}", 1.0 + count(9.0, 1.0 - a))
        }
        5 => format!("{{keep_best: {{at_least: {}}}}}", 1.0 + count(9.0, 1.0 - a)),
        6 => format!("{{top1_similarity: {a}}}"),
        7 => format!("{{answerability: {a}}}"),
        8 if otherwise => format!("{{no_context: {{least_hits: {}, least_mean: {b}, of_best: 3}}}}", count(8.0, a)),
        8 => format!(
            "{{no_context: {{least_hits: {}, least_mean: {b}, clarify: Say, ask_for: [model]}}}}",
            count(8.0, a)
        ),
        9 => format!("{{retrieval_confidence: {a}}}"),
        10 => format!(
            "{{coverage: {{sufficient: {}, least_of_kind: {}, primary_kind: lecture, confident: {}, bail_out: {}}}}}",
            0.7 * a,
            count(4.0, b),
            0.7 * a + 0.3 * b,
            0.5 * a
        ),
        11 => format!("{{missing_keywords: {a}}}"),
        _ => unreachable!("{gate} of {GATES}"),
    }
}

#[test]
fn every_gate_is_among_those_that_are_changed() {
    let names: Vec<&str> = Gate::all().map(|(name, _)| name).collect();
    assert_eq!(names.len(), GATES, "write the new one of {names:?} in `written`, and count it in `GATES`");
}

const GATES: usize = 12;
const TEXTS: [&str; 4] = [
    "The gearbox holds oil and is filled from above by the crew every year in May",
    "The gearbox holds oil and is filled from above by the crew every year in June",
    "The pump has a valve and a seal that are changed when they leak at the flange",
    "Wipers",
];

/// A candidate as chance has it: its document, text, similarity, what a reader gave it, and why it was promised a place.
#[derive(Clone, Debug)]
struct Drawn {
    document: u128,
    text: usize,
    cosine: f32,
    read: Option<f32>,
    promised: Option<Promise>,
    is_lecture: bool,
    is_forced: bool,
}

fn drawn() -> impl Strategy<Value = Drawn> {
    let promises = vec![None, None, None, Some(Promise::Words), Some(Promise::Kind), Some(Promise::Name)];
    let read = prop::option::weighted(0.8, 0.0_f32..1.0);
    let of_one =
        (1_u128..4, 0..TEXTS.len(), 0.0_f32..1.0, read, prop::sample::select(promises), any::<bool>(), any::<bool>());
    of_one.prop_map(|(document, text, cosine, read, promised, is_lecture, is_forced)| Drawn {
        document,
        text,
        cosine,
        read,
        promised,
        is_lecture,
        is_forced,
    })
}

fn of_drawn(pool: &[Drawn], is_read: bool, named: Option<u128>) -> Vec<Candidate> {
    let numbered = (0_u32..).zip(pool);
    numbered
        .map(|(number, drawn)| {
            let mut candidate = candidate(drawn.document, number, drawn.cosine, TEXTS[drawn.text]);
            candidate.passage.kind = drawn.is_lecture.then(|| "lecture".parse().unwrap());
            candidate.rerank = drawn.read.filter(|_| is_read);
            candidate.promised = drawn.promised;
            candidate.forced = drawn.is_forced;
            (candidate.addressed, candidate.on_its_text) = (named == Some(drawn.document), true);
            candidate
        })
        .collect()
}

/// Refused or asked back, and not to be searched again.
fn stops(outcome: &SiftOutcome) -> bool {
    matches!(outcome, SiftOutcome::Refused { .. } | SiftOutcome::Unclear { .. })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    /// Over whole policies: any gates, in any order, with any numbers. Adding one anywhere, or tightening one, never turns a
    /// refusal or a question back into an answer, nor into a wider search.
    #[test]
    fn adding_or_tightening_a_gate_never_turns_a_refusal_into_an_answer(
        pool in prop::collection::vec(drawn(), 0..12),
        is_read in any::<bool>(),
        named in prop::option::weighted(0.2, 1_u128..4),
        order in Just((0..GATES).collect::<Vec<_>>()).prop_shuffle(),
        numbers in prop::collection::vec((0.0_f64..0.8, 0.0_f64..0.8), GATES),
        has in prop::collection::vec(any::<bool>(), GATES),
        changed in 0..GATES,
        more in (0.0_f64..0.2, 0.0_f64..0.2),
        places in 1_usize..8,
        round in 0_u32..2,
        otherwise in any::<bool>(),
    ) {
        let outcome = |stricter: bool| {
            let gates = order.iter().filter(|gate| has[**gate] || (stricter && **gate == changed)).map(|gate| {
                let (a, b) = numbers[*gate];
                let by = if stricter && *gate == changed && has[changed] { more } else { (0.0, 0.0) };
                written(*gate, a + by.0, b + by.1, otherwise)
            });
            let gates = format!("[{}]", gates.collect::<Vec<_>>().join(", "));
            let mut gathered = gathered("gearbox oil valve", &gates, of_drawn(&pool, is_read, named));
            gathered.reranked = is_read;
            gathered.search.round = round;
            gathered.asked.question = gathered.asked.question.with_context_chunks(places);
            (sift(gathered), gates)
        };
        let ((lax, before), (strict, after)) = (outcome(false), outcome(true));
        prop_assert!(!stops(&lax) || stops(&strict), "{before}\n{after}\n{lax:?}\n{strict:?}");
    }
}
