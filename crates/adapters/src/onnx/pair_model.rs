//! Any model that reads two texts together, in the layout everybody publishes.

use std::borrow::Cow;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use ibidem_ports::clock;
use ibidem_words::Sha256Hash;

use super::config::Config;
use super::cross_encoder::{CrossEncoder, Judges};
use super::model_files::{CONFIG, MODEL, ModelFiles, TOKENIZER};
use super::pairs::{Layout, Pair, Pairs};
use super::queue::{Lane, Model};
use super::request::{Reply, Trouble};
use super::tokens::Window;
use super::workers::{Room, Workers};
use super::{LoadError, OnnxSettings, runtime};

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PairModelSettings {
    /// A name for people.
    pub name: String,
    pub files: ModelFiles,
    /// The ONNX Runtime library; one for all models of a process.
    pub runtime: PathBuf,
    /// Sessions working side by side, each with its own copy of the weights.
    pub sessions: usize,
    /// Threads of each session.
    pub threads: usize,
    /// Most tokens of two texts together; less where the model's own window is smaller.
    pub max_tokens: usize,
    /// Pairs that may wait; beyond it callers wait outside.
    pub queue: usize,
    /// Most tokens in a batch, padding included.
    pub batch_tokens: usize,
}

impl PairModelSettings {
    /// From a folder.
    pub fn of(folder: impl Into<PathBuf>, runtime: impl Into<PathBuf>) -> Self {
        Self::of_files(ModelFiles::Folder(folder.into()), runtime)
    }

    /// Arranged as the embedding model is, for the same reasons.
    pub fn of_files(files: ModelFiles, runtime: impl Into<PathBuf>) -> Self {
        let embedding = OnnxSettings::of("", "", runtime);
        Self {
            name: files.name(),
            files,
            runtime: embedding.runtime,
            sessions: embedding.sessions,
            threads: embedding.threads,
            max_tokens: 512,
            queue: embedding.queue,
            // Each pair by itself: 8-bit arithmetic rounds by the largest number of a batch, and nobody's score may depend
            // on what somebody else asks at the same time.
            batch_tokens: 1,
        }
    }

    /// Where the weights are, for people.
    pub fn place(&self) -> PathBuf {
        self.files.place(MODEL)
    }

    /// The weights.
    pub fn weights(&self) -> io::Result<Cow<'static, [u8]>> {
        self.files.read(MODEL)
    }
}

/// Why a model cannot be used, and what to do about it. `section` is where it is configured.
#[derive(Debug, Clone, thiserror::Error)]
pub enum PairModelError {
    /// The library is the same for all models.
    #[error(transparent)]
    Runtime(#[from] LoadError),
    #[error("{} cannot be read: {reason}; set {section}.folder to a folder with model.onnx, tokenizer.json and config.json", .path.display())]
    File { section: &'static str, path: PathBuf, reason: String },
    #[error("{} is not a usable tokenizer: {reason}; use the tokenizer.json published with the model", .path.display())]
    Tokenizer { path: PathBuf, reason: String },
    #[error("{} is not of a usable model: {reason}; set {section}.folder to {wanted}, in one ONNX file", .path.display())]
    Model { section: &'static str, wanted: &'static str, path: PathBuf, reason: String },
    #[error("the {section} model needs at least 1 of {setting}")]
    Zero { section: &'static str, setting: &'static str },
    #[error("no thread can be started for the {section} model: {reason}")]
    Thread { section: &'static str, reason: String },
}

/// What a model reads, and what its logits stand for.
pub(super) trait Head {
    /// The section of the settings that names the model's folder.
    const SECTION: &'static str;
    /// What is wanted there.
    const WANTED: &'static str;

    fn layout(&self) -> Layout;

    fn judges(&self) -> Judges;
}

/// A model on its own threads, behind a bounded queue. Dropping it ends them.
pub(super) struct PairModel<H> {
    /// With the first digits of the weights' digest: `reader@0123456789ab`.
    pub(super) name: String,
    pub(super) head: H,
    workers: Workers<Pair>,
    room: Room,
    sessions: usize,
    pace: Arc<Pace>,
}

impl<H: Head> PairModel<H> {
    /// Reads the files, starts the sessions and tries a few pairs, so that a model that cannot work is found out now.
    /// Takes about a second of blocking work. `head_of` refuses a model that was made for something else: it would judge
    /// nonsense, and never fail.
    pub(super) fn load(
        settings: &PairModelSettings,
        head_of: impl FnOnce(&Config) -> Result<H, String>,
    ) -> Result<Self, PairModelError> {
        let section = H::SECTION;
        for (setting, value) in [
            ("sessions", settings.sessions),
            ("threads", settings.threads),
            ("queue", settings.queue),
            ("batch_tokens", settings.batch_tokens),
        ] {
            if value == 0 {
                return Err(PairModelError::Zero { section, setting });
            }
        }
        let unusable =
            |path: &Path, reason| PairModelError::Model { section, wanted: H::WANTED, path: path.to_owned(), reason };
        let files = &settings.files;
        let path = files.place(CONFIG);
        let config = Config::from_bytes(&read(section, files, CONFIG)?).map_err(|reason| unusable(&path, reason))?;
        let head = head_of(&config).map_err(|reason| unusable(&path, reason))?;

        let path = files.place(TOKENIZER);
        let max_tokens = config.window().map_or(settings.max_tokens, |own| own.min(settings.max_tokens));
        let pairs = Pairs::from_bytes(&read(section, files, TOKENIZER)?, head.layout(), max_tokens);
        let pairs = Arc::new(pairs.map_err(|reason| PairModelError::Tokenizer { path, reason })?);

        let path = files.place(MODEL);
        let model = read(section, files, MODEL)?;
        let name = name_with(&settings.name, &model);
        let environment = runtime::environment(&settings.runtime)?;
        let pace = Arc::new(Pace::default());
        let mut threads = Vec::new();
        for _ in 0..settings.sessions {
            let encoder = CrossEncoder::new(&environment, &model, settings.threads, head.judges());
            let mut encoder = encoder.map_err(|reason| unusable(&path, reason))?;
            try_a_few(&mut encoder, &pairs).map_err(|reason| unusable(&path, reason))?;
            threads.push(PairThread { pairs: Arc::clone(&pairs), encoder, pace: Arc::clone(&pace) });
        }
        let workers = Workers::start(&format!("ibidem-{section}"), settings.batch_tokens, threads);
        let workers = workers.map_err(|reason| PairModelError::Thread { section, reason })?;
        Ok(Self { name, head, workers, room: Room::new(settings.queue), sessions: settings.sessions, pace })
    }

    /// How long so many pairs would take from now on, in turn with those that wait already; nothing before the first was
    /// read.
    pub(super) fn expected_wait(&self, pairs: usize) -> Duration {
        self.pace.of(self.workers.until(pairs).div_ceil(self.sessions))
    }

    /// The logits of each pair, in their order.
    pub(super) async fn logits(&self, pairs: Vec<Pair>) -> Reply {
        if pairs.is_empty() {
            return Ok(Vec::new());
        }
        let room = self.room.wait_for(pairs.len()).await?;
        self.workers.ask(Lane::Queries, pairs, room).await
    }
}

/// What each thread of the model has.
struct PairThread {
    pairs: Arc<Pairs>,
    encoder: CrossEncoder,
    pace: Arc<Pace>,
}

/// How long one pair takes in one session: the mean, the last ones weighing most.
#[derive(Default)]
struct Pace {
    nanoseconds: AtomicU64,
}

impl Pace {
    /// So much of the mean is the latest.
    const LATEST: u64 = 8;

    fn note(&self, took: Duration, pairs: usize) {
        let pairs = u64::try_from(pairs).unwrap_or(u64::MAX).max(1);
        let latest = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX) / pairs;
        let mean = self.nanoseconds.load(Ordering::Relaxed);
        let next = if mean == 0 { latest } else { mean - mean / Self::LATEST + latest / Self::LATEST };
        // Two sessions at once may lose one of their notes: it is a mean all the same.
        self.nanoseconds.store(next, Ordering::Relaxed);
    }

    fn of(&self, pairs: usize) -> Duration {
        let pairs = u64::try_from(pairs).unwrap_or(u64::MAX);
        Duration::from_nanos(self.nanoseconds.load(Ordering::Relaxed).saturating_mul(pairs))
    }
}

impl Model<Pair> for PairThread {
    fn read(&self, _: Lane, _: usize, pair: Pair) -> Result<Vec<Window>, Trouble> {
        self.pairs.check(&pair.whole)?;
        let window =
            if self.encoder.needs_places() { self.pairs.located_window(&pair) } else { self.pairs.window(&pair) };
        Ok(vec![window.map_err(Trouble::Failed)?])
    }

    fn run(&mut self, windows: &[&Window]) -> Result<Vec<Vec<f32>>, String> {
        let began = clock::now();
        let logits = self.encoder.logits(windows);
        self.pace.note(began.elapsed(), windows.len());
        logits
    }
}

/// Four at once, of two lengths: fewer could not tell logits of a pair from those of several.
fn try_a_few(encoder: &mut CrossEncoder, pairs: &Pairs) -> Result<(), String> {
    let windows = ["", "ibidem", "ibidem", "ibidem"].map(|text| {
        let pair = Pair { whole: "ibidem".into(), cut: text.to_owned() };
        pairs.located_window(&pair)
    });
    let windows = windows.into_iter().collect::<Result<Vec<Window>, String>>()?;
    encoder.logits(&windows.iter().collect::<Vec<_>>())?;
    Ok(())
}

/// The name of a model with these weights, without loading it.
pub(super) fn named<H: Head>(settings: &PairModelSettings) -> Result<String, PairModelError> {
    Ok(name_with(&settings.name, &read(H::SECTION, &settings.files, MODEL)?))
}

/// A name for people, and the first digits of the weights' digest.
fn name_with(name: &str, weights: &[u8]) -> String {
    format!("{name}@{}", Sha256Hash::of(weights).short(12))
}

/// How likely a single logit says it is.
pub(super) fn sigmoid(logit: f32) -> f32 {
    1.0 / (1.0 + (-logit).exp())
}

fn read(section: &'static str, files: &ModelFiles, file: &'static str) -> Result<Cow<'static, [u8]>, PairModelError> {
    let unreadable = |reason| PairModelError::File { section, path: files.place(file), reason };
    files.read(file).map_err(|error| unreadable(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pace_is_a_mean_in_which_the_latest_weighs_most() {
        let pace = Pace::default();
        assert_eq!(pace.of(100), Duration::ZERO, "nobody is turned away before anything was read");
        pace.note(Duration::from_millis(80), 4);
        assert_eq!(pace.of(10), Duration::from_millis(200));
        for _ in 0..60 {
            pace.note(Duration::from_millis(100), 1);
        }
        let settled = pace.of(1);
        assert!(settled > Duration::from_millis(99) && settled <= Duration::from_millis(100), "{settled:?}");
        assert_eq!(pace.of(usize::MAX), Duration::from_nanos(u64::MAX));
    }
}
