//! `ibidem doctor`: every part checked, and how to mend what is wrong.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ibidem_adapters::onnx::OnnxEmbedder;
use ibidem_adapters::qdrant::{IndexState, QdrantIndex};
use ibidem_engine::ports::embedder::Embedder as _;
use ibidem_engine::ports::vocabulary::Vocabulary as _;
use ibidem_store::{SchemaState, Store};
use serde::Serialize;

use crate::settings::{RerankerSource, Settings};
use crate::{compose, console};

/// How long a model server may take to name its models.
const PATIENCE: Duration = Duration::from_secs(3);

#[derive(clap::Args)]
pub(crate) struct Doctor {
    /// The findings as JSON.
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
        findings.push(originals(settings));
        let embedder = embedding(settings, &mut findings).await;
        index(settings, embedder.as_deref(), store.as_ref(), &mut findings).await;
        if let Some(store) = &store {
            backlog(store, &mut findings).await;
        }
        findings.push(language_model(settings).await);
        findings.push(reranker(settings).await);
        findings.push(vocabulary(settings).await);
        findings.push(policy(settings));

        if self.json {
            console::say_json(&findings)?;
        } else {
            show(&findings);
        }
        let broken = findings.iter().any(|finding| finding.state == State::Broken);
        Ok(if broken { ExitCode::FAILURE } else { ExitCode::SUCCESS })
    }
}

fn show(findings: &[Finding]) {
    let mut table = console::table(&["", "part", "found", "how to mend it"]);
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
            let found = format!("{applied} of {needed} migrations applied");
            (Finding::broken("schema", found, "run `ibidem migrate`"), false)
        }
        Ok(SchemaState::Ahead { newest_known, applied }) => {
            let found = format!("version {applied}, this Ibidem knows {newest_known}");
            (Finding::broken("schema", found, "use the newer Ibidem that migrated it"), false)
        }
        Ok(SchemaState::Altered { version }) => {
            let found = format!("migration {version} is not the one that was applied");
            (Finding::broken("schema", found, "use the Ibidem that applied it"), false)
        }
        Err(error) => (Finding::broken("schema", error.to_string(), "run `ibidem migrate`"), false),
    };
    findings.push(finding);
    usable.then_some(store)
}

fn originals(settings: &Settings) -> Finding {
    let place = settings.originals.display().to_string();
    let probe = settings.originals.join(format!(".doctor-{}", std::process::id()));
    let written = compose::originals(settings).map_err(|error| error.to_string()).and_then(|_| {
        std::fs::write(&probe, b"x").and_then(|()| std::fs::remove_file(&probe)).map_err(|error| error.to_string())
    });
    match written {
        Ok(()) => Finding::ok("originals", place),
        Err(error) => Finding::broken("originals", error, "set `originals.location` to a folder that can be written"),
    }
}

async fn embedding(settings: &Settings, findings: &mut Vec<Finding>) -> Option<Arc<OnnxEmbedder>> {
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
            let mend =
                "set `embedding.model`, `embedding.tokenizer` and `embedding.runtime`; `stack/fetch` brings all three";
            findings.push(Finding::broken("embedding", error.to_string(), mend));
            None
        }
    }
}

async fn index(
    settings: &Settings,
    embedder: Option<&OnnxEmbedder>,
    store: Option<&Store>,
    findings: &mut Vec<Finding>,
) {
    let Some(embedder) = embedder else {
        findings.push(Finding::warning("index", "not looked at", "mend the embedding model first"));
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
        Ok(version) if QdrantIndex::weighs_words_within_scope(&version) => {
            findings.push(Finding::ok("index", format!("Qdrant {version}")));
        }
        Ok(version) => {
            let found = format!("Qdrant {version}: how rare a word is counts over all tenants' documents");
            findings.push(Finding::warning(
                "index",
                found,
                "Qdrant 1.19 or newer counts within what the asker may see",
            ));
        }
        Err(error) => {
            let mend = "start Qdrant, or correct `index.url` (IBIDEM__INDEX__URL): it is the gRPC address";
            findings.push(Finding::broken("index", error.to_string(), mend));
            return;
        }
    }
    let finding = match index.check().await {
        Ok(IndexState::Ready { collection, points }) => compared(&collection, points, store).await,
        Ok(IndexState::Missing) => Finding::broken("collection", "none yet", "run `ibidem migrate`"),
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
            let found = format!("{found}, but {passages} passages in the catalogue");
            Finding::warning("collection", found, "run `ibidem reconcile`")
        }
        _ => Finding::ok("collection", found),
    }
}

async fn backlog(store: &Store, findings: &mut Vec<Finding>) {
    match store.backlog().await {
        Ok(backlog) => {
            let waiting = format!("{} documents to read, {} to publish", backlog.jobs, backlog.publications);
            findings.push(if backlog.jobs + backlog.publications == 0 {
                Finding::ok("work", "nothing waits")
            } else {
                Finding::warning("work", waiting, "run `ibidem worker`, or wait if one runs")
            });
            if backlog.failed_jobs > 0 {
                let found = format!("{} documents could not be read", backlog.failed_jobs);
                findings.push(Finding::warning("failed documents", found, "ingest them again to see why"));
            }
        }
        Err(error) => findings.push(Finding::broken("work", error.to_string(), "run `ibidem migrate`")),
    }
}

async fn language_model(settings: &Settings) -> Finding {
    let mend = "start the model server, or correct `language_model.url` (IBIDEM__LANGUAGE_MODEL__URL)";
    let mut settings = settings.clone();
    let Some(model) = settings.language_model.as_mut() else {
        return Finding::ok("language model", "none configured; answers are made of the sources' own sentences");
    };
    model.timeout = model.timeout.min(PATIENCE);
    let mut wanted = model.also_allowed.clone();
    wanted.insert(0, model.model.clone());
    let served = match compose::language_model(&settings) {
        Ok(Some(model)) => model.served().await.map_err(|error| error.to_string()),
        Ok(None) => Ok(Vec::new()),
        Err(error) => Err(error.to_string()),
    };
    let served = match served {
        Ok(served) => served,
        Err(error) => return Finding::broken("language model", error, mend),
    };
    wanted.retain(|name| !served.contains(name));
    if wanted.is_empty() {
        return Finding::ok("language model", served.join(", "));
    }
    let found = format!("{} not served; served are: {}", wanted.join(", "), served.join(", "));
    let mend = "load it on the model server, or correct `language_model.name` and `.also_allowed`";
    Finding::broken("language model", found, mend)
}

/// Whether it judges is what counts, not how.
async fn reranker(settings: &Settings) -> Finding {
    const PART: &str = "reranker";
    let Some(configured) = &settings.reranker else {
        return Finding::ok(PART, "none configured; passages are ordered by their vectors");
    };
    let mend = match configured.source {
        RerankerSource::Onnx(_) => "correct `reranker.folder`; docs/models.md names models and how to get them",
        RerankerSource::Http(_) => {
            "start the rerank server, or correct `reranker.url`, `.form`, `.name` and `.api_key`"
        }
        RerankerSource::Model(_) => {
            "mend the language model, or raise `reranker.timeout_ms`; or set `reranker.use: none`"
        }
    };
    let reranker = match compose::reranker(settings).await {
        Ok(Some(reranker)) => reranker,
        Ok(None) => return Finding::ok(PART, "none configured"),
        Err(error) => return Finding::broken(PART, format!("{error:#}"), mend),
    };
    let began = Instant::now();
    let passage = "Ibidem is Latin for: in the same place.".to_owned();
    match reranker.score("What does ibidem mean?", vec![passage]).await {
        Ok(_) => {
            let found = format!("{}, one passage judged in {} ms", reranker.name(), began.elapsed().as_millis());
            Finding::ok(PART, found)
        }
        Err(error) => Finding::broken(PART, error.to_string(), mend),
    }
}

async fn vocabulary(settings: &Settings) -> Finding {
    let mend = "correct `terminology.skosmos` or `terminology.files`";
    match compose::vocabulary(settings) {
        Ok(None) => Finding::ok("vocabulary", "none configured; questions about terms go to the documents"),
        // Any term will do: whether there is an answer is what counts.
        Ok(Some(vocabulary)) => match vocabulary.lookup("term").await {
            Ok(_) => Finding::ok("vocabulary", "answers"),
            Err(error) => Finding::broken("vocabulary", error.to_string(), mend),
        },
        Err(error) => Finding::broken("vocabulary", format!("{error:#}"), mend),
    }
}

fn policy(settings: &Settings) -> Finding {
    match compose::policy(settings, None) {
        Ok(policy) => Finding::ok("policy", format!("{}, hash {}", policy.rules.name, policy.hash.short(12))),
        Err(error) => Finding::broken("policy", format!("{error:#}"), "correct `policy.use`, or the file it names"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn found(flags: &[&str]) -> Finding {
        // As the binary does at its start.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let flags: Vec<String> = flags.iter().map(|flag| (*flag).to_owned()).collect();
        reranker(&crate::settings::load(None, std::iter::empty(), &flags).unwrap()).await
    }

    #[tokio::test]
    async fn a_reranker_that_does_not_judge_is_broken_and_its_mend_is_named() {
        let none = found(&[]).await;
        assert!(none.state == State::Ok && none.mend.is_none(), "{}", none.found);
        // Nothing listens at the discard port of loopback.
        let model = ["language_model.url=http://127.0.0.1:9/v1", "language_model.name=m", "reranker.use=model"];
        let cases: [(&[&str], &str, &str); 3] = [
            (&["reranker.use=onnx", "reranker.folder=no/such"], "no/such/config.json", "`reranker.folder`"),
            (
                &["reranker.use=http", "reranker.form=tei", "reranker.url=http://127.0.0.1:9/rerank"],
                "unavailable",
                "`reranker.url`",
            ),
            (&model, "cannot be reached", "language model"),
        ];
        for (flags, said, mend) in cases {
            let finding = found(flags).await;
            assert!(finding.state == State::Broken && finding.found.contains(said), "{}", finding.found);
            assert!(finding.mend.is_some_and(|named| named.contains(mend)));
        }
    }
}
