//! `ibidem-workbench bench scale`: what grows with the number of passages in the index, and what is still found among them.
//!
//! The index alone: the catalogue is left out, so that a million passages are there in minutes.

mod filled;
mod recall;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use futures::FutureExt as _;
use futures::future::BoxFuture;
use ibidem_adapters::qdrant::Quantization;
use ibidem_ports::embedder::Embedder as _;

use super::corpus::{Sentences, Share};
use super::load::{Round, at_rate, closed_loop, timed};
use super::prepared::PreparedEmbedder;
use super::processes::ServerProcess;
use super::scratch::Scratch;
use super::spread;
use crate::settings::Settings;
use crate::{compose, console};
use filled::Asked;

const QUERIES: usize = 1_000;
const WARM_UP: Duration = Duration::from_secs(3);
/// Sentences whose real vectors all others are made from.
const REAL: usize = 1_000;

#[derive(clap::Args)]
pub(crate) struct ScaleBench {
    /// How many passages; several numbers are measured in turns. Each index is built in the first run and used again.
    #[arg(long, default_value = "10000,100000", value_delimiter = ',')]
    passages: Vec<u32>,
    /// A .jsonl file. The passages are made of the sentences in the field `text` of its lines. May be repeated; all files
    /// together must have at least 1,000 sentences of four words or more.
    #[arg(long = "texts", required = true, value_name = "FILE")]
    texts: Vec<PathBuf>,
    /// Searches per second in the part at a fixed rate.
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    rate: u32,
    /// Number of clients in the part that is as fast as it can be.
    #[arg(long, default_value_t = 16)]
    clients: usize,
    /// How long a round takes, in seconds.
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=600))]
    seconds: u64,
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=100))]
    rounds: u32,
    /// Number of queries whose ten best are compared with those of exact search.
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    compared: u32,
    /// Fails where less than this share of the ten best is found, for any asker.
    #[arg(long, value_name = "SHARE")]
    least_recall: Option<f64>,
    /// Deletes the indexes at the end.
    #[arg(long)]
    discard: bool,
    /// The server process whose memory is told, as NAME=ID. May be repeated.
    #[arg(long = "process", value_name = "NAME=ID")]
    processes: Vec<ServerProcess>,
    /// A folder whose size on disk is told, as Qdrant's. May be repeated.
    #[arg(long = "folder", value_name = "FOLDER")]
    folders: Vec<PathBuf>,
}

/// An index of one size, ready to be asked.
struct FilledIndex {
    passages: u32,
    scratch: Scratch,
    asked: Arc<Asked>,
}

impl FilledIndex {
    /// Asks the next query, by somebody who may see all, by meaning and by words.
    fn asking(&self) -> impl Fn() -> BoxFuture<'static, anyhow::Result<f64>> + Clone + Send + 'static {
        let asked = Arc::clone(&self.asked);
        move || timed(Arc::clone(&asked).next()).boxed()
    }
}

impl ScaleBench {
    pub(crate) async fn run(self, settings: &Settings) -> anyhow::Result<()> {
        let sentences = Sentences::load_files(&self.texts)?;
        let embedder = Arc::new(like_the_real_one(settings, &sentences).await?);
        let queries = sentences.queries(QUERIES);
        let mut sizes = Vec::new();
        for passages in &self.passages {
            let before = self.room()?;
            let scratch = opened(settings, &embedder, &sentences, *passages).await?;
            console::note(&format!("{passages} passages: {before} before, {} now", self.room()?));
            let asked = Arc::new(Asked::new(&scratch, &embedder, &sentences, &queries).await?);
            sizes.push(FilledIndex { passages: *passages, scratch, asked });
        }
        let lowest = self.recall(&sizes, &embedder, &queries).await?;
        self.speed(&sizes).await?;
        console::say(&format!(
            "quantization {:?}, vectors on disk: {}; medians of {} rounds of {} s with the lowest and highest; memory and disk \
             now: {}",
            settings.index.quantization.get(),
            settings.index.on_disk,
            self.rounds,
            self.seconds,
            self.room()?
        ));
        if self.discard {
            for size in sizes {
                size.scratch.discard().await?;
            }
        }
        let least = self.least_recall.unwrap_or(0.0);
        anyhow::ensure!(lowest >= least, "recall@10 is {lowest:.4} for one of the askers, and {least} was wanted");
        Ok(())
    }

    /// Of every size and every asker. Returns the lowest.
    async fn recall(
        &self,
        sizes: &[FilledIndex],
        embedder: &PreparedEmbedder,
        queries: &[String],
    ) -> anyhow::Result<f64> {
        let mut lowest = 1.0_f64;
        let mut table = console::table(&["passages", "visible", "recall@10", "lowest of a query", "p50 ms", "p99 ms"]);
        let compared = &queries[..queries.len().min(self.compared as usize)];
        for size in sizes {
            let exact = recall::Exact::new(&size.scratch)?;
            for share in Share::ALL {
                console::note(&format!("recall, {} passages, 1 in {}", size.passages, share.one_in));
                let found = recall::measured(&size.scratch, &exact, share, embedder, compared).await?;
                lowest = lowest.min(found.mean());
                let visible = (size.passages as usize).div_ceil(share.one_in);
                table.add_row([
                    size.passages.to_string(),
                    visible.to_string(),
                    format!("{:.4}", found.mean()),
                    format!("{:.1}", found.lowest()),
                    format!("{:.2}", found.percentile(0.5)),
                    format!("{:.2}", found.percentile(0.99)),
                ]);
            }
        }
        console::say(&table.to_string());
        Ok(lowest)
    }

    /// Round by round, every size once in each.
    async fn speed(&self, sizes: &[FilledIndex]) -> anyhow::Result<()> {
        let length = Duration::from_secs(self.seconds);
        let mut measured: Vec<[Vec<Round>; 2]> = sizes.iter().map(|_| Default::default()).collect();
        for size in sizes {
            closed_loop(8, WARM_UP, size.asking()).await.context("warming up")?;
        }
        for round in 1..=self.rounds {
            console::note(&format!("round {round} of {}", self.rounds));
            for (size, [steady, saturated]) in sizes.iter().zip(&mut measured) {
                steady.push(at_rate(self.rate, length, size.asking()).await?);
                saturated.push(closed_loop(self.clients, length, size.asking()).await?);
            }
        }
        let mut table =
            console::table(&["passages", "load", "requests/s", "p50 ms", "p99 ms", "p99 over the smallest's"]);
        for (size, of_size) in sizes.iter().zip(&measured) {
            let loads = [format!("{} a second", self.rate), format!("{} clients", self.clients)];
            for (load, (rounds, smallest)) in loads.into_iter().zip(of_size.iter().zip(&measured[0])) {
                let each = |of: &dyn Fn(&Round) -> f64| spread(rounds.iter().map(of));
                let p99 = |round: &Round| round.percentile(0.99);
                let over = rounds.iter().zip(smallest).map(|(own, other)| p99(own) / p99(other));
                table.add_row([
                    size.passages.to_string(),
                    load,
                    each(&Round::per_second),
                    each(&|round| round.percentile(0.5)),
                    each(&p99),
                    spread(over),
                ]);
            }
        }
        console::say(&table.to_string());
        Ok(())
    }

    /// Memory and disk, in words.
    fn room(&self) -> anyhow::Result<String> {
        let mut lines = Vec::new();
        for process in &self.processes {
            lines.push(format!("{} {} MB of memory", process.name, process.memory()? / 1_000_000));
        }
        for folder in &self.folders {
            lines.push(format!("{} {} MB on disk", folder.display(), size_of(folder) / 1_000_000));
        }
        Ok(if lines.is_empty() { "not told".to_owned() } else { lines.join(", ") })
    }
}

/// The bytes of all files below, as far as they can be read.
fn size_of(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let sizes = entries.map(|entry| match entry.metadata() {
        Ok(about) if about.is_dir() => size_of(&entry.path()),
        Ok(about) => about.len(),
        Err(_) => 0,
    });
    sizes.sum()
}

async fn like_the_real_one(settings: &Settings, sentences: &Sentences) -> anyhow::Result<PreparedEmbedder> {
    let real = compose::embedder(settings).await?;
    console::note(&format!("{REAL} sentences are embedded by {}", real.model().name));
    let texts = sentences.some(REAL);
    let mut vectors = Vec::with_capacity(REAL);
    for some in texts.chunks(16) {
        vectors.extend(real.embed_passages(some.to_vec()).await?);
    }
    Ok(PreparedEmbedder::like(real.model(), vectors))
}

async fn opened(
    settings: &Settings,
    embedder: &Arc<PreparedEmbedder>,
    sentences: &Sentences,
    passages: u32,
) -> anyhow::Result<Scratch> {
    let quantization = match settings.index.quantization.get() {
        Quantization::None => "float",
        Quantization::Int8 => "int8",
        Quantization::Binary => "binary",
    };
    let place = if settings.index.on_disk { "disk" } else { "memory" };
    let name = format!("scale-{passages}-{quantization}-{place}");
    let scratch = Scratch::open(settings, &name, &std::env::temp_dir(), embedder.model()).await?;
    filled::ensure(&scratch, embedder, sentences, passages as usize).await?;
    Ok(scratch)
}
