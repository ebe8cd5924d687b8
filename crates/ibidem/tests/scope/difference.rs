//! By difference nothing hidden shows, on the real parts: two installations, one with documents and curated memory that
//! the asker may not see and one without them, give the same bytes.

use std::sync::Arc;

use async_trait::async_trait;
use chrono::DateTime;
use ibidem_engine::ask::Engine;
use ibidem_engine::listener::Nobody;
use ibidem_engine::policy::Policy;
use ibidem_engine::search::{Lanes, SearchRequest, Searcher};
use ibidem_engine::turn::Asked;
use ibidem_language::bm25::{Analysis, TermCounts, TermId};
use ibidem_ports::catalogue::CatalogueError;
use ibidem_ports::curate::{EntryDraft, Window};
use ibidem_ports::degrade::Deadline;
use ibidem_ports::embedder::Embedder as _;
use ibidem_ports::word_statistics::WordStatistics;
use ibidem_store::Author;
use ibidem_words::{CollectionName, DocumentId, Identity, MemoryKind, Question, Reference, Scope, Tag, TenantId};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom as _;
use rand::{RngExt as _, SeedableRng as _};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::asking::{COLLECTIONS, TAGS, TENANTS, random_tags, random_words};
use crate::drawn::Handed;
use crate::seed;
use crate::world::{ADDRESSES, World, random_documents, world_of};

const DOCUMENTS: usize = 150;
const QUESTIONS_OF_AN_ASKER: usize = 60;
const HIDDEN_ENTRIES: usize = 6;

const POLICIES: [&str; 3] = [
    include_str!("../../../../policies/architecture.yaml"),
    include_str!("../../../../policies/default.yaml"),
    include_str!("../../../../policies/handbook.yaml"),
];

/// `just lab difference` makes it more.
fn askers() -> usize {
    std::env::var("IBIDEM_DIFFERENCE_ASKERS").map_or(3, |written| written.parse().unwrap())
}

/// Counts as the index once did: over everything that there is, whoever asks.
struct OverEverything {
    inner: Arc<dyn WordStatistics>,
    everybody: Vec<Scope>,
}

#[async_trait]
impl WordStatistics for OverEverything {
    fn analysis(&self) -> &Analysis {
        self.inner.analysis()
    }

    async fn counts(&self, _: &Scope, terms: &[TermId]) -> Result<Option<TermCounts>, CatalogueError> {
        let mut all = TermCounts::default();
        for scope in &self.everybody {
            let counts = self.inner.counts(scope, terms).await?.unwrap_or_default();
            all.passages += counts.passages;
            for (term, count) in counts.with_term {
                *all.with_term.entry(term).or_default() += count;
            }
        }
        Ok(Some(all))
    }
}

fn somebody(tenant: &str, tags: Vec<Tag>) -> Identity {
    let tags = tags.into_iter().collect();
    Identity::for_tests(TenantId::named(tenant), "somebody", tags)
}

/// No model answers: the sources' own sentences do.
fn engine(world: &World, is_counted_over_everything: bool) -> Engine {
    let mut searcher: Searcher = world.searcher();
    if is_counted_over_everything {
        let tags: Vec<Tag> = TAGS.iter().map(|name| name.parse().unwrap()).collect();
        let everybody = TENANTS.iter().map(|tenant| Scope::of(&somebody(tenant, tags.clone()))).collect();
        searcher.words = Arc::new(OverEverything { inner: searcher.words, everybody });
    }
    let store = Arc::new(world.store().clone());
    Engine::new(searcher).with(|parts| {
        parts.memory = Some(store.clone());
        parts.owners = Some(store);
        parts.admin_email = Some("admin@example.org".to_owned());
    })
}

fn question(random: &mut StdRng) -> Question {
    let count = random.random_range(1..=4);
    let words = random_words(random, count).join(" ");
    let address = format!("DOC-{:03}", random.random_range(0..ADDRESSES));
    let query = match random.random_range(0..8) {
        0 => address,
        1 => format!("What does {address} say about {words}?"),
        2 => format!("Which principles are there about {words}?"),
        3 => "List all policies".to_owned(),
        4 => format!("What about penguins and {words}?"),
        _ => words,
    };
    let collections: Vec<CollectionName> = match random.random_range(0..6) {
        0 => vec![COLLECTIONS.choose(random).unwrap().parse().unwrap()],
        1 => vec!["Nowhere".parse().unwrap()],
        _ => Vec::new(),
    };
    let chunks = random.random_range(1..=8);
    Question::new(query).in_collections(collections).with_context_chunks(chunks)
}

/// Everything that could be shown for a question.
async fn to_json(
    engine: &Engine,
    identity: &Identity,
    policy: &Arc<Policy>,
    question: &Question,
    limit: usize,
) -> Value {
    let scope = Scope::of(identity);
    let mut searches = Vec::new();
    for lanes in [Lanes::Both, Lanes::Dense, Lanes::Lexical] {
        let request = SearchRequest::new(&question.query, question.collections.clone(), limit, lanes);
        searches.push(format!("{:?}", engine.parts.searcher.search(&scope, &request).await.unwrap()));
    }
    let asked = || Asked {
        request_id: Uuid::from_u128(1),
        at: DateTime::UNIX_EPOCH,
        scope: scope.clone(),
        question: question.clone(),
        policy: policy.clone(),
        deadline: Deadline::NONE,
    };
    let (answer, _) = match engine.turn(identity, asked(), &mut Nobody).await {
        Ok(turned) => turned,
        // A collection that is not there, or not for this asker.
        Err(error) => return json!({ "searches": searches, "error": error.to_string() }),
    };
    let mut answer = serde_json::to_value(&answer).unwrap();
    answer["generation_time_ms"] = Value::Null;
    let mut explanation = serde_json::to_value(engine.explain(asked()).await.unwrap()).unwrap();
    for stage in explanation["stages"].as_array_mut().unwrap() {
        stage["milliseconds"] = Value::Null;
    }
    json!({ "searches": searches, "answer": answer, "explanation": explanation })
}

/// Entries that this asker may not see: of another tenant, or with none of the asker's tags.
async fn write_hidden_entries(world: &mut World, random: &mut StdRng, scope: &Scope, documents: &[Handed]) {
    let window = Window { counter: world.embedder.clone(), max_tokens: world.embedder.model().max_tokens };
    for _ in 0..HIDDEN_ENTRIES {
        let (of, tags) = (TenantId::named(TENANTS.choose(random).unwrap()), random_tags(random, 1));
        if scope.sees(of, &tags) {
            continue;
        }
        let references: Vec<DocumentId> = documents.iter().map(|(submission, _)| submission.document_id()).collect();
        let draft = EntryDraft {
            kind: MemoryKind::Pin,
            triggers: vec![random_words(random, 2).join(" ")],
            references: vec![Reference::Document(*references.choose(random).unwrap())],
            tags,
        };
        world.store().create_entry(&Author::operator(of), &draft.checked(&window).unwrap()).await.unwrap();
    }
    world.publish().await;
}

/// Returns how many questions were asked, and those that differed.
async fn differences(random: &mut StdRng, askers: usize, is_counted_over_everything: bool) -> (usize, Vec<String>) {
    let policies: Vec<Arc<Policy>> = POLICIES.iter().map(|text| Arc::new(Policy::parse(text).unwrap())).collect();
    let (mut cases, mut different) = (0, Vec::new());
    for _ in 0..askers {
        let documents = random_documents(random, DOCUMENTS);
        let count = random.random_range(0..4);
        let identity = somebody(TENANTS.choose(random).unwrap(), random_tags(random, count));
        let scope = Scope::of(&identity);
        let sees = |(submission, _): &&Handed| scope.sees(submission.tenant, &submission.tags);
        let visible: Vec<Handed> = documents.iter().filter(sees).cloned().collect();
        assert!(visible.len() < documents.len());
        let mut with = world_of(&documents).await;
        write_hidden_entries(&mut with, random, &scope, &documents).await;
        let without = world_of(&visible).await;

        let lists = [&with, &without].map(|world| world.store().list_documents(&scope, None, i64::MAX));
        let [one, other] = futures::future::join_all(lists).await.try_into().unwrap_or_else(|_| panic!("two lists"));
        assert_eq!(format!("{one:?}"), format!("{other:?}"));

        let (one, other) = (engine(&with, is_counted_over_everything), engine(&without, is_counted_over_everything));
        for _ in 0..QUESTIONS_OF_AN_ASKER {
            let (question, policy) = (question(random), policies.choose(random).unwrap());
            let limit = random.random_range(1..=20);
            let (one, other) = futures::join!(
                to_json(&one, &identity, policy, &question, limit),
                to_json(&other, &identity, policy, &question, limit)
            );
            cases += 1;
            let bytes = [one.to_string(), other.to_string()];
            if bytes[0] != bytes[1] {
                different.push(format!(
                    "{question:?} of {identity:?} under {}:\n{}",
                    policy.rules.name,
                    bytes.join("\n")
                ));
            }
        }
        with.end().await;
        without.end().await;
    }
    (cases, different)
}

#[tokio::test(flavor = "multi_thread")]
async fn with_and_without_what_is_hidden_the_real_parts_give_the_same_bytes() {
    let mut random = StdRng::seed_from_u64(seed());
    let (cases, different) = differences(&mut random, askers(), false).await;
    eprintln!("{cases} cases, {} differ", different.len());
    assert!(different.is_empty(), "{} of {cases} differ, the first:\n{}", different.len(), different[0]);
}

/// The property sees what it is there to see.
#[tokio::test(flavor = "multi_thread")]
async fn words_counted_over_everything_would_show_on_the_real_parts() {
    let mut random = StdRng::seed_from_u64(seed());
    let (cases, different) = differences(&mut random, 1, true).await;
    eprintln!("{cases} cases, {} differ", different.len());
    assert!(different.len() > cases / 10, "only {} of {cases} differ", different.len());
}
