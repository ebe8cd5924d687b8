//! A small world to ask: two tenants, a few documents, and switches to break its parts.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{HeaderMap, Request, StatusCode};
use axum::response::Response;
use chrono::DateTime;
use ibidem_engine::ask::Engine;
use ibidem_engine::policy::{Policy, PolicyLimits};
use ibidem_engine::roles::{NamedModel, Roles};
use ibidem_engine::search::Searcher;
use ibidem_ports::curate::Window;
use ibidem_ports::degrade::{BreakerStates, Breakers, Part};
use ibidem_ports::embedder::Embedder;
use ibidem_ports::identity_provider::IdentityProvider;
use ibidem_ports::index::{IndexDocument, IndexPoint, IndexWriter as _};
use ibidem_ports::intake::{Format, Intake, NewPassage, NewVersion, Submission};
use ibidem_ports::language_model::{LanguageModel, LikelyToken, ModelError, Pieces, Prompt};
use ibidem_ports::originals::Originals as _;
use ibidem_ports::reranker::Reranker;
use ibidem_ports::thesaurus::Thesaurus;
use ibidem_ports::tools::Tools;
use ibidem_ports::vocabulary::Vocabulary;
use ibidem_server::metrics::{PartCounts, ToolCalls, VocabularyCounts};
use ibidem_server::{
    AccessTokens, AppState, AuditSettings, ConnectionLimits, HandOverRules, MetricsReaders, PolicyPlaces,
    QuotaSettings, Quotas, Readiness, ServerLimits, ServerParts, SignIn, router,
};
use ibidem_store::{AuditLog, NewKey, Store, Texts};
use ibidem_testing::database::TestDatabase;
use ibidem_testing::fakes::{FakeEmbedder, FakeIndex, FakeModel, FakeOriginals};
use ibidem_words::{
    CharSpan, CollectionName, DocumentId, HandIn, KeyInForce, PassageKey, Role, Sha256Hash, SigningKey, Tag, TenantId,
    passage_in_context,
};
use serde_json::Value;
use tokio::sync::{Notify, Semaphore, watch};
use tower::ServiceExt as _;
use uuid::Uuid;

/// Its threshold is another model's: the test's is lower.
/// Where access tokens come from, as a provider calls itself; nobody calls it there.
pub(crate) const ISSUER: &str = "https://login.example.org";
/// What opens `/metrics`.
pub(crate) const METRICS_TOKEN: &str = "a-token-of-the-operator";
pub(crate) const POLICY: &str = include_str!("../../../../policies/book.yaml");

pub(crate) struct World {
    database: TestDatabase,
    state: AppState,
    pub(crate) router: Router,
    pub(crate) embedder: Arc<FakeEmbedder>,
    pub(crate) index: Arc<FakeIndex>,
    pub(crate) model: Arc<FakeModel>,
    pub(crate) thoughtful: Arc<Thoughtful>,
    pub(crate) tenant: TenantId,
    originals: Arc<FakeOriginals>,
}

/// A reply, read to its end.
pub(crate) struct Reply {
    pub(crate) status: StatusCode,
    pub(crate) body: Value,
    /// As it came, for what is not one JSON document.
    pub(crate) text: String,
    headers: HeaderMap,
}

impl Reply {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// Of a header that may come more than once.
    pub(crate) fn header_values(&self, name: &str) -> Vec<&str> {
        self.headers.get_all(name).into_iter().filter_map(|value| value.to_str().ok()).collect()
    }
}

/// A model that can be told to think for a while, so that somebody can hang up on it.
pub(crate) struct Thoughtful {
    model: Arc<FakeModel>,
    /// Taken while it writes: whoever holds it keeps it thinking.
    pub(crate) attention: Semaphore,
    pub(crate) asked: Notify,
}

#[async_trait]
impl LanguageModel for Thoughtful {
    fn default_model(&self) -> &str {
        self.model.default_model()
    }

    fn allowed(&self) -> Vec<String> {
        self.model.allowed()
    }

    async fn write(&self, prompt: Prompt) -> Result<Pieces, ModelError> {
        self.asked.notify_one();
        let _attention = self.attention.acquire().await.unwrap();
        self.model.write(prompt).await
    }

    async fn first_tokens(&self, prompt: Prompt) -> Result<Vec<LikelyToken>, ModelError> {
        self.model.first_tokens(prompt).await
    }
}

struct Always;

#[async_trait]
impl Readiness for Always {
    async fn missing(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }
}

/// Something in front of the embedding model, or another one.
pub(crate) type InPlaceOf = fn(Arc<FakeEmbedder>) -> Arc<dyn Embedder>;

/// Parts that most tests go without.
pub(crate) struct Extras {
    pub(crate) vocabulary: Option<Arc<dyn Vocabulary>>,
    pub(crate) reranker: Option<Arc<dyn Reranker>>,
    /// The embedding model is behind one of them.
    pub(crate) breakers: Option<Breakers>,
    pub(crate) counts: Arc<dyn PartCounts>,
    pub(crate) metrics_readers: MetricsReaders,
    /// Stands around the embedding model for those who ask.
    pub(crate) embedder: Option<InPlaceOf>,
    /// How turns are recorded; none when they are not.
    pub(crate) texts: Option<Texts>,
    pub(crate) limits: ServerLimits,
    /// What the operator allows the policies of tenants.
    pub(crate) policy_limits: PolicyLimits,
    /// Where people sign in, and where browsers reach the server.
    pub(crate) sign_in: Option<(Arc<dyn IdentityProvider>, String)>,
    pub(crate) quotas: Quotas,
    pub(crate) hand_over: HandOverRules,
    /// A tool server by the name of `desk`.
    pub(crate) desk: Option<Arc<dyn Tools>>,
    pub(crate) thesaurus: Option<Arc<dyn Thesaurus>>,
    pub(crate) readiness: Arc<dyn Readiness>,
}

/// Nothing that is not about overload or deadlines may be decided by either, on a busy machine.
pub(crate) fn limits() -> ServerLimits {
    let patient = Duration::from_secs(60);
    ServerLimits {
        max_body_bytes: 10_000,
        max_json_bytes: 1_000_000,
        body_timeout: patient,
        request_timeout: patient,
        max_in_flight: 256,
        tenant_share_percent: 100,
        key_share_percent: 25,
        connections: ConnectionLimits {
            max_connections: 64,
            head_timeout: patient,
            idle_timeout: patient,
            read_timeout: patient,
        },
    }
}

impl Default for Extras {
    fn default() -> Self {
        Self {
            vocabulary: None,
            reranker: None,
            breakers: None,
            counts: Arc::new(NothingCounted),
            metrics_readers: MetricsReaders::Operator(Sha256Hash::of(METRICS_TOKEN.as_bytes())),
            embedder: None,
            texts: Some(Texts::Plain),
            limits: limits(),
            policy_limits: PolicyLimits::default(),
            sign_in: None,
            quotas: Quotas::new(QuotaSettings::default()),
            hand_over: HandOverRules::default(),
            desk: None,
            thesaurus: None,
            readiness: Arc::new(Always),
        }
    }
}

struct NothingCounted;

impl PartCounts for NothingCounted {
    fn vocabulary(&self) -> VocabularyCounts {
        VocabularyCounts::default()
    }

    fn breakers(&self) -> BreakerStates {
        BreakerStates::default()
    }

    fn tool_calls(&self) -> Vec<ToolCalls> {
        Vec::new()
    }
}

/// The policy of these tests: their embedding model is not the one that the threshold was set for.
pub(crate) fn policy(text: &str) -> watch::Receiver<Arc<Policy>> {
    let policy = Policy::parse(&text.replace("top1_similarity: 0.7", "top1_similarity: 0.3")).unwrap();
    watch::channel(Arc::new(policy)).1
}

/// Signs the receipts of these tests.
pub(crate) fn signing_key() -> SigningKey {
    SigningKey::from_seed(&[7; 32]).unwrap()
}

impl World {
    pub(crate) async fn create() -> Self {
        Self::create_under(policy(POLICY)).await
    }

    /// With a policy that may change.
    pub(crate) async fn create_under(policy: watch::Receiver<Arc<Policy>>) -> Self {
        Self::create_with(policy, Extras::default()).await
    }

    pub(crate) async fn create_with(policy: watch::Receiver<Arc<Policy>>, extras: Extras) -> Self {
        let database = TestDatabase::create().await;
        let tenant = database.store.ensure_tenant("default").await.unwrap();
        let embedder = Arc::new(FakeEmbedder::new(64, 256));
        let index = Arc::new(FakeIndex::new(64));
        let asked: Arc<dyn Embedder> = match extras.embedder {
            Some(around) => around(embedder.clone()),
            None => embedder.clone(),
        };
        let guarded = match &extras.breakers {
            Some(breakers) => Part::guarded(asked, breakers.of("embedding", Duration::from_secs(60))),
            None => Part::bare(asked),
        };
        let searcher = Searcher {
            embedder: guarded,
            index: Part::bare(index.clone()),
            catalogue: Arc::new(database.store.clone()),
            words: Arc::new(database.store.clone()),
        };
        let limits = extras.limits;
        let originals = Arc::new(FakeOriginals::default());
        let model = Arc::new(FakeModel::saying(&[
            "Five days may be carr",
            "ied over.[^1] Ten are. ",
            "Leave may be carried over.[^1]",
        ]));
        let thoughtful =
            Arc::new(Thoughtful { model: model.clone(), attention: Semaphore::new(8), asked: Notify::new() });
        let log = extras.texts.map(|texts| AuditLog { store: database.store.clone(), texts });
        let state = AppState::new(ServerParts {
            store: database.store.clone(),
            engine: Engine {
                signing_key: KeyInForce::of(signing_key()),
                ..Engine::new(searcher).with(|parts| {
                    parts.vocabulary = extras.vocabulary.map(Part::bare);
                    parts.reranker = extras.reranker.map(Part::bare);
                    parts.owners = Some(Arc::new(database.store.clone()));
                    parts.tools = extras.desk.map(|desk| ("desk".to_owned(), Part::bare(desk))).into_iter().collect();
                    parts.confirmations = Some(Arc::new(database.store.clone()));
                })
            },
            policy,
            policy_places: PolicyPlaces::default().within(extras.policy_limits),
            roles: watch::channel(Arc::new(Roles::answering(NamedModel::unknown(thoughtful.clone())))).1,
            originals: originals.clone(),
            readiness: extras.readiness,
            publishing: None,
            reading: "test".into(),
            window: Window { counter: embedder.clone(), max_tokens: 256 },
            limits,
            quotas: extras.quotas,
            metrics_readers: extras.metrics_readers,
            counts: extras.counts,
            audit: AuditSettings { log, retention: None },
            hand_over: extras.hand_over,
            thesaurus: extras.thesaurus,
            sign_in: extras.sign_in.map(|(provider, public_url)| SignIn {
                provider,
                tenant,
                public_url,
                tokens: Some(AccessTokens { issuer: ISSUER.to_owned(), scopes: vec!["openid".to_owned()] }),
                idle: Duration::from_secs(3_600),
                lifetime: Duration::from_secs(12 * 3_600),
            }),
        });
        let router = router(state.clone());
        let world = Self { router, state, database, embedder, index, model, thoughtful, tenant, originals };
        world.take_in(tenant, "leave.md", "public", "Leave", "Five days of leave may be carried over.").await;
        world
            .take_in(tenant, "salaries.md", "finance", "Salaries", "Salaries are reviewed in March, leave or not.")
            .await;
        let other = world.store().ensure_tenant("other").await.unwrap();
        world.take_in(other, "leave.md", "public", "Leave", "Ten days of leave may be carried over.").await;
        world
    }

    pub(crate) fn state(&self) -> AppState {
        self.state.clone()
    }

    pub(crate) fn store(&self) -> &Store {
        &self.database.store
    }

    /// A document that everybody in the default tenant may see.
    pub(crate) async fn take_in_public(&self, location: &str, title: &str, text: &str) {
        self.take_in(self.tenant, location, "public", title, text).await;
    }

    /// A document of one passage, in the catalogue and in the index.
    pub(crate) async fn take_in(
        &self,
        tenant: TenantId,
        location: &str,
        tag: &str,
        title: &str,
        text: &str,
    ) -> DocumentId {
        self.take_in_to("Policy", tenant, location, tag, [title, text]).await
    }

    /// The same, in a collection of one's choice: its title and its text.
    pub(crate) async fn take_in_to(
        &self,
        collection: &str,
        tenant: TenantId,
        location: &str,
        tag: &str,
        [title, text]: [&str; 2],
    ) -> DocumentId {
        let collection: CollectionName = collection.parse().unwrap();
        let tags: Vec<Tag> = vec![tag.parse().unwrap()];
        let submission = Submission {
            tenant,
            collection: collection.clone(),
            source_location: location.to_owned(),
            format: Format::Plain,
            original: Sha256Hash::of(text.as_bytes()),
            tags: tags.clone(),
            title: Some(title.to_owned()),
            address: None,
            kind: None,
            updated_at: None,
        };
        let document = submission.document_id();
        self.store().submit(tenant, Uuid::now_v7(), "test", &[submission]).await.unwrap();
        let job = Intake::claim(self.store(), 1).await.unwrap().remove(0);
        let words = passage_in_context(title, Some("Rules"), text);
        let passage = NewPassage {
            text: text.to_owned(),
            section: Some("Rules".to_owned()),
            page: Some(2),
            span: CharSpan { start: 0, end: u32::try_from(text.len()).unwrap() },
            above: Default::default(),
            tokens: 8,
            sha256: Sha256Hash::of(text.as_bytes()),
            embedding_key: Sha256Hash::of(words.as_bytes()),
        };
        let version = NewVersion {
            title: title.to_owned(),
            address: None,
            kind: None,
            updated_at: DateTime::UNIX_EPOCH,
            text: text.to_owned(),
            text_sha256: Sha256Hash::of(text.as_bytes()),
            passages: vec![passage],
            validity: Default::default(),
            remarks: Vec::new(),
        };
        Intake::commit(self.store(), vec![(job, version)]).await.unwrap();
        let vector = self.embedder.embed_passages(vec![words.clone()]).await.unwrap().remove(0);
        let point = IndexPoint { passage: PassageKey { document, version: 1, chunk_index: 0 }, vector, words };
        let published = IndexDocument { tenant, document, collection, kind: None, tags, points: vec![point] };
        self.index.publish(vec![published]).await.unwrap();
        document
    }

    /// A new key of the default tenant, as an `Authorization` header.
    pub(crate) async fn key(&self, role: &str, tags: &[&str]) -> String {
        self.key_named("desk", role, tags).await
    }

    pub(crate) async fn key_named(&self, name: &str, role: &str, tags: &[&str]) -> String {
        let new = NewKey {
            tenant: self.tenant,
            name: name.to_owned(),
            role: role.parse::<Role>().unwrap(),
            tags: tags.iter().map(|tag| tag.parse().unwrap()).collect(),
            hand_in: HandIn::Everywhere,
            expires_at: None,
        };
        format!("Bearer {}", self.store().create_key(&new).await.unwrap().secret)
    }

    /// A new curator's key that may hand documents in to these collections.
    pub(crate) async fn key_handing_in(&self, tags: &[&str], hand_in: &[&str]) -> String {
        let names: Vec<String> = hand_in.iter().map(|&name| name.to_owned()).collect();
        let new = NewKey {
            tenant: self.tenant,
            name: "desk".to_owned(),
            role: Role::Curator,
            tags: tags.iter().map(|tag| tag.parse().unwrap()).collect(),
            hand_in: HandIn::parse(&names).unwrap(),
            expires_at: None,
        };
        format!("Bearer {}", self.store().create_key(&new).await.unwrap().secret)
    }

    /// A new key of another tenant.
    pub(crate) async fn key_of(&self, tenant: &str, role: &str) -> String {
        let tenant = self.store().ensure_tenant(tenant).await.unwrap();
        let role = role.parse::<Role>().unwrap();
        let new = NewKey {
            tenant,
            name: "desk".to_owned(),
            role,
            tags: Vec::new(),
            hand_in: HandIn::Everywhere,
            expires_at: None,
        };
        format!("Bearer {}", self.store().create_key(&new).await.unwrap().secret)
    }

    /// Every column of a table by name, with all of its values as text.
    pub(crate) async fn columns_of(&self, table: &str) -> Vec<(String, String)> {
        self.database.columns_of(table).await
    }

    /// The names of all columns, of any table, that hold these words.
    pub(crate) async fn columns_with(&self, words: &str) -> Vec<String> {
        self.database.columns_with(words).await
    }

    /// How many originals hold these words.
    pub(crate) fn originals_with(&self, words: &str) -> usize {
        self.originals.count_with(words)
    }

    /// Waits until so many turns are on record.
    pub(crate) async fn written(&self, turns: u64) {
        while self.store().turn_count().await.unwrap() < turns {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// Keeps an original of the default tenant.
    pub(crate) async fn keep_original(&self, text: &str) {
        self.originals.keep(self.tenant, text.as_bytes().to_vec()).await.unwrap();
    }

    /// A document that everybody may see, with its original.
    pub(crate) async fn take_in_original(&self, location: &str, title: &str, text: &str) -> DocumentId {
        self.originals.keep(self.tenant, text.as_bytes().to_vec()).await.unwrap();
        self.take_in(self.tenant, location, "public", title, text).await
    }

    pub(crate) async fn run_sql(&self, statement: &'static str) {
        self.database.run(statement).await;
    }

    /// Waits until no turn is under way; their records may still be on their way.
    pub(crate) async fn turns_ended(&self) {
        while self.state.turns_under_way() > 0 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// Waits until every turn has ended and is recorded; none can begin any more.
    pub(crate) async fn stop(&self) {
        self.state.finish().await;
    }

    pub(crate) async fn call(&self, method: &str, path: &str, authorization: Option<&str>, body: &str) -> Reply {
        let mut headers = vec![("content-type", "application/json")];
        headers.extend(authorization.map(|authorization| ("authorization", authorization)));
        self.call_with(method, path, &headers, body).await
    }

    pub(crate) async fn call_with(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Reply {
        let (parts, body) = self.begin(method, path, headers, body).await.into_parts();
        let bytes = to_bytes(body, 1_000_000).await.unwrap();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let body = serde_json::from_slice(&bytes).unwrap_or(Value::Null);
        Reply { status: parts.status, headers: parts.headers, body, text }
    }

    /// Sends a request; its reply is not read yet.
    pub(crate) async fn begin(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Response {
        let mut request = Request::builder().method(method).uri(path);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        self.router.clone().oneshot(request.body(Body::from(body.to_owned())).unwrap()).await.unwrap()
    }

    pub(crate) async fn end(self) {
        self.database.drop_database().await;
    }
}
