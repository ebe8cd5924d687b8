//! A handful of texts through a model, and how long they took.

use std::fmt;
use std::time::{Duration, Instant};

use futures::StreamExt as _;
use ibidem_ports::degrade::{Deadline, Part};
use ibidem_ports::embedder::Embedder;
use ibidem_ports::entailment::{Entailment, Pair};
use ibidem_ports::language_model::{LanguageModel, Piece, Prompt, PromptMessage};
use ibidem_ports::reranker::Reranker;
use ibidem_words::Speaker;
use serde::Serialize;

/// Each different, so that nothing is remembered.
const PASSAGES: usize = 8;
/// About the length that passages have.
const WORDS: usize = 100;
/// Enough for a rate, and soon over on a small machine.
const TOKENS: u32 = 16;

/// How much was done in how long.
#[derive(Serialize)]
pub(super) struct Speed {
    done: usize,
    unit: &'static str,
    milliseconds: f64,
    per_second: f64,
}

impl Speed {
    fn of(done: usize, unit: &'static str, took: Duration) -> Self {
        let seconds = took.as_secs_f64();
        #[expect(clippy::cast_precision_loss, reason = "a handful is far less than a float has digits")]
        let per_second = done as f64 / seconds.max(1e-9);
        Self { done, unit, milliseconds: rounded(seconds * 1_000.0), per_second: rounded(per_second) }
    }
}

fn rounded(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

impl fmt::Display for Speed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} in {:.0} ms, {:.1} in a second", self.done, self.unit, self.milliseconds, self.per_second)
    }
}

pub(super) async fn embedding(embedder: &dyn Embedder) -> anyhow::Result<Speed> {
    // A passage beyond the window is refused; no word of these has as many as four tokens.
    let passages = passages(WORDS.min(embedder.model().max_tokens / 4));
    let began = Instant::now();
    let vectors = embedder.embed_passages(passages).await?;
    Ok(Speed::of(vectors.len(), "passages", began.elapsed()))
}

/// In which language passages are reranked: there may be a model for each.
#[derive(Clone, Copy)]
pub(super) enum Texts {
    English,
    German,
}

impl Texts {
    fn question(self) -> &'static str {
        match self {
            Self::English => "Where is the third backup kept?",
            Self::German => "Wo wird die dritte Sicherung aufbewahrt?",
        }
    }

    fn passages(self) -> Vec<String> {
        match self {
            Self::English => passages(WORDS),
            Self::German => repeated(WORDS, |number| {
                format!(
                    "Die Sicherung {number} wird an zwei Orten aufbewahrt und in jedem Quartal von denen geprüft, die für sie verantwortlich sind. "
                )
            }),
        }
    }

    /// What reads them, by name.
    pub(super) fn weights(self, reranker: &Part<dyn Reranker>) -> String {
        let passage = self.passages().swap_remove(0);
        reranker.port().weights_for(self.question(), &passage).unwrap_or_default().to_owned()
    }
}

/// Loading is not timed.
pub(super) async fn reranking(reranker: &Part<dyn Reranker>, texts: Texts) -> anyhow::Result<Speed> {
    let passages = texts.passages();
    reranker.port().prepare(texts.question(), &passages).await;
    let began = Instant::now();
    let scores = reranker.call(Deadline::NONE, |reranker| reranker.score(texts.question(), passages)).await?;
    Ok(Speed::of(scores.len(), "passages", began.elapsed()))
}

pub(super) async fn verifying(entailment: &Part<dyn Entailment>) -> anyhow::Result<Speed> {
    let pair = |premise| Pair { premise, claim: "The third backup is kept in two regions.".to_owned() };
    let pairs = passages(WORDS).into_iter().map(pair).collect();
    let began = Instant::now();
    let classifications = entailment.call(Deadline::NONE, |entailment| entailment.classify(pairs)).await?;
    Ok(Speed::of(classifications.len(), "pairs", began.elapsed()))
}

/// From the question to the last token, reading included.
pub(super) async fn writing(model: &Part<dyn LanguageModel>) -> anyhow::Result<Speed> {
    let message = PromptMessage { role: Speaker::User, content: "Count from one to twenty, in words.".to_owned() };
    let prompt = Prompt { model: None, messages: vec![message], temperature: 0.0, max_tokens: TOKENS, form: None };
    let began = Instant::now();
    let mut pieces = model.write(Deadline::NONE, prompt).await?;
    let mut arrived = 0;
    let mut counted = None;
    while let Some(piece) = pieces.next().await {
        match piece? {
            Piece::Text(_) => arrived += 1,
            Piece::Done { usage, .. } => counted = usage,
        }
    }
    // A server that does not count sends a token at a time.
    let tokens = counted.and_then(|usage| usize::try_from(usage.completion_tokens).ok()).unwrap_or(arrived);
    anyhow::ensure!(tokens > 0, "it wrote nothing");
    Ok(Speed::of(tokens, "tokens", began.elapsed()))
}

fn passages(words: usize) -> Vec<String> {
    repeated(words, |number| {
        format!("Backup {number} is kept in two regions and is tested each quarter by those who own it. ")
    })
}

/// So many words of each passage's sentence, over and over.
fn repeated(words: usize, sentence: impl Fn(usize) -> String) -> Vec<String> {
    let passage = |number| sentence(number).repeat(WORDS).split_whitespace().take(words).collect::<Vec<_>>().join(" ");
    (1..=PASSAGES).map(passage).collect()
}
