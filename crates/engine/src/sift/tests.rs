//! Each gate at, below and above its threshold.

use std::sync::Arc;

use chrono::DateTime;
use ibidem_words::fakes::passage;
use ibidem_words::ports::catalogue::CataloguePassage;
use ibidem_words::{DocumentId, Identity, PassageKey, Question, Reason, Role, Scope, Subject, TenantId};
use proptest::prelude::*;
use uuid::Uuid;

use super::*;
use crate::policy::Policy;
use crate::turn::{Asked, SearchRecord, TurnLog};

const BOOK: &str = include_str!("../../../../policies/book.yaml");

fn candidate(document: u128, chunk_index: u32, cosine: f32, text: &str) -> Candidate {
    let passage = CataloguePassage {
        passage: PassageKey { document: DocumentId(Uuid::from_u128(document)), version: 1, chunk_index },
        title: "A book".to_owned(),
        ..passage(document, &"Book".parse().unwrap(), text)
    };
    Candidate { cosine: Some(cosine), bm25: Some(1.0), ..Candidate::unscored(passage) }
}

/// The book's policy with these gates in place of its own.
fn gathered(query: &str, gates: &str, candidates: Vec<Candidate>) -> Gathered {
    let mut policy = Policy::parse(BOOK).unwrap();
    if !gates.is_empty() {
        policy.rules.sift = serde_saphyr::from_str(&format!("gates: {gates}")).unwrap();
    }
    let identity = Identity {
        tenant: TenantId::named("t"),
        subject: Subject::for_tests("s"),
        role: Role::Asker,
        tags: Default::default(),
    };
    let asked = Asked {
        request_id: Uuid::nil(),
        at: DateTime::UNIX_EPOCH,
        scope: Scope::of(&identity),
        question: Question::new(query),
        policy: Arc::new(policy),
    };
    Gathered {
        asked,
        candidates,
        reranked: false,
        background: Vec::new(),
        log: TurnLog::default(),
        search: SearchRecord::default(),
    }
}

fn evidence(sieve: &Sieve) -> Vec<u32> {
    let (Sieve::Through(sifted)
    | Sieve::Stopped { sifted, .. }
    | Sieve::Unclear { sifted, .. }
    | Sieve::Thin { sifted, .. }) = sieve;
    sifted.evidence.iter().map(|candidate| candidate.passage.passage.chunk_index).collect()
}

fn passes(sieve: &Sieve) -> bool {
    matches!(sieve, Sieve::Through(_))
}

/// One candidate for each cosine, of its own document, with a text of its own.
fn pool(cosines: &[f32]) -> Vec<Candidate> {
    let numbered = (0_u32..).zip(cosines);
    numbered
        .map(|(number, cosine)| candidate(u128::from(number) + 1, number, *cosine, &format!("text {number}")))
        .collect()
}

#[test]
fn top1_similarity_refuses_below_and_passes_at_its_threshold() {
    for (cosine, expected) in [(0.6999, false), (0.7, true), (0.7001, true), (0.62, false)] {
        assert_eq!(passes(&sift(gathered("oil", "", pool(&[cosine])))), expected, "{cosine}");
    }
}

#[test]
fn a_refusal_names_the_numbers_that_decided() {
    for (cosine, said) in [(0.62, "(0.62)"), (0.6996, "(0.6996)"), (0.5, "(0.5)")] {
        let Sieve::Stopped { refusal, sifted } = sift(gathered("oil", "", pool(&[cosine]))) else {
            panic!("{cosine} is below");
        };
        assert_eq!(refusal.reason, Reason::LowSimilarity);
        assert_eq!(refusal.explanation, format!("Top-1 similarity {said} below threshold (0.7)"));
        let gate = sifted.log.trace.last().unwrap();
        assert_eq!((gate.gate.as_str(), gate.verdict, gate.threshold), ("top1_similarity", Verdict::Stop, 0.7));
    }
}

#[test]
fn nothing_found_is_refused_as_such() {
    for gates in ["", "[]", "[{no_context: {least_hits: 3, least_mean: 0.5}}]"] {
        let Sieve::Stopped { refusal, .. } = sift(gathered("oil", gates, Vec::new())) else { panic!("nothing to say") };
        assert_eq!(refusal.reason, Reason::NoResults);
    }
}

#[test]
fn the_noise_floor_drops_below_itself_and_spares_forced_hits() {
    let pool = || {
        let mut pool = pool(&[0.9, 0.45, 0.4499, 0.18, 0.1799, 0.1]);
        pool[5].forced = true;
        pool
    };
    let gates = "[{noise_floor: {reranked: 0.18, otherwise: 0.45}}]";
    let most = |reranked: bool| {
        let mut gathered = gathered("oil", gates, pool());
        gathered.asked.question.max_context_chunks = 20;
        sift(Gathered { reranked, ..gathered })
    };
    assert_eq!(evidence(&most(false)), [0, 1, 5]);
    assert_eq!(evidence(&most(true)), [0, 1, 2, 3, 5], "a reranker tells noise better");
}

#[test]
fn the_minimum_similarity_drops_below_itself_and_spares_nobody() {
    let mut pool = pool(&[0.9, 0.3, 0.2999]);
    pool[2].forced = true;
    assert_eq!(evidence(&sift(gathered("oil", "[{min_similarity: 0.3}]", pool))), [0, 1]);
}

#[test]
fn of_two_texts_that_say_the_same_the_better_stays() {
    let text = "The gearbox holds 1.8 litres of oil and is filled from above";
    let pool = vec![
        candidate(1, 0, 0.9, text),
        candidate(2, 1, 0.8, &text.to_uppercase()),
        candidate(3, 2, 0.8, "Something else entirely about wipers"),
    ];
    assert_eq!(evidence(&sift(gathered("oil", "", pool.clone()))), [0, 2]);
    assert_eq!(evidence(&sift(gathered("oil", "[]", pool))), [0, 1, 2]);
}

#[test]
fn duplicates_are_more_alike_than_the_threshold_not_as_alike() {
    // Nineteen of twenty runs in common: 0.9 and less drops, 0.95 does not.
    let words: Vec<String> = (0..22).map(|number| format!("w{number}")).collect();
    let (one, other) = (words[..21].join(" "), words[1..].join(" "));
    for (most, kept) in [("0.89", 1), ("0.9", 2), ("0.91", 2)] {
        let pool = vec![candidate(1, 0, 0.9, &one), candidate(2, 1, 0.8, &other)];
        let kept_now = evidence(&sift(gathered("oil", &format!("[{{duplicates: {most}}}]"), pool))).len();
        assert_eq!(kept_now, kept, "{most}");
    }
}

#[test]
fn a_document_brings_at_most_so_many_passages() {
    let pool =
        |count: u32| (0..count).map(|place| candidate(1, place, 0.9, &format!("text {place} {}", place * 7))).collect();
    for (count, kept) in [(2, 2), (3, 3), (4, 3)] {
        assert_eq!(evidence(&sift(gathered("oil", "[{per_document: 3}]", pool(count)))).len(), kept, "{count}");
    }
}

/// The numbers of the policy `architecture`.
const COLLECTIONS: &str =
    "[{collections: {default: {distance_threshold: 0.50, min_query_coverage: 0.20}, collections: {
    ADR: {distance_threshold: 0.45, min_query_coverage: 0.20},
    Vocabulary: {distance_threshold: 0.35, min_query_coverage: 0.30},
    Principle: {distance_threshold: 0.50, min_query_coverage: 0.15},
    Policy: {distance_threshold: 0.50, min_query_coverage: 0.20}}}}]";

#[test]
fn each_collection_has_its_own_distance_and_its_own_coverage() {
    // Twenty words that mean something: a share of 0.05 each.
    let words: Vec<String> = ('b'..='u').map(|letter| letter.to_string().repeat(6)).collect();
    let query = words.join(" ");
    for (collection, distance, least) in [
        ("ADR", 0.45_f32, 4),
        ("Vocabulary", 0.35, 6),
        ("Principle", 0.50, 3),
        ("Policy", 0.50, 4),
        ("Handbook", 0.50, 4),
        ("adr", 0.45, 4),
    ] {
        let within = |cosine: f32, has: usize| {
            let mut one = candidate(1, 0, cosine, &words[..has].join(" and "));
            one.passage.collection = collection.parse().unwrap();
            passes(&sift(gathered(&query, COLLECTIONS, vec![one])))
        };
        let at = 1.0 - distance;
        assert!(within(at, 20) && within(at + 0.001, 20) && !within(at - 0.001, 20), "{collection}");
        assert!(within(0.9, least) && within(0.9, least + 1) && !within(0.9, least - 1), "{collection}");
    }
}

const NO_CONTEXT: &str = "[{no_context: {least_hits: 3, least_mean: 0.5}}]";

#[test]
fn too_few_hits_or_too_weak_a_mean_is_no_context() {
    for (cosines, expected) in [
        (vec![0.5, 0.5, 0.5], None),
        (vec![0.5, 0.5, 0.4996], Some("Mean similarity (0.4999) below threshold (0.5)")),
        (vec![0.9, 0.9], Some("Hits (2) below threshold (3)")),
        (vec![0.9, 0.9, 0.1], None),
        (vec![0.31, 0.28, 0.25], Some("Mean similarity (0.28) below threshold (0.5)")),
    ] {
        let said = match sift(gathered("oil", NO_CONTEXT, pool(&cosines))) {
            Sieve::Stopped { refusal, .. } => Some(refusal.explanation),
            _ => None,
        };
        assert_eq!(said.as_deref(), expected, "{cosines:?}");
    }
}

#[test]
fn where_the_policy_knows_what_to_ask_no_context_is_asked_back() {
    let gates = "[{no_context: {least_hits: 3, least_mean: 0.5, clarify: 'Please clarify:', ask_for: [device model, symptoms]}}]";
    let Sieve::Unclear { refusal, text, .. } = sift(gathered("oil", gates, pool(&[0.41]))) else {
        panic!("it asks back");
    };
    assert_eq!(text, "Please clarify:\n- device model\n- symptoms");
    assert_eq!((refusal.reason, refusal.suggestions.len()), (Reason::LowSimilarity, 2));
}

/// The rule of the policy `lectures`.
const COVERAGE: &str =
    "[{coverage: {sufficient: 0.55, least_of_kind: 2, primary_kind: lecture, confident: 0.65, bail_out: 0.40}}]";

#[test]
fn coverage_is_sufficient_confident_worth_another_round_or_hopeless() {
    let sieve = |cosine: f32, lectures: usize, round: u32| {
        let mut pool = pool(&[cosine, 0.3, 0.3]);
        for candidate in pool.iter_mut().take(lectures) {
            candidate.passage.kind = Some("lecture".parse().unwrap());
        }
        let mut gathered = gathered("oil", COVERAGE, pool);
        gathered.search.round = round;
        match sift(gathered) {
            Sieve::Through(_) => "through",
            Sieve::Thin { .. } => "again",
            Sieve::Stopped { refusal, .. } => {
                assert_eq!(refusal.reason, Reason::LowCoverage);
                "stopped"
            }
            Sieve::Unclear { .. } => "unclear",
        }
    };
    for (cosine, lectures, expected) in [
        (0.55, 2, "through"),
        (0.5499, 2, "again"),
        (0.55, 1, "again"),
        (0.5501, 3, "through"),
        (0.65, 0, "through"),
        (0.6499, 0, "again"),
        (0.6501, 0, "through"),
        (0.40, 2, "again"),
        (0.3999, 2, "stopped"),
        (0.4001, 0, "again"),
    ] {
        assert_eq!(sieve(cosine, lectures, 0), expected, "{cosine} {lectures}");
        let later = if expected == "again" { "stopped" } else { expected };
        assert_eq!(sieve(cosine, lectures, 1), later, "{cosine} {lectures}, in the second round");
    }
}

#[test]
fn missing_words_warn_and_never_refuse() {
    let Sieve::Through(sifted) =
        sift(gathered("How much oil does the turbine take?", "", vec![candidate(1, 0, 0.9, "Oil is taken.")]))
    else {
        panic!("a warning does not refuse");
    };
    assert_eq!(sifted.log.warnings, ["The sources do not mention: turbine"]);
    assert_eq!(sifted.log.trace.last().unwrap().verdict, Verdict::Warn);
    let Sieve::Through(sifted) = sift(gathered("oil", "", vec![candidate(1, 0, 0.9, "Oil is taken.")])) else {
        panic!("nothing is missing");
    };
    assert!(sifted.log.warnings.is_empty());
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
    let sieve = sift(gathered("oil", "[{top1_similarity: 0.1}, {min_similarity: 0.999}]", pool(&[0.9])));
    let Sieve::Stopped { refusal, .. } = sieve else { panic!("nothing is left to speak from") };
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
        gate in 0_usize..6,
        threshold in 0.0_f64..0.9,
        more in 0.0_f64..0.1,
    ) {
        let answers = |threshold: f64| {
            let gates = match gate {
                0 => format!("[{{top1_similarity: {threshold}}}]"),
                1 => format!("[{{min_similarity: {threshold}}}, {{top1_similarity: 0.4}}]"),
                2 => format!("[{{noise_floor: {{reranked: 0.1, otherwise: {threshold}}}}}, {{top1_similarity: 0.4}}]"),
                3 => format!("[{{no_context: {{least_hits: 2, least_mean: {threshold}}}}}]"),
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
            passes(&sift(gathered("oil", &gates, pool)))
        };
        prop_assert!(answers(threshold) || !answers(threshold + more));
    }
}

#[test]
fn test_deduplicate_chunks() {
    let text = "Leave of up to five days may be carried over into the next year by all staff";
    let candidates =
        vec![candidate(1, 0, 0.9, text), candidate(2, 1, 0.8, text), candidate(3, 2, 0.7, "Meals are paid")];
    assert_eq!(evidence(&sift(gathered("leave", "[{duplicates: 0.9}]", candidates))), [0, 2]);
}

#[test]
fn test_limit_per_document() {
    let candidates: Vec<Candidate> =
        (0..5_u32).map(|number| candidate(1, number, 0.9, &format!("text {number}"))).collect();
    assert_eq!(evidence(&sift(gathered("leave", "[{per_document: 3}]", candidates))), [0, 1, 2]);
}

#[test]
fn where_meaning_was_not_searched_the_share_of_the_words_stands_in_and_costs_a_fifth() {
    for (text, passes_it) in [("leave days carried over", true), ("leave days", false)] {
        let by_words = Candidate { cosine: None, ..candidate(1, 0, 0.0, text) };
        let mut gathered = gathered("leave days carried year", "[{retrieval_confidence: 0.5}]", vec![by_words]);
        gathered.log.fallback_reasons = vec!["bm25_only".to_owned(), "circuit_open".to_owned()];
        let sieve = sift(gathered);
        assert_eq!(passes(&sieve), passes_it, "{text}");
        if let Sieve::Stopped { refusal, .. } = sieve {
            assert_eq!(refusal.explanation, "Retrieval confidence (0.4) below threshold (0.5)");
            assert_eq!(refusal.reason, Reason::LowConfidence);
        }
    }
}

#[test]
fn retrieval_confidence_refuses_below_and_passes_at_its_threshold() {
    for (cosine, expected) in [(0.4989, false), (0.5, true), (0.5011, true)] {
        let found = sift(gathered("oil", "[{retrieval_confidence: 0.5}]", pool(&[cosine])));
        assert_eq!(passes(&found), expected, "{cosine}");
    }
}
