//! Each gate at, below and above its threshold.

use std::sync::Arc;

use chrono::DateTime;
use uuid::Uuid;

use super::*;
use crate::policy::Policy;
use crate::ports::catalogue::CataloguePassage;
use crate::turn::{Asked, SearchRecord};
use crate::words::{CharSpan, DocumentId, Identity, PassageKey, Question, Role, Scope, Sha256Hash, TenantId};

const BOOK: &str = include_str!("../../../../policies/book.yaml");

fn candidate(document: u128, chunk_index: u32, cosine: f32, text: &str) -> Candidate {
    let passage = CataloguePassage {
        passage: PassageKey { document: DocumentId(Uuid::from_u128(document)), version: 1, chunk_index },
        collection: "Book".parse().unwrap(),
        kind: None,
        title: "A book".to_owned(),
        address: None,
        source_location: "book.pdf".to_owned(),
        updated_at: DateTime::UNIX_EPOCH,
        section: None,
        page: None,
        span: CharSpan { start: 0, end: 1 },
        text: text.to_owned(),
        tokens: 8,
        document_sha256: Sha256Hash::of(b"book"),
    };
    Candidate { cosine: Some(cosine), bm25: Some(1.0), ..Candidate::unscored(passage) }
}

fn gathered(query: &str, change: impl FnOnce(&mut SiftRules), candidates: Vec<Candidate>) -> Gathered {
    let mut policy = Policy::parse(BOOK).unwrap();
    change(&mut policy.rules.sift);
    let identity =
        Identity { tenant: TenantId::named("t"), subject: "s".to_owned(), role: Role::Asker, tags: Default::default() };
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
        fallback_reasons: Vec::new(),
        warnings: Vec::new(),
        search: SearchRecord::default(),
    }
}

fn evidence(sieve: &Sieve) -> Vec<u32> {
    let (Sieve::Through(sifted) | Sieve::Stopped { sifted, .. }) = sieve;
    sifted.evidence.iter().map(|candidate| candidate.passage.passage.chunk_index).collect()
}

#[test]
fn top1_similarity_refuses_below_and_passes_at_its_threshold() {
    for (cosine, passes) in [(0.6999, false), (0.7, true), (0.7001, true), (0.62, false)] {
        let sieve = sift(gathered("oil", |_| (), vec![candidate(1, 0, cosine, "oil")]));
        assert_eq!(matches!(sieve, Sieve::Through(_)), passes, "{cosine}");
    }
}

#[test]
fn a_refusal_names_the_numbers_that_decided() {
    for (cosine, said) in [(0.62, "(0.62)"), (0.6996, "(0.6996)"), (0.5, "(0.5)")] {
        let Sieve::Stopped { refusal, sifted } = sift(gathered("oil", |_| (), vec![candidate(1, 0, cosine, "oil")]))
        else {
            panic!("{cosine} is below");
        };
        assert_eq!(refusal.reason, Reason::LowSimilarity);
        assert_eq!(refusal.explanation, format!("Top-1 similarity {said} below threshold (0.7)"));
        let gate = sifted.trace.last().unwrap();
        assert_eq!((gate.gate.as_str(), gate.verdict, gate.threshold), ("top1_similarity", Verdict::Stop, 0.7));
    }
}

#[test]
fn nothing_found_is_refused_as_such() {
    let Sieve::Stopped { refusal, .. } = sift(gathered("oil", |_| (), Vec::new())) else { panic!("nothing to say") };
    assert_eq!(refusal.reason, Reason::NoResults);
}

#[test]
fn the_noise_floor_drops_below_itself_and_spares_forced_hits() {
    let pool = || {
        let mut forced = candidate(3, 3, 0.1, "c");
        forced.forced = true;
        vec![candidate(1, 0, 0.9, "a"), candidate(2, 1, 0.45, "b"), candidate(4, 2, 0.4499, "d"), forced]
    };
    let sieve = sift(gathered("oil", |rules| rules.noise_floor = Some(0.45), pool()));
    assert_eq!(evidence(&sieve), [0, 1, 3]);
    // The minimum similarity spares nobody.
    let sieve = sift(gathered("oil", |rules| rules.min_similarity = Some(0.3), pool()));
    assert_eq!(evidence(&sieve), [0, 1, 2]);
}

#[test]
fn of_two_texts_that_say_the_same_the_better_stays() {
    let text = "The gearbox holds 1.8 litres of oil and is filled from above";
    let pool = vec![
        candidate(1, 0, 0.9, text),
        candidate(2, 1, 0.8, &text.to_uppercase()),
        candidate(3, 2, 0.8, "Something else entirely about wipers"),
    ];
    assert_eq!(evidence(&sift(gathered("oil", |_| (), pool.clone()))), [0, 2]);
    assert_eq!(evidence(&sift(gathered("oil", |rules| rules.duplicates = None, pool))), [0, 1, 2]);
}

#[test]
fn a_document_brings_at_most_so_many_passages() {
    let pool =
        |count: u32| (0..count).map(|place| candidate(1, place, 0.9, &format!("text {place} {}", place * 7))).collect();
    for (count, kept) in [(2, 2), (3, 3), (4, 3)] {
        let sieve = sift(gathered("oil", |rules| rules.per_document = Some(3), pool(count)));
        assert_eq!(evidence(&sieve).len(), kept, "{count}");
    }
}

#[test]
fn missing_words_warn_and_never_refuse() {
    let Sieve::Through(sifted) =
        sift(gathered("How much oil does the turbine take?", |_| (), vec![candidate(1, 0, 0.9, "Oil is taken.")]))
    else {
        panic!("a warning does not refuse");
    };
    assert_eq!(sifted.warnings, ["The sources do not mention: turbine"]);
    assert_eq!(sifted.trace.last().unwrap().verdict, Verdict::Warn);
    let Sieve::Through(sifted) = sift(gathered("oil", |_| (), vec![candidate(1, 0, 0.9, "Oil is taken.")])) else {
        panic!("nothing is missing");
    };
    assert!(sifted.warnings.is_empty());
}
