//! The scenarios in `scenarios/<policy>/*.yaml`: a library, a question, and the decision it must end in.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use ibidem_engine::roles::{NamedModel, Planner, Roles};
use ibidem_ports::degrade::Part;
use ibidem_ports::embedder::{EmbedError, Embedder, EmbeddingModel};
use ibidem_ports::records::TurnRecord;
use ibidem_ports::reranker::Reranker;
use ibidem_ports::tools::Tools;
use ibidem_ports::vocabulary::{LabelKind, Vocabulary, VocabularyError};
use ibidem_testing::fakes::{
    FakeConcept, FakeConfirmations, FakeModel, FakeReranker, FakeTools, FakeVocabulary, Script,
};
use ibidem_words::Fallback;
use ibidem_words::{
    Action, Answer, DocumentKind, Identity, KeyInForce, ModelHash, Offer, Reason, Sha256Hash, SigningKey,
    SimilarityScale, Tag, Verdict,
};
use serde::Deserialize;

use crate::world::{Book, World};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Scenario {
    /// What it shows.
    about: String,
    #[serde(default)]
    documents: Vec<Document>,
    /// Concepts of the vocabulary; none is configured when this is left out.
    #[serde(default)]
    vocabulary: Option<Vec<Entry>>,
    #[serde(default)]
    vocabulary_is: Availability,
    /// The service desk of `demo/support/desk` can be asked for facts, as a fake of it.
    #[serde(default)]
    desk: bool,
    /// The asker's tags beside that of the documents.
    #[serde(default)]
    tags: Vec<Tag>,
    /// Asked before the question, which has the token of what it proposes in place of `{token}`.
    #[serde(default)]
    confirms: Option<String>,
    question: String,
    /// What the model says when it is asked; it cannot be reached when this is left out.
    #[serde(default)]
    model_says: Option<Vec<String>>,
    /// What the models with other roles say; nobody has a role that is left out.
    #[serde(default)]
    planner_says: Option<String>,
    #[serde(default)]
    judge_says: Option<String>,
    #[serde(default)]
    fallback_says: Option<String>,
    #[serde(default)]
    out_of_corpus_says: Option<String>,
    /// The embedding model does not answer: only words are searched.
    #[serde(default)]
    embedding_is_down: bool,
    /// Who owns the documents' tag, and who stands in for owners.
    #[serde(default)]
    owner: Option<String>,
    #[serde(default)]
    admin: Option<String>,
    expect: Expectation,
    /// Why it ends otherwise where a reader is sure that every passage answers; it ends the same where this is left out.
    #[serde(default)]
    only_without_reader: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    uri: String,
    vocabulary: String,
    label: String,
    #[serde(default)]
    also: Vec<String>,
    #[serde(default)]
    definition: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Availability {
    #[default]
    There,
    Late,
    Down,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    title: String,
    text: String,
    #[serde(default = "book")]
    collection: String,
    #[serde(default)]
    address: Option<String>,
    #[serde(default)]
    kind: Option<DocumentKind>,
    /// To the question, as the embedding model would have it.
    similarity: f32,
}

fn book() -> String {
    "Book".to_owned()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expectation {
    action: Action,
    answer: String,
    refused: bool,
    #[serde(default)]
    reason: Option<Reason>,
    #[serde(default)]
    refusal_reason: Option<String>,
    /// Titles, in the order of their markers.
    #[serde(default)]
    cites: Vec<String>,
    #[serde(default)]
    warnings: Vec<String>,
    /// Compared when given.
    #[serde(default)]
    suggestions: Option<Vec<String>>,
    /// What is offered, and what each offer asks. Compared when given.
    #[serde(default)]
    offers: Option<Vec<Offer>>,
    /// What the citations resolve to, compared when given.
    #[serde(default)]
    sources: Option<Vec<String>>,
    #[serde(default)]
    fallback_reasons: Vec<Fallback>,
    /// Compared when given.
    #[serde(default)]
    retrieval_confidence: Option<f64>,
    #[serde(default)]
    confidence: Option<f64>,
    #[serde(default)]
    grounded: Option<bool>,
    /// Whom the question goes to: an e-mail address, and whether it is the admin's in place of an owner's.
    #[serde(default)]
    route_to: Option<(String, bool)>,
    /// Compared when given.
    #[serde(default)]
    model_used: Option<String>,
    model_calls: usize,
    /// Calls of the desk's tools in all, compared when given.
    #[serde(default)]
    tool_calls: Option<usize>,
    /// Gates by name, with their verdict and what they observed.
    #[serde(default)]
    gates: Vec<(String, Verdict, f64)>,
}

/// Puts the question at one end and each document as far from it as its scenario says.
pub(crate) struct PlacedEmbedder {
    model: EmbeddingModel,
    is_down: bool,
}

impl PlacedEmbedder {
    pub(crate) fn new() -> Self {
        let hash = ModelHash(Sha256Hash::of(b"placed"));
        let model = EmbeddingModel {
            name: "placed".to_owned(),
            hash,
            dimensions: 2,
            max_tokens: 256,
            scale: SimilarityScale::COSINE,
        };
        Self { model, is_down: false }
    }

    pub(crate) fn vector(similarity: f32) -> Vec<f32> {
        vec![similarity, (1.0 - similarity * similarity).max(0.0).sqrt()]
    }
}

#[async_trait]
impl Embedder for PlacedEmbedder {
    fn model(&self) -> &EmbeddingModel {
        &self.model
    }

    async fn embed_passages(&self, texts: Vec<String>) -> Result<Vec<Vec<f32>>, EmbedError> {
        Ok(texts.iter().map(|_| Self::vector(0.0)).collect())
    }

    async fn embed_queries(&self, texts: Vec<String>) -> Result<Vec<Vec<f32>>, EmbedError> {
        if self.is_down {
            return Err(EmbedError::Unavailable("it is down".to_owned()));
        }
        Ok(texts.iter().map(|_| Self::vector(1.0)).collect())
    }
}

fn vocabulary(entries: Vec<Entry>, availability: Availability) -> Arc<dyn Vocabulary> {
    let concepts = entries.into_iter().map(|entry| {
        let concept = FakeConcept::new(&entry.uri, &entry.vocabulary).label(LabelKind::Preferred, &entry.label, "en");
        let concept =
            entry.also.iter().fold(concept, |concept, label| concept.label(LabelKind::Alternative, label, "en"));
        match entry.definition {
            Some(definition) => concept.definition(&definition, "en"),
            None => concept,
        }
    });
    let vocabulary = FakeVocabulary::of(concepts.collect());
    match availability {
        Availability::There => {}
        Availability::Late => vocabulary.fail(VocabularyError::Timeout(300)),
        Availability::Down => vocabulary.fail(VocabularyError::Unavailable("500".to_owned())),
    }
    Arc::new(vocabulary)
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

#[tokio::test]
async fn every_scenario_ends_as_it_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut count = 0;
    for folder in files(&root.join("scenarios")) {
        let name = folder.file_name().unwrap().to_str().unwrap();
        let policy = std::fs::read_to_string(root.join(format!("policies/{name}.yaml"))).unwrap();
        for file in files(&folder) {
            let text = std::fs::read_to_string(&file).unwrap();
            let scenario: Scenario = serde_saphyr::from_str(&text).unwrap_or_else(|error| panic!("{file:?}: {error}"));
            check(scenario, &policy, &file).await;
            count += 1;
        }
    }
    assert!(count >= 8, "only {count} scenarios were found");
}

/// A reader is one gate more: it never decides in place of a gate that a policy's document has.
#[tokio::test]
async fn every_scenario_ends_the_same_with_a_reader_that_is_sure_of_every_passage() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut others = Vec::new();
    for folder in files(&root.join("scenarios")) {
        let name = folder.file_name().unwrap().to_str().unwrap();
        let policy = std::fs::read_to_string(root.join(format!("policies/{name}.yaml"))).unwrap();
        for file in files(&folder) {
            let scenario: Scenario = serde_saphyr::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
            if scenario.only_without_reader.is_some() {
                continue;
            }
            let reader: Arc<dyn Reranker> = Arc::new(FakeReranker::certain());
            let Played { answer, expect, about, .. } =
                played(scenario, &policy, &file, KeyInForce::default(), Some(reader)).await;
            let decided = (answer.action, answer.reason, answer.refusal_reason);
            let expected = (expect.action, expect.reason, expect.refusal_reason);
            if decided != expected {
                others.push((file, about, decided, expected));
            }
        }
    }
    assert!(others.is_empty(), "{others:#?}");
}

/// What a scenario's question ends in, and the world it was asked in, signed with this key.
struct Played {
    answer: Answer,
    record: TurnRecord,
    world: World,
    desk: Arc<FakeTools>,
    expect: Expectation,
    about: String,
}

/// The answer of one scenario, as it goes out and as it is kept.
pub(crate) async fn answer_of(scenario: &str, key: SigningKey) -> (Answer, TurnRecord) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let (policy, _) = scenario.split_once('/').unwrap();
    let policy = std::fs::read_to_string(root.join(format!("policies/{policy}.yaml"))).unwrap();
    let file = root.join(format!("scenarios/{scenario}.yaml"));
    let scenario: Scenario = serde_saphyr::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    let Played { answer, record, .. } = played(scenario, &policy, &file, KeyInForce::of(key), None).await;
    (answer, record)
}

async fn played(
    scenario: Scenario,
    policy: &str,
    file: &Path,
    key: KeyInForce,
    reader: Option<Arc<dyn Reranker>>,
) -> Played {
    let books = scenario.documents.into_iter().map(|document| Book {
        title: document.title,
        vector: Some(PlacedEmbedder::vector(document.similarity)),
        collection: document.collection,
        address: document.address,
        kind: document.kind,
        ..Book::of(&document.text)
    });
    let script = scenario.model_says.map_or(Script::CannotBeReached, Script::Says);
    let placed = PlacedEmbedder { is_down: scenario.embedding_is_down, ..PlacedEmbedder::new() };
    let mut world = World::of(script, books.collect(), Arc::new(placed), policy).await;
    world.engine.signing_key = key;
    world.engine.parts.reranker = reader.map(Part::bare);
    let role = |says: Option<String>| says.map(|says| NamedModel::unknown(Arc::new(FakeModel::saying(&[&says]))));
    let roles = Roles {
        planner: role(scenario.planner_says).map(|model| Arc::new(Planner::new(model))),
        judge: scenario
            .judge_says
            .map(|says| NamedModel::unknown(Arc::new(FakeModel::saying(&[&says]).called("judge")))),
        fallback: role(scenario.fallback_says),
        out_of_corpus: role(scenario.out_of_corpus_says),
        ..(*world.engine.parts.roles).clone()
    };
    world.engine.parts.roles = Arc::new(roles);
    if let Some(owner) = &scenario.owner {
        world.catalogue.own(world.tenant, crate::world::TAG.parse().unwrap(), owner);
    }
    world.engine.parts.owners = Some(world.catalogue.clone());
    world.engine.parts.admin_email = scenario.admin;
    world.engine.parts.vocabulary =
        scenario.vocabulary.map(|entries| Part::bare(vocabulary(entries, scenario.vocabulary_is)));
    let desk = Arc::new(ibidem_testing::suites::tools::desk());
    if scenario.desk {
        world.engine.parts.tools = [("desk".to_owned(), Part::bare(desk.clone() as Arc<dyn Tools>))].into();
        world.engine.parts.confirmations = Some(Arc::new(FakeConfirmations::default()));
    }
    let mut tags: BTreeSet<Tag> = scenario.tags.into_iter().collect();
    tags.insert(crate::world::TAG.parse().unwrap());
    let identity = Identity::for_tests(world.tenant, "s", tags);
    let mut question = scenario.question;
    if let Some(confirms) = &scenario.confirms {
        let proposed =
            world.turn(&identity, confirms).await.0.confirmation.unwrap_or_else(|| panic!("{}", file.display()));
        question = question.replace("{token}", proposed.token.unwrap().revealed());
    }
    let (answer, record) = world.turn(&identity, &question).await;
    Played { answer, record, world, desk, expect: scenario.expect, about: scenario.about }
}

async fn check(scenario: Scenario, policy: &str, file: &Path) {
    let Played { answer, world, desk, expect, about, .. } =
        played(scenario, policy, file, KeyInForce::default(), None).await;
    let what = format!("{}: {about}\n{answer:#?}", file.display());
    assert_eq!(answer.action, expect.action, "{what}");
    assert_eq!(answer.answer, expect.answer.trim(), "{what}");
    assert_eq!(answer.refused, expect.refused, "{what}");
    assert_eq!(answer.reason, expect.reason, "{what}");
    assert_eq!(answer.refusal_reason, expect.refusal_reason, "{what}");
    let cites: Vec<_> = answer.citations.iter().map(|citation| citation.document_name.clone()).collect();
    assert_eq!(cites, expect.cites, "{what}");
    assert_eq!(answer.warnings, expect.warnings, "{what}");
    if let Some(suggestions) = expect.suggestions {
        assert_eq!(answer.suggestions, suggestions, "{what}");
    }
    if let Some(offers) = expect.offers {
        assert_eq!(answer.offers, offers, "{what}");
    }
    if let Some(sources) = expect.sources {
        let found: Vec<String> = answer.citations.iter().map(|citation| citation.source_id.clone().into()).collect();
        assert_eq!(found, sources, "{what}");
    }
    if let Some(expected) = expect.retrieval_confidence {
        let found = answer.retrieval_quality.confidence_score;
        assert!((found - expected).abs() < 5e-4, "{found}: {what}");
    }
    if let Some(expected) = expect.confidence {
        let found = answer.confidence.unwrap().overall;
        assert!((found - expected).abs() < 5e-3, "{found}: {what}");
    }
    assert_eq!(answer.receipt.as_ref().unwrap().text(), answer.answer, "the receipt is the answer: {what}");
    if let Some(grounded) = expect.grounded {
        assert_eq!(answer.grounded, grounded, "{what}");
        let claims = answer.receipt.as_ref().unwrap().claims().count();
        assert!(grounded || (answer.citations.is_empty() && claims == 0), "{what}");
    }
    let route_to = answer.route_to.map(|target| (target.owner_email.unwrap_or_default(), target.fallback));
    assert_eq!(route_to, expect.route_to, "{what}");
    if let Some(model) = expect.model_used {
        assert_eq!(answer.model_used, Some(model), "{what}");
    }
    if expect.model_calls == 0 {
        assert_eq!(answer.retrieval_quality.fallback_reasons, expect.fallback_reasons, "{what}");
    }
    assert_eq!(world.model_calls(), expect.model_calls, "{what}");
    if let Some(calls) = expect.tool_calls {
        assert_eq!(desk.calls(), calls, "{what}");
    }
    for (gate, verdict, observed) in expect.gates {
        let found = answer.trace.iter().find(|record| record.gate == gate);
        let found = found.unwrap_or_else(|| panic!("no gate {gate}: {what}"));
        assert_eq!(found.verdict, verdict, "{gate}: {what}");
        assert!((found.observed - observed).abs() < 5e-5, "{gate}: {what}");
    }
}
