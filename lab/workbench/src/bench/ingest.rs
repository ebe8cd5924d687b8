//! `ibidem-workbench bench ingest`: passages per second from hand-in to index, beside the embedding model alone.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use chrono::Utc;
use ibidem_ingest::find::{self, SourceFile};
use ibidem_ingest::identify::{identify, title_of};
use ibidem_ingest::read::extract;
use ibidem_ingest::split::{Limits, split};
use ibidem_ports::intake::Submission;
use ibidem_ports::originals::Originals as _;
use ibidem_words::{CollectionName, Sha256Hash, Tag, TenantId};
use tokio::sync::watch;
use uuid::Uuid;

use super::scratch::Scratch;
use crate::compose::{self, CountingEmbedder, Parts};
use crate::console;
use crate::settings::Settings;

/// Passages embedded together in the bare run; two such requests are under way at any time, so the model never waits.
const PASSAGES_A_REQUEST: usize = 128;
/// Documents handed in together, as `ibidem ingest` does.
const DOCUMENTS_A_BATCH: usize = 200;
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// A run that takes longer has gone wrong.
const LONGEST_INGEST: Duration = Duration::from_secs(3_600);

#[derive(clap::Args)]
pub(crate) struct IngestBench {
    /// A .jsonl file with one document per line.
    file: PathBuf,
    /// How many of its documents are loaded, from the first on.
    #[arg(long, default_value_t = 1_000, value_parser = clap::value_parser!(u32).range(8..=1_000_000))]
    documents: u32,
    /// Into how many parts the documents are divided. Ibidem and the bare model take turns, part by part, so that a
    /// machine that is slow for a while is slow for both.
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=100))]
    rounds: u32,
}

/// Passages and the time they took.
#[derive(Clone, Copy, Default)]
struct Pace {
    passages: usize,
    seconds: f64,
}

impl Pace {
    fn add(&mut self, passages: usize, took: Duration) {
        self.passages += passages;
        self.seconds += took.as_secs_f64();
    }

    #[expect(clippy::cast_precision_loss, reason = "passages of a bench are far below 2^53")]
    fn per_second(self) -> f64 {
        self.passages as f64 / self.seconds.max(f64::MIN_POSITIVE)
    }
}

impl IngestBench {
    pub(crate) async fn run(self, settings: &Settings) -> anyhow::Result<()> {
        let file = self.file.clone();
        let mut documents = tokio::task::spawn_blocking(move || find::open(&file, &file)).await??;
        documents.truncate(self.documents as usize);
        anyhow::ensure!(!documents.is_empty(), "{} has no documents", self.file.display());
        let embedder = compose::embedder(settings).await?;
        let originals = std::env::temp_dir().join(format!("ibidem-bench-{}", Uuid::now_v7()));
        let name = format!("ingest-{}", Uuid::now_v7().simple());
        let scratch = Scratch::open(settings, &name, &originals, embedder.model()).await?;
        let measured = measure(&scratch, &embedder, &documents, self.rounds as usize).await;
        scratch.discard().await?;
        tokio::fs::remove_dir_all(&originals).await.context("the bench's originals")?;
        let (bare, ingest) = measured?;

        let mut table = console::table(&["", "passages", "seconds", "passages/s"]);
        for (what, pace) in [("embedding model alone", bare), ("ingest, end to end", ingest)] {
            let row = [what.to_owned(), pace.passages.to_string(), format!("{:.1}", pace.seconds)];
            table.add_row(row.into_iter().chain([format!("{:.2}", pace.per_second())]));
        }
        console::say(&table.to_string());
        console::say(&format!(
            "ratio {:.3} (aim: at least 0.85); {} documents in {} rounds",
            ingest.per_second() / bare.per_second(),
            documents.len(),
            self.rounds,
        ));
        Ok(())
    }
}

async fn measure(
    scratch: &Scratch,
    embedder: &Arc<dyn CountingEmbedder>,
    documents: &[SourceFile],
    rounds: usize,
) -> anyhow::Result<(Pace, Pace)> {
    let tenant = scratch.store.ensure_tenant("bench").await?;
    let parts = Parts {
        store: scratch.store.clone(),
        originals: compose::originals(&scratch.settings)?,
        readers: compose::readers(&scratch.settings)?,
        embedder: Arc::clone(embedder),
        index: scratch.index.clone(),
    };
    let (mut bare, mut ingest) = (Pace::default(), Pace::default());
    for (number, documents) in documents.chunks(documents.len().div_ceil(rounds)).enumerate() {
        let texts = passages(embedder.as_ref(), tenant, documents)?;
        let (before, after) = texts.split_at(texts.len() / 2);
        bare.add(before.len(), embed_alone(embedder.as_ref(), before).await?);
        let (embedded, took) = ingest_all(&scratch.settings, &parts, tenant, documents).await?;
        ingest.add(embedded, took);
        bare.add(after.len(), embed_alone(embedder.as_ref(), after).await?);
        console::note(&format!(
            "round {}: {:.2} passages/s bare, {:.2} ingested, so far",
            number + 1,
            bare.per_second(),
            ingest.per_second()
        ));
        anyhow::ensure!(
            bare.passages == ingest.passages,
            "{} passages embedded by ingest, {} expected",
            ingest.passages,
            bare.passages
        );
    }
    Ok((bare, ingest))
}

fn collection() -> anyhow::Result<CollectionName> {
    Ok("Bench".parse()?)
}

fn submission(tenant: TenantId, found: &SourceFile, original: Sha256Hash) -> anyhow::Result<Submission> {
    Ok(Submission {
        tenant,
        collection: collection()?,
        source_location: found.source_location.clone(),
        format: found.format,
        original,
        tags: vec![Tag::public()],
        title: found.title.clone(),
        address: found.address.clone(),
        kind: None,
        updated_at: found.updated_at,
    })
}

/// What ingesting these documents will embed: each text once.
fn passages(
    embedder: &dyn CountingEmbedder,
    tenant: TenantId,
    documents: &[SourceFile],
) -> anyhow::Result<Vec<String>> {
    let limits = Limits::of_window(embedder.model().max_tokens);
    let mut keys = std::collections::HashSet::new();
    let mut texts = Vec::new();
    for found in documents {
        let submission = submission(tenant, found, Sha256Hash::of(&found.bytes))?;
        let document = extract(&found.bytes, found.format)?;
        let title = title_of(&submission, &document);
        let passages = split(&document, &title, embedder, &limits)?;
        let identified = identify(&submission, title, document, passages, Utc::now());
        let new = identified.to_embed.into_iter().filter(|wanted| keys.insert(wanted.key));
        texts.extend(new.map(|wanted| wanted.text));
    }
    Ok(texts)
}

/// The model as fast as it goes: nothing else runs, and it always has texts waiting.
async fn embed_alone(embedder: &dyn CountingEmbedder, texts: &[String]) -> anyhow::Result<Duration> {
    let requests: Vec<Vec<String>> = texts.chunks(PASSAGES_A_REQUEST).map(<[String]>::to_vec).collect();
    let every_second = |first: usize| {
        let requests: Vec<_> = requests.iter().skip(first).step_by(2).cloned().collect();
        async move {
            for request in requests {
                embedder.embed_passages(request).await?;
            }
            anyhow::Ok(())
        }
    };
    let began = Instant::now();
    tokio::try_join!(every_second(0), every_second(1))?;
    Ok(began.elapsed())
}

/// Hands everything in and works until it is in the index. Returns how many passages were embedded.
async fn ingest_all(
    settings: &Settings,
    parts: &Parts,
    tenant: TenantId,
    documents: &[SourceFile],
) -> anyhow::Result<(usize, Duration)> {
    let worker = parts.worker();
    let progress = Arc::clone(&worker.publisher.progress);
    let (stop, stopped) = watch::channel(false);
    let began = Instant::now();
    let working = tokio::spawn(async move { worker.run(stopped).await });
    let (batch, reading) = (Uuid::now_v7(), compose::reading(settings));
    for documents in documents.chunks(DOCUMENTS_A_BATCH) {
        let mut submissions = Vec::new();
        for found in documents {
            let original = parts.originals.keep(tenant, found.bytes.clone()).await?;
            submissions.push(submission(tenant, found, original)?);
        }
        parts.store.submit(tenant, batch, &reading, &submissions).await?;
    }
    loop {
        let backlog = parts.store.backlog().await?;
        anyhow::ensure!(backlog.failed_jobs == 0, "{} documents could not be ingested", backlog.failed_jobs);
        if backlog.jobs == 0 && backlog.publications == 0 {
            break;
        }
        anyhow::ensure!(!working.is_finished(), "the worker ended before its work was done");
        anyhow::ensure!(began.elapsed() < LONGEST_INGEST, "not done after {LONGEST_INGEST:?}");
        tokio::time::sleep(LOOK_EVERY).await;
    }
    let took = began.elapsed();
    stop.send_replace(true);
    working.await?;
    Ok((usize::try_from(progress.done().embedded)?, took))
}
