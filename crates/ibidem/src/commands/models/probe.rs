//! `ibidem models --probe URL`: what a model server is, what a model of it can, and the settings to use it.

use std::fmt::Write as _;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use ibidem_adapters::openai::{
    AboutServer, Binding, Connection, OpenAiModel, OpenAiSettings, Protocol, RerankScale, Reranks, SentAlong,
    ServerKind,
};
use ibidem_engine::policy::{Policy, shipped_policy};
use ibidem_engine::roles::NamedModel;
use ibidem_engine::speak::probes::{GoodFor, Probed, Tally, probe};
use ibidem_ports::degrade::{Deadline, Part};
use ibidem_ports::language_model::{LanguageModel as _, Prompt, PromptMessage, is_same_model};
use ibidem_words::Speaker;
use serde::Serialize;

use super::timed;
use super::{Models, State};
use crate::console;

/// For one reply: a model that is loaded for it first takes this long.
const TIMEOUT: Duration = Duration::from_secs(120);
/// A window that nobody names.
const USUAL_WINDOW: u32 = 8_192;

/// What was found.
#[derive(Serialize)]
struct Found {
    server: AboutServer,
    models: Vec<(String, Option<u32>)>,
    model: String,
    window: Option<u32>,
    /// What binds its replies to a form; none of a server that writes nothing.
    binding: Option<Binding>,
    /// It was seen to think before it answers.
    thinks: bool,
    /// It says how likely a token was.
    has_likelihoods: bool,
    rerank: Option<Reranks>,
    embedding_dimensions: Option<usize>,
    #[serde(flatten)]
    state: State,
    probes: Option<Probed>,
    good_for: Vec<GoodFor>,
    seconds: f64,
    settings: String,
}

pub(super) async fn run(asked: &Models, url: &str) -> anyhow::Result<ExitCode> {
    let key = asked.key_from.as_ref();
    let key = key.map(|name| std::env::var(name).with_context(|| format!("the variable {name}"))).transpose()?;
    let connection = Connection { api_key: key, api_key_header: asked.key_header.clone(), ..Connection::to(url) };
    let found = find(asked.model.as_deref(), connection, asked).await?;
    console::say_json_or(asked.json, &found, || console::say(&shown(&found)))?;
    if let Some(path) = &asked.write {
        let file = OpenOptions::new().write(true).create_new(true).open(path);
        let written = file.and_then(|mut file| file.write_all(found.settings.as_bytes()));
        written.with_context(|| format!("{} cannot be written as a new file", path.display()))?;
        console::note(&format!("{} has the settings; pass it with --config", path.display()));
    }
    Ok(if found.good_for.is_empty() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn server(connection: &Connection, model: &str) -> anyhow::Result<OpenAiModel> {
    let connection = connection.clone();
    let settings = OpenAiSettings { connection, model: model.to_owned(), also_allowed: Vec::new(), timeout: TIMEOUT };
    let sent_along = SentAlong { window: Some(USUAL_WINDOW), thinking: None };
    Ok(OpenAiModel::new(settings).context("check --probe")?.sending(sent_along))
}

async fn find(named: Option<&str>, mut connection: Connection, asked: &Models) -> anyhow::Result<Found> {
    let began = Instant::now();
    let unnamed = server(&connection, named.unwrap_or_default())?;
    let listed =
        unnamed.listed().await.context("the server does not answer; --probe takes its address up to and with /v1")?;
    let models = listed.unwrap_or_default();
    let model = named.map(str::to_owned).or_else(|| Some(models.first()?.0.clone()));
    let model = model.context("the server lists no models; name one with --model")?;
    let about = unnamed.about().await;
    if about.kind == ServerKind::Ollama {
        connection.protocol = Protocol::Ollama;
    }
    let server = server(&connection, &model)?;
    let window = models.iter().find(|(name, _)| is_same_model(name, &model)).and_then(|(_, window)| *window);
    let part = NamedModel::of(Part::bare(Arc::new(server.clone())));
    let speed = timed::writing(&part.model).await;
    let has_written = speed.is_ok();
    let probes = if has_written { probed(&part, asked.json).await.map(Some)? } else { None };
    let has_likelihoods = has_written && server.first_tokens(yes_or_no(&model)).await.is_ok();
    let rerank = server.reranks().await;
    let embedding_dimensions = server.embedding_dimensions().await;
    let good_for = probes.map(|probes| probes.good_for()).unwrap_or_default();
    // Loaded only now, it may have a window that nobody knew before.
    let window = match (connection.protocol, window) {
        (Protocol::Ollama, _) => Some(USUAL_WINDOW),
        (Protocol::OpenAi, None) if has_written => server.about().await.window(&model),
        (Protocol::OpenAi, window) => window,
    };
    let tried = Tried { connection: &connection, model: &model, window, has_written, rerank: rerank.as_ref() };
    let settings = settings(&tried, &good_for, asked);
    let state = State::of(speed);
    Ok(Found {
        server: about,
        models,
        model,
        window,
        binding: has_written.then(|| server.binding()),
        thinks: server.thinks(),
        has_likelihoods,
        rerank,
        embedding_dimensions,
        state,
        probes,
        good_for,
        seconds: (began.elapsed().as_secs_f64() * 10.0).round() / 10.0,
        settings,
    })
}

async fn probed(model: &NamedModel, is_quiet: bool) -> anyhow::Result<Probed> {
    let policy = Policy::parse(shipped_policy("default").context("the binary has a default policy")?)?;
    let bar = if is_quiet { None } else { Some(console::bar(10, "questions, {eta} left")?) };
    let done = || {
        if let Some(bar) = &bar {
            bar.inc(1);
        }
    };
    let probed = probe(model, &policy.rules.speak, Deadline::NONE, done).await?;
    if let Some(bar) = &bar {
        bar.finish_and_clear();
    }
    Ok(probed)
}

fn yes_or_no(model: &str) -> Prompt {
    let message = PromptMessage { role: Speaker::User, content: "Is oil a liquid? Reply Yes or No.".to_owned() };
    Prompt { model: Some(model.to_owned()), messages: vec![message], temperature: 0.0, max_tokens: 1, form: None }
}

/// What the settings follow from.
struct Tried<'a> {
    connection: &'a Connection,
    model: &'a str,
    window: Option<u32>,
    has_written: bool,
    rerank: Option<&'a Reranks>,
}

/// The sections of the settings, as far as they follow from what was found. The key is not in them.
fn settings(tried: &Tried<'_>, good_for: &[GoodFor], asked: &Models) -> String {
    let mut yaml = String::new();
    if tried.has_written {
        yaml.push_str(&language_model(tried, good_for, asked));
    }
    if let Some(Reranks { form, url, scale }) = tried.rerank.filter(|rerank| rerank.scale != RerankScale::Useless) {
        // A model that writes and reranks is mostly no good reranker: then it is for whoever reads this.
        let before = if tried.has_written { "# " } else { "" };
        let raw_scores = *scale == RerankScale::Logits;
        let _ = write!(
            yaml,
            "{before}reranker:\n{before}  use: http\n{before}  url: {}\n{before}  form: {form}\n{before}  name: {}\n\
             {before}  raw_scores: {raw_scores}\n",
            quoted(url),
            quoted(tried.model),
        );
    }
    yaml
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn language_model(tried: &Tried<'_>, good_for: &[GoodFor], asked: &Models) -> String {
    let Tried { connection, model, window, .. } = *tried;
    let mut yaml = format!("language_model:\n  url: {}\n", quoted(&connection.url));
    if connection.protocol == Protocol::Ollama {
        yaml.push_str("  # So that Ollama loads the model with the window below.\n  protocol: ollama\n");
    }
    if asked.key_from.is_some() {
        yaml.push_str("  # Set its key by IBIDEM__LANGUAGE_MODEL__API_KEY.\n");
    }
    if let Some(header) = &connection.api_key_header {
        let _ = writeln!(yaml, "  api_key_header: {}", quoted(header));
    }
    let _ = write!(yaml, "  roles:\n    answer: {}\n", quoted(model));
    if good_for.contains(&GoodFor::Planning) {
        let _ = writeln!(yaml, "    planner: {}", quoted(model));
    }
    let _ = write!(yaml, "  models:\n    {}: {{window: {}}}\n", quoted(model), window.unwrap_or(USUAL_WINDOW));
    if window.is_none() {
        yaml.push_str("    # The server does not say what the model holds: check it.\n");
    }
    let policy = match (good_for.contains(&GoodFor::Writing), good_for.contains(&GoodFor::Choosing)) {
        (true, _) if good_for.contains(&GoodFor::Planning) => "large_policy.yaml",
        (true, _) => return yaml,
        (false, true) => "small_policy.yaml",
        (false, false) => return yaml,
    };
    let _ = writeln!(yaml, "# A policy file for such a model: config/models/{policy}");
    yaml
}

fn shown(found: &Found) -> String {
    let mut table = console::table(&["what", "found"]);
    let version = found.server.version.as_deref().unwrap_or_default();
    let models: Vec<String> = found
        .models
        .iter()
        .map(|(name, window)| match window {
            Some(window) => format!("{name} (window {window})"),
            None => name.clone(),
        })
        .collect();
    let rerank = match found.rerank.as_ref().map(|rerank| rerank.scale) {
        None => "no",
        Some(RerankScale::Probabilities) => "yes, scores from 0 to 1",
        Some(RerankScale::Logits) => "yes, logits: set `reranker.raw_scores: true`",
        Some(RerankScale::Useless) => "it answers, but gives what does not answer as much as what does",
    };
    let form = match found.binding {
        None => "it writes nothing",
        Some(Binding::Schema) => "a schema is taken",
        Some(Binding::Grammar) => "no schema, but a grammar",
        Some(Binding::Object) => "no schema, but JSON",
        Some(Binding::None) => "nothing: it is only asked for JSON",
    };
    let thinks = if found.thinks { "yes; `language_model.thinking` says how much" } else { "not seen" };
    let embeds = found.embedding_dimensions.map_or("no".to_owned(), |dimensions| format!("yes, {dimensions} numbers"));
    let speed = match &found.state {
        State::Speed(speed) => speed.to_string(),
        State::Problem(problem) => format!("BROKEN: {problem}"),
    };
    let likely =
        if found.has_likelihoods { "yes" } else { "no: it cannot be asked for yes or no (`reranker.use: model`)" };
    let mut rows = vec![
        ("server", format!("{} {version}", found.server.kind).trim().to_owned()),
        ("models", if models.is_empty() { "it has no list of them".to_owned() } else { models.join(", ") }),
        ("tried", found.model.clone()),
        ("speed here", speed),
        ("form of replies", form.to_owned()),
        ("thinks", thinks.to_owned()),
        ("likelihoods", likely.to_owned()),
        ("reranks", rerank.to_owned()),
        ("embeds", embeds),
    ];
    if let Some(Probed { chosen, written, judged, out_of_form }) = found.probes {
        let of = |Tally { right, of }: Tally| format!("{right} of {of}");
        rows.push(("chose the sentence that answers", of(chosen)));
        rows.push(("wrote what its note says", of(written)));
        rows.push(("told true from false", of(judged)));
        rows.push(("replies out of form", out_of_form.to_string()));
    }
    rows.push(("good enough for", good_for(&found.good_for)));
    rows.push(("took", format!("{} s", found.seconds)));
    for (what, said) in rows {
        table.add_row([what, &said]);
    }
    format!("{table}\n\n{}", found.settings)
}

fn good_for(tasks: &[GoodFor]) -> String {
    if tasks.is_empty() {
        return "none of the tasks: answers had better be quoted from the documents without it".to_owned();
    }
    let words = tasks.iter().map(|task| match task {
        GoodFor::Writing => "writing answers",
        GoodFor::Choosing => "choosing sentences",
        GoodFor::Planning => "planning",
        GoodFor::Judging => "judging",
    });
    words.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_settings_can_be_read_and_hold_no_key() {
        let connection = Connection { api_key: Some("sesame".to_owned()), ..Connection::to("http://127.0.0.1:1/v1") };
        let asked = Models { key_from: Some("KEY".to_owned()), ..plain() };
        let tried =
            Tried { connection: &connection, model: "qwen3:8b", window: Some(4_096), has_written: true, rerank: None };
        let yaml = settings(&tried, &[GoodFor::Choosing], &asked);
        assert!(yaml.contains("small_policy.yaml") && !yaml.contains("sesame"), "{yaml}");
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("settings.yaml");
        std::fs::write(&path, &yaml).unwrap();
        let settings = crate::settings::load(Some(&path), std::iter::empty(), &[]).unwrap();
        let model = settings.language_model().unwrap();
        assert_eq!((model.answer(), model.limits("qwen3:8b").window), ("qwen3:8b", 4_096));
        let reranks = Reranks { scale: RerankScale::Logits, form: "tei", url: "http://127.0.0.1:1/rerank".to_owned() };
        let yaml = self::settings(&Tried { has_written: false, rerank: Some(&reranks), ..tried }, &[], &asked);
        std::fs::write(&path, &yaml).unwrap();
        crate::settings::load(Some(&path), std::iter::empty(), &[]).unwrap();
        assert!(yaml.starts_with("reranker:\n  use: http") && yaml.contains("raw_scores: true"), "{yaml}");
    }

    fn plain() -> Models {
        Models {
            json: false,
            similarity: false,
            languages: Vec::new(),
            probe: None,
            model: None,
            key_from: None,
            key_header: None,
            write: None,
        }
    }
}
