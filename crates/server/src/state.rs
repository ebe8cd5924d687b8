//! What every handler shares.

use std::sync::Arc;

use async_trait::async_trait;
use axum::extract::FromRef;
use ibidem_engine::ask::Engine;
use ibidem_engine::policy::Policy;
use ibidem_engine::roles::Roles;
use ibidem_ports::curate::Window;
use ibidem_ports::originals::Originals;
use ibidem_ports::thesaurus::Thesaurus;
use ibidem_store::Store;
use ibidem_words::{CollectionName, DocumentId, Sha256Hash, TenantId};
use tokio::sync::{Semaphore, watch};
use tokio_util::task::TaskTracker;

use crate::audit::{Actions, AuditSettings, Recorder};
use crate::hand_over::HandOverRules;
use crate::identity::Door;
use crate::limits::{ServerLimits, UnderWay};
use crate::metrics::{Metrics, PartCounts};
use crate::policy_places::{PolicyPlaces, PolicySettings};
use crate::problem::Problem;
use crate::quotas::Quotas;
use crate::sign_in::SignIn;
use crate::sign_in_links::SignInLinks;

/// Who may read `/metrics`. What is counted there is counted over all tenants, so no tenant's key opens it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MetricsReaders {
    /// Whoever has the operator's token, of which this is the digest.
    Operator(Sha256Hash),
    /// Whoever reaches the port.
    Everybody,
    Nobody,
}

/// Whether this process can serve: asked by `/readyz`.
#[async_trait]
pub trait Readiness: Send + Sync {
    /// What is not ready, by name, with the reason for the log; empty when all is well.
    async fn missing(&self) -> Vec<(&'static str, String)>;

    /// What cannot be written, by name, with the reason for the log: a disk is full, or may only be read.
    async fn cannot_write(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }
}

/// Brings the index in line with the catalogue at once, without a worker.
#[async_trait]
pub trait Publishing: Send + Sync {
    /// Returns when the index has the document as the catalogue has it, or why it does not: then a worker does it.
    async fn publish(&self, tenant: TenantId, document: DocumentId) -> Result<(), String>;
}

/// What the server is made of.
pub struct ServerParts {
    pub store: Store,
    pub engine: Engine,
    /// The policy in force, which may change at any moment: a request takes it once, and keeps it to its end.
    pub policy: watch::Receiver<Arc<Policy>>,
    /// The policies of single tenants and collections.
    pub policy_places: PolicyPlaces,
    /// The models in force, which may change as the policy may; the engine's own are those it began with.
    pub roles: watch::Receiver<Arc<Roles>>,
    pub originals: Arc<dyn Originals>,
    pub readiness: Arc<dyn Readiness>,
    /// None where only workers publish.
    pub publishing: Option<Arc<dyn Publishing>>,
    /// Names the way documents are read and split (see `Submission::fingerprint`).
    pub reading: Arc<str>,
    /// What the embedding model takes at once: what curators write is cut to fit it.
    pub window: Window,
    pub limits: ServerLimits,
    /// What keys, people and tenants may use.
    pub quotas: Quotas,
    pub metrics_readers: MetricsReaders,
    /// What the vocabulary, the breakers and the tools count themselves.
    pub counts: Arc<dyn PartCounts>,
    pub audit: AuditSettings,
    /// None when nobody signs in: then there are only keys.
    pub sign_in: Option<SignIn>,
    /// Which owners' questions are handed over to them.
    pub hand_over: HandOverRules,
    /// The vocabularies that are here in full; none where a vocabulary server is asked, or nothing is.
    pub thesaurus: Option<Arc<dyn Thesaurus>>,
}

impl ServerParts {
    pub(crate) fn policy_in_force(&self) -> Arc<Policy> {
        self.policy.borrow().clone()
    }

    /// Where browsers reach this server, as far as anybody said so.
    pub(crate) fn public_url(&self) -> Option<&str> {
        let of_sign_in = self.sign_in.as_ref().map(|sign_in| sign_in.public_url.as_str());
        of_sign_in.or(self.hand_over.public_url.as_deref())
    }

    /// The policy for a question in these collections of a tenant, after so many settings if somebody counted them.
    pub(crate) async fn policy_for(
        &self,
        tenant: TenantId,
        settings: Option<PolicySettings>,
        collections: &[CollectionName],
    ) -> Result<Arc<Policy>, Problem> {
        let installation = self.policy_in_force();
        Ok(self.policy_places.in_force(&self.store, (tenant, settings), collections, installation).await?)
    }

    /// Makes a change of who sees a document count before the request ends.
    pub(crate) async fn publish_now(&self, tenant: TenantId, document: DocumentId) {
        let Some(publishing) = &self.publishing else { return };
        if let Err(reason) = publishing.publish(tenant, document).await {
            tracing::warn!(%document, reason, "a document is not published yet; a worker does it");
        }
    }

    /// With the models in force now.
    pub(crate) fn engine_in_force(&self) -> Engine {
        self.engine.clone().with(|parts| {
            parts.roles = self.roles.borrow().clone();
        })
    }
}

/// The parts, shared by all requests, and what is under way. Whatever stands before the handlers gets no more of it than it
/// needs.
#[derive(Clone)]
pub struct AppState {
    parts: Arc<ServerParts>,
    door: Door,
    /// Whoever tries thresholds waits for those who do.
    pub(crate) what_ifs: Arc<Semaphore>,
    /// Turns, which go on to their record when nobody listens any more; an orderly stop waits for them.
    pub(crate) turns: TaskTracker,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) recorder: Recorder,
    /// None where nobody gives links out: everywhere but in a trial.
    pub(crate) links: Option<Arc<SignInLinks>>,
}

impl AppState {
    /// Starts the task that writes records: it needs a runtime.
    pub fn new(parts: ServerParts) -> Self {
        let (store, turns) = (parts.store.clone(), TaskTracker::new());
        let metrics = Arc::new(Metrics::new(parts.counts.clone()));
        let recorder = Recorder::start(parts.audit.log.clone(), store.clone(), metrics.clone(), turns.clone());
        let (sign_in, quotas) = (parts.sign_in.clone().map(Arc::new), parts.quotas.clone());
        let door = Door { store, sign_in, under_way: UnderWay::within(parts.limits), quotas };
        let what_ifs = Arc::new(Semaphore::new(1));
        Self { parts: Arc::new(parts), door, what_ifs, turns, metrics, recorder, links: None }
    }

    /// The same, where whoever runs it gives out links that sign a browser in once.
    pub fn with_links(self, links: Arc<SignInLinks>) -> Self {
        Self { links: Some(links), ..self }
    }

    /// The server stops: records are still taken, and not waited for any longer than they must.
    pub(crate) fn hurry(&self) {
        self.recorder.hurry();
    }

    pub fn turns_under_way(&self) -> usize {
        self.turns.len()
    }

    /// Returns when every turn that began has ended, and all that was done is recorded. None may begin after this.
    pub async fn finish(&self) {
        self.hurry();
        self.turns.close();
        self.turns.wait().await;
        self.recorder.finish().await;
    }
}

impl std::ops::Deref for AppState {
    type Target = ServerParts;

    fn deref(&self) -> &ServerParts {
        &self.parts
    }
}

/// What each part of the state is to whoever takes no more of it.
macro_rules! sub_states {
    ($($part:ty: $($field:ident).+;)+) => {$(
        impl FromRef<AppState> for $part {
            fn from_ref(state: &AppState) -> Self {
                state.$($field).+.clone()
            }
        }
    )+};
}

sub_states! {
    Store: store;
    Door: door;
    UnderWay: door.under_way;
    Actions: recorder.actions;
    Arc<Metrics>: metrics;
}
