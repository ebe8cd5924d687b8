//! `ibidem doctor`: checks every part, and says how to fix what is wrong.

mod audit;
mod hand_over;
mod language_models;
mod models;
mod policies;
mod reading;
mod sign_in;
mod tools;

use std::process::ExitCode;
use std::sync::Arc;

use ibidem_adapters::object_store::OriginalsLocation;
use ibidem_adapters::otlp;
use ibidem_adapters::qdrant::IndexState;
use ibidem_engine::policy::{Answerability, Policy};
use ibidem_ports::degrade::Part;
use ibidem_ports::embedder::Embedder;
use ibidem_ports::vocabulary::Vocabulary as _;
use ibidem_store::{SchemaState, Store};
use serde::Serialize;

use crate::compose::CountingEmbedder;
use crate::settings::{EmbeddingUse, Settings};
use crate::{compose, console};

#[derive(clap::Args)]
pub(crate) struct Doctor {
    /// Prints the findings as JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum State {
    Ok,
    Warning,
    Broken,
}

/// One thing looked at.
#[derive(Serialize)]
struct Finding {
    part: &'static str,
    state: State,
    found: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    mend: Option<String>,
}

impl Finding {
    fn ok(part: &'static str, found: impl Into<String>) -> Self {
        Self { part, state: State::Ok, found: found.into(), mend: None }
    }

    fn warning(part: &'static str, found: impl Into<String>, mend: impl Into<String>) -> Self {
        Self { part, state: State::Warning, found: found.into(), mend: Some(mend.into()) }
    }

    fn broken(part: &'static str, found: impl Into<String>, mend: impl Into<String>) -> Self {
        Self { part, state: State::Broken, found: found.into(), mend: Some(mend.into()) }
    }
}

impl Doctor {
    pub(crate) async fn run(self, settings: &Settings) -> anyhow::Result<ExitCode> {
        let mut findings = Vec::new();
        let store = database(settings, &mut findings).await;
        findings.push(originals(settings).await);
        findings.push(signing_key(settings));
        findings.push(reading::reading(settings).await);
        let embedder = embedding(settings, &mut findings).await;
        index(settings, embedder.as_deref(), store.as_ref(), &mut findings).await;
        if let Some(store) = &store {
            findings.push(words(store).await);
            backlog(store, &mut findings).await;
            findings.push(audit::audit(settings, store).await);
        }
        findings.extend(language_models::language_models(settings.language_model()).await);
        findings.push(models::reranker(settings).await);
        findings.extend(models::second_reader(settings).await);
        let policy = policy(settings, embedder.as_deref());
        let embedder = embedder.map(|embedder| Part::bare(embedder as Arc<dyn Embedder>));
        findings.push(models::entailment(settings, embedder).await);
        findings.push(vocabulary(settings).await);
        findings.push(policy);
        if let Some(store) = &store {
            findings.extend(policies::policies_of_tenants(settings, store).await);
        }
        findings.extend(tools::tools(settings).await);
        findings.extend(hand_over::hand_over(settings, store.as_ref()).await);
        findings.push(sign_in::sign_in(settings).await);
        findings.push(pages(ibidem_server::pages_are_built()));
        findings.extend(traces(settings).await);

        console::say_json_or(self.json, &findings, || show(&findings))?;
        let broken = findings.iter().any(|finding| finding.state == State::Broken);
        Ok(if broken { ExitCode::FAILURE } else { ExitCode::SUCCESS })
    }
}

/// What a browser finds at `/`.
fn pages(are_built: bool) -> Finding {
    if are_built {
        return Finding::ok("pages", "served at /");
    }
    Finding::warning(
        "pages",
        "not built: / says so to a browser; the API and the command line work without them",
        "run `just web`, and compile a release again after it",
    )
}

/// Where traces go, if anywhere. A collector that is gone costs no answer.
async fn traces(settings: &Settings) -> Option<Finding> {
    let url = settings.server.otlp_url.as_deref()?;
    Some(match otlp::refused_by(url).await {
        None => Finding::ok("traces", format!("taken at {url}")),
        Some(error) => Finding::warning(
            "traces",
            format!("traces are lost: {error}"),
            "start the collector, or correct `server.otlp_url`; questions are answered without it",
        ),
    })
}

/// The key that signs receipts. One that the database keeps is looked at with the database.
fn signing_key(settings: &Settings) -> Finding {
    const PART: &str = "signing key";
    let Some(path) = &settings.receipts.signing_key_file else { return Finding::ok(PART, "kept in the database") };
    match compose::signing::key_in(path) {
        Ok(_) => Finding::ok(PART, format!("read from {}", path.display())),
        Err(error) => Finding::broken(
            PART,
            format!("{error:#}"),
            "correct the file, or leave `receipts.signing_key_file` empty: the key is then kept in the database",
        ),
    }
}

fn show(findings: &[Finding]) {
    let mut table = console::table(&["", "part", "found", "how to fix it"]);
    for finding in findings {
        let mark = match finding.state {
            State::Ok => "ok",
            State::Warning => "warning",
            State::Broken => "BROKEN",
        };
        table.add_row([mark, finding.part, &finding.found, finding.mend.as_deref().unwrap_or("")]);
    }
    console::say(&table.to_string());
}

/// The database, if it can be used.
async fn database(settings: &Settings, findings: &mut Vec<Finding>) -> Option<Store> {
    let store = match compose::store(settings) {
        Ok(store) => store,
        Err(error) => {
            findings.push(Finding::broken("database", error.to_string(), "correct `database.url`"));
            return None;
        }
    };
    match store.ping().await {
        Ok(version) => findings.push(Finding::ok("database", format!("PostgreSQL {version}"))),
        Err(error) => {
            let mend = "start PostgreSQL, or correct `database.url` (IBIDEM__DATABASE__URL)";
            findings.push(Finding::broken("database", error.to_string(), mend));
            return None;
        }
    }
    let (finding, usable) = match store.schema_state().await {
        Ok(SchemaState::Current { version }) => (Finding::ok("schema", format!("version {version}")), true),
        Ok(SchemaState::Behind { applied, needed }) => {
            let found = format!("{applied} of {needed} migrations are applied");
            (Finding::broken("schema", found, "run `ibidem migrate`"), false)
        }
        Ok(SchemaState::Ahead { newest_known, applied }) => {
            let found = format!("version {applied}; this Ibidem knows only up to {newest_known}");
            (Finding::broken("schema", found, "use the newer version of Ibidem that migrated it"), false)
        }
        Ok(SchemaState::Altered { version }) => {
            let found = format!("migration {version} differs from the one that was applied");
            (Finding::broken("schema", found, "use the version of Ibidem that applied it"), false)
        }
        Err(error) => (Finding::broken("schema", error.to_string(), "run `ibidem migrate`"), false),
    };
    findings.push(finding);
    usable.then_some(store)
}

async fn originals(settings: &Settings) -> Finding {
    let written = match compose::originals(settings) {
        Ok(originals) => originals.check().await.map_err(|error| error.to_string()),
        Err(error) => Err(error.to_string()),
    };
    let location = settings.originals();
    let mend = match &location {
        OriginalsLocation::Folder(_) => "set `originals.location` to a folder that can be written",
        OriginalsLocation::Bucket(_) => "check that the bucket exists, and the settings below `originals.bucket`",
    };
    match written {
        Ok(()) => Finding::ok("originals", location.to_string()),
        Err(error) => Finding::broken("originals", error, mend),
    }
}

async fn embedding(settings: &Settings, findings: &mut Vec<Finding>) -> Option<Arc<dyn CountingEmbedder>> {
    match compose::embedder(settings).await {
        Ok(embedder) => {
            let model = embedder.model();
            let found = format!(
                "{}, {} dimensions, {} tokens, hash {}",
                model.name,
                model.dimensions,
                model.max_tokens,
                model.hash.0.short(12)
            );
            findings.push(Finding::ok("embedding", found));
            Some(embedder)
        }
        Err(error) => {
            let mend = match settings.embedding.r#use.get() {
                EmbeddingUse::Onnx => {
                    "set `embedding.model`, `embedding.tokenizer` and `embedding.runtime`; `stack/fetch` downloads all three"
                }
                EmbeddingUse::Http => "start the embedding server, or correct `embedding.url` and `embedding.name`",
            };
            findings.push(Finding::broken("embedding", error.to_string(), mend));
            None
        }
    }
}

async fn index(
    settings: &Settings,
    embedder: Option<&dyn CountingEmbedder>,
    store: Option<&Store>,
    findings: &mut Vec<Finding>,
) {
    let Some(embedder) = embedder else {
        findings.push(Finding::warning("index", "not checked", "fix the embedding model first"));
        return;
    };
    let index = match compose::index(settings, embedder) {
        Ok(index) => index,
        Err(error) => {
            findings.push(Finding::broken("index", error.to_string(), "correct `index.url`"));
            return;
        }
    };
    match index.version().await {
        Ok(version) => findings.push(Finding::ok("index", format!("Qdrant {version}"))),
        Err(error) => {
            let mend = "start Qdrant, or correct `index.url` (IBIDEM__INDEX__URL): it is the gRPC address";
            findings.push(Finding::broken("index", error.to_string(), mend));
            return;
        }
    }
    let finding = match index.check().await {
        Ok(IndexState::Ready { collection, points }) => compared(&collection, points, store).await,
        Ok(IndexState::Missing) => Finding::broken("collection", "there is none yet", "run `ibidem migrate`"),
        Ok(IndexState::OtherModel { found }) => {
            let found = format!("made by the embedding model {found}, not by the configured one");
            Finding::broken("collection", found, "run `ibidem reindex`, or configure the former model")
        }
        Err(error) => Finding::broken("collection", error.to_string(), "run `ibidem reindex`"),
    };
    findings.push(finding);
}

/// Points beside passages: they differ while work waits, and should not otherwise.
async fn compared(collection: &str, points: u64, store: Option<&Store>) -> Finding {
    let found = format!("{collection}, {points} points");
    let Some(store) = store else { return Finding::ok("collection", found) };
    match (store.passage_count().await, store.backlog().await) {
        (Ok(passages), Ok(backlog)) if passages != points && backlog.publications == 0 => {
            let found = format!("{found}, but {passages} passages in the database");
            Finding::warning("collection", found, "run `ibidem reconcile`")
        }
        _ => Finding::ok("collection", found),
    }
}

/// Whether BM25 knows how rare words are.
async fn words(store: &Store) -> Finding {
    match store.weighs_words().await {
        Ok(true) => Finding::ok("words", "counted for every document"),
        Ok(false) => Finding::warning(
            "words",
            "not counted for every document: rare and common words count the same, and answers carry words_unweighed",
            "run `ibidem reindex`; it computes no vectors again",
        ),
        Err(error) => Finding::broken("words", error.to_string(), "check the database"),
    }
}

async fn backlog(store: &Store, findings: &mut Vec<Finding>) {
    match store.backlog().await {
        Ok(backlog) => {
            let waiting = format!("{} documents wait to be read, {} to be indexed", backlog.jobs, backlog.publications);
            findings.push(if backlog.jobs + backlog.publications == 0 {
                Finding::ok("work", "no document is waiting")
            } else {
                Finding::warning("work", waiting, "run `ibidem worker`, or wait if one is running")
            });
            if backlog.failed_jobs > 0 {
                let found = format!("{} documents could not be read", backlog.failed_jobs);
                findings.push(Finding::warning("failed documents", found, "ingest them again to see why"));
            }
        }
        Err(error) => findings.push(Finding::broken("work", error.to_string(), "run `ibidem migrate`")),
    }
}

async fn vocabulary(settings: &Settings) -> Finding {
    let mend = "correct `terminology.skosmos` or `terminology.files`";
    match compose::vocabulary(settings) {
        Ok(None) => Finding::ok("vocabulary", "none configured; questions about terms are searched in the documents"),
        // Any term will do: whether there is an answer is what counts.
        Ok(Some(vocabulary)) => match vocabulary.lookup("term").await {
            Ok(_) => Finding::ok("vocabulary", "answers"),
            Err(error) => Finding::broken("vocabulary", error.to_string(), mend),
        },
        Err(error) => Finding::broken("vocabulary", format!("{error:#}"), mend),
    }
}

fn policy(settings: &Settings, embedder: Option<&dyn CountingEmbedder>) -> Finding {
    let policy = match compose::policy(settings, None) {
        Ok(policy) => policy,
        Err(error) => {
            let mend = "correct `policy.use`, or the file it names";
            return Finding::broken("policy", format!("{error:#}"), mend);
        }
    };
    let found = format!("{}, hash {}", policy.rules.name, policy.hash.short(12));
    let Some(embedder) = embedder.filter(|_| policy.rules.calibration.is_some()) else {
        return unread(settings, &policy, &found).unwrap_or_else(|| Finding::ok("policy", found));
    };
    let in_use = compose::model_identities::models_in_use(settings, embedder);
    let mend = "calibrate again with `ibidem calibrate`, or configure the models it was calibrated with";
    let checked = in_use
        .and_then(|in_use| policy.check_models(&in_use).map(|()| policy.other_models(&in_use)).map_err(Into::into));
    match checked {
        Ok(others) if others.is_empty() => {
            let found = format!("{found}, calibrated with the models in use");
            unread(settings, &policy, &found).unwrap_or_else(|| Finding::ok("policy", found))
        }
        Ok(others) => {
            let found = format!("{found}: its bound does not hold with these models: {}", others.join("; "));
            Finding::warning("policy", found, mend)
        }
        Err(error) => Finding::broken("policy", format!("{error:#}"), mend),
    }
}

/// A policy whose reader's gate decides nothing, as nothing reads the passages.
fn unread(settings: &Settings, policy: &Policy, found: &str) -> Option<Finding> {
    let has_gate = policy.rules.sift.rules_of::<Answerability>().next().is_some();
    (has_gate && !settings.reads_passages(policy)).then(|| {
        let found = format!("{found}: its gate `answerability` decides nothing, as nothing reads the passages");
        Finding::warning("policy", found, "set `reranker.use: reader`")
    })
}

#[cfg(test)]
mod tests;
