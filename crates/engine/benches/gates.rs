//! What the gates cost: 60 candidates of about a hundred words, under each policy that comes with the binary. The
//! candidates' words are read before, while gathering; what that costs stands beside it, and what it costs to make such
//! a decision again from its record, and from its record's JSON.
//! `cargo bench -p ibidem-engine --bench gates`

#![allow(clippy::unwrap_used, reason = "a bench that cannot be set up has nothing to measure")]

use std::sync::Arc;

use chrono::DateTime;
use divan::Bencher;
use ibidem_engine::candidate::Candidate;
use ibidem_engine::policy::Policy;
use ibidem_engine::replay::Replay;
use ibidem_engine::sift::sift;
use ibidem_engine::turn::{Asked, Gathered, SearchRecord, TurnLog};
use ibidem_language::Terms;
use ibidem_ports::catalogue::CataloguePassage;
use ibidem_ports::degrade::Deadline;
use ibidem_ports::records::{CandidateRecord, DecisionRecord, PoolRecord};
use ibidem_words::{Action, CharSpan, DocumentId, Identity, PassageKey, Question, Scope, Sha256Hash, TenantId};
use uuid::Uuid;

const CANDIDATES: u32 = 60;
const QUESTION: &str = "How long are backups of the customer register kept, and who may restore them?";

const POLICIES: [(&str, &str); 6] = [
    ("architecture", include_str!("../../../policies/architecture.yaml")),
    ("book", include_str!("../../../policies/book.yaml")),
    ("default", include_str!("../../../policies/default.yaml")),
    ("handbook", include_str!("../../../policies/handbook.yaml")),
    ("lectures", include_str!("../../../policies/lectures.yaml")),
    ("support", include_str!("../../../policies/support.yaml")),
];

fn main() {
    divan::main();
}

#[divan::bench(args = POLICIES.map(|(name, _)| name))]
fn gates(bencher: Bencher, name: &str) {
    let text = POLICIES.iter().find(|(other, _)| *other == name).unwrap().1;
    let mut gathered = gathered(Arc::new(Policy::parse(text).unwrap()));
    count_terms(&mut gathered.candidates);
    bencher.with_inputs(|| gathered.clone()).bench_values(sift);
}

#[divan::bench]
fn reading(bencher: Bencher) {
    let candidates: Vec<Candidate> = (0..CANDIDATES).map(candidate).collect();
    bencher.with_inputs(|| candidates.clone()).bench_refs(|candidates| count_terms(candidates));
}

#[divan::bench(args = POLICIES.map(|(name, _)| name))]
fn again(bencher: Bencher, name: &str) {
    let text = POLICIES.iter().find(|(other, _)| *other == name).unwrap().1;
    let policy = Policy::parse(text).unwrap();
    let (replay, record) = (Replay::under(&policy).unwrap(), record());
    bencher.bench(|| replay.again(&record));
}

#[divan::bench(args = POLICIES.map(|(name, _)| name))]
fn again_from_json(bencher: Bencher, name: &str) {
    let text = POLICIES.iter().find(|(other, _)| *other == name).unwrap().1;
    let policy = Policy::parse(text).unwrap();
    let (replay, json) = (Replay::under(&policy).unwrap(), serde_json::to_string(&record()).unwrap());
    bencher.bench(|| replay.again(&serde_json::from_str(&json).unwrap()));
}

/// The same pool, written down.
fn record() -> DecisionRecord {
    let mut candidates: Vec<Candidate> = (0..CANDIDATES).map(candidate).collect();
    count_terms(&mut candidates);
    let candidates = candidates.into_iter().map(|candidate| {
        let overlap = candidate.overlap.unwrap();
        CandidateRecord {
            passage: candidate.passage.passage,
            collection: candidate.passage.collection,
            kind: candidate.passage.kind,
            cosine: candidate.cosine,
            scaled: candidate.scaled,
            bm25: candidate.bm25,
            fused: candidate.fused,
            rerank: candidate.rerank,
            read_first: None,
            curated: None,
            addressed: false,
            on_its_text: false,
            forced: false,
            promised: None,
            coverage: overlap.coverage,
            present: overlap.present,
            alike: Vec::new(),
        }
    });
    let pool = PoolRecord {
        round: 0,
        reranked: true,
        max_context_chunks: Question::DEFAULT_CONTEXT_CHUNKS,
        terms: Terms::of(QUESTION).len(),
        fallback_reasons: Vec::new(),
        unread: false,
        by_words_alone: false,
        gates_look_alone: true,
        candidates: candidates.collect(),
        kept: Vec::new(),
    };
    DecisionRecord {
        action: Action::Refuse,
        reason: None,
        class: None,
        trace: Vec::new(),
        searched: None,
        rounds: vec![pool],
        speech: None,
        is_general: false,
        tool_calls: Vec::new(),
    }
}

fn count_terms(candidates: &mut [Candidate]) {
    let terms = Terms::of(QUESTION);
    for candidate in candidates {
        candidate.overlap_with(&terms);
    }
}

fn gathered(policy: Arc<Policy>) -> Gathered {
    let tenant = TenantId::named("bench");
    let identity = Identity::for_tests(tenant, "bench", Default::default());
    let asked = Asked {
        request_id: Uuid::nil(),
        at: DateTime::UNIX_EPOCH,
        scope: Scope::of(&identity),
        question: Question::new(QUESTION),
        policy,
        deadline: Deadline::NONE,
    };
    Gathered {
        asked,
        candidates: (0..CANDIDATES).map(candidate).collect(),
        reranked: true,
        confirmed_since: None,
        background: Vec::new(),
        log: TurnLog::default(),
        search: SearchRecord::default(),
    }
}

/// Best first, twenty documents of three passages, each with a text of its own.
fn candidate(number: u32) -> Candidate {
    let document = DocumentId(Uuid::from_u128(u128::from(number % 20) + 1));
    let text = text(number);
    let passage = CataloguePassage {
        passage: PassageKey { document, version: 1, chunk_index: number / 20 },
        collection: "ADR".parse().unwrap(),
        kind: None,
        title: format!("Decision {}", number % 20),
        address: None,
        source_location: format!("adr/{number}.md"),
        updated_at: DateTime::UNIX_EPOCH,
        section: Some("Decision".to_owned()),
        page: None,
        span: CharSpan { start: 0, end: u32::try_from(text.len()).unwrap() },
        document_sha256: Sha256Hash::of(text.as_bytes()),
        above: Default::default(),
        validity: Default::default(),
        tokens: 140,
        text,
    };
    #[expect(clippy::cast_precision_loss, reason = "sixty is a small number")]
    let cosine = 0.95 - number as f32 * 0.006;
    Candidate { cosine: Some(cosine), bm25: Some(1.0), rerank: Some(cosine), ..Candidate::unscored(passage) }
}

fn text(number: u32) -> String {
    const WORDS: [&str; 24] = [
        "backups",
        "of",
        "the",
        "register",
        "are",
        "kept",
        "in",
        "two",
        "regions",
        "for",
        "ninety",
        "days",
        "and",
        "restored",
        "by",
        "operations",
        "after",
        "approval",
        "every",
        "quarter",
        "unless",
        "a",
        "policy",
        "differs",
    ];
    let words = (0..110_u32).map(|at| {
        let word = WORDS[((at * (number + 7)) % 24) as usize];
        if at % 11 == 0 { format!("{word}{number}") } else { word.to_owned() }
    });
    words.collect::<Vec<_>>().join(" ")
}
