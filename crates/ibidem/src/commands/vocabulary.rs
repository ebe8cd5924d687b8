//! `ibidem vocabulary serve`: SKOS files over HTTP, in Skosmos' own REST form.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context as _;
use ibidem_adapters::skos_files::{SkosFiles, SkosFilesSettings};
use tokio::net::TcpListener;

use super::worker::terminated;
use crate::compose;
use crate::console;
use crate::settings::{LARGEST_VOCABULARY, Settings, VocabularySource};

#[derive(clap::Subcommand)]
pub(crate) enum VocabularyCommand {
    /// Serves SKOS files under /rest/v1, for clients of Skosmos. It asks for no key.
    Serve(ServeVocabulary),
}

impl VocabularyCommand {
    pub(crate) async fn run(self, settings: &Settings) -> anyhow::Result<()> {
        let Self::Serve(command) = self;
        command.run(settings).await
    }
}

#[derive(clap::Args)]
pub(crate) struct ServeVocabulary {
    /// SKOS files, or folders of them. Default: `terminology.files`.
    files: Vec<PathBuf>,
    /// The address and port to listen on.
    #[arg(long, default_value = "127.0.0.1:8081")]
    listen: SocketAddr,
}

impl ServeVocabulary {
    async fn run(self, settings: &Settings) -> anyhow::Result<()> {
        let language = settings.terminology.language.clone();
        let files = match (&settings.terminology.source, self.files.is_empty()) {
            (Some(VocabularySource::Files(files)), true) => files.clone(),
            (_, true) => anyhow::bail!("name SKOS files, or set `terminology.files`"),
            (_, false) => {
                SkosFilesSettings { paths: self.files, language: language.clone(), max_file_bytes: LARGEST_VOCABULARY }
            }
        };
        let vocabularies = SkosFiles::read(&files)?;
        let listener = TcpListener::bind(self.listen)
            .await
            .with_context(|| format!("cannot listen on {}; --listen names another address", self.listen))?;
        console::note(&format!("listening on http://{}/rest/v1", listener.local_addr()?));
        let limits = compose::server_limits(settings);
        ibidem_server::serve_vocabularies(listener, Arc::new(vocabularies), &language, &limits, terminated()).await;
        Ok(())
    }
}
