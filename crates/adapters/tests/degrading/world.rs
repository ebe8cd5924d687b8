//! An engine whose every part can be made to fail, each behind its breaker. Time is paused, and turned by hand.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use chrono::DateTime;
use ibidem_adapters::second_try::SecondTry;
use ibidem_engine::ask::Engine;
use ibidem_engine::policy::Policy;
use ibidem_engine::roles::{NamedModel, Roles};
use ibidem_engine::search::Searcher;
use ibidem_engine::turn::Asked;
use ibidem_engine::{ask::Spoken, listener::Nobody};
use ibidem_ports::catalogue::CataloguePassage;
use ibidem_ports::degrade::{BreakerSettings, Breakers, Deadline, Part};
use ibidem_ports::embedder::Embedder as _;
use ibidem_ports::index::{IndexDocument, IndexPoint, IndexWriter as _};
use ibidem_ports::language_model::{LanguageModel, LikelyToken, ModelError, Pieces, Prompt};
use ibidem_ports::vocabulary::LabelKind;
use ibidem_testing::fakes::{
    self, FakeCatalogue, FakeConcept, FakeEmbedder, FakeEntailment, FakeIndex, FakeModel, FakeReranker, FakeVocabulary,
    Script,
};
use ibidem_words::{DocumentId, Identity, PassageKey, Question, Scope, Tag, TenantId};
use uuid::Uuid;

pub(crate) const POLICY: &str = include_str!("../../../../policies/default.yaml");
pub(crate) const TEXT: &str = "The gearbox holds 1.8 litres of oil.";
pub(crate) const QUESTION: &str = "gearbox holds litres oil";
pub(crate) const TERM: &str = "What is a busbar?";
const DEFINED: &str = "A conductor with negligible impedance.";

/// Longer than any test takes: who is late says so by itself.
const PATIENT: Duration = Duration::from_secs(60);

/// A model whose script can be changed.
pub(crate) struct Moody(Mutex<Arc<FakeModel>>);

impl Moody {
    fn saying(text: &str) -> Self {
        Self(Mutex::new(Arc::new(FakeModel::saying(&[text]))))
    }

    pub(crate) fn becomes(&self, script: Script) {
        *self.0.lock().unwrap() = Arc::new(FakeModel::new(script));
    }

    /// How often it was asked since it last changed.
    pub(crate) fn calls(&self) -> usize {
        self.now().prompts().len()
    }

    fn now(&self) -> Arc<FakeModel> {
        self.0.lock().unwrap().clone()
    }
}

#[async_trait]
impl LanguageModel for Moody {
    fn default_model(&self) -> &str {
        FakeModel::NAME
    }

    fn allowed(&self) -> Vec<String> {
        vec![FakeModel::NAME.to_owned()]
    }

    async fn write(&self, prompt: Prompt) -> Result<Pieces, ModelError> {
        self.now().write(prompt).await
    }

    async fn first_tokens(&self, prompt: Prompt) -> Result<Vec<LikelyToken>, ModelError> {
        self.now().first_tokens(prompt).await
    }
}

pub(crate) struct World {
    pub(crate) engine: Engine,
    pub(crate) breakers: Breakers,
    pub(crate) embedder: Arc<FakeEmbedder>,
    pub(crate) reranker: Arc<FakeReranker>,
    pub(crate) entailment: Arc<FakeEntailment>,
    pub(crate) model: Arc<Moody>,
    pub(crate) vocabulary: Arc<FakeVocabulary>,
    pub(crate) index: Arc<FakeIndex>,
    policy: Arc<Policy>,
    identity: Identity,
}

impl World {
    pub(crate) async fn new() -> Self {
        let breakers = Breakers::new(BreakerSettings::default());
        let tenant = TenantId::named("degrading");
        let embedder = Arc::new(FakeEmbedder::new(256, 256));
        let index = Arc::new(FakeIndex::new(256));
        let catalogue = Arc::new(FakeCatalogue::default());
        shelve(tenant, &embedder, &index, &catalogue).await;
        let reranker = Arc::new(FakeReranker::default());
        let entailment = Arc::new(FakeEntailment::default());
        let model = Arc::new(Moody::saying(&format!("{TEXT}[^1]")));
        let busbar = FakeConcept::new("http://example.org/busbar", "grid").label(LabelKind::Preferred, "busbar", "en");
        let vocabulary = Arc::new(FakeVocabulary::of(vec![busbar.definition(DEFINED, "en")]));

        let searcher = Searcher {
            embedder: Part::guarded(embedder.clone(), breakers.of("embedding", PATIENT)),
            index: Part::guarded(Arc::new(SecondTry::of(index.clone())), breakers.of("index", PATIENT)),
            catalogue: catalogue.clone(),
            words: catalogue,
        };
        let answers: Part<dyn LanguageModel> = Part::guarded(model.clone(), breakers.of("model", PATIENT));
        let engine = Engine::new(searcher).with(|parts| {
            parts.roles = Arc::new(Roles::answering(NamedModel::of(answers)));
            parts.vocabulary = Some(Part::guarded(vocabulary.clone(), breakers.of("vocabulary", PATIENT)));
            parts.reranker = Some(Part::guarded(reranker.clone(), breakers.of("reranker", PATIENT)));
            parts.entailment = Part::guarded(entailment.clone(), breakers.of("entailment", PATIENT));
        });
        let tags = [Tag::public()].into_iter().collect();
        let identity = Identity::for_tests(tenant, "s", tags);
        let policy = Arc::new(Policy::parse(POLICY).unwrap());
        Self { engine, breakers, embedder, reranker, entailment, model, vocabulary, index, policy, identity }
    }

    pub(crate) async fn ask(&self, query: &str) -> Spoken {
        self.ask_of(&self.engine, query, Deadline::NONE).await
    }

    pub(crate) async fn ask_of(&self, engine: &Engine, query: &str, deadline: Deadline) -> Spoken {
        let asked = Asked {
            request_id: Uuid::from_u128(1),
            at: DateTime::UNIX_EPOCH,
            scope: Scope::of(&self.identity),
            question: Question::new(query),
            policy: self.policy.clone(),
            deadline,
        };
        engine.ask(asked, &mut Nobody).await.unwrap()
    }

    pub(crate) fn scope(&self) -> Scope {
        Scope::of(&self.identity)
    }

    /// The state of a part's breaker, and how often it opened.
    pub(crate) fn breaker(&self, service: &str) -> (u8, u64) {
        let states = self.breakers.states().states();
        states.into_iter().find(|(name, ..)| name == service).map(|(_, state, trips)| (state, trips)).unwrap()
    }

    /// Gives somebody the role of the fallback.
    pub(crate) fn fall_back_to(&mut self, model: FakeModel) {
        let fallback: Part<dyn LanguageModel> =
            Part::guarded(Arc::new(model), self.breakers.of("model_fallback", PATIENT));
        let fallback = Some(NamedModel::of(fallback));
        self.engine.parts.roles = Arc::new(Roles { fallback, ..Roles::clone(&self.engine.parts.roles) });
    }
}

/// Lets time pass: it is paused.
pub(crate) async fn pass(milliseconds: u64) {
    tokio::time::advance(Duration::from_millis(milliseconds)).await;
}

async fn shelve(tenant: TenantId, embedder: &FakeEmbedder, index: &FakeIndex, catalogue: &FakeCatalogue) {
    let document = DocumentId(Uuid::from_u128(7));
    let passage = PassageKey { document, version: 1, chunk_index: 0 };
    let vector = embedder.embed_passages(vec![TEXT.to_owned()]).await.unwrap().remove(0);
    let points = vec![IndexPoint { passage, vector, words: TEXT.to_owned() }];
    let (collection, tags) = ("Manual".parse().unwrap(), vec![Tag::public()]);
    let published = IndexDocument { tenant, document, collection, kind: None, tags: tags.clone(), points };
    index.publish(vec![published]).await.unwrap();
    let shelved =
        CataloguePassage { passage, title: "Manual".to_owned(), ..fakes::passage(0, &"Manual".parse().unwrap(), TEXT) };
    catalogue.put(tenant, tags, shelved);
}
