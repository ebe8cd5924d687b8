//! Passages to search among: real sentences in new arrangements, brought in the way every document comes in.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use ibidem_ingest::progress::Progress;
use ibidem_ingest::publish::Publisher;
use ibidem_ingest::work::Worker;
use ibidem_ports::intake::{Format, Submission};
use ibidem_ports::originals::Originals as _;
use ibidem_words::{CollectionName, Tag, TenantId};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom as _;
use rand::{RngExt as _, SeedableRng as _};
use serde::Deserialize;
use tokio::sync::watch;
use uuid::Uuid;

use super::prepared::PreparedEmbedder;
use super::scratch::Scratch;
use crate::{compose, console};

pub(super) const TENANT: &str = "bench";
/// Half of the documents are public, the others are of one of these teams.
const TEAMS: usize = 3;
const COLLECTIONS: [&str; 2] = ["Papers", "Verses"];
pub(super) const PASSAGES_A_DOCUMENT: usize = 8;
/// Two paragraphs of this many words do not fit one passage, one does: a paragraph is a passage.
const WORDS_A_PARAGRAPH: usize = 110;
const WORDS_A_TITLE: usize = 8;
const WORDS_A_QUERY: std::ops::RangeInclusive<usize> = 5..=14;
const DOCUMENTS_A_BATCH: usize = 200;
const LOOK_EVERY: Duration = Duration::from_millis(250);
const LONGEST_LOAD: Duration = Duration::from_secs(2 * 3_600);
const LONGEST_ORGANISING: Duration = Duration::from_secs(3_600);

/// Somebody who may see one document in so many.
#[derive(Clone, Copy)]
pub(super) struct Share {
    pub(super) tag: &'static str,
    pub(super) one_in: usize,
}

impl Share {
    pub(super) const ALL: [Self; 4] = [
        Self { tag: "everything", one_in: 1 },
        Self { tag: "a-tenth", one_in: 10 },
        Self { tag: "a-hundredth", one_in: 100 },
        Self { tag: "a-thousandth", one_in: 1_000 },
    ];

    /// The tags of a document: of each who may see it.
    pub(super) fn tags(number: usize) -> anyhow::Result<Vec<Tag>> {
        let seen_by = Self::ALL.iter().filter(|share| number.is_multiple_of(share.one_in));
        seen_by.map(|share| Ok(share.tag.parse()?)).collect()
    }
}

pub(super) fn team(number: usize) -> anyhow::Result<Tag> {
    Ok(format!("team-{}", number % TEAMS).parse()?)
}

/// What passages and queries are made of.
pub(super) struct Sentences(Vec<String>);

#[derive(Deserialize)]
struct Line {
    text: String,
}

impl Sentences {
    pub(super) fn load_files(files: &[PathBuf]) -> anyhow::Result<Self> {
        let mut sentences = Vec::new();
        for file in files {
            let text = std::fs::read_to_string(file).with_context(|| format!("{} cannot be read", file.display()))?;
            for line in text.lines().filter(|line| !line.trim().is_empty()) {
                let line: Line = serde_json::from_str(line).with_context(|| format!("a line of {}", file.display()))?;
                let found = line.text.split_inclusive(". ").map(str::trim);
                sentences.extend(found.filter(|found| found.split_whitespace().count() >= 4).map(str::to_owned));
            }
        }
        anyhow::ensure!(sentences.len() >= 1_000, "the files of --texts have only {} sentences", sentences.len());
        Ok(Self(sentences))
    }

    /// Some words of a sentence each, none twice.
    pub(super) fn queries(&self, count: usize) -> Vec<String> {
        let mut random = StdRng::seed_from_u64(1);
        let mut queries = std::collections::BTreeSet::new();
        // A small set of sentences may not have so many beginnings: then there are fewer.
        for _ in 0..count * 10 {
            if queries.len() == count {
                break;
            }
            let words = random.random_range(WORDS_A_QUERY);
            queries.insert(first_words(self.any(&mut random), words));
        }
        queries.into_iter().collect()
    }

    /// So many sentences, by lot and always the same.
    pub(super) fn some(&self, count: usize) -> Vec<String> {
        let mut random = StdRng::seed_from_u64(2);
        (0..count).map(|_| self.any(&mut random).to_owned()).collect()
    }

    fn any(&self, random: &mut StdRng) -> &str {
        self.0.choose(random).map_or("", String::as_str)
    }

    /// A document of so many paragraphs, the same for the same number.
    pub(super) fn document(&self, number: usize, paragraphs: usize) -> (String, String) {
        let mut random = StdRng::seed_from_u64(number as u64 + 1_000_000);
        let title = first_words(self.any(&mut random), WORDS_A_TITLE);
        let paragraphs: Vec<String> = (0..paragraphs).map(|_| self.paragraph(&mut random)).collect();
        (title, paragraphs.join("\n\n"))
    }

    fn paragraph(&self, random: &mut StdRng) -> String {
        let mut words: Vec<&str> = Vec::new();
        while words.len() < WORDS_A_PARAGRAPH {
            words.extend(self.any(random).split_whitespace());
        }
        words.truncate(WORDS_A_PARAGRAPH);
        words.join(" ")
    }
}

fn first_words(sentence: &str, words: usize) -> String {
    sentence.split_whitespace().take(words).collect::<Vec<_>>().join(" ")
}

/// Loads what is not there yet, and waits until the index is organised.
pub(super) async fn ensure(
    scratch: &Scratch,
    embedder: &Arc<PreparedEmbedder>,
    sentences: &Sentences,
    passages: usize,
) -> anyhow::Result<()> {
    let tenant = scratch.store.ensure_tenant(TENANT).await?;
    let documents = passages.div_ceil(PASSAGES_A_DOCUMENT);
    let there = usize::try_from(scratch.store.document_count().await?)?;
    let backlog = scratch.store.backlog().await?;
    if there < documents || backlog.jobs > 0 || backlog.publications > 0 {
        load(scratch, embedder, sentences, tenant, passages).await?;
    }
    organised(scratch).await?;
    let found = scratch.store.passage_count().await?;
    console::note(&format!("{found} passages of {documents} documents in {}", scratch.index.target()));
    Ok(())
}

/// Waits until the index is organised, and tells how long that took.
pub(super) async fn organised(scratch: &Scratch) -> anyhow::Result<()> {
    let began = Instant::now();
    while !scratch.index.is_organised().await? {
        if began.elapsed() < LOOK_EVERY {
            console::note("waiting until the index is organised");
        }
        anyhow::ensure!(began.elapsed() < LONGEST_ORGANISING, "the index is not organised after an hour");
        tokio::time::sleep(LOOK_EVERY).await;
    }
    console::note(&format!("organised after {:.0} s", began.elapsed().as_secs_f64()));
    Ok(())
}

pub(super) fn collection(number: usize) -> anyhow::Result<CollectionName> {
    Ok(COLLECTIONS[number % COLLECTIONS.len()].parse()?)
}

async fn load(
    scratch: &Scratch,
    embedder: &Arc<PreparedEmbedder>,
    sentences: &Sentences,
    tenant: TenantId,
    passages: usize,
) -> anyhow::Result<()> {
    let originals = compose::originals(&scratch.settings)?;
    let worker = Worker {
        intake: Arc::new(scratch.store.clone()),
        originals: Arc::new(originals.clone()),
        readers: compose::readers(&scratch.settings)?,
        counter: Arc::clone(embedder) as Arc<dyn ibidem_ports::embedder::TokenCounter>,
        publisher: Publisher {
            outbox: Arc::new(scratch.store.clone()),
            vectors: Arc::new(scratch.store.clone()),
            embedder: Arc::clone(embedder) as Arc<dyn ibidem_ports::embedder::Embedder>,
            index: Arc::new(scratch.index.clone()),
            progress: Arc::new(Progress::default()),
            renew_every: scratch.store.lease() / 3,
        },
    };
    let progress = Arc::clone(&worker.publisher.progress);
    let (stop, stopped) = watch::channel(false);
    let working = tokio::spawn(async move { worker.run(stopped).await });

    let bar = console::bar(passages as u64, "passages, {per_sec}, {eta} left; {msg}")?;
    let began = Instant::now();
    let reading = compose::reading(&scratch.settings);
    let documents: Vec<usize> = (0..passages.div_ceil(PASSAGES_A_DOCUMENT)).collect();
    for numbers in documents.chunks(DOCUMENTS_A_BATCH) {
        let mut submissions = Vec::new();
        for number in numbers {
            let paragraphs = PASSAGES_A_DOCUMENT.min(passages - number * PASSAGES_A_DOCUMENT);
            let (title, text) = sentences.document(*number, paragraphs);
            let original = originals.keep(tenant, text.into_bytes()).await?;
            submissions.push(submission(tenant, *number, title, original)?);
        }
        scratch.store.submit(tenant, Uuid::now_v7(), &reading, &submissions).await?;
        bar.set_position(progress.done().passages);
    }
    loop {
        let backlog = scratch.store.backlog().await?;
        bar.set_position(progress.done().passages);
        bar.set_message(format!("{} documents to publish", backlog.publications));
        anyhow::ensure!(backlog.failed_jobs == 0, "{} documents could not be loaded", backlog.failed_jobs);
        if backlog.jobs == 0 && backlog.publications == 0 {
            break;
        }
        anyhow::ensure!(!working.is_finished(), "the worker ended before its work was done");
        anyhow::ensure!(began.elapsed() < LONGEST_LOAD, "not loaded after {LONGEST_LOAD:?}");
        tokio::time::sleep(LOOK_EVERY).await;
    }
    bar.finish_and_clear();
    stop.send_replace(true);
    working.await?;
    console::note(&format!("loaded in {:.0} s", began.elapsed().as_secs_f64()));
    Ok(())
}

fn submission(
    tenant: TenantId,
    number: usize,
    title: String,
    original: ibidem_words::Sha256Hash,
) -> anyhow::Result<Submission> {
    let collection = collection(number)?;
    let tag = if number.is_multiple_of(2) { Tag::public() } else { team(number / 2)? };
    Ok(Submission {
        tenant,
        collection,
        source_location: Path::new("bench").join(format!("{number}.txt")).display().to_string(),
        format: Format::Plain,
        original,
        tags: vec![tag],
        title: Some(title),
        address: None,
        kind: None,
        updated_at: None,
    })
}
