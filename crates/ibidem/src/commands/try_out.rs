//! `ibidem try`: a running product by one command, with PostgreSQL and Qdrant as its own children.

pub(super) mod child;
mod installation;
mod parts;
mod servers;

use std::io::{BufRead as _, IsTerminal as _};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use anyhow::Context as _;
use futures::future::BoxFuture;
use ibidem_server::{SignInLinks, pages_are_built};
use ibidem_wiring::arguments::SettingsArguments;
use ibidem_words::{CollectionName, TenantId};

use self::child::Server;
use self::installation::Installation;
use self::parts::FoundParts;
use super::ingest::Ingest;
use super::serve::Serving;
use super::worker::terminated;
use crate::compose::{self, Parts};
use crate::settings::Settings;
use crate::{console, logs};

/// The documents that are loaded the first time. They are inside the program.
#[derive(rust_embed::Embed)]
#[folder = "../../demo/handbook"]
struct Handbook;

#[derive(clap::Args)]
pub(crate) struct Try {
    /// Keeps everything in this folder. Without it: `try` in the user's folder for data, or /var/lib/ibidem-try for root.
    #[arg(long, value_name = "FOLDER")]
    data: Option<PathBuf>,
    /// Deletes what an earlier run kept in the folder, and begins anew.
    #[arg(long)]
    fresh: bool,
    /// Loads no demo documents.
    #[arg(long)]
    empty: bool,
    /// Listens on this address of this machine. Without it: port 8080 of 127.0.0.1, or a free port if that is taken.
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<SocketAddr>,
    /// Where PostgreSQL, Qdrant and the embedding model are: bin/qdrant, postgresql/bin, lib and models in this folder.
    /// Without it they are looked for beside the program, where stack/fetch puts them, and on the PATH.
    #[arg(long, value_name = "FOLDER", env = "IBIDEM_PARTS")]
    parts: Option<PathBuf>,
}

/// Everything that answers, once it runs.
struct Ready {
    settings: Settings,
    parts: Parts,
    installation: Installation,
}

impl Try {
    pub(crate) fn run(self, arguments: &SettingsArguments) -> anyhow::Result<ExitCode> {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
        // On this thread, which lives to the end: a child is told when the thread that started it ends.
        runtime.block_on(self.run_until_stopped(arguments)).map(|()| ExitCode::SUCCESS)
    }

    async fn run_until_stopped(self, arguments: &SettingsArguments) -> anyhow::Result<()> {
        let mut stop: BoxFuture<'static, ()> = Box::pin(terminated());
        let mut servers = Vec::new();
        let ready = tokio::select! {
            ready = self.prepare(arguments, &mut servers) => Some(ready),
            () = &mut stop => None,
        };
        let ended = match ready {
            Some(Ok(ready)) => ready.serve(&mut servers, stop).await,
            Some(Err(error)) => Err(error),
            None => Ok(()),
        };
        // The last that was started first; nothing asks the database any more.
        for server in servers.into_iter().rev() {
            server.end().await;
        }
        ended
    }

    /// From nothing to everything but the door.
    async fn prepare(self, arguments: &SettingsArguments, servers: &mut Vec<Server>) -> anyhow::Result<Ready> {
        anyhow::ensure!(
            self.listen.is_none_or(|address| address.ip().is_loopback()),
            "--listen must be an address of this machine alone, such as 127.0.0.1:8080: whoever opens the link that \
             `ibidem try` prints is an admin. `ibidem serve` is for others"
        );
        let found = FoundParts::find(self.parts.as_deref())?;
        let mut installation = Installation::open(self.data, self.fresh, self.listen)?;
        let settings_file = installation.write_settings(&found)?;
        let settings = arguments.load_over(&settings_file, &installation.settings())?;
        logs::start(&settings.log, None);
        console::say(&format!("Everything is kept in {}", installation.folder.display()));

        let step = Step::begins("PostgreSQL");
        servers.push(servers::start_qdrant(&installation, &found)?);
        let version = servers::start_postgres(&installation, &found, &settings, servers).await?;
        step.ends(&version);
        let step = Step::begins("Qdrant");
        servers::await_qdrant(&installation, servers).await?;
        step.ends("");

        let step = Step::begins("Tables and index");
        let parts = migrated(&settings).await?;
        step.ends("");
        if !self.empty && !installation.has_documents {
            let step = Step::begins("Demo documents");
            let folder = unpack_handbook(&installation.folder)?;
            let collection = CollectionName::try_from("Handbook".to_owned()).context("the demo's collection")?;
            let (read, failed) = Ingest::for_everybody(&settings, &parts, folder, collection).await?;
            anyhow::ensure!(failed == 0, "{failed} of the demo documents could not be read");
            installation.has_documents = true;
            installation.keep()?;
            step.ends(&format!("{read} documents"));
        }
        Ok(Ready { settings, parts, installation })
    }
}

/// The database and the index in the shape that this version needs, and what uses them.
async fn migrated(settings: &Settings) -> anyhow::Result<Parts> {
    let store = compose::store(settings)?;
    store.migrate().await?;
    store.ensure_tenant("default").await?;
    let embedder = compose::embedder(settings).await?;
    let index = compose::index(settings, embedder.as_ref())?;
    index.ensure_collection().await?;
    let (originals, readers) = (compose::originals(settings)?, compose::readers(settings)?);
    Ok(Parts { store, originals, readers, embedder, index })
}

/// The demo's documents as files: they are loaded as anybody's would be.
fn unpack_handbook(data: &Path) -> anyhow::Result<PathBuf> {
    let folder = data.join("demo/handbook");
    std::fs::create_dir_all(&folder).with_context(|| format!("{} cannot be made", folder.display()))?;
    for name in Handbook::iter() {
        let Some(file) = Handbook::get(&name) else { continue };
        std::fs::write(folder.join(&*name), file.data).with_context(|| format!("{name} cannot be written"))?;
    }
    Ok(folder)
}

impl Ready {
    /// Serves until it is asked to stop, or until one of the servers below it ends.
    async fn serve(self, servers: &mut [Server], stop: BoxFuture<'static, ()>) -> anyhow::Result<()> {
        let Self { settings, parts, mut installation } = self;
        let (store, links) = (parts.store.clone(), Arc::new(SignInLinks::default()));
        let step = Step::begins("Answers");
        let serving = Serving {
            address: installation.listen,
            with_worker: true,
            spans_lost: Arc::default(),
            links: Some(links.clone()),
            parts: Some(parts),
            stop: Some(stop),
        };
        let says_how_to_go_on = {
            // Borrowed: with it goes the lock on the folder.
            let (links, settings, installation) = (links.clone(), &settings, &mut installation);
            move |at: SocketAddr| {
                step.ends("");
                installation.listen = at;
                let kept = installation.keep();
                if let Err(error) = kept {
                    console::note(&format!("its address could not be noted for the next time: {error:#}"));
                }
                invite(at, &links, installation, settings);
            }
        };
        let ended = tokio::select! {
            served = serving.run(&settings, says_how_to_go_on) => served,
            ended = child::first_to_end(servers) => Err(ended),
        };
        for key in links.keys() {
            if let Err(error) = store.revoke_key(TenantId::named("default"), key).await {
                console::note(&format!("the key of a link still works until it expires: {error}"));
            }
        }
        ended
    }
}

/// Where to look now; another link for each Enter at the terminal.
fn invite(at: SocketAddr, links: &Arc<SignInLinks>, installation: &Installation, settings: &Settings) {
    let address = move |links: &SignInLinks| format!("http://{at}/#link={}", links.renew(Instant::now()));
    let others = format!("ibidem --config {} ask \"…\"", installation.settings_file().display());
    console::say("");
    if pages_are_built() {
        console::say(&format!("Open {}", address(links)));
        console::say("     It signs one browser in as admin, once, within 15 minutes.");
    } else {
        console::say(&format!(
            "Listening on http://{at}. This build has no pages for browsers: ask as below, or over HTTP"
        ));
        console::say(&format!(
            "with the key for which POST /auth/link takes this token: {}",
            links.renew(Instant::now())
        ));
    }
    console::say(&format!("Ask in another terminal: {others}"));
    if settings.language_model().is_none() {
        console::say("No language model is connected: answers are sentences of the documents, word for word.");
    }
    let sits_at_a_terminal = std::io::stdin().is_terminal();
    console::say(if sits_at_a_terminal {
        "Enter prints another link, Ctrl-C ends everything."
    } else {
        "SIGTERM ends everything."
    });
    if sits_at_a_terminal {
        let links = links.clone();
        // It waits for a line until the program ends, which waits for no thread.
        std::thread::spawn(move || {
            for _ in std::io::stdin().lock().lines().map_while(Result::ok) {
                console::say(&format!("Open {}", address(&links)));
            }
        });
    }
}

/// A part of the way, shown with the seconds that it took.
struct Step(Instant);

impl Step {
    fn begins(what: &str) -> Self {
        console::say_part(&format!("{what:.<20} "));
        Self(Instant::now())
    }

    fn ends(self, what: &str) {
        let took = format!("{:.1} s", self.0.elapsed().as_secs_f64());
        console::say(&if what.is_empty() { took } else { format!("{took}, {what}") });
    }
}
