//! `ibidem eval lint`: whether a golden set can be measured by.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use ibidem_adapters::skos_files::{SkosFiles, SkosFilesSettings};
use ibidem_engine::policy::GatherRules;
use ibidem_measure::golden::corpus::Corpus;
use ibidem_measure::golden::{NumberedQuery, Problem, by_rule, lint, parse, terms, text};
use serde::Serialize;

use crate::settings::LARGEST_VOCABULARY;
use crate::{compose, console};

#[derive(clap::Args)]
pub(crate) struct Lint {
    /// The golden set: a .jsonl file with one question per line.
    #[arg(default_value = "demo/architecture/golden_queries.jsonl")]
    file: PathBuf,
    /// The folder of the documents, with one folder for each collection and one of vocabularies. Documents and terms
    /// that the set names are checked to be there.
    #[arg(long, value_name = "FOLDER")]
    corpus: Option<PathBuf>,
    /// The policy file whose rules recognise questions about terms, addresses and lists.
    #[arg(long, default_value = "architecture")]
    policy: String,
    /// Prints JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report {
    questions: usize,
    /// How many questions each category has.
    categories: BTreeMap<String, usize>,
    problems: Vec<Problem>,
}

impl Lint {
    /// Fails when anything is wrong, after naming all of it.
    pub(crate) async fn run(self) -> anyhow::Result<ExitCode> {
        let report = self.report().await?;
        console::say_json_or(self.json, &report, || show(&self.file, &report))?;
        Ok(if report.problems.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }

    async fn report(&self) -> anyhow::Result<Report> {
        let (queries, mut problems) = parse(&text(&self.file)?);
        let rules = &compose::named_policy(&self.policy)?.rules.gather;
        problems.extend(lint::lint(&queries));
        problems.extend(by_rule::check(&queries, rules));
        if let Some(folder) = &self.corpus {
            problems.extend(Corpus::load(folder)?.check(&queries, rules.addresses.as_ref()));
            problems.extend(in_vocabulary(&queries, rules, &folder.join("vocabulary")).await?);
        }
        Ok(Report { questions: queries.len(), categories: counted(&queries), problems })
    }
}

async fn in_vocabulary(queries: &[NumberedQuery], rules: &GatherRules, folder: &Path) -> anyhow::Result<Vec<Problem>> {
    anyhow::ensure!(folder.is_dir(), "{} is not there; the corpus needs a folder of vocabularies", folder.display());
    let vocabularies = SkosFiles::load(&SkosFilesSettings {
        paths: vec![folder.to_owned()],
        language: "en".to_owned(),
        max_file_bytes: LARGEST_VOCABULARY,
    })?;
    Ok(terms::check(queries, rules, &vocabularies).await?)
}

fn counted(queries: &[NumberedQuery]) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for placed in queries {
        *counts.entry(placed.query.category.to_string()).or_default() += 1;
    }
    counts
}

fn show(file: &Path, report: &Report) {
    for problem in &report.problems {
        console::complain(&problem.to_string());
    }
    let mut table = console::table(&["category", "questions"]);
    for (category, count) in &report.categories {
        table.add_row([category.clone(), count.to_string()]);
    }
    console::say(&table.to_string());
    let found = match report.problems.len() {
        0 => "in order".to_owned(),
        1 => "1 problem".to_owned(),
        several => format!("{several} problems"),
    };
    console::say(&format!("{}: {} questions, {found}", file.display(), report.questions));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repository(place: &str) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(place)
    }

    async fn problems(file: PathBuf) -> Vec<String> {
        let corpus = Some(repository("demo/architecture"));
        let report = Lint { file, corpus, policy: "architecture".to_owned(), json: false }.report().await.unwrap();
        report.problems.iter().map(ToString::to_string).collect()
    }

    #[tokio::test]
    async fn the_shipped_set_agrees_with_the_shipped_documents_and_vocabularies() {
        let shipped = repository("demo/architecture/golden_queries.jsonl");
        assert_eq!(problems(shipped.clone()).await, Vec::<String>::new());
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("set.jsonl");
        let text = std::fs::read_to_string(shipped).unwrap();
        let changed =
            text.replace("What is a transformer?", "What is a turnip?").replace("\"ADR-0012\"", "\"ADR-0912\"");
        std::fs::write(&file, changed).unwrap();
        let report = problems(file).await.join("\n");
        assert!(report.contains("\"turnip\" is a terminology_miss"), "{report}");
        assert!(report.contains("ADR-0912 is not in the corpus"), "{report}");
    }
}
