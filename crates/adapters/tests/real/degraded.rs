//! Degraded is never bolder, measured: the trial's questions on the demo documents, read by the reader of the program, with
//! each part away in turn.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use chrono::DateTime;
use ibidem_adapters::onnx::{OnnxEmbedder, OnnxReranker, OnnxSettings, PairModelSettings};
use ibidem_engine::ask::Engine;
use ibidem_engine::listener::Nobody;
use ibidem_engine::policy::Policy;
use ibidem_engine::roles::{NamedModel, Roles};
use ibidem_engine::search::Searcher;
use ibidem_engine::speak::verify::lexical::LexicalEntailment;
use ibidem_engine::turn::Asked;
use ibidem_ports::catalogue::CataloguePassage;
use ibidem_ports::degrade::{Deadline, Part};
use ibidem_ports::embedder::{EmbedError, Embedder, EmbeddingModel};
use ibidem_ports::entailment::{Classification, Entailment, EntailmentError, Pair};
use ibidem_ports::index::{IndexDocument, IndexPoint, IndexWriter as _};
use ibidem_ports::language_model::{LanguageModel, LikelyToken, ModelError, Piece, Pieces, Prompt};
use ibidem_ports::reranker::{Relevance, RerankError, Reranker};
use ibidem_testing::fakes::{FakeCatalogue, FakeIndex, passage};
use ibidem_words::{Action, DocumentId, Identity, PassageKey, Question, Scope, Tag, TenantId, passage_in_context};
use uuid::Uuid;

use crate::setting;

const DEFAULT: &str = include_str!("../../../../policies/default.yaml");
const QUESTIONS: [&str; 2] = ["lab/data/trial.jsonl", "lab/data/trial_2.jsonl"];
const FOLDERS: [&str; 5] = [
    "demo/architecture/adr",
    "demo/architecture/policies",
    "demo/architecture/principles",
    "demo/handbook",
    "demo/support/articles",
];
/// Asked in CI, spread over all questions. `just lab degraded` asks all of them.
const IN_CI: usize = 12;

fn at(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

/// Anything that can be taken away and given back.
struct Away<Port> {
    port: Port,
    is_away: AtomicBool,
}

impl<Port> Away<Port> {
    fn of(port: Port) -> Arc<Self> {
        Arc::new(Self { port, is_away: AtomicBool::new(false) })
    }

    fn set(&self, is_away: bool) {
        self.is_away.store(is_away, Ordering::Relaxed);
    }

    fn is_away(&self) -> bool {
        self.is_away.load(Ordering::Relaxed)
    }
}

#[async_trait]
impl Reranker for Away<OnnxReranker> {
    fn name(&self) -> &str {
        self.port.name()
    }

    async fn score(&self, question: &str, texts: Vec<String>) -> Result<Vec<f32>, RerankError> {
        if self.is_away() { Err(RerankError::Timeout(3_000)) } else { self.port.score(question, texts).await }
    }

    async fn read(&self, question: &str, texts: Vec<String>) -> Result<Vec<Relevance>, RerankError> {
        if self.is_away() { Err(RerankError::Timeout(3_000)) } else { self.port.read(question, texts).await }
    }
}

#[async_trait]
impl Embedder for Away<Arc<OnnxEmbedder>> {
    fn model(&self) -> &EmbeddingModel {
        self.port.model()
    }

    async fn embed_queries(&self, queries: Vec<String>) -> Result<Vec<Vec<f32>>, EmbedError> {
        if self.is_away() { Err(EmbedError::Timeout(2_000)) } else { self.port.embed_queries(queries).await }
    }

    async fn embed_passages(&self, passages: Vec<String>) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.port.embed_passages(passages).await
    }
}

#[async_trait]
impl Entailment for Away<LexicalEntailment> {
    fn name(&self) -> &str {
        self.port.name()
    }

    async fn classify(&self, pairs: Vec<Pair>) -> Result<Vec<Classification>, EntailmentError> {
        if self.is_away() { Err(EntailmentError::Timeout(2_000)) } else { self.port.classify(pairs).await }
    }
}

/// A model that repeats the beginnings of the first three notes, some of them changed a little: to be verified.
struct Scribe;

#[async_trait]
impl LanguageModel for Scribe {
    fn default_model(&self) -> &str {
        "scribe"
    }

    fn allowed(&self) -> Vec<String> {
        vec!["scribe".to_owned()]
    }

    async fn write(&self, prompt: Prompt) -> Result<Pieces, ModelError> {
        let shown: String =
            prompt.messages.iter().map(|message| message.content.as_str()).collect::<Vec<_>>().join("\n");
        let notes = shown.rsplit_once("Notes").map_or("", |(_, notes)| notes);
        let mut written = String::new();
        for (number, note) in (1..=3).zip(notes.split("\n[^").skip(1)) {
            let text = note.split_once("] ").map_or("", |(_, text)| text);
            let text = text.strip_prefix('(').and_then(|rest| rest.split_once(") ")).map_or(text, |(_, text)| text);
            let sentence = text.split_inclusive(". ").next().unwrap_or(text).trim().trim_end_matches('.');
            // Every other sentence in an order of its own, so that it is not word for word.
            let said = match sentence.split_once(' ') {
                Some((first, rest)) if number % 2 == 1 => format!("{rest}, as to {}", first.to_lowercase()),
                _ => sentence.to_owned(),
            };
            written.push_str(&format!("{said}.[^{number}] "));
        }
        let pieces = [Piece::Text(written.into_bytes()), Piece::Done { usage: None, cut: None }];
        Ok(Box::pin(futures::stream::iter(pieces.map(Ok))))
    }

    async fn first_tokens(&self, _: Prompt) -> Result<Vec<LikelyToken>, ModelError> {
        Ok(Vec::new())
    }
}

struct World {
    engine: Engine,
    reader: Arc<Away<OnnxReranker>>,
    embedder: Arc<Away<Arc<OnnxEmbedder>>>,
    verifier: Arc<Away<LexicalEntailment>>,
    tenant: TenantId,
}

/// A passage under its section.
type Section = (Option<String>, String);

/// A document as its front matter and headings have it: title, address, and its sections with their texts.
fn read(text: &str) -> (String, Option<String>, Vec<Section>) {
    let (front, body) = text.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---\n")).unwrap_or(("", text));
    let field = |name: &str| {
        let line = front.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
        line.map(|value| value.trim().to_owned())
    };
    let heading = body.lines().find_map(|line| line.strip_prefix("# ")).unwrap_or_default();
    let mut passages: Vec<Section> = Vec::new();
    let mut section = None;
    for paragraph in body.split("\n\n").map(str::trim).filter(|paragraph| !paragraph.is_empty()) {
        if let Some(below) = paragraph.strip_prefix("## ") {
            section = Some(below.to_owned());
        } else if !paragraph.starts_with("# ") {
            match passages.last_mut() {
                Some((of, text)) if *of == section && text.len() + paragraph.len() < 900 => {
                    text.push_str("\n\n");
                    text.push_str(paragraph);
                }
                _ => passages.push((section.clone(), paragraph.chars().take(1_500).collect())),
            }
        }
    }
    (field("title").unwrap_or_else(|| heading.to_owned()), field("address"), passages)
}

impl World {
    async fn new() -> Self {
        let runtime = setting("IBIDEM__EMBEDDING__RUNTIME");
        let settings =
            OnnxSettings::of(setting("IBIDEM__EMBEDDING__MODEL"), setting("IBIDEM__EMBEDDING__TOKENIZER"), &runtime);
        let embedder = Arc::new(OnnxEmbedder::load(&settings).unwrap());
        let reader = Away::of(OnnxReranker::load(&PairModelSettings::of(at("models/reader"), &runtime)).unwrap());
        let tenant = TenantId::named("degraded");
        let index = Arc::new(FakeIndex::new(embedder.model().dimensions));
        let catalogue = Arc::new(FakeCatalogue::default());
        let files = FOLDERS.iter().flat_map(|folder| std::fs::read_dir(at(folder)).unwrap());
        let mut files: Vec<PathBuf> = files.map(|file| file.unwrap().path()).collect();
        files.retain(|file| file.extension().is_some_and(|ending| ending == "md"));
        files.sort();
        let tags = vec![Tag::public()];
        for (number, file) in (1_u128..).zip(&files) {
            let (title, address, sections) = read(&std::fs::read_to_string(file).unwrap());
            let document = DocumentId(Uuid::from_u128(number << 64));
            let collection = "Demo".parse().unwrap();
            let in_context =
                sections.iter().map(|(section, text)| passage_in_context(&title, section.as_deref(), text)).collect();
            let vectors = embedder.embed_queries(in_context).await.unwrap();
            let mut points = Vec::new();
            for (chunk_index, ((section, text), vector)) in (0..).zip(sections.into_iter().zip(vectors)) {
                let key = PassageKey { document, version: 1, chunk_index };
                points.push(IndexPoint { passage: key, vector, words: format!("{title} {text}") });
                let shelved = CataloguePassage {
                    passage: key,
                    title: title.clone(),
                    address: address.clone(),
                    section,
                    ..passage(number, &collection, &text)
                };
                catalogue.put(tenant, tags.clone(), shelved);
            }
            let published = IndexDocument { tenant, document, collection, kind: None, tags: tags.clone(), points };
            index.publish(vec![published]).await.unwrap();
        }
        let embedder = Away::of(embedder);
        let asked: Part<dyn Embedder> = Part::bare(embedder.clone());
        let verifier = Away::of(LexicalEntailment::with_embedder(asked.clone()));
        let searcher =
            Searcher { embedder: asked, index: Part::bare(index), catalogue: catalogue.clone(), words: catalogue };
        let engine = Engine::new(searcher).with(|parts| {
            parts.reranker = Some(Part::bare(reader.clone()));
            parts.entailment = Part::bare(verifier.clone());
            parts.roles = Arc::new(Roles::answering(NamedModel::unknown(Arc::new(Scribe))));
        });
        Self { engine, reader, embedder, verifier, tenant }
    }

    async fn is_answered(&self, question: &str, policy: &Arc<Policy>) -> bool {
        let identity = Identity::for_tests(self.tenant, "s", [Tag::public()].into());
        let asked = Asked {
            request_id: Uuid::nil(),
            at: DateTime::UNIX_EPOCH,
            scope: Scope::of(&identity),
            question: Question::new(question),
            policy: policy.clone(),
            deadline: Deadline::NONE,
        };
        self.engine.ask(asked, &mut Nobody).await.unwrap().answer.action == Action::Cite
    }
}

fn questions() -> Vec<String> {
    let text: String = QUESTIONS.iter().map(|file| std::fs::read_to_string(at(file)).unwrap()).collect();
    let question = |line: &str| {
        let read: serde_json::Value = serde_json::from_str(line).unwrap();
        read["question"].as_str().unwrap().to_owned()
    };
    let all: Vec<String> = text.lines().filter(|line| !line.trim().is_empty()).map(question).collect();
    let most = std::env::var("IBIDEM_DEGRADED").map_or(IN_CI, |written| written.parse().unwrap());
    let every = (all.len() / most).max(1);
    all.into_iter().step_by(every).take(most).collect()
}

#[tokio::test]
async fn of_the_trials_questions_none_is_answered_with_a_part_away_that_is_refused_with_all() {
    let world = World::new().await;
    let extractive = Arc::new(Policy::parse(&DEFAULT.replace("mode: model", "mode: extractive")).unwrap());
    let written = Arc::new(Policy::parse(DEFAULT).unwrap());
    let questions = questions();
    let mut answered = BTreeMap::<(&str, &str), usize>::new();
    let mut bolder = Vec::new();
    for question in &questions {
        for (mode, policy) in [("quoted", &extractive), ("written", &written)] {
            let whole = world.is_answered(question, policy).await;
            *answered.entry((mode, "all parts")).or_default() += usize::from(whole);
            for part in ["reader", "embedding", "verifier"] {
                if mode == "quoted" && part == "verifier" {
                    // Nobody verifies what is quoted.
                    continue;
                }
                world.reader.set(part == "reader");
                world.embedder.set(part == "embedding");
                world.verifier.set(part == "verifier");
                let degraded = world.is_answered(question, policy).await;
                *answered.entry((mode, part)).or_default() += usize::from(degraded);
                if degraded && !whole {
                    bolder.push(format!("{mode}, without the {part}: {question}"));
                }
            }
            world.reader.set(false);
            world.embedder.set(false);
            world.verifier.set(false);
        }
    }
    eprintln!("of {} questions answered: {answered:#?}", questions.len());
    assert!(bolder.is_empty(), "{} were bolder: {bolder:#?}", bolder.len());
    assert!(answered[&("quoted", "all parts")] * 4 > questions.len(), "too few answers show nothing: {answered:?}");
}
