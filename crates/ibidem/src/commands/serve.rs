//! `ibidem serve`: the HTTP API.

use anyhow::Context as _;
use tokio::net::TcpListener;
use tokio::sync::watch;

use super::worker::terminated;
use crate::compose::Parts;
use crate::console;
use crate::settings::Settings;

#[derive(clap::Args)]
pub(crate) struct Serve {
    /// Where to listen, over `server.listen`.
    #[arg(long)]
    listen: Option<std::net::SocketAddr>,
    /// Read and publish documents in this process too, instead of by `ibidem worker`.
    #[arg(long)]
    with_worker: bool,
}

impl Serve {
    pub(crate) async fn run(self, settings: &Settings) -> anyhow::Result<()> {
        let parts = Parts::ready(settings).await?;
        let address = self.listen.unwrap_or(settings.server.listen);
        let listener = TcpListener::bind(address).await.with_context(|| {
            format!("cannot listen on {address}; `server.listen` or --listen names another address")
        })?;
        console::note(&format!("listening on http://{}", listener.local_addr()?));

        let (stop, stopped) = watch::channel(false);
        let working = self.with_worker.then(|| {
            let worker = parts.worker();
            tokio::spawn(async move { worker.run(stopped).await })
        });
        ibidem_server::serve(listener, parts.app_state(settings).await?, terminated()).await?;
        stop.send_replace(true);
        if let Some(working) = working {
            working.await?;
        }
        Ok(())
    }
}
