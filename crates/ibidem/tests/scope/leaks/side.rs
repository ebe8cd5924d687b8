//! One side of a comparison: a world behind a server of its own, and the asker's way in.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use chrono::Utc;
use ibidem_engine::ask::Engine;
use ibidem_engine::policy::Policy;
use ibidem_ports::curate::Window;
use ibidem_ports::degrade::BreakerStates;
use ibidem_ports::embedder::Embedder as _;
use ibidem_ports::identity_provider::{
    Beginning, IdentityProvider, LoggedOut, PersonClaims, ProviderError, Returned, SignedIn,
};
use ibidem_ports::originals::Originals as _;
use ibidem_server::metrics::{PartCounts, ToolCalls, VocabularyCounts};
use ibidem_server::{
    AppState, AuditSettings, ConnectionLimits, MetricsReaders, QuotaSettings, Quotas, Readiness, ServerLimits,
    ServerParts, SignIn,
};
use ibidem_store::{AuditLog, NewGroup, NewKey, NewSession, Texts};
use ibidem_testing::fakes::FakeOriginals;
use ibidem_words::{HandIn, Role, Tag, TenantId};
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::{oneshot, watch};
use tokio::task::JoinHandle;

use super::documents::Marked;
use crate::world::{World, world_of};

/// Nothing here takes longer, unless it hangs.
const PATIENCE: Duration = Duration::from_secs(120);

/// Somebody who asks, with a key or, as a member of groups, signed in.
#[derive(Clone, Debug)]
pub(super) struct Asker {
    pub(super) tenant: &'static str,
    pub(super) role: Role,
    pub(super) tags: Vec<Tag>,
    pub(super) is_person: bool,
}

/// A reply: its status, what sort of text it is, and the text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct HttpReply {
    pub(super) status: u16,
    pub(super) kind: String,
    pub(super) text: String,
}

impl HttpReply {
    pub(super) fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_default()
    }
}

pub(super) struct Side {
    world: World,
    url: String,
    client: reqwest::Client,
    headers: Vec<(&'static str, String)>,
    stop: oneshot::Sender<()>,
    serving: JoinHandle<()>,
    /// What the asker made here, and what others made: by what it is, the ids.
    pub(super) made: BTreeMap<&'static str, Vec<String>>,
}

struct Always;

#[async_trait]
impl Readiness for Always {
    async fn missing(&self) -> Vec<(&'static str, String)> {
        Vec::new()
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

/// A provider that is away: whoever is in has a session already.
struct Away;

fn away<T>() -> Result<T, ProviderError> {
    Err(ProviderError::Unavailable("away".to_owned()))
}

#[async_trait]
impl IdentityProvider for Away {
    async fn bearer(&self, _: &str) -> Result<PersonClaims, ProviderError> {
        away()
    }

    async fn sign_in_address(&self, _: &Beginning) -> Result<String, ProviderError> {
        away()
    }

    async fn redeem(&self, _: &Returned) -> Result<SignedIn, ProviderError> {
        away()
    }

    async fn logout_address(&self, _: &str, _: &str) -> Result<Option<String>, ProviderError> {
        Ok(None)
    }

    async fn logged_out(&self, _: &str) -> Result<LoggedOut, ProviderError> {
        away()
    }
}

/// Nothing here may be decided by overload or a deadline, on a busy machine.
fn limits() -> ServerLimits {
    ServerLimits {
        max_body_bytes: 100_000,
        max_json_bytes: 1_000_000,
        body_timeout: PATIENCE,
        request_timeout: PATIENCE,
        max_in_flight: 256,
        tenant_share_percent: 100,
        key_share_percent: 100,
        connections: ConnectionLimits {
            max_connections: 64,
            head_timeout: PATIENCE,
            idle_timeout: PATIENCE,
            read_timeout: PATIENCE,
        },
    }
}

impl Side {
    /// These documents and no others, and the asker at the door.
    pub(super) async fn with(documents: &[Marked], asker: &Asker, policy: &Arc<Policy>) -> Self {
        let handed: Vec<_> = documents.iter().map(|document| document.handed.clone()).collect();
        let world = world_of(&handed).await;
        let store = world.store().clone();
        let tenant = store.ensure_tenant(asker.tenant).await.unwrap();
        let originals = Arc::new(FakeOriginals::default());
        for (submission, version) in &handed {
            originals.keep(submission.tenant, version.text.clone().into_bytes()).await.unwrap();
        }
        let engine = Engine::new(world.searcher()).with(|parts| {
            parts.memory = Some(Arc::new(store.clone()));
            parts.owners = Some(Arc::new(store.clone()));
            parts.admin_email = Some("admin@example.org".to_owned());
        });
        let state = AppState::new(ServerParts {
            store: store.clone(),
            engine,
            policy: watch::channel(policy.clone()).1,
            policy_places: Default::default(),
            roles: watch::channel(Arc::default()).1,
            originals,
            readiness: Arc::new(Always),
            publishing: None,
            reading: "test".into(),
            window: Window { counter: world.embedder.clone(), max_tokens: world.embedder.model().max_tokens },
            limits: limits(),
            quotas: Quotas::new(QuotaSettings::default()),
            metrics_readers: MetricsReaders::Nobody,
            counts: Arc::new(NothingCounted),
            audit: AuditSettings { log: Some(AuditLog { store, texts: Texts::Plain }), retention: None },
            hand_over: Default::default(),
            thesaurus: None,
            sign_in: Some(SignIn {
                provider: Arc::new(Away),
                tenant,
                public_url: "http://ibidem.example".to_owned(),
                tokens: None,
                idle: PATIENCE * 100,
                lifetime: PATIENCE * 100,
            }),
        });
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (stop, stopped) = oneshot::channel::<()>();
        let serving = tokio::spawn(async move {
            let stopped = async move {
                let _ = stopped.await;
            };
            ibidem_server::serve(listener, state, stopped).await;
        });
        let _ = rustls::crypto::ring::default_provider().install_default();
        let no_redirects = reqwest::redirect::Policy::none();
        let client = reqwest::Client::builder().no_proxy().redirect(no_redirects).timeout(PATIENCE).build().unwrap();
        let mut side = Self { world, url, client, headers: Vec::new(), stop, serving, made: BTreeMap::new() };
        side.headers = match asker.is_person {
            true => side.signed_in(tenant, asker).await,
            false => vec![("authorization", side.key(tenant, asker.role, &asker.tags).await)],
        };
        side
    }

    /// A new key, as a header has it.
    pub(super) async fn key(&self, tenant: TenantId, role: Role, tags: &[Tag]) -> String {
        let new = NewKey {
            tenant,
            name: "desk".to_owned(),
            role,
            tags: tags.to_vec(),
            hand_in: HandIn::Everywhere,
            expires_at: None,
        };
        format!("Bearer {}", self.world.store().create_key(&new).await.unwrap().secret)
    }

    /// The session of a person whose groups give them their tags, one each.
    async fn signed_in(&self, tenant: TenantId, asker: &Asker) -> Vec<(&'static str, String)> {
        let store = self.world.store();
        let mut groups = vec!["staff".to_owned()];
        let staff = NewGroup::new("staff", asker.role, Vec::new()).unwrap();
        store.map_group(tenant, &staff).await.unwrap();
        for tag in &asker.tags {
            let group = NewGroup::new(&format!("of {tag}"), Role::Asker, vec![tag.clone()]).unwrap();
            store.map_group(tenant, &group).await.unwrap();
            groups.push(format!("of {tag}"));
        }
        let claims = PersonClaims {
            issuer: "https://provider.example".to_owned(),
            subject: "somebody".to_owned(),
            name: Some("Somebody".to_owned()),
            email: None,
            groups,
            issued_at: Utc::now(),
        };
        let person = store.admit_person(tenant, &claims).await.unwrap();
        let new = NewSession { provider_session: None, id_token: "none".to_owned(), lifetime: PATIENCE * 100 };
        let secret = store.open_session(&person, &new).await.unwrap();
        vec![("cookie", format!("ibidem-session={secret}")), ("x-ibidem-request", "1".to_owned())]
    }

    /// The asker calls. `@name@` in the path is the id of what was made under that name; of none it is an id of nothing.
    pub(super) async fn call(&self, method: &str, path: &str, body: Option<&Value>) -> HttpReply {
        self.call_as(&self.headers, method, path, body).await
    }

    pub(super) async fn call_as(
        &self,
        headers: &[(&'static str, String)],
        method: &str,
        path: &str,
        body: Option<&Value>,
    ) -> HttpReply {
        let url = format!("{}{}", self.url, self.filled(path));
        // Links in replies begin with the address by which a server was reached: here the same for both.
        let request = self.client.request(method.parse().unwrap(), url);
        let mut request =
            request.header("host", "ibidem.example").header("accept", "application/json, text/event-stream");
        for (name, value) in headers {
            request = request.header(*name, value);
        }
        if let Some(body) = body {
            let body = self.filled(&body.to_string());
            request = request.header("content-type", "application/json").body(body);
        }
        let reply = request.send().await.unwrap();
        let kind = reply.headers().get("content-type").map(|kind| kind.to_str().unwrap().to_owned());
        HttpReply {
            status: reply.status().as_u16(),
            kind: kind.unwrap_or_default(),
            text: String::from_utf8_lossy(&reply.bytes().await.unwrap()).into_owned(),
        }
    }

    fn filled(&self, written: &str) -> String {
        let mut pieces = written.split('@');
        let mut filled = pieces.next().unwrap_or_default().to_owned();
        while let (Some(name), Some(rest)) = (pieces.next(), pieces.next()) {
            let made = self.made.get(name).and_then(|ids| ids.last());
            filled.push_str(made.map_or("00000000-0000-0000-0000-000000000007", String::as_str));
            filled.push_str(rest);
        }
        filled
    }

    /// Returns once what was done is on record, which is a moment after the reply to it.
    pub(super) async fn wait_for_record(&self, path: &str) {
        let recorded = async {
            while self.call("GET", path, None).await.status == 404 {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        tokio::time::timeout(PATIENCE, recorded).await.expect("it is on record");
    }

    pub(super) fn world(&mut self) -> &mut World {
        &mut self.world
    }

    pub(super) fn note(&mut self, what: &'static str, id: &str) {
        self.made.entry(what).or_default().push(id.to_owned());
    }

    pub(super) async fn end(self) {
        let _ = self.stop.send(());
        self.serving.await.unwrap();
        self.world.end().await;
    }
}
