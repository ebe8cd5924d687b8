//! `ibidem serve`: the HTTP API.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use anyhow::Context as _;
use backon::{ConstantBuilder, Retryable as _};
use futures::future::BoxFuture;
use ibidem_engine::policy::Policy;
use ibidem_engine::roles::Roles;
use ibidem_ports::degrade::Breakers;
use ibidem_server::SignInLinks;
use ibidem_store::{ActionObject, ActionRecord, AuditLog, AuditedAction, Store};
use serde_json::json;
use tokio::net::TcpListener;
use tokio::sync::watch;

use super::worker::terminated;
use crate::compose::{self, Parts};
use crate::console;
use crate::handing_over::HandingOver;
use crate::roles_in_force::{self, RolesInForce};
use crate::settings::Settings;

/// How often the policy's file and that of the settings are looked at; a change is in force after the second look that finds it.
const LOOK_AT_FILES: Duration = Duration::from_secs(1);

/// After how long, or up to twice as long, what could not be kept is tried again.
const KEEP_AGAIN: Duration = Duration::from_secs(5);

#[derive(clap::Args)]
pub(crate) struct Serve {
    /// Listens on this address and port, in place of `server.listen`.
    #[arg(long)]
    listen: Option<SocketAddr>,
    /// Also reads and indexes documents in this process, so that no `ibidem worker` is needed.
    #[arg(long)]
    with_worker: bool,
}

/// What differs between the ways in which a server is started.
pub(crate) struct Serving {
    pub(crate) address: SocketAddr,
    pub(crate) with_worker: bool,
    /// Counted by whoever sends traces.
    pub(crate) spans_lost: Arc<AtomicU64>,
    /// None where nobody is signed in by a link.
    pub(crate) links: Option<Arc<SignInLinks>>,
    /// None until they are needed: what the settings name is checked first.
    pub(crate) parts: Option<Parts>,
    /// None where signals to this process end it, from the moment it listens.
    pub(crate) stop: Option<BoxFuture<'static, ()>>,
}

impl Serve {
    pub(crate) async fn run(self, settings: &Settings, spans_lost: Arc<AtomicU64>) -> anyhow::Result<()> {
        let (address, with_worker) = (self.listen.unwrap_or(settings.server.listen), self.with_worker);
        let serving = Serving { address, with_worker, spans_lost, links: None, parts: None, stop: None };
        serving.run(settings, |at| console::note(&format!("listening on http://{at}"))).await
    }
}

impl Serving {
    /// Serves until it is asked to stop. `listening` is called when questions are taken.
    pub(crate) async fn run(self, settings: &Settings, listening: impl FnOnce(SocketAddr)) -> anyhow::Result<()> {
        let breakers = Breakers::new(settings.breakers());
        let (policy, policy_file) = compose::policy_in_force(settings)?;
        let (settings_file, roles) = RolesInForce::open(settings, &breakers).await?;
        let parts = match self.parts {
            Some(parts) => parts,
            None => Parts::ready(settings).await?,
        };
        parts.check(settings, &policy.borrow())?;
        let models = compose::model_identities::models_in_use(settings, parts.embedder.as_ref())?;
        let address = self.address;
        let listener = TcpListener::bind(address).await.with_context(|| {
            format!("cannot listen on {address}; `server.listen` or --listen names another address")
        })?;
        // Whoever reads that it listens may ask it to stop at once.
        let stop = self.stop.unwrap_or_else(|| Box::pin(terminated()));
        listening(listener.local_addr()?);

        log_policy(&policy.borrow());
        let log = compose::audit::log(&settings.audit, &parts.store)?;
        tokio::spawn(keep_policies(parts.store.clone(), log.clone(), policy.clone()));
        tokio::spawn(record_models(log, roles.clone()));
        // It ends by itself when the server does, and with it the last who asks for the policy.
        if let Some(file) = policy_file {
            tokio::spawn(file.only_with(models).follow(LOOK_AT_FILES));
        }
        let begun_with = roles.borrow().clone();
        tokio::spawn(async move { roles_in_force::log_not_served(&begun_with).await });
        if settings_file.is_in_a_file() {
            tokio::spawn(settings_file.follow(LOOK_AT_FILES));
        }
        let (stop_working, stopped) = watch::channel(false);
        let working = match self.with_worker {
            true => {
                let worker = parts.worker();
                let handing_over = HandingOver::of(&parts.store, settings)?;
                Some(tokio::spawn(async move { tokio::join!(worker.run(stopped.clone()), handing_over.run(stopped)) }))
            }
            false => None,
        };
        let state = parts.app_state(settings, policy, roles, &breakers, self.spans_lost).await?;
        let state = match self.links {
            Some(links) => state.with_links(links),
            None => state,
        };
        ibidem_server::serve(listener, state, stop).await;
        stop_working.send_replace(true);
        if let Some(working) = working {
            working.await?;
        }
        Ok(())
    }
}

fn log_policy(policy: &Policy) {
    tracing::info!(policy = policy.rules.name, policy_sha256 = %policy.hash, "the policy in force");
}

/// Keeps the texts of every policy that comes into force, so that its decisions can be made again.
async fn keep_policies(store: Store, log: Option<AuditLog>, mut in_force: watch::Receiver<Arc<Policy>>) {
    loop {
        let policy = in_force.borrow_and_update().clone();
        let keep = || store.keep_policy(policy.hash, &policy.texts);
        let kept = keep.retry(for_ever()).notify(|error, _| {
            tracing::warn!(%error, policy_sha256 = %policy.hash, "a policy was not kept; trying again");
        });
        // It is tried until it is done.
        let _ = kept.await;
        let object = ActionObject::new("policy", policy.hash);
        record(log.as_ref(), AuditedAction::PolicyInForce, Some(object), json!({ "name": policy.rules.name })).await;
        if in_force.changed().await.is_err() {
            return;
        }
    }
}

/// Records when other models come into force; those that the server began with are recorded too.
async fn record_models(log: Option<AuditLog>, mut in_force: watch::Receiver<Arc<Roles>>) {
    loop {
        let models: Vec<String> = in_force.borrow_and_update().writers().map(|model| model.name.clone()).collect();
        record(log.as_ref(), AuditedAction::ModelsInForce, None, json!({ "models": models })).await;
        if in_force.changed().await.is_err() {
            return;
        }
    }
}

/// Several servers that lost the same database do not come back together.
fn for_ever() -> ConstantBuilder {
    ConstantBuilder::new().with_delay(KEEP_AGAIN).with_jitter().without_max_times()
}

async fn record(
    log: Option<&AuditLog>,
    action: AuditedAction,
    object: Option<ActionObject>,
    details: serde_json::Value,
) {
    let Some(log) = log else { return };
    let act = ActionRecord { object, details, ..ActionRecord::by_operator(action, None) };
    let kept = (|| log.keep_action(act.clone())).retry(for_ever()).notify(|error, _| {
        tracing::warn!(%error, action = action.as_str(), "an action was not recorded; trying again");
    });
    let _ = kept.await;
}
