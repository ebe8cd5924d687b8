//! `ibidem worker`: reads and publishes what was handed in.

use tokio::sync::watch;

use crate::compose::Parts;
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
        let (stop, stopped) = watch::channel(false);
        tracing::info!("worker started");
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
        Ok(())
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

/// Resolves when somebody asks this process to stop.
pub(crate) async fn terminated() {
    use tokio::signal::unix::{SignalKind, signal};
    match signal(SignalKind::terminate()) {
        Ok(mut terminate) => {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = tokio::signal::ctrl_c() => {}
            }
        }
        Err(_) => {
            let _ = tokio::signal::ctrl_c().await;
        }
    }
}
