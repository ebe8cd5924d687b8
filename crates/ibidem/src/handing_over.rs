//! Sends the questions that are queued for owners, and forgets old ones.

use std::collections::BTreeMap;
use std::time::Duration;

use chrono::{TimeDelta, Utc};
use futures::future::join_all;
use ibidem_adapters::hand_over::HandOverTarget;
use ibidem_ports::catalogue::CatalogueError;
use ibidem_store::{LeasedHandOver, Retries, Store};
use ibidem_words::TenantId;
use tokio::sync::watch;

use crate::compose;
use crate::settings::Settings;

/// How often the queue is looked at while nothing waits in it.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// How many are sent at the same time.
const AT_ONCE: usize = 16;
const SWEEP_EVERY: Duration = Duration::from_secs(60 * 60);
/// How long a question stays in the queue, sent or not.
const KEPT: TimeDelta = TimeDelta::days(30);

pub(crate) struct HandingOver {
    store: Store,
    /// By tenant and name: a target gets its own tenant's questions alone.
    targets: BTreeMap<(TenantId, String), HandOverTarget>,
    timeout: Duration,
    retries: Retries,
}

impl HandingOver {
    pub(crate) fn of(store: &Store, settings: &Settings) -> anyhow::Result<Self> {
        let targets = settings.hand_over.targets.iter().map(|(name, target)| {
            let tenant = TenantId::named(target.tenant());
            Ok(((tenant, name.clone()), compose::hand_over::target(name, settings)?))
        });
        Ok(Self {
            store: store.clone(),
            targets: targets.collect::<anyhow::Result<_>>()?,
            timeout: settings.hand_over.timeout_ms.get(),
            retries: settings.hand_over.retries(),
        })
    }

    /// Goes on until it is told to stop. What is being sent then is sent to its end.
    pub(crate) async fn run(self, mut stopped: watch::Receiver<bool>) {
        let targets: Vec<(TenantId, String)> = self.targets.keys().cloned().collect();
        let mut sweeps = tokio::time::interval(SWEEP_EVERY);
        while !*stopped.borrow() {
            let did = self.round(&targets).await.unwrap_or_else(|error| {
                tracing::warn!(%error, "the queue of hand-overs cannot be used; it is tried again");
                false
            });
            let pause = if did { Duration::ZERO } else { LOOK_EVERY };
            tokio::select! {
                () = tokio::time::sleep(pause) => {}
                _ = stopped.changed() => {}
                _ = sweeps.tick() => self.sweep().await,
            }
        }
    }

    /// Sends what is due. False if nothing was.
    async fn round(&self, targets: &[(TenantId, String)]) -> Result<bool, CatalogueError> {
        if targets.is_empty() {
            return Ok(false);
        }
        let held = self.store.claim_hand_overs(targets, AT_ONCE).await?;
        let outcomes = join_all(held.iter().map(|held| self.send(held))).await;
        outcomes.into_iter().collect::<Result<(), _>>()?;
        Ok(!held.is_empty())
    }

    async fn send(&self, held: &LeasedHandOver) -> Result<(), CatalogueError> {
        // Only known targets are claimed.
        let Some(target) = self.targets.get(&(held.tenant, held.target.clone())) else { return Ok(()) };
        let (id, name) = (held.message.id, &held.target);
        match target.send(&held.message, self.timeout).await {
            Ok(()) => {
                self.store.hand_over_sent(held).await?;
                tracing::info!(%id, target = name, attempt = held.attempt, "a question was handed over");
            }
            Err(error) => {
                let is_given_up = self.store.hand_over_failed(held, &error.to_string(), self.retries).await?;
                let event = if is_given_up {
                    "a question was not handed over and is given up"
                } else {
                    "a question is not handed over yet"
                };
                tracing::warn!(%id, target = name, attempt = held.attempt, %error, "{event}");
            }
        }
        Ok(())
    }

    async fn sweep(&self) {
        let deleted = match self.store.earlier_clock(Utc::now()).await {
            Ok(now) => self.store.sweep_hand_overs(now - KEPT).await,
            Err(error) => Err(error),
        };
        match deleted {
            Ok(0) => {}
            Ok(deleted) => tracing::info!(deleted, "old hand-overs were deleted"),
            Err(error) => tracing::warn!(%error, "old hand-overs could not be deleted; it is tried again"),
        }
    }
}
