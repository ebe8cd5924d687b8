//! What each lane is there for, on the real index with the real embedding model; and that it fails without that lane.

use std::io::Write as _;
use std::sync::Arc;

use async_trait::async_trait;
use chrono::DateTime;
use ibidem_adapters::onnx::{OnnxEmbedder, OnnxSettings};
use ibidem_engine::ask::Engine;
use ibidem_engine::explain::{ExplainedCandidate, Explanation};
use ibidem_engine::policy::Policy;
use ibidem_engine::search::{Lanes, SearchRequest, Searcher};
use ibidem_engine::turn::Asked;
use ibidem_ports::degrade::{Deadline, Part};
use ibidem_ports::index::{Index, IndexError, IndexHit, IndexQuery};
use ibidem_words::{Identity, Question, Scope, TenantId};
use serde_json::json;
use uuid::Uuid;

use crate::common::installation::{Installation, with_installation};
use crate::common::setting;

const RARE: &str = "Part XJ-4471 lies on the third shelf.";
const RARE_QUESTION: &str = "How often must the filter of the pump be changed, and where is XJ-4471?";
const DISTANT: &str = "The physician prescribed tablets against the fever.";
const DISTANT_QUESTION: &str = "Which drugs did a doctor recommend for high body temperature?";
const NAMED: &str = "Lunch is served at noon in the canteen.";
const NAMED_QUESTION: &str = "What does ADR-77 say about changing the filter of the pump?";

/// Five hundred ways to say that a filter is changed every month.
fn paraphrases() -> Vec<String> {
    let mut texts = Vec::new();
    for who in ["Staff must", "Operators should", "Always", "Please", "Remember to"] {
        for verb in ["change", "replace", "renew", "swap", "exchange"] {
            for part in
                ["filter of the pump", "pump filter", "pump's filter", "filter in the pump", "filter of each pump"]
            {
                for often in ["every month", "monthly", "once a month", "each month"] {
                    texts.push(format!("{who} {verb} the {part} {often}."));
                }
            }
        }
    }
    texts
}

/// An index of which one lane is switched off.
struct Without {
    inner: Arc<dyn Index>,
    lane: Lane,
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Lane {
    Dense,
    Lexical,
    Address,
}

#[async_trait]
impl Index for Without {
    async fn search(&self, scope: &Scope, queries: Vec<IndexQuery>) -> Result<Vec<Vec<IndexHit>>, IndexError> {
        let changed = queries.into_iter().map(|query| match self.lane {
            Lane::Dense => IndexQuery { vector: None, ..query },
            Lane::Lexical => IndexQuery { words: None, ..query },
            Lane::Address => query,
        });
        self.inner.search(scope, changed.collect()).await
    }
}

struct World {
    searcher: Searcher,
}

impl World {
    async fn in_an(installation: &Installation) -> Self {
        let mut corpus = tempfile::Builder::new().suffix(".jsonl").tempfile().unwrap();
        let documents = paraphrases().into_iter().chain([RARE, DISTANT].map(str::to_owned)).enumerate();
        for (number, text) in documents {
            writeln!(corpus, "{}", json!({ "id": format!("{number}"), "title": "Manual", "text": text })).unwrap();
        }
        writeln!(corpus, "{}", json!({ "id": "n", "title": "Manual", "text": NAMED, "address": "ADR-0077" })).unwrap();
        let file = corpus.path().to_str().unwrap();
        let tally = installation
            .succeed(&["ingest", file, "--collection", "Manual", "--tags", "public", "--wait"])
            .await
            .tally();
        assert_eq!((tally.read, tally.failed), (503, 0));
        let embedder = OnnxEmbedder::load(&OnnxSettings::of(
            setting("IBIDEM__EMBEDDING__MODEL"),
            setting("IBIDEM__EMBEDDING__TOKENIZER"),
            setting("IBIDEM__EMBEDDING__RUNTIME"),
        ))
        .unwrap();
        let searcher = Searcher {
            embedder: Part::bare(Arc::new(embedder)),
            index: Part::bare(Arc::new(installation.index.clone())),
            catalogue: Arc::new(installation.store().clone()),
            words: Arc::new(installation.store().clone()),
        };
        Self { searcher }
    }

    async fn explain(&self, query: &str, without: Option<Lane>) -> Explanation {
        let mut searcher = self.searcher.clone();
        let mut policy = Policy::parse(include_str!("../../../../policies/default.yaml")).unwrap();
        if let Some(lane) = without {
            searcher.index = searcher.index.replaced(|inner| Arc::new(Without { inner, lane }));
        }
        if without == Some(Lane::Address) {
            policy.rules.gather.addresses = None;
        }
        let asked = Asked {
            request_id: Uuid::nil(),
            at: DateTime::UNIX_EPOCH,
            scope: scope(),
            question: Question::new(query),
            policy: Arc::new(policy),
            deadline: Deadline::NONE,
        };
        let explanation = Engine::new(searcher).explain(asked).await.unwrap();
        assert_eq!(explanation.index_calls, 1);
        explanation
    }
}

fn scope() -> Scope {
    let tenant = TenantId::named("default");
    Scope::of(&Identity::for_tests(tenant, "reader", Default::default()))
}

/// What gathering hands to the gates: at most sixteen.
fn kept(explanation: &Explanation) -> Vec<&ExplainedCandidate> {
    let kept: Vec<_> = explanation.candidates.iter().filter(|candidate| candidate.dropped_by != Some("keep")).collect();
    assert!(kept.len() <= 16, "{}", kept.len());
    kept
}

fn keeps(explanation: &Explanation, text: &str) -> bool {
    kept(explanation).iter().any(|candidate| candidate.text == text)
}

#[tokio::test]
async fn each_lane_finds_what_no_other_does() {
    with_installation(async |installation| {
        let world = World::in_an(installation).await;

        // A rare term that the asker typed, behind five hundred passages that are closer in meaning.
        let request = SearchRequest::new(RARE_QUESTION, Vec::new(), 500, Lanes::Dense);
        let closer = world.searcher.search(&scope(), &request).await.unwrap();
        assert_eq!(closer.hits.len(), 500);
        assert!(closer.hits.iter().all(|hit| hit.passage.text != RARE), "five hundred are closer by cosine");
        assert!(keeps(&world.explain(RARE_QUESTION, None).await, RARE));
        assert!(!keeps(&world.explain(RARE_QUESTION, Some(Lane::Lexical)).await, RARE), "the lexical lane finds it");

        // A paraphrase that shares no word with the question.
        assert!(keeps(&world.explain(DISTANT_QUESTION, None).await, DISTANT));
        assert!(!keeps(&world.explain(DISTANT_QUESTION, Some(Lane::Dense)).await, DISTANT), "the dense lane finds it");

        // A document that the asker named comes first, whatever it says.
        let first = async |without: Option<Lane>| {
            let explanation = world.explain(NAMED_QUESTION, without).await;
            kept(&explanation)[0].text.clone()
        };
        assert_eq!(first(None).await, NAMED);
        assert_ne!(first(Some(Lane::Address)).await, NAMED, "the address lane finds it");
    })
    .await;
}
