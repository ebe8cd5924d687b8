//! Small pools under the book's policy, for the tests of the gates.

use std::sync::{Arc, LazyLock};

use crate::candidate::Candidate;
use chrono::DateTime;
use ibidem_ports::catalogue::CataloguePassage;
use ibidem_ports::degrade::Deadline;
use ibidem_testing::fakes::passage;
use ibidem_words::{DocumentId, Identity, PassageKey, Question, Scope, TenantId};
use uuid::Uuid;

use crate::policy::Policy;
use crate::sift::SiftOutcome;
use crate::turn::{Asked, Gathered, SearchRecord, TurnLog};

pub(crate) const BOOK: &str = include_str!("../../../../policies/book.yaml");
/// Parsed once: some tests ask thousands of times.
static BOOKS_POLICY: LazyLock<Policy> = LazyLock::new(|| Policy::parse(BOOK).unwrap());

pub(crate) fn candidate(document: u128, chunk_index: u32, cosine: f32, text: &str) -> Candidate {
    let passage = CataloguePassage {
        passage: PassageKey { document: DocumentId(Uuid::from_u128(document)), version: 1, chunk_index },
        title: "A book".to_owned(),
        ..passage(document, &"Book".parse().unwrap(), text)
    };
    Candidate { cosine: Some(cosine), bm25: Some(1.0), ..Candidate::unscored(passage) }
}

/// The book's policy with these gates in place of its own.
pub(crate) fn gathered(query: &str, gates: &str, candidates: Vec<Candidate>) -> Gathered {
    let mut policy = BOOKS_POLICY.clone();
    if !gates.is_empty() {
        policy.rules.sift = serde_saphyr::from_str(&format!("gates: {gates}")).unwrap();
    }
    let identity = Identity::for_tests(TenantId::named("t"), "s", Default::default());
    let asked = Asked {
        request_id: Uuid::nil(),
        at: DateTime::UNIX_EPOCH,
        scope: Scope::of(&identity),
        question: Question::new(query),
        policy: Arc::new(policy),
        deadline: Deadline::NONE,
    };
    Gathered {
        asked,
        candidates,
        reranked: false,
        confirmed_since: None,
        background: Vec::new(),
        log: TurnLog::default(),
        search: SearchRecord::default(),
    }
}

pub(crate) fn evidence(outcome: &SiftOutcome) -> Vec<u32> {
    let (SiftOutcome::Enough(sifted)
    | SiftOutcome::Refused { sifted, .. }
    | SiftOutcome::Unclear { sifted, .. }
    | SiftOutcome::TooThin { sifted, .. }) = outcome;
    sifted.evidence.iter().map(|candidate| candidate.passage.passage.chunk_index).collect()
}

pub(crate) fn passes(outcome: &SiftOutcome) -> bool {
    matches!(outcome, SiftOutcome::Enough(_))
}

/// One candidate for each cosine, of its own document, with a text of its own.
pub(crate) fn pool(cosines: &[f32]) -> Vec<Candidate> {
    let numbered = (0_u32..).zip(cosines);
    numbered
        .map(|(number, cosine)| candidate(u128::from(number) + 1, number, *cosine, &format!("text {number}")))
        .collect()
}
