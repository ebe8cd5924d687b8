//! By difference nothing hidden shows: a world with documents and entries that the asker may not see, and the same
//! world without them, answer every question with the same bytes.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use chrono::DateTime;
use ibidem_engine::ask::Engine;
use ibidem_engine::listener::Nobody;
use ibidem_engine::policy::Policy;
use ibidem_engine::search::{Lanes, SearchRequest, Searcher};
use ibidem_engine::turn::Asked;
use ibidem_language::bm25::{Analysis, TermCounts, TermId};
use ibidem_ports::catalogue::{CatalogueError, CataloguePassage};
use ibidem_ports::degrade::{Deadline, Part};
use ibidem_ports::embedder::Embedder as _;
use ibidem_ports::index::{IndexDocument, IndexPoint, IndexWriter as _};
use ibidem_ports::word_statistics::WordStatistics;
use ibidem_testing::fakes::{FakeCatalogue, FakeEmbedder, FakeIndex, FakeMemory};
use ibidem_words::{
    CharSpan, CollectionName, DocumentId, Identity, MemoryEntry, MemoryId, MemoryKind, PassageKey, Question, Reference,
    Scope, Sha256Hash, Tag, TenantId, passage_in_context,
};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::world::BOOK;

pub(crate) const POLICIES: [&str; 6] = [
    include_str!("../../../../policies/architecture.yaml"),
    BOOK,
    include_str!("../../../../policies/default.yaml"),
    include_str!("../../../../policies/handbook.yaml"),
    include_str!("../../../../policies/lectures.yaml"),
    include_str!("../../../../policies/support.yaml"),
];
pub(crate) const TENANTS: [&str; 2] = ["here", "there"];
pub(crate) const TAGS: [&str; 4] = ["public", "finance", "legal", "ops"];
const COLLECTIONS: [&str; 3] = ["ADR", "Policy", "Minutes"];
/// Few, so that documents share them and scores tie.
const WORDS: [&str; 18] = [
    "gearbox", "oil", "litres", "pump", "valve", "yearly", "pressure", "seal", "bearing", "filter", "coolant", "belt",
    "chapel", "ceiling", "invoice", "approval", "budget", "notice",
];
pub(crate) const ADDRESSES: usize = 12;
const QUESTIONS_OF_A_WORLD: usize = 10;

/// Numbers that look like chance, and are the same on every machine.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % end
    }

    pub(crate) fn of<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.below(choices.len())]
    }

    pub(crate) fn words(&mut self, count: usize) -> String {
        (0..count).map(|_| self.of(&WORDS)).collect::<Vec<_>>().join(" ")
    }

    pub(crate) fn tags(&mut self) -> Vec<Tag> {
        let bits = 1 + self.below(15);
        (0..4).filter(|bit| bits & (1 << bit) != 0).map(|bit| TAGS[bit].parse().unwrap()).collect()
    }
}

#[derive(Clone)]
pub(crate) struct Document {
    pub(crate) tenant: TenantId,
    pub(crate) tags: Vec<Tag>,
    collection: CollectionName,
    location: String,
    pub(crate) title: String,
    address: Option<String>,
    pub(crate) passages: Vec<String>,
}

#[derive(Clone)]
pub(crate) struct Entry {
    pub(crate) tenant: TenantId,
    pub(crate) entry: MemoryEntry,
}

/// Everything there is, whoever sees it.
pub(crate) struct Everything {
    pub(crate) documents: Vec<Document>,
    pub(crate) entries: Vec<Entry>,
}

impl Everything {
    pub(crate) fn random(dice: &mut Dice) -> Self {
        let documents: Vec<Document> = (0..4 + dice.below(20))
            .map(|number| {
                let (tenant, collection) = (TenantId::named(dice.of(&TENANTS)), dice.of(&COLLECTIONS));
                let address =
                    (dice.below(3) > 0).then(|| format!("{}-{:04}", collection.to_uppercase(), dice.below(ADDRESSES)));
                let sentences = |dice: &mut Dice| {
                    let count = 2 + dice.below(5);
                    format!("The {}. Every {} is {}.", dice.words(count), dice.words(1), dice.words(2))
                };
                Document {
                    tenant,
                    tags: dice.tags(),
                    collection: collection.parse().unwrap(),
                    location: format!("{number}.md"),
                    title: format!("The {}", dice.words(2)),
                    address,
                    passages: (0..=dice.below(3)).map(|_| sentences(dice)).collect(),
                }
            })
            .collect();
        let entries = (0..dice.below(5))
            .map(|number| {
                let document = &documents[dice.below(documents.len())];
                let reference = match &document.address {
                    Some(address) if dice.below(2) == 0 => Reference::Address(address.clone()),
                    _ => Reference::Document(document.id()),
                };
                let kind = if dice.below(2) == 0 {
                    MemoryKind::Pin
                } else {
                    MemoryKind::Note { text: format!("Mind the {}.", dice.words(2)) }
                };
                let entry = MemoryEntry {
                    id: MemoryId(Uuid::from_u128(u128::try_from(number + 1).unwrap())),
                    kind,
                    triggers: vec![dice.words(2)],
                    references: vec![reference],
                    tags: dice.tags(),
                };
                Entry { tenant: TenantId::named(dice.of(&TENANTS)), entry }
            })
            .collect();
        Self { documents, entries }
    }

    /// What of it somebody may see.
    pub(crate) fn seen_by(&self, scope: &Scope) -> Self {
        let sees = |tenant: TenantId, tags: &[Tag]| scope.sees(tenant, tags);
        Self {
            documents: self.documents.iter().filter(|one| sees(one.tenant, &one.tags)).cloned().collect(),
            entries: self.entries.iter().filter(|one| sees(one.tenant, &one.entry.tags)).cloned().collect(),
        }
    }
}

impl Document {
    pub(crate) fn id(&self) -> DocumentId {
        DocumentId::at(self.tenant, &self.collection, &self.location)
    }

    fn shelved(&self) -> Vec<CataloguePassage> {
        let texts = (0..).zip(&self.passages);
        let shelved = texts.map(|(chunk_index, text)| CataloguePassage {
            passage: PassageKey { document: self.id(), version: 1, chunk_index },
            collection: self.collection.clone(),
            kind: None,
            title: self.title.clone(),
            address: self.address.clone(),
            source_location: self.location.clone(),
            updated_at: DateTime::UNIX_EPOCH,
            section: None,
            page: None,
            span: CharSpan { start: 0, end: 10 },
            document_sha256: Sha256Hash::of(text.as_bytes()),
            text: text.clone(),
            above: Default::default(),
            validity: Default::default(),
            tokens: 8,
        });
        shelved.collect()
    }
}

/// Counts over everything there is, as the index once did.
struct OverEverything {
    analysis: Analysis,
    words: Vec<String>,
}

#[async_trait]
impl WordStatistics for OverEverything {
    fn analysis(&self) -> &Analysis {
        &self.analysis
    }

    async fn counts(&self, _: &Scope, terms: &[TermId]) -> Result<Option<TermCounts>, CatalogueError> {
        let counted = self.analysis.count(self.words.iter().map(String::as_str));
        let with_term = counted.with_term.into_iter().filter(|(term, _)| terms.contains(term));
        let with_term: BTreeMap<TermId, u64> = with_term.map(|(term, count)| (term, u64::from(count))).collect();
        Ok(Some(TermCounts { passages: u64::from(counted.passages), with_term }))
    }
}

/// The parts, filled. No model answers: the sources' own sentences do.
pub(crate) async fn engine_on(all: &Everything, is_counted_over_everything: bool) -> Engine {
    let embedder = Arc::new(FakeEmbedder::new(64, 256));
    let (index, catalogue, memory) =
        (Arc::new(FakeIndex::new(64)), Arc::new(FakeCatalogue::default()), FakeMemory::default());
    let mut everywhere = Vec::new();
    let point = async |passage: PassageKey, words: String| {
        let vector = embedder.embed_passages(vec![words.clone()]).await.unwrap().remove(0);
        IndexPoint { passage, vector, words }
    };
    for document in &all.documents {
        let shelved = document.shelved();
        let mut points = Vec::new();
        for passage in &shelved {
            let words = passage_in_context(&passage.title, None, &passage.text);
            everywhere.push(words.clone());
            points.push(point(passage.passage, words).await);
            catalogue.put(document.tenant, document.tags.clone(), passage.clone());
        }
        memory.put_document(document.tenant, document.tags.clone(), shelved);
        let published = IndexDocument {
            tenant: document.tenant,
            document: document.id(),
            collection: document.collection.clone(),
            kind: None,
            tags: document.tags.clone(),
            points,
        };
        index.publish(vec![published]).await.unwrap();
    }
    for Entry { tenant, entry } in &all.entries {
        let version = memory.put(*tenant, entry.clone());
        let document = entry.id.as_document();
        let passage = PassageKey { document, version, chunk_index: 0 };
        let published = IndexDocument {
            tenant: tenant.memory(),
            document,
            collection: CollectionName::memory(),
            kind: None,
            tags: entry.tags.clone(),
            points: vec![point(passage, entry.triggers[0].clone()).await],
        };
        index.publish(vec![published]).await.unwrap();
    }
    for tenant in TENANTS {
        for tag in TAGS {
            catalogue.own(TenantId::named(tenant), tag.parse().unwrap(), &format!("{tag}@{tenant}.example"));
        }
    }
    let words: Arc<dyn WordStatistics> = if is_counted_over_everything {
        Arc::new(OverEverything { analysis: Analysis::default(), words: everywhere })
    } else {
        catalogue.clone()
    };
    let searcher =
        Searcher { embedder: Part::bare(embedder), index: Part::bare(index), catalogue: catalogue.clone(), words };
    Engine::new(searcher).with(|parts| {
        parts.memory = Some(Arc::new(memory));
        parts.owners = Some(catalogue);
        parts.admin_email = Some("admin@example.org".to_owned());
    })
}

/// A search, a topic, an address that is there, hidden or nowhere, a list, or something about nothing.
pub(crate) fn question(dice: &mut Dice) -> Question {
    let address = format!("{}-{:04}", dice.of(&["ADR", "POLICY", "MINUTES"]), dice.below(ADDRESSES));
    let count = 1 + dice.below(4);
    let query = match dice.below(8) {
        0 => address,
        1 => format!("What does {address} say about the {}?", dice.words(1)),
        2 => format!("Which ADRs are there about {}?", dice.words(1)),
        3 => "List all policies".to_owned(),
        4 => format!("How many minutes mention the {}?", dice.words(1)),
        5 => format!("What about penguins and the {}?", dice.words(1)),
        6 => format!("How is the {} kept?", dice.words(2)),
        _ => dice.words(count),
    };
    let collections = match dice.below(6) {
        0 => vec![dice.of(&COLLECTIONS).parse().unwrap()],
        1 => vec!["Nowhere".parse().unwrap()],
        _ => Vec::new(),
    };
    let chunks = 1 + dice.below(6);
    Question::new(query).in_collections(collections).with_context_chunks(chunks)
}

/// Everything that could be shown for a question: the search by each lane, the answer, and the explanation.
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
        let outcome = engine.parts.searcher.search(&scope, &request).await.unwrap();
        searches.push(format!("{outcome:?}"));
    }
    let asked = || Asked {
        request_id: Uuid::from_u128(1),
        at: DateTime::UNIX_EPOCH,
        scope: scope.clone(),
        question: question.clone(),
        policy: policy.clone(),
        deadline: Deadline::NONE,
    };
    let (answer, record) = match engine.turn(identity, asked(), &mut Nobody).await {
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
    let decision = serde_json::to_value(&record.decision).unwrap();
    json!({ "searches": searches, "answer": answer, "explanation": explanation, "decision": without_times(decision) })
}

/// A decision's record without what is different each time.
pub(crate) fn without_times(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            let is_time = |name: &str| name.ends_with("_ms") || name == "took" || name == "stages";
            fields
                .into_iter()
                .filter(|(name, _)| !is_time(name))
                .map(|(name, value)| (name, without_times(value)))
                .collect()
        }
        Value::Array(values) => values.into_iter().map(without_times).collect(),
        other => other,
    }
}

/// Asks so many questions of random worlds with and without what is hidden. Returns how many differed, and of which
/// sorts the answers were.
async fn differences(cases: usize, is_counted_over_everything: bool) -> (Vec<String>, BTreeMap<String, usize>) {
    let mut dice = Dice(29);
    let (mut different, mut sorts) = (Vec::new(), BTreeMap::<String, usize>::new());
    let policies: Vec<Arc<Policy>> = POLICIES.iter().map(|text| Arc::new(Policy::parse(text).unwrap())).collect();
    for _ in 0..cases.div_ceil(QUESTIONS_OF_A_WORLD) {
        let everything = Everything::random(&mut dice);
        let tags = if dice.below(4) == 0 { Vec::new() } else { dice.tags() };
        let identity = Identity::for_tests(TenantId::named("here"), "somebody", tags.into_iter().collect());
        let seen = everything.seen_by(&Scope::of(&identity));
        let with = engine_on(&everything, is_counted_over_everything).await;
        let without = engine_on(&seen, is_counted_over_everything).await;
        for _ in 0..QUESTIONS_OF_A_WORLD {
            let (question, policy, limit) =
                (question(&mut dice), &policies[dice.below(POLICIES.len())], 1 + dice.below(8));
            let one = to_json(&with, &identity, policy, &question, limit).await;
            let other = to_json(&without, &identity, policy, &question, limit).await;
            let hides = everything.documents.len() > seen.documents.len();
            let sort = format!("{} {}", one["answer"]["action"], one["answer"]["reason"]);
            *sorts.entry(sort).or_default() += usize::from(hides);
            let bytes = [one.to_string(), other.to_string()];
            if bytes[0] != bytes[1] {
                different.push(format!(
                    "{question:?} of {identity:?} under {}:\n{}",
                    policy.rules.name,
                    bytes.join("\n")
                ));
            }
        }
    }
    (different, sorts)
}

/// `just lab difference` makes it ten thousand.
fn how_many() -> usize {
    std::env::var("IBIDEM_DIFFERENCES").map_or(600, |written| written.parse().unwrap())
}

#[tokio::test]
async fn with_and_without_what_is_hidden_every_reply_is_the_same_bytes() {
    let (different, sorts) = differences(how_many(), false).await;
    eprintln!("{sorts:?}");
    assert!(different.is_empty(), "{} differ, the first:\n{}", different.len(), different[0]);
    assert!(sorts.values().sum::<usize>() > how_many() / 2, "too little was hidden to show anything: {sorts:?}");
    assert!(sorts.len() >= 5, "answers of too few sorts: {sorts:?}");
}

/// The property sees what it is there to see.
#[tokio::test]
async fn words_counted_over_everything_would_show() {
    let (different, _) = differences(200, true).await;
    assert!(different.len() > 20, "only {} of 200 differ", different.len());
}
