//! `ibidem-workbench bench terms`: what a question about a term takes, beside the vocabulary server's own time.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use chrono::Utc;
use ibidem_adapters::skos_files::{SkosFiles, SkosFilesSettings};
use ibidem_engine::ask::Engine;
use ibidem_engine::listener::Nobody;
use ibidem_engine::policy::Policy;
use ibidem_engine::route::rules::{Route, route};
use ibidem_engine::turn::Asked;
use ibidem_ports::degrade::Deadline;
use ibidem_ports::thesaurus::Thesaurus as _;
use ibidem_ports::vocabulary::LabelKind;
use ibidem_words::{Identity, Question, Scope, TenantId};
use tokio::net::TcpListener;
use uuid::Uuid;

use super::percentile;
use crate::compose::{self, Parts};
use crate::console;
use crate::settings::{LARGEST_VOCABULARY, Settings};

#[derive(clap::Args)]
pub(crate) struct TermsBench {
    /// SKOS files. The benchmark serves them on loopback over the REST API of Skosmos.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// How many of their terms are asked about.
    #[arg(long, default_value_t = 500, value_parser = clap::value_parser!(u32).range(10..=100_000))]
    terms: u32,
}

impl TermsBench {
    pub(crate) async fn run(self, settings: &Settings) -> anyhow::Result<()> {
        let language = settings.terminology.language.clone();
        let files =
            SkosFilesSettings { paths: self.files, language: language.clone(), max_file_bytes: LARGEST_VOCABULARY };
        let vocabularies = SkosFiles::load(&files)?;
        let policy = compose::policy(settings, None)?;
        let terms = terms(&vocabularies, &language, &policy, self.terms as usize);
        anyhow::ensure!(terms.len() >= 10, "only {} terms in the language {language}", terms.len());
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let url = format!("http://{}/rest/v1", listener.local_addr()?);
        let serving = {
            let (vocabularies, language) = (Arc::new(vocabularies), language.clone());
            tokio::spawn(async move { ibidem_testing::skosmos::serve(listener, vocabularies, &language).await })
        };

        let mut settings = settings.clone();
        settings.terminology.skosmos = Some(url.clone().try_into().map_err(anyhow::Error::msg)?);
        let engine = Parts::ready(&settings).await?.engine(&settings).await?;
        let client = reqwest::Client::builder().no_proxy().build()?;
        let mut rows = [Vec::new(), Vec::new(), Vec::new()];
        // Warm: connections, code and the allocator, with terms that are not measured.
        for _ in 0..20 {
            bare(&client, &url, &language, "warm").await?;
            ask(&engine, &policy, "warm").await?;
        }
        for term in &terms {
            rows[0].push(bare(&client, &url, &language, term).await?);
            rows[1].push(ask(&engine, &policy, term).await?);
            rows[2].push(ask(&engine, &policy, term).await?);
        }
        serving.abort();
        let mut table = console::table(&["", "p50 ms", "p95 ms"]);
        let names =
            ["vocabulary server alone, its search", "answer, term not looked up before", "answer, term remembered"];
        for (name, row) in names.into_iter().zip(&rows) {
            let [p50, p95] = [0.5, 0.95].map(|share| format!("{:.3}", percentile(row.clone(), share)));
            table.add_row([name.to_owned(), p50, p95]);
        }
        console::say(&table.to_string());
        let above = percentile(rows[1].clone(), 0.95) - percentile(rows[0].clone(), 0.95);
        console::say(&format!(
            "{} terms; above the server's own time at p95: {above:.2} ms (aims: under 1 ms remembered, under 20 ms above otherwise)",
            terms.len()
        ));
        Ok(())
    }
}

fn question(term: &str) -> String {
    format!("Explain the term {term}")
}

/// Preferred labels that the policy takes for terms, spread over the vocabularies.
fn terms(vocabularies: &SkosFiles, language: &str, policy: &Policy, most: usize) -> Vec<String> {
    let Some(rules) = &policy.rules.gather.terminology else { return Vec::new() };
    let classes = &policy.rules.gather.document_classes;
    let is_term = |text: &str| route(&question(text), classes, rules.longest_term_words) != Route::Corpus;
    let entries = vocabularies.word_lists().iter().flat_map(|list| list.entries.values());
    let defined = entries.filter(|entry| !entry.deprecated && !entry.definitions.is_empty());
    let labels = defined.filter_map(|entry| {
        let named = entry.labels.iter().find(|label| label.kind == LabelKind::Preferred && label.is_in(language))?;
        Some(named.text.clone()).filter(|text| is_term(text))
    });
    let labels: Vec<String> = labels.collect();
    let step = labels.len().div_ceil(most).max(1);
    labels.into_iter().step_by(step).collect()
}

async fn bare(client: &reqwest::Client, url: &str, language: &str, term: &str) -> anyhow::Result<f64> {
    let began = Instant::now();
    let parameters =
        [("query", term), ("lang", language), ("labellang", language), ("fields", "definition"), ("unique", "true")];
    let mut address = reqwest::Url::parse(&format!("{url}/search"))?;
    address.query_pairs_mut().extend_pairs(parameters);
    client.get(address).send().await?.error_for_status()?.bytes().await?;
    Ok(began.elapsed().as_secs_f64() * 1_000.0)
}

async fn ask(engine: &Engine, policy: &Arc<Policy>, term: &str) -> anyhow::Result<f64> {
    let identity = Identity::operator(TenantId::named("default"), [].into());
    let asked = Asked {
        request_id: Uuid::new_v4(),
        at: Utc::now(),
        scope: Scope::of(&identity),
        question: Question::new(question(term)),
        policy: Arc::clone(policy),
        deadline: Deadline::NONE,
    };
    let began = Instant::now();
    let answer = engine.ask(asked, &mut Nobody).await?.answer;
    let took = began.elapsed().as_secs_f64() * 1_000.0;
    let about_a_term = answer.trace.iter().any(|gate| gate.gate == "terminology");
    anyhow::ensure!(about_a_term, "{term:?} was not looked up: {}", answer.answer);
    Ok(took)
}
