//! `ibidem worker`: reads and publishes what was handed in.

use std::time::Duration;

use chrono::Utc;
use ibidem_store::{Retention, Store};
use tokio::sync::watch;

use crate::compose::Parts;
use crate::handing_over::HandingOver;
use crate::settings::Settings;

#[derive(clap::Args)]
pub(crate) struct Work {
    /// Exits when no document is waiting.
    #[arg(long)]
    until_idle: bool,
}

impl Work {
    pub(crate) async fn run(self, settings: &Settings) -> anyhow::Result<()> {
        let parts = Parts::ready(settings).await?;
        let worker = parts.worker();
        let handing_over = HandingOver::of(&parts.store, settings)?;
        let (stop, stopped) = watch::channel(false);
        tracing::info!("worker started");
        let handing_over = tokio::spawn(handing_over.run(stopped.clone()));
        let sweeping = tokio::spawn(sweep(parts.store.clone(), settings.conversations.retention()));
        let working = tokio::spawn(async move { worker.run(stopped).await });
        if self.until_idle {
            tokio::select! {
                () = terminated() => {}
                idle = idle(&parts) => idle?,
            }
        } else {
            terminated().await;
        }
        tracing::info!("worker stops when its rounds under way are done");
        stop.send_replace(true);
        working.await?;
        handing_over.await?;
        sweeping.abort();
        Ok(())
    }
}

/// How often it is looked for conversations whose term is over.
const SWEEP_EVERY: Duration = Duration::from_secs(60 * 60);

/// Begins at once and goes on until it is ended. What fails is tried again the next hour.
async fn sweep(store: Store, retention: Retention) {
    let mut looks = tokio::time::interval(SWEEP_EVERY);
    loop {
        looks.tick().await;
        let deleted = match store.earlier_clock(Utc::now()).await {
            Ok(now) => store.sweep_conversations(&retention, now).await,
            Err(error) => Err(error),
        };
        match deleted {
            Ok(0) => {}
            Ok(deleted) => tracing::info!(deleted, "conversations whose term is over were deleted"),
            Err(error) => tracing::warn!(%error, "old conversations could not be deleted; it is tried again"),
        }
        if let Err(error) = store.sweep_quotas(Utc::now()).await {
            tracing::warn!(%error, "old counts of limits could not be deleted; it is tried again");
        }
    }
}

async fn idle(parts: &Parts) -> anyhow::Result<()> {
    loop {
        let backlog = parts.store.backlog().await?;
        if backlog.jobs == 0 && backlog.publications == 0 {
            return Ok(());
        }
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
}

/// Resolves when somebody asks this process to stop, from the call on: it need not be waited for at once.
pub(crate) fn terminated() -> impl Future<Output = ()> {
    use tokio::signal::unix::{SignalKind, signal};
    let signals = [SignalKind::terminate(), SignalKind::interrupt()].map(signal);
    async move {
        let [terminate, interrupt] = signals;
        let received = async |signal: std::io::Result<tokio::signal::unix::Signal>| match signal {
            Ok(mut signal) => signal.recv().await,
            // Nobody can ask for it in this way.
            Err(_) => std::future::pending().await,
        };
        tokio::select! {
            _ = received(terminate) => {}
            _ = received(interrupt) => {}
        }
    }
}
