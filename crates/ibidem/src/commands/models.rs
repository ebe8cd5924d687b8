//! `ibidem models`: what is loaded or asked, its digest where it is a file, and how fast it is here.

mod probe;
mod similarity;
mod timed;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context as _;
use ibidem_adapters::onnx::PairModelSettings;
use ibidem_engine::roles::NamedModel;
use ibidem_ports::degrade::Part;
use ibidem_ports::embedder::Embedder;
use ibidem_words::Sha256Hash;
use serde::Serialize;

use self::timed::{Speed, Texts};
use crate::settings::{EmbeddingUse, EntailmentSource, RerankerSource, Settings};
use crate::{compose, console};

#[derive(clap::Args)]
pub(crate) struct Models {
    /// Prints JSON.
    #[arg(long)]
    json: bool,
    /// Tries a model server: what it is, what its models hold, whether it binds replies to a form, what a model of it is
    /// good enough for. Prints the settings for it.
    #[arg(long, value_name = "URL", conflicts_with = "similarity")]
    probe: Option<String>,
    /// With --probe: the model to try. Without it, the first that the server lists.
    #[arg(long, requires = "probe")]
    model: Option<String>,
    /// With --probe: the environment variable that holds the server's key.
    #[arg(long, value_name = "VARIABLE", requires = "probe")]
    key_from: Option<String>,
    /// With --probe: the header that carries the key as it is, for example api-key. Without it, Authorization: Bearer.
    #[arg(long, value_name = "HEADER", requires = "key_from")]
    key_header: Option<String>,
    /// With --probe: a new file that the settings are written to.
    #[arg(long, value_name = "FILE", requires = "probe")]
    write: Option<PathBuf>,
    /// Measures which cosines of the configured embedding model count as the similarities 0 and 1, and prints the
    /// settings for it. Run it after a change of the embedding model.
    #[arg(long)]
    similarity: bool,
    /// With --similarity: measures with texts in these languages only, of en and de.
    #[arg(long, value_delimiter = ',', default_values = ["en", "de"], requires = "similarity")]
    languages: Vec<String>,
}

/// A model in its role.
#[derive(Serialize)]
struct Row {
    role: &'static str,
    model: String,
    /// A file, or who is asked.
    from: String,
    /// Of the weights, where they are a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    sha256: Option<Sha256Hash>,
    #[serde(flatten)]
    state: State,
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum State {
    /// It was made to work, and this is how fast it was.
    Speed(Speed),
    /// It is configured, and does not work.
    Problem(String),
}

impl State {
    fn of(timed: anyhow::Result<Speed>) -> Self {
        timed.map_or_else(|error| Self::Problem(format!("{error:#}")), Self::Speed)
    }
}

impl Models {
    /// Fails when a configured model does not work, so that scripts can tell.
    pub(crate) async fn run(self, settings: &Settings) -> anyhow::Result<ExitCode> {
        if self.similarity {
            return similarity::run(settings, &self.languages, self.json).await;
        }
        if let Some(url) = &self.probe {
            return probe::run(&self, url).await;
        }
        let mut rows = Vec::new();
        let embedder = embedding(settings, &mut rows).await;
        rows.extend(rerankers(settings).await);
        rows.push(entailment(settings, embedder).await);
        match compose::roles::roles(settings.language_model()).await {
            Ok(roles) => {
                for (role, model) in roles.filled() {
                    rows.push(language_model(role, model).await);
                }
            }
            Err(error) => rows.push(Row {
                role: "answer",
                model: String::new(),
                from: MODEL_SERVER.to_owned(),
                sha256: None,
                state: State::Problem(format!("{error:#}")),
            }),
        }
        console::say_json_or(self.json, &rows, || show(&rows))?;
        let works = rows.iter().all(|row| matches!(row.state, State::Speed(_)));
        Ok(if works { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}

fn show(rows: &[Row]) {
    let mut table = console::table(&["role", "model", "from", "sha256", "speed here"]);
    for row in rows {
        let digest = row.sha256.map_or_else(String::new, |digest| digest.short(12));
        let state = match &row.state {
            State::Speed(speed) => speed.to_string(),
            State::Problem(problem) => format!("BROKEN: {problem}"),
        };
        table.add_row([row.role, &row.model, &row.from, &digest, &state]);
    }
    console::say(&table.to_string());
}

async fn embedding(settings: &Settings, rows: &mut Vec<Row>) -> Option<Part<dyn Embedder>> {
    let (from, sha256) = match settings.embedding.r#use.get() {
        EmbeddingUse::Onnx => file(&settings.embedding.model),
        EmbeddingUse::Http => ("an embedding server".to_owned(), None),
    };
    let (embedder, timed) = match compose::embedder(settings).await {
        Ok(embedder) => {
            let timed = timed::embedding(embedder.as_ref()).await;
            (Some(Part::bare(embedder as Arc<dyn Embedder>)), timed)
        }
        Err(error) => (None, Err(error)),
    };
    rows.push(Row { role: "embedding", model: settings.embedding.name.clone(), from, sha256, state: State::of(timed) });
    embedder
}

/// One for each file of weights; none where there is no reranker.
async fn rerankers(settings: &Settings) -> Vec<Row> {
    let Some(configured) = settings.reranker() else { return Vec::new() };
    let in_english = ("reranker", Texts::English);
    let read = match &configured {
        RerankerSource::BuiltIn(readers) => vec![
            (in_english, weights(&readers.english)),
            (("reranker, other languages", Texts::German), weights(&readers.others)),
        ],
        RerankerSource::Onnx(onnx) => vec![(in_english, weights(onnx))],
        RerankerSource::Http(_) => vec![(in_english, ("a rerank server".to_owned(), None))],
        RerankerSource::Model(_) => vec![(in_english, (YES_OR_NO.to_owned(), None))],
    };
    let loaded = compose::reranker(settings).await.and_then(|loaded| loaded.context("none is configured"));
    let mut rows = Vec::new();
    for ((role, texts), (from, sha256)) in read {
        let (model, timed) = match &loaded {
            Ok(reranker) => (texts.weights(reranker), timed::reranking(reranker, texts).await),
            Err(error) => (String::new(), Err(anyhow::anyhow!("{error:#}"))),
        };
        rows.push(Row { role, model, from, sha256, state: State::of(timed) });
    }
    let Some(second) = settings.second_reader() else { return rows };
    let (from, sha256) = weights(&second.model);
    let loaded = compose::second_reader(settings).await.and_then(|loaded| loaded.context("none is configured"));
    let (model, timed) = match loaded {
        Ok(second) => (second.reader.port().name().to_owned(), timed::reranking(&second.reader, Texts::English).await),
        Err(error) => (String::new(), Err(error)),
    };
    rows.push(Row { role: "second reader", model, from, sha256, state: State::of(timed) });
    rows
}

const YES_OR_NO: &str = "the language model, yes or no";

async fn entailment(settings: &Settings, embedder: Option<Part<dyn Embedder>>) -> Row {
    let (from, sha256) = match &settings.entailment() {
        EntailmentSource::Lexical => ("words, and the embedding model".to_owned(), None),
        EntailmentSource::Onnx(onnx) => weights(onnx),
        EntailmentSource::Http(_) => ("an entailment server".to_owned(), None),
        EntailmentSource::Model(_) => (YES_OR_NO.to_owned(), None),
    };
    let (model, timed) = match compose::entailment(settings, embedder).await {
        Ok(entailment) => (entailment.port().name().to_owned(), timed::verifying(&entailment).await),
        Err(error) => (String::new(), Err(error)),
    };
    Row { role: "entailment", model, from, sha256, state: State::of(timed) }
}

const MODEL_SERVER: &str = "the model server";

async fn language_model(role: &'static str, model: &NamedModel) -> Row {
    let timed = timed::writing(&model.model).await;
    Row { role, model: model.name.clone(), from: MODEL_SERVER.to_owned(), sha256: None, state: State::of(timed) }
}

/// Where it is, and its digest; none when there is no such file, which its own loading complains about.
fn file(path: &Path) -> (String, Option<Sha256Hash>) {
    (path.display().to_string(), std::fs::read(path).ok().map(|bytes| Sha256Hash::of(&bytes)))
}

/// The same of a model that may be in the program itself.
fn weights(model: &PairModelSettings) -> (String, Option<Sha256Hash>) {
    (model.place().display().to_string(), model.weights().ok().map(|bytes| Sha256Hash::of(&bytes)))
}

#[cfg(test)]
mod tests;
