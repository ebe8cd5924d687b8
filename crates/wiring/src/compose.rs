//! Where concrete parts meet: the only place that joins them.

mod agreed;
pub mod audit;
mod by_language;
pub mod counts;
pub mod embedding;
pub mod guards;
pub mod hand_over;
mod in_doubt;
pub mod model_identities;
pub mod roles;
pub mod sign_in;
pub mod signing;
mod tools;

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use async_trait::async_trait;
use ibidem_adapters::http_entailment::HttpEntailment;
use ibidem_adapters::http_reranker::HttpReranker;
use ibidem_adapters::object_store::StoredOriginals;
use ibidem_adapters::onnx::{
    ClaimInput, OnDemandReranker, OnnxEntailment, OnnxReranker, PairModelError, PairModelSettings,
};
use ibidem_adapters::openai::OpenAiModel;
use ibidem_adapters::qdrant::{IndexState, QdrantIndex};
use ibidem_adapters::skos_files::SkosFiles;
use ibidem_adapters::skosmos::Skosmos;
use ibidem_adapters::watched_vocabulary::WatchedVocabulary;
use ibidem_engine::ask::Engine;
use ibidem_engine::parts::SecondReader;
pub use ibidem_engine::policy::SHIPPED_POLICIES;
use ibidem_engine::policy::{Policy, shipped_policy};
use ibidem_engine::roles::Roles;
use ibidem_engine::search::Searcher;
use ibidem_engine::speak::verify::lexical::LexicalEntailment;
use ibidem_engine::yes_no::{YesNoEntailment, YesNoReranker, YesNoSettings};
use ibidem_ingest::progress::Progress;
use ibidem_ingest::publish::Publisher;
use ibidem_ingest::read::child::ChildReader;
use ibidem_ingest::work::{Readers, Worker};
use ibidem_ports::curate::Window;
use ibidem_ports::degrade::{Breakers, Part};
use ibidem_ports::embedder::Embedder;
use ibidem_ports::entailment::Entailment;
use ibidem_ports::index::{IndexError, IndexFault, IndexWriter};
use ibidem_ports::reranker::Reranker;
use ibidem_ports::thesaurus::Thesaurus;
use ibidem_ports::vocabulary::Vocabulary;
use ibidem_server::policy_file::{self, PolicyFile, PolicyFileError, PolicySource, PolicyText};
use ibidem_server::{AppState, PolicyPlaces, Publishing, Quotas, Readiness, ServerParts};
use ibidem_store::{SchemaState, Store};
use ibidem_words::{CollectionName, DocumentId, TenantId};
use tokio::sync::watch;

use self::agreed::Agreed;
use self::by_language::{ByLanguage, EnglishAlone};
use self::counts::Counts;
pub use self::embedding::{CountingEmbedder, embedder};
use self::in_doubt::InDoubt;
pub use self::tools::tools;
use crate::settings::{
    BuiltInReaders, EntailmentSource, LanguageModelSettings, RerankerSource, SecondVerifierSettings, Settings,
    VocabularySource,
};

pub fn store(settings: &Settings) -> anyhow::Result<Store> {
    Ok(Store::new(&settings.store())?)
}

/// The database, with the schema this binary needs.
pub async fn ready_store(settings: &Settings) -> anyhow::Result<Store> {
    let store = store(settings)?;
    store.ping().await.context("check `database.url`, then run `ibidem doctor`")?;
    match store.schema_state().await? {
        SchemaState::Current { .. } => Ok(store),
        SchemaState::Behind { .. } => {
            anyhow::bail!("the tables of the database are older than this version; run `ibidem migrate`")
        }
        SchemaState::Ahead { .. } => {
            anyhow::bail!("the tables of the database are newer than this version; use the newer version of Ibidem")
        }
        SchemaState::Altered { version } => {
            anyhow::bail!(
                "migration {version} was changed after it was applied; use the version of Ibidem that applied it"
            )
        }
    }
}

pub fn originals(settings: &Settings) -> anyhow::Result<StoredOriginals> {
    Ok(StoredOriginals::at(&settings.originals())?)
}

/// Reads each original in a process of its own.
pub fn child_reader(settings: &Settings) -> anyhow::Result<ChildReader> {
    let reading = &settings.reading;
    ChildReader::new(reading.program.clone(), reading.limits()).context("the program that reads documents")
}

pub fn readers(settings: &Settings) -> anyhow::Result<Readers> {
    Ok(Readers::new(Arc::new(child_reader(settings)?), settings.reading.at_once.get()))
}

pub fn index(settings: &Settings, embedder: &dyn CountingEmbedder) -> anyhow::Result<QdrantIndex> {
    Ok(QdrantIndex::new(settings.qdrant(), embedder.model().clone())?)
}

/// The text of a shipped policy by its name, or of one from a file.
pub fn policy_text(named: &str) -> anyhow::Result<Cow<'static, str>> {
    if let Some(text) = shipped_policy(named) {
        return Ok(Cow::Borrowed(text));
    }
    match policy_file::load(Path::new(named)) {
        Ok(text) => Ok(Cow::Owned(text)),
        Err(PolicyFileError::Unreadable { reason, .. }) => {
            let names: Vec<_> = SHIPPED_POLICIES.iter().map(|(name, _)| *name).collect();
            let names = names.join(", ");
            anyhow::bail!("{named:?} is neither a built-in policy file ({names}) nor a file that can be read: {reason}")
        }
        Err(error) => Err(error.into()),
    }
}

/// The policy that was named, or else the configured one with the configured thresholds laid over it.
pub fn policy(settings: &Settings, named: Option<&str>) -> anyhow::Result<Arc<Policy>> {
    match named {
        Some(named) => named_policy(named),
        None => Ok(Arc::new(configured_policy(settings)?.policy()?)),
    }
}

/// A shipped policy by its name, or one from a file, as it stands there.
pub fn named_policy(named: &str) -> anyhow::Result<Arc<Policy>> {
    Ok(Arc::new(policy_source(named, None)?.policy()?))
}

/// The policy in force, and what it comes from where that can change: it is to be followed.
pub fn policy_in_force(settings: &Settings) -> anyhow::Result<(watch::Receiver<Arc<Policy>>, Option<PolicyFile>)> {
    let source = configured_policy(settings)?;
    if !source.is_in_files() {
        // Nobody ever sends another one.
        return Ok((watch::channel(Arc::new(source.policy()?)).1, None));
    }
    let opened = PolicyFile::open(source).context("check `policy.use` and `policy.thresholds`, and what they name")?;
    let (file, in_force) = opened;
    Ok((in_force, Some(file)))
}

fn configured_policy(settings: &Settings) -> anyhow::Result<PolicySource> {
    policy_source(&settings.policy.r#use, settings.policy.thresholds.clone())
}

/// A shipped policy by its name, or one from a file.
fn policy_source(named: &str, thresholds: Option<PathBuf>) -> anyhow::Result<PolicySource> {
    let policy = match shipped_policy(named) {
        Some(text) => PolicyText::Shipped(text),
        None => {
            policy_text(named).context("the policy (`policy.use`, --policy)")?;
            PolicyText::File(named.into())
        }
    };
    Ok(PolicySource { policy, thresholds })
}

/// The configured reranker, bounded in time. One in this process takes about a second to load; the one for other languages
/// than English is loaded when it is needed.
pub async fn reranker(settings: &Settings) -> anyhow::Result<Option<Part<dyn Reranker>>> {
    let Some(source) = settings.reranker() else { return Ok(None) };
    let timeout = settings.reranker.timeout_ms.get();
    let inner: Arc<dyn Reranker> = match source {
        RerankerSource::BuiltIn(readers) => {
            let load = move || {
                let BuiltInReaders { english, others } = *readers;
                Ok::<_, PairModelError>((OnnxReranker::load(&english)?, OnDemandReranker::of(others)?))
            };
            let (english, others) = tokio::task::spawn_blocking(load).await??;
            let english = Arc::new(english.waiting_at_most(timeout));
            Arc::new(ByLanguage::new(english, Arc::new(others.waiting_at_most(timeout))))
        }
        RerankerSource::Onnx(onnx) => {
            let loaded = tokio::task::spawn_blocking(move || OnnxReranker::load(&onnx)).await??;
            Arc::new(loaded.waiting_at_most(timeout))
        }
        RerankerSource::Http(http) => Arc::new(HttpReranker::new(http).context("check `reranker`")?),
        RerankerSource::Model(yes_no) => {
            let models = settings.language_model().context("`reranker.use: model` needs `language_model.url`")?;
            Arc::new(YesNoReranker::new(asked_yes_or_no(models, &yes_no)?, yes_no))
        }
    };
    Ok(Some(Part::patient(inner, timeout)))
}

fn asked_yes_or_no(models: &LanguageModelSettings, yes_no: &YesNoSettings) -> anyhow::Result<Arc<OpenAiModel>> {
    let name = yes_no.model.as_deref().unwrap_or(models.answer());
    Ok(Arc::new(roles::model(models, name)?))
}

/// What reads the best few again, where a folder is named for it, bounded in time. It takes about a second to load.
pub async fn second_reader(settings: &Settings) -> anyhow::Result<Option<SecondReader>> {
    let Some(second) = settings.second_reader() else { return Ok(None) };
    let timeout = settings.reranker.timeout_ms.get();
    let loaded = tokio::task::spawn_blocking(move || OnnxReranker::load(&second.model)).await?;
    let loaded = loaded.context("check `reranker.second`")?;
    let reader: Arc<dyn Reranker> = Arc::new(loaded.waiting_at_most(timeout));
    let reader = if second.english_alone { Arc::new(EnglishAlone(reader)) } else { reader };
    Ok(Some(SecondReader { reader: Part::patient(reader, timeout), best: second.best }))
}

/// The configured entailment model, bounded in time. One in this process takes about a second to load; the one by words
/// weighs meaning too where it is given an embedding model.
pub async fn entailment(
    settings: &Settings,
    embedder: Option<Part<dyn Embedder>>,
) -> anyhow::Result<Part<dyn Entailment>> {
    let timeout = settings.entailment.timeout_ms.get();
    let by_words = || embedder.clone().map_or_else(LexicalEntailment::by_words, LexicalEntailment::with_embedder);
    let inner: Arc<dyn Entailment> = match settings.entailment() {
        EntailmentSource::Lexical => Arc::new(by_words()),
        EntailmentSource::Onnx(onnx) => onnx_entailment(onnx, settings.entailment.input()).await?,
        EntailmentSource::Http(http) => Arc::new(HttpEntailment::new(http).context("check `entailment`")?),
        EntailmentSource::Model(yes_no) => {
            let models = settings.language_model().context("`entailment.use: model` needs `language_model.url`")?;
            Arc::new(YesNoEntailment::new(asked_yes_or_no(models, &yes_no)?, yes_no))
        }
    };
    let inner =
        if settings.entailment.words_first() { Arc::new(Agreed::new(Arc::new(by_words()), inner)) } else { inner };
    let inner = match settings.second_verifier() {
        Some(SecondVerifierSettings { model, input, doubt }) => {
            let second = onnx_entailment(model, input).await.context("check `entailment.second`")?;
            Arc::new(InDoubt::new(inner, second, doubt))
        }
        None => inner,
    };
    Ok(Part::patient(inner, timeout))
}

async fn onnx_entailment(model: PairModelSettings, input: ClaimInput) -> anyhow::Result<Arc<dyn Entailment>> {
    let loaded = tokio::task::spawn_blocking(move || OnnxEntailment::load(&model, input)).await??;
    Ok(Arc::new(loaded))
}

/// The configured vocabulary, bounded in time, remembered and counted.
pub fn vocabulary(settings: &Settings) -> anyhow::Result<Option<WatchedVocabulary>> {
    let bare = bare_vocabulary(settings)?;
    Ok(bare.map(|(bare, _)| WatchedVocabulary::new(bare, settings.terminology.watched())))
}

/// The same, asked behind its breaker; what is remembered is said, however it is.
fn guarded_vocabulary(settings: &Settings, breakers: &Breakers) -> anyhow::Result<Option<GuardedVocabulary>> {
    let bare = bare_vocabulary(settings)?;
    let guarded = |bare| WatchedVocabulary::guarded(bare, settings.terminology.watched(), breakers);
    Ok(bare.map(|(bare, thesaurus)| (guarded(bare), thesaurus)))
}

/// With all that is in it, where it is in files.
type GuardedVocabulary = (WatchedVocabulary, Option<Arc<dyn Thesaurus>>);
type BareVocabulary = (Arc<dyn Vocabulary>, Option<Arc<dyn Thesaurus>>);

fn bare_vocabulary(settings: &Settings) -> anyhow::Result<Option<BareVocabulary>> {
    match settings.terminology.source() {
        None => Ok(None),
        Some(VocabularySource::Skosmos(skosmos)) => {
            let server = Skosmos::new(skosmos).context("check `terminology.skosmos`")?;
            let vocabulary: Arc<dyn Vocabulary> = Arc::new(server);
            Ok(Some((vocabulary, None)))
        }
        Some(VocabularySource::Files(files)) => {
            let files = Arc::new(SkosFiles::load(&files).context("check `terminology.files`")?);
            let thesaurus: Arc<dyn Thesaurus> = files.clone();
            Ok(Some((files as Arc<dyn Vocabulary>, Some(thesaurus))))
        }
    }
}

/// Every part that searching and ingesting need, each ready to be used.
pub struct Parts {
    pub store: Store,
    pub originals: StoredOriginals,
    pub readers: Readers,
    pub embedder: Arc<dyn CountingEmbedder>,
    pub index: QdrantIndex,
}

impl Parts {
    pub async fn ready(settings: &Settings) -> anyhow::Result<Self> {
        let store = ready_store(settings).await?;
        let embedder = embedder(settings).await?;
        let index = index(settings, embedder.as_ref())?;
        match index.check().await? {
            IndexState::Ready { .. } => {}
            IndexState::Missing => return Err(IndexError::Own(IndexFault::Missing).into()),
            IndexState::OtherModel { found } => {
                let expected = embedder.model().hash.0.short(12);
                return Err(IndexError::Own(IndexFault::OtherModel { expected, found }).into());
            }
        }
        Ok(Self { store, originals: originals(settings)?, readers: readers(settings)?, embedder, index })
    }

    /// Whether a policy's numbers hold with the models in use: asked before anything is decided by it.
    pub fn check(&self, settings: &Settings, policy: &Policy) -> anyhow::Result<()> {
        Ok(policy.check_models(&model_identities::models_in_use(settings, self.embedder.as_ref())?)?)
    }

    /// The policies of single tenants and collections, as far as they hold with the models in use.
    pub fn policy_places(&self, settings: &Settings) -> anyhow::Result<PolicyPlaces> {
        let models = model_identities::models_in_use(settings, self.embedder.as_ref())?;
        Ok(PolicyPlaces::only_with(models).within(settings.policy.of_tenants()))
    }

    /// The policy for a question: the one that was named, or else the one in force for these collections of the tenant.
    pub async fn policy_for(
        &self,
        settings: &Settings,
        named: Option<&str>,
        tenant: TenantId,
        collections: &[CollectionName],
    ) -> anyhow::Result<Arc<Policy>> {
        let installation = policy(settings, named)?;
        self.check(settings, &installation)?;
        if named.is_some() {
            return Ok(installation);
        }
        Ok(self.policy_places(settings)?.in_force(&self.store, (tenant, None), collections, installation).await?)
    }

    pub fn searcher(&self) -> Searcher {
        Searcher {
            embedder: Part::bare(self.embedder.clone()),
            index: Part::bare(Arc::new(self.index.clone())),
            catalogue: Arc::new(self.store.clone()),
            words: Arc::new(self.store.clone()),
        }
    }

    /// Loads the reranker, where one is configured.
    pub async fn engine(&self, settings: &Settings) -> anyhow::Result<Engine> {
        let breakers = Breakers::new(settings.breakers());
        let models = settings.language_model();
        let roles = guards::roles(roles::roles(models).await?, models, &breakers);
        let vocabulary = guarded_vocabulary(settings, &breakers)?.map(|(vocabulary, _)| vocabulary);
        self.engine_with(Arc::new(roles), vocabulary, settings, &breakers).await
    }

    /// Every part behind its breaker; the roles and the vocabulary are already.
    async fn engine_with(
        &self,
        roles: Arc<Roles>,
        vocabulary: Option<WatchedVocabulary>,
        settings: &Settings,
        breakers: &Breakers,
    ) -> anyhow::Result<Engine> {
        let searcher = guards::searcher(self.searcher(), settings, breakers);
        let entailment = entailment(settings, Some(searcher.embedder.clone())).await?;
        let reranker = reranker(settings).await?;
        let second_reader = second_reader(settings).await?;
        let tools = tools::guarded(settings, breakers)?;
        Ok(Engine { signing_key: signing::signing_key(settings, &self.store).await?, ..Engine::new(searcher) }.with(
            |parts| {
                parts.roles = roles;
                parts.vocabulary = vocabulary.map(|vocabulary| Part::bare(Arc::new(vocabulary) as Arc<dyn Vocabulary>));
                parts.reranker = reranker.map(|bare| guards::reranker(bare, settings, breakers));
                parts.second_reader = second_reader.map(|bare| guards::second_reader(bare, breakers));
                parts.memory = Some(Arc::new(self.store.clone()));
                parts.entailment = guards::entailment(entailment, settings, breakers);
                parts.owners = Some(Arc::new(self.store.clone()));
                parts.admin_email = settings.routing.admin_email.clone();
                parts.tools = tools;
                parts.confirmations = Some(Arc::new(self.store.clone()));
            },
        ))
    }

    pub fn publisher_to(&self, index: Arc<dyn IndexWriter>) -> Publisher {
        Publisher {
            outbox: Arc::new(self.store.clone()),
            vectors: Arc::new(self.store.clone()),
            embedder: self.embedder.clone(),
            index,
            progress: Arc::new(Progress::default()),
            renew_every: self.store.lease() / 3,
        }
    }

    pub fn publisher(&self) -> Publisher {
        self.publisher_to(Arc::new(self.index.clone()))
    }

    pub fn worker(&self) -> Worker {
        Worker {
            intake: Arc::new(self.store.clone()),
            originals: Arc::new(self.originals.clone()),
            readers: self.readers.clone(),
            counter: self.embedder.clone(),
            publisher: self.publisher(),
        }
    }

    pub fn window(&self) -> Window {
        Window { counter: self.embedder.clone(), max_tokens: self.embedder.model().max_tokens }
    }

    pub async fn app_state(
        &self,
        settings: &Settings,
        policy: watch::Receiver<Arc<Policy>>,
        roles: watch::Receiver<Arc<Roles>>,
        breakers: &Breakers,
        spans_lost: Arc<AtomicU64>,
    ) -> anyhow::Result<AppState> {
        let begun_with = roles.borrow().clone();
        let (vocabulary, thesaurus) = guarded_vocabulary(settings, breakers)?.unzip();
        let engine = self.engine_with(begun_with, vocabulary.clone(), settings, breakers).await?;
        let file = settings.receipts.signing_key_file.clone();
        tokio::spawn(signing::follow(engine.signing_key.clone(), file, self.store.clone()));
        Ok(AppState::new(ServerParts {
            store: self.store.clone(),
            engine,
            policy,
            policy_places: self.policy_places(settings)?,
            roles,
            originals: Arc::new(self.originals.clone()),
            readiness: Arc::new(PartsReadiness::of(self)),
            publishing: Some(Arc::new(PublishingHere(self.publisher()))),
            reading: reading(settings).into(),
            window: self.window(),
            limits: settings.server.limits(),
            quotas: Quotas::new(settings.limits.clone()),
            metrics_readers: settings.server.metrics_readers(),
            counts: Arc::new(Counts { vocabulary, breakers: breakers.states(), spans_lost }),
            audit: audit::for_server(&settings.audit, &self.store)?,
            sign_in: sign_in::for_server(settings.sign_in(), &self.store).await?,
            hand_over: hand_over::rules(settings),
            thesaurus: thesaurus.flatten(),
        }))
    }
}

/// Names how documents are read and split here: other readers or another window make other passages.
pub fn reading(settings: &Settings) -> String {
    format!("{}/{}", ibidem_ingest::READING, settings.embedding.max_tokens.get())
}

struct PublishingHere(Publisher);

#[async_trait]
impl Publishing for PublishingHere {
    async fn publish(&self, tenant: TenantId, document: DocumentId) -> Result<(), String> {
        const PATIENCE: Duration = Duration::from_secs(5);
        let publisher = self.0.clone();
        // In a task of its own: a client that hangs up leaves no lease behind for workers to wait for.
        let publishing = tokio::spawn(async move { publisher.publish_now(&[(tenant, document)]).await });
        match tokio::time::timeout(PATIENCE, publishing).await {
            Ok(Ok(published)) => published.map_err(|error| error.to_string()),
            Ok(Err(error)) => Err(error.to_string()),
            Err(_) => Err("it takes too long".to_owned()),
        }
    }
}

struct PartsReadiness {
    store: Store,
    index: QdrantIndex,
    originals: StoredOriginals,
    /// What could not be written when that was last tried, and when: whoever asks often does not write often.
    tried: tokio::sync::Mutex<Option<(Instant, Unwritten)>>,
}

/// The parts that cannot be written, each with the reason.
type Unwritten = Vec<(&'static str, String)>;

impl PartsReadiness {
    fn of(parts: &Parts) -> Self {
        let (store, index, originals) = (parts.store.clone(), parts.index.clone(), parts.originals.clone());
        Self { store, index, originals, tried: tokio::sync::Mutex::default() }
    }

    /// Tries both at once, each for a bounded time.
    async fn unwritten(&self) -> Unwritten {
        const LATE: &str = "nothing could be written in time";
        let database = async { self.store.check_writable().await.map_err(|error| error.to_string()) };
        let originals = async { self.originals.check().await.map_err(|error| error.to_string()) };
        let tried = tokio::join!(wrong("database", database, LATE), wrong("originals", originals, LATE));
        <[_; 2]>::from(tried).into_iter().flatten().collect()
    }
}

/// A part with what is wrong with it, after a bounded time.
async fn wrong(
    part: &'static str,
    looked: impl Future<Output = Result<(), String>>,
    late: &str,
) -> Option<(&'static str, String)> {
    const PATIENCE: Duration = Duration::from_secs(2);
    let looked = tokio::time::timeout(PATIENCE, looked).await.unwrap_or_else(|_| Err(late.to_owned()));
    Some((part, looked.err()?))
}

#[async_trait]
impl Readiness for PartsReadiness {
    async fn cannot_write(&self) -> Vec<(&'static str, String)> {
        const TRIED_EVERY: Duration = Duration::from_secs(10);
        let mut tried = self.tried.lock().await;
        if let Some((when, found)) = tried.as_ref()
            && when.elapsed() < TRIED_EVERY
        {
            return found.clone();
        }
        let found = self.unwritten().await;
        *tried = Some((Instant::now(), found.clone()));
        found
    }

    async fn missing(&self) -> Vec<(&'static str, String)> {
        const LATE: &str = "no answer in time";
        let database = async {
            match self.store.schema_state().await {
                Ok(SchemaState::Current { .. }) => Ok(()),
                Ok(other) => Err(format!("{other:?}")),
                Err(error) => Err(error.to_string()),
            }
        };
        let index = async {
            match self.index.check().await {
                Ok(IndexState::Ready { .. }) => Ok(()),
                Ok(other) => Err(format!("{other:?}")),
                Err(error) => Err(error.to_string()),
            }
        };
        let missing = tokio::join!(wrong("database", database, LATE), wrong("index", index, LATE));
        <[_; 2]>::from(missing).into_iter().flatten().collect()
    }
}
