//! Nobody gets anything of what they may not see, by any way in: generated worlds of tenants, people, groups, tags and
//! documents, on the fakes, which pass the same suites as PostgreSQL and Qdrant.
//!
//! A case is one asker, one way in and one request, put to a world and to the same world without what the asker may not
//! see. Each case asserts two things: both replies are the same bytes, and no mark of anything hidden is in them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use chrono::DateTime;
use ibidem_engine::ask::Engine;
use ibidem_engine::listener::{Listener, Nobody};
use ibidem_engine::policy::Policy;
use ibidem_engine::search::{Lanes, SearchRequest};
use ibidem_engine::turn::Asked;
use ibidem_ports::catalogue::{
    AddressedDocument, Catalogue, CatalogueError, CataloguePassage, DocumentFilter, DocumentList,
};
use ibidem_ports::degrade::{Deadline, Part};
use ibidem_ports::records::TurnRecord;
use ibidem_ports::vocabulary::LabelKind;
use ibidem_testing::fakes::{FakeConcept, FakeVocabulary};
use ibidem_words::{
    AddressKey, Answer, Citation, CollectionName, DocumentId, Identity, MemoryId, MemoryKind, Message, PassageKey,
    Question, Scope, Speaker, Tag, TenantId,
};
use serde_json::Value;
use uuid::Uuid;

use crate::difference::{ADDRESSES, Dice, Everything, POLICIES, TAGS, TENANTS, engine_on, question, without_times};

/// Decides everything that is generated.
const SEED: u64 = 18;
const ASKERS_OF_A_WORLD: usize = 4;
const CASES_OF_AN_ASKER: usize = 50;
const GROUPS: usize = 5;

/// How something is asked for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum WayIn {
    Search,
    Answer,
    Stream,
    /// A question that goes on with earlier ones.
    Conversation,
    Receipt,
    /// What is kept of a turn, and read again.
    StoredTurn,
    /// What a turn adds to the metrics.
    Metrics,
    Explanation,
    /// A question about a term, with a vocabulary.
    Term,
    List,
    Count,
    Document,
    Address,
    /// The addresses that a refusal suggests.
    Suggestion,
    Memory,
    Owner,
    /// The error for a collection that is not there.
    Error,
}

/// All of them.
const WAYS_IN: [WayIn; 17] = [
    WayIn::Search,
    WayIn::Answer,
    WayIn::Stream,
    WayIn::Conversation,
    WayIn::Receipt,
    WayIn::StoredTurn,
    WayIn::Metrics,
    WayIn::Explanation,
    WayIn::Term,
    WayIn::List,
    WayIn::Count,
    WayIn::Document,
    WayIn::Address,
    WayIn::Suggestion,
    WayIn::Memory,
    WayIn::Owner,
    WayIn::Error,
];

/// What is asked for, by whichever way.
struct Request {
    question: Question,
    policy: Arc<Policy>,
    limit: usize,
    lanes: Lanes,
    /// One that is there, hidden or not, or one that is nowhere.
    document: DocumentId,
    address: AddressKey,
    collection: CollectionName,
    entries: Vec<MemoryId>,
}

impl Request {
    fn random(dice: &mut Dice, everything: &Everything, policies: &[Arc<Policy>]) -> Self {
        let documents = &everything.documents;
        let place = dice.below(documents.len() + 1);
        let series = dice.of(&["ADR", "POLICY", "MINUTES"]);
        Self {
            question: question(dice),
            policy: policies[dice.below(policies.len())].clone(),
            limit: 1 + dice.below(8),
            lanes: [Lanes::Both, Lanes::Dense, Lanes::Lexical][dice.below(3)],
            document: documents.get(place).map_or(DocumentId(Uuid::from_u128(7)), |document| document.id()),
            address: AddressKey::of(&format!("{series}-{:04}", dice.below(ADDRESSES))).unwrap(),
            collection: dice.of(&["ADR", "Policy", "Minutes", "Nowhere"]).parse().unwrap(),
            entries: everything.entries.iter().map(|entry| entry.entry.id).collect(),
        }
    }
}

/// Sentences as they are released.
#[derive(Default)]
struct Received(Vec<String>);

impl Listener for Received {
    fn sentence(&mut self, text: &str, citations: Vec<Citation>) {
        self.0.push(format!("{text:?} {citations:?}"));
    }
}

fn asked(scope: &Scope, request: &Request, question: Question) -> Asked {
    Asked {
        request_id: Uuid::from_u128(1),
        at: DateTime::UNIX_EPOCH,
        scope: scope.clone(),
        question,
        policy: request.policy.clone(),
        deadline: Deadline::NONE,
    }
}

/// One turn, or the error that it ended in.
async fn turned(
    engine: &Engine,
    identity: &Identity,
    asked: Asked,
    listener: &mut dyn Listener,
) -> Result<(Answer, TurnRecord), String> {
    engine.turn(identity, asked, listener).await.map_err(|error| error.to_string())
}

/// As if no time had passed.
fn timeless(answer: Answer) -> Answer {
    let mut answer = Answer { generation_time_ms: 0, ..answer };
    answer.seal_again(None);
    answer
}

fn render(answer: Answer) -> String {
    serde_json::to_string(&timeless(answer)).unwrap()
}

/// What the asker is told.
async fn reply(engine: &Engine, identity: &Identity, way: WayIn, request: &Request) -> String {
    let scope = Scope::of(identity);
    let parts = &engine.parts;
    let catalogue = &parts.searcher.catalogue;
    let as_asked = || asked(&scope, request, request.question.clone());
    let run_turn = async |asked: Asked| turned(engine, identity, asked, &mut Nobody).await;
    match way {
        WayIn::Search => {
            let collections = request.question.collections.clone();
            let search = SearchRequest::new(&request.question.query, collections, request.limit, request.lanes);
            format!("{:?}", parts.searcher.search(&scope, &search).await)
        }
        WayIn::Answer => run_turn(as_asked()).await.map_or_else(|error| error, |(answer, _)| render(answer)),
        WayIn::Stream => {
            let mut received = Received::default();
            let ended = turned(engine, identity, as_asked(), &mut received).await;
            format!("{:?} {}", received.0, ended.map_or_else(|error| error, |(answer, _)| render(answer)))
        }
        WayIn::Conversation => {
            let message = |role, content: &str| Message { role, content: content.to_owned(), timestamp: None };
            let history = vec![
                message(Speaker::User, &request.question.query),
                message(Speaker::Assistant, "That depends on the case."),
            ];
            let follow_up = Question::new("And what about the pump?").after(history);
            let turn = run_turn(asked(&scope, request, follow_up)).await;
            turn.map_or_else(|error| error, |(answer, _)| render(answer))
        }
        WayIn::Receipt => {
            let turn = run_turn(as_asked()).await;
            turn.map_or_else(|error| error, |(answer, _)| serde_json::to_string(&timeless(answer).receipt).unwrap())
        }
        WayIn::StoredTurn => match run_turn(as_asked()).await {
            Err(error) => error,
            Ok((_, record)) => {
                let decision = without_times(serde_json::to_value(&record.decision).unwrap());
                format!("{} {decision} {:?} {:?}", render(record.answer), record.draft, record.failure)
            }
        },
        WayIn::Metrics => match run_turn(as_asked()).await {
            Err(error) => error,
            Ok((answer, record)) => {
                let numbers = record.numbers;
                let search = numbers.search.map(|search| (search.collections, search.found, search.by_words_alone));
                let stages: Vec<_> = numbers.stages.iter().map(|(name, _)| *name).collect();
                let counted = (answer.action, answer.reason, search, stages, numbers.markers, numbers.sentences);
                format!("{counted:?} {} {}", record.markers_dropped, record.sentences_dropped)
            }
        },
        WayIn::Explanation => {
            let mut explanation = serde_json::to_value(engine.explain(as_asked()).await.unwrap()).unwrap();
            for stage in explanation["stages"].as_array_mut().unwrap() {
                stage["milliseconds"] = Value::Null;
            }
            explanation.to_string()
        }
        WayIn::Term => {
            let term = Question::new(format!("What is a {}?", request.question.query));
            run_turn(asked(&scope, request, term)).await.map_or_else(|error| error, |(answer, _)| render(answer))
        }
        WayIn::List => {
            let collections = vec![request.collection.to_string()];
            let filter = DocumentFilter { collections, about: None, most: request.limit };
            format!("{:?}", catalogue.list(&scope, &filter).await)
        }
        WayIn::Count => {
            let about = Some(request.question.query.clone());
            let filter = DocumentFilter { collections: Vec::new(), about, most: 1 };
            let terms = parts.searcher.words.analysis().distinct(&request.question.query);
            let terms: Vec<_> = terms.into_iter().collect();
            let counts = parts.searcher.words.counts(&scope, &terms).await;
            format!("{:?} {counts:?}", catalogue.list(&scope, &filter).await.unwrap().total)
        }
        WayIn::Document => {
            let keys: Vec<PassageKey> =
                (0..4).map(|chunk_index| PassageKey { document: request.document, version: 1, chunk_index }).collect();
            let read = catalogue.visible(&scope, &keys).await;
            format!("{read:?} {:?}", catalogue.still_visible(&scope, &keys).await)
        }
        WayIn::Address => {
            let keys = [request.address.clone()];
            let within = catalogue.addressed(&scope, Some(&request.collection), &keys).await;
            format!("{within:?} {:?}", catalogue.addressed(&scope, None, &keys).await)
        }
        WayIn::Suggestion => format!("{:?}", catalogue.neighbours(&scope, None, &request.address, 3).await),
        WayIn::Memory => format!("{:?}", parts.memory.as_ref().unwrap().recall(&scope, &request.entries).await),
        WayIn::Owner => {
            let documents = [request.document];
            format!("{:?}", parts.owners.as_ref().unwrap().owned_tags(&scope, &documents).await)
        }
        WayIn::Error => {
            let collections = [request.collection.clone(), "ADR".parse().unwrap()];
            format!("{:?}", parts.searcher.check_collections(&scope, &collections).await)
        }
    }
}

/// Gives everything a mark that nothing else has.
fn mark(everything: &mut Everything) {
    for (number, document) in everything.documents.iter_mut().enumerate() {
        document.title.push_str(&format!(" qd{number}x"));
        for passage in &mut document.passages {
            passage.push_str(&format!(" It is marked qd{number}x."));
        }
    }
    for (number, entry) in everything.entries.iter_mut().enumerate() {
        entry.entry.triggers.push(format!("qe{number}x"));
        if let MemoryKind::Note { text } = &mut entry.entry.kind {
            text.push_str(&format!(" It is marked qe{number}x."));
        }
    }
}

/// The marks of what somebody may see, and of what they may not.
fn marks(everything: &Everything, scope: &Scope) -> (Vec<String>, Vec<String>) {
    let documents = everything.documents.iter().enumerate();
    let documents = documents.map(|(number, one)| (format!("qd{number}x"), scope.sees(one.tenant, &one.tags)));
    let entries = everything.entries.iter().enumerate();
    let entries = entries.map(|(number, one)| (format!("qe{number}x"), scope.sees(one.tenant, &one.entry.tags)));
    let (seen, hidden): (Vec<_>, Vec<_>) = documents.chain(entries).partition(|(_, is_seen)| *is_seen);
    let names = |marks: Vec<(String, bool)>| marks.into_iter().map(|(mark, _)| mark).collect();
    (names(seen), names(hidden))
}

/// A person of a tenant, with the tags that their groups give.
fn somebody(dice: &mut Dice, groups: &[Vec<Tag>]) -> Identity {
    let membership = dice.below(1 << GROUPS);
    let of_groups = groups.iter().enumerate().filter(|(number, _)| membership & (1 << number) != 0);
    let tags: BTreeSet<Tag> = of_groups.flat_map(|(_, tags)| tags.iter().cloned()).collect();
    Identity::for_tests(TenantId::named(dice.of(&TENANTS)), "somebody", tags)
}

/// What a run tried and found.
#[derive(Default, Debug)]
struct Tally {
    cases: BTreeMap<WayIn, usize>,
    /// Cases in which something was hidden from the asker.
    hiding: usize,
    /// Cases in which the reply has a mark of something that the asker may see.
    telling: usize,
    leaks: Vec<String>,
}

impl Tally {
    fn add(&mut self, other: Self) {
        for (way, cases) in other.cases {
            *self.cases.entry(way).or_default() += cases;
        }
        self.hiding += other.hiding;
        self.telling += other.telling;
        self.leaks.extend(other.leaks);
    }

    fn all(&self) -> usize {
        self.cases.values().sum()
    }
}

fn vocabulary() -> FakeVocabulary {
    let concept = |name: &str, definition: &str| {
        FakeConcept::new(&format!("https://terms.example/{name}"), "terms")
            .label(LabelKind::Preferred, name, "en")
            .definition(definition, "en")
    };
    FakeVocabulary::of(vec![
        concept("gearbox", "A set of gears in a case."),
        concept("oil pump", "What moves the oil of a gearbox."),
        concept("pressure valve", "What opens when the pressure is too high."),
    ])
}

/// What is wrong with the world that has everything; nothing, unless a test wants to see that it is found.
type Flaw = fn(Arc<dyn Catalogue>) -> Arc<dyn Catalogue>;

async fn engine_of(all: &Everything, flaw: Option<Flaw>) -> Engine {
    engine_on(all, false).await.with(|parts| {
        parts.vocabulary = Some(Part::bare(Arc::new(vocabulary())));
        if let Some(flaw) = flaw {
            parts.searcher.catalogue = flaw(parts.searcher.catalogue.clone());
        }
    })
}

/// The cases of one world, which its number decides.
async fn cases_of(world: usize, policies: &[Arc<Policy>], flaw: Option<Flaw>) -> Tally {
    let mut dice = Dice(SEED.wrapping_add(u64::try_from(world).unwrap()).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    let mut everything = Everything::random(&mut dice);
    mark(&mut everything);
    let groups: Vec<Vec<Tag>> = (0..GROUPS).map(|_| vec![dice.of(&TAGS).parse().unwrap()]).collect();
    let with = engine_of(&everything, flaw).await;
    let mut tally = Tally::default();
    for _ in 0..ASKERS_OF_A_WORLD {
        let identity = somebody(&mut dice, &groups);
        let scope = Scope::of(&identity);
        let without = engine_of(&everything.seen_by(&scope), None).await;
        let (seen, hidden) = marks(&everything, &scope);
        for _ in 0..CASES_OF_AN_ASKER {
            let request = Request::random(&mut dice, &everything, policies);
            let way = WAYS_IN[dice.below(WAYS_IN.len())];
            let one = reply(&with, &identity, way, &request).await;
            let other = reply(&without, &identity, way, &request).await;
            *tally.cases.entry(way).or_default() += 1;
            tally.hiding += usize::from(!hidden.is_empty());
            tally.telling += usize::from(seen.iter().any(|mark| one.contains(mark)));
            let shown = hidden.iter().find(|mark| one.contains(*mark));
            if one != other || shown.is_some() {
                let question = &request.question;
                tally.leaks.push(format!(
                    "world {world}, {way:?}, {question:?} of {identity:?} under {}: {shown:?}\n{one}\n{other}",
                    request.policy.rules.name,
                ));
            }
        }
    }
    tally
}

/// So many cases, on every core.
fn run(cases: usize, flaw: Option<Flaw>) -> Tally {
    let worlds = cases.div_ceil(ASKERS_OF_A_WORLD * CASES_OF_AN_ASKER);
    let policies: Vec<Arc<Policy>> = POLICIES.iter().map(|text| Arc::new(Policy::parse(text).unwrap())).collect();
    let (next, tally) = (AtomicUsize::new(0), Mutex::new(Tally::default()));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(|| {
                let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
                loop {
                    let world = next.fetch_add(1, Ordering::Relaxed);
                    if world >= worlds {
                        return;
                    }
                    let of_world = runtime.block_on(cases_of(world, &policies, flaw));
                    tally.lock().unwrap().add(of_world);
                }
            });
        }
    });
    tally.into_inner().unwrap()
}

/// `just lab leaks` makes it a million.
fn how_many() -> usize {
    std::env::var("IBIDEM_LEAKS").map_or(3_000, |written| written.parse().unwrap())
}

#[test]
fn no_generated_case_on_the_fakes_leaks() {
    let tally = run(how_many(), None);
    let all = tally.all();
    eprintln!("leaks, on the fakes: {all} cases, {} assertions, {} leaks", 2 * all, tally.leaks.len());
    eprintln!("  something was hidden in {}, something was told in {}; {:?}", tally.hiding, tally.telling, tally.cases);
    assert!(tally.leaks.is_empty(), "{} of {all} leak, the first:\n{}", tally.leaks.len(), tally.leaks[0]);
    assert!(all >= how_many() && tally.cases.len() == WAYS_IN.len(), "{:?}", tally.cases);
    assert!(tally.hiding > all / 2 && tally.telling > all / 5, "too little to show anything: {tally:?}");
}

/// A catalogue that forgets in one of its methods who is asking.
struct Forgetful {
    inner: Arc<dyn Catalogue>,
    forgets: &'static str,
}

impl Forgetful {
    fn scope(&self, method: &str, scope: &Scope) -> Scope {
        if method != self.forgets {
            return scope.clone();
        }
        let all = TAGS.iter().map(|tag| tag.parse().unwrap()).collect();
        Scope::of(&Identity::for_tests(scope.tenant(), "everybody", all))
    }
}

#[async_trait]
impl Catalogue for Forgetful {
    async fn visible(&self, scope: &Scope, passages: &[PassageKey]) -> Result<Vec<CataloguePassage>, CatalogueError> {
        self.inner.visible(&self.scope("visible", scope), passages).await
    }

    async fn still_visible(&self, scope: &Scope, passages: &[PassageKey]) -> Result<Vec<PassageKey>, CatalogueError> {
        self.inner.still_visible(&self.scope("still_visible", scope), passages).await
    }

    async fn addressed(
        &self,
        scope: &Scope,
        collection: Option<&CollectionName>,
        keys: &[AddressKey],
    ) -> Result<Vec<AddressedDocument>, CatalogueError> {
        self.inner.addressed(&self.scope("addressed", scope), collection, keys).await
    }

    async fn neighbours(
        &self,
        scope: &Scope,
        collection: Option<&CollectionName>,
        key: &AddressKey,
        most: usize,
    ) -> Result<Vec<(AddressKey, String)>, CatalogueError> {
        self.inner.neighbours(&self.scope("neighbours", scope), collection, key, most).await
    }

    async fn unseen_collections(
        &self,
        scope: &Scope,
        collections: &[CollectionName],
    ) -> Result<Vec<CollectionName>, CatalogueError> {
        self.inner.unseen_collections(&self.scope("unseen_collections", scope), collections).await
    }

    async fn tables(
        &self,
        scope: &Scope,
        collections: &[String],
        most: usize,
    ) -> Result<Vec<CataloguePassage>, CatalogueError> {
        self.inner.tables(&self.scope("tables", scope), collections, most).await
    }

    async fn list(&self, scope: &Scope, filter: &DocumentFilter) -> Result<DocumentList, CatalogueError> {
        self.inner.list(&self.scope("list", scope), filter).await
    }
}

/// The cases see what they are there to see.
#[test]
fn a_catalogue_that_forgets_who_is_asking_would_leak() {
    let flaws: [Flaw; 6] = [
        |inner| Arc::new(Forgetful { inner, forgets: "visible" }),
        |inner| Arc::new(Forgetful { inner, forgets: "still_visible" }),
        |inner| Arc::new(Forgetful { inner, forgets: "addressed" }),
        |inner| Arc::new(Forgetful { inner, forgets: "neighbours" }),
        |inner| Arc::new(Forgetful { inner, forgets: "unseen_collections" }),
        |inner| Arc::new(Forgetful { inner, forgets: "list" }),
    ];
    for flaw in flaws {
        let tally = run(400, Some(flaw));
        assert!(!tally.leaks.is_empty(), "a flaw is not found in {} cases", tally.all());
    }
}
