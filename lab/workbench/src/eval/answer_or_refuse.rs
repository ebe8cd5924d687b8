//! `ibidem-workbench eval answer-or-refuse`: what each policy wrongly answers and what it wrongly refuses, always together.

use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context as _;
use ibidem_engine::ask::Engine;
use ibidem_engine::policy::{Policy, SpeakMode};
use ibidem_engine::search::Searcher;
use ibidem_lab::answer_or_refuse::{RememberedQueries, Tally, ask_all, sample};
use ibidem_lab::share::Share;
use ibidem_lab::squad::halves;
use ibidem_measure::squad::SquadQuestion;
use ibidem_words::{CollectionName, Question};
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use serde_json::json;

use crate::compose::{self, Parts, SHIPPED_POLICIES};
use crate::console;
use crate::operator::ReaderAccess;
use crate::settings::Settings;

#[derive(clap::Args)]
pub(crate) struct AnswerOrRefuse {
    /// A file in the format of SQuAD 2.0.
    file: PathBuf,
    #[command(flatten)]
    access: ReaderAccess,
    /// The collection into which its paragraphs were loaded.
    #[arg(long)]
    collection: CollectionName,
    /// A policy file: the name of a built-in one, or a path; may be repeated. Default: all built-in ones.
    #[arg(long)]
    policy: Vec<String>,
    /// Asks about this many questions of each half, evenly spread.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    sample: Option<u32>,
    /// Lets the configured language model write the answers. Without it they consist of quoted sentences.
    #[arg(long)]
    with_model: bool,
    /// How many questions are asked at the same time.
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..=64))]
    at_once: u16,
    /// Writes every answer into this file, one per line, for `ibidem eval judge`. Needs exactly one --policy.
    #[arg(long, value_name = "FILE")]
    answers: Option<PathBuf>,
    /// Prints the figures as JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report {
    embedding_model: String,
    /// What wrote: a model's name, or `extractive`.
    writer: String,
    /// Every so many-th question was asked.
    sampled: usize,
    policies: Vec<Row>,
}

#[derive(Serialize)]
struct Row {
    policy: String,
    all: Tally,
    /// The questions of the articles by which no shipped threshold was chosen.
    testing: Tally,
}

impl AnswerOrRefuse {
    pub(crate) async fn run(self, settings: &Settings) -> anyhow::Result<()> {
        let [choosing, testing] = halves(&self.file)?;
        let named: Vec<String> = match self.policy.as_slice() {
            [] => SHIPPED_POLICIES.iter().map(|(name, _)| (*name).to_owned()).collect(),
            named => named.to_vec(),
        };
        anyhow::ensure!(self.answers.is_none() || named.len() == 1, "--answers needs one --policy: whose are they?");
        let writer = settings.language_model().map(|models| models.answer().to_owned());
        let writer = match (self.with_model, writer) {
            (true, None) => anyhow::bail!("--with-model needs `language_model.url`"),
            (true, Some(writer)) => writer,
            (false, _) => "extractive".to_owned(),
        };
        let wanted = self.sample.map(|wanted| wanted as usize);
        let parts = [sample(&choosing, wanted), sample(&testing, wanted)];
        let engine = self.engine(settings).await?;
        let mut policies = Vec::new();
        for name in &named {
            policies.push(self.row(&engine, name, &parts).await?);
        }
        let asked = parts[0].len() + parts[1].len();
        let report = Report {
            embedding_model: settings.embedding.name.clone(),
            writer,
            sampled: (choosing.len() + testing.len()).div_ceil(asked.max(1)),
            policies,
        };
        if self.json {
            return console::say_json(&report);
        }
        show(&report);
        Ok(())
    }

    async fn engine(&self, settings: &Settings) -> anyhow::Result<Engine> {
        let parts = Parts::ready(settings).await?;
        let engine = parts.engine(settings).await?;
        let embedder = engine.parts.searcher.embedder.clone();
        let embedder = embedder.replaced(|embedder| Arc::new(RememberedQueries::new(embedder)));
        let searcher = Searcher { embedder, ..engine.parts.searcher.clone() };
        let roles = if self.with_model { Arc::clone(&engine.parts.roles) } else { Arc::default() };
        Ok(engine.with(|parts| {
            parts.searcher = searcher;
            parts.roles = roles;
        }))
    }

    async fn row(&self, engine: &Engine, named: &str, parts: &[Vec<&SquadQuestion>; 2]) -> anyhow::Result<Row> {
        let mut policy = Policy::clone(&*compose::named_policy(named)?);
        if !self.with_model {
            policy.rules.speak.mode = SpeakMode::Extractive;
        }
        let asked =
            self.access.asked(Question::new("").in_collections(vec![self.collection.clone()]), Arc::new(policy));
        let mut file = self.answers.as_ref().map(std::fs::File::create).transpose().context("--answers")?;
        let bar = ProgressBar::new((parts[0].len() + parts[1].len()) as u64).with_style(
            ProgressStyle::with_template("{msg} {bar:30} {pos}/{len} questions, {eta} left")
                .context("the progress bar's template")?,
        );
        bar.set_message(named.to_owned());
        let mut unwritten = None;
        let mut halves = Vec::new();
        for questions in parts {
            let outcomes = ask_all(engine, &asked, questions, self.at_once.into(), |question, answer| {
                bar.inc(1);
                if let Some(file) = &mut file {
                    let line = json!({ "id": question.id, "query": question.text, "answer": answer });
                    unwritten = unwritten.take().or(writeln!(file, "{line}").err());
                }
            });
            halves.push(outcomes.await.with_context(|| {
                let collection = &self.collection;
                format!("{collection} cannot be asked; if it is empty, ingest the paragraphs first, as `just lab answer-or-refuse` does")
            })?);
        }
        bar.finish_and_clear();
        unwritten.map_or(Ok(()), Err).context("--answers cannot be written")?;
        let all = Tally::of(&halves.concat());
        anyhow::ensure!(
            self.policy.is_empty() || all.refused_for.get("no_results").copied().unwrap_or(0) < all.questions,
            "nothing was found in {}; ingest the paragraphs first, as `just lab answer-or-refuse` does",
            self.collection
        );
        Ok(Row { policy: named.to_owned(), all, testing: Tally::of(&halves[1]) })
    }
}

fn show(report: &Report) {
    let header = [
        "policy",
        "questions",
        "false answers",
        "of",
        "share (95 %)",
        "false refusals",
        "of",
        "share (95 %)",
        "cites the paragraph",
        "says the answer",
    ];
    for (what, of) in [
        ("all questions", (|row| &row.all) as fn(&Row) -> &Tally),
        ("articles by which no shipped threshold was chosen", |row| &row.testing),
    ] {
        console::say(what);
        let mut table = console::table(&header);
        for row in &report.policies {
            let tally = of(row);
            table.add_row([
                row.policy.clone(),
                tally.questions.to_string(),
                tally.false_answers.count.to_string(),
                tally.false_answers.of.to_string(),
                percent(tally.false_answers),
                tally.false_refusals.count.to_string(),
                tally.false_refusals.of.to_string(),
                percent(tally.false_refusals),
                percent(tally.cites_the_paragraph),
                percent(tally.says_the_answer),
            ]);
        }
        console::say(&format!("{table}\n"));
    }
    let sampled = match report.sampled {
        0 | 1 => "every question".to_owned(),
        step => format!("a sample, every {step}th question"),
    };
    let stood_in: usize = report.policies.iter().map(|row| row.all.stood_in).sum();
    let stood_in =
        if stood_in > 0 { format!("; for {stood_in} the sources' own sentences stood in") } else { String::new() };
    console::say(&format!(
        "{sampled}; written by {}{stood_in}; embedding {}. The last two columns are shares of the answered questions that \
         a paragraph answers.",
        report.writer, report.embedding_model
    ));
    for row in &report.policies {
        let reasons = row.all.refused_for.iter().map(|(reason, count)| format!("{reason} {count}"));
        console::say(&format!("{} refused for: {}", row.policy, reasons.collect::<Vec<_>>().join(", ")));
    }
}

fn percent(share: Share) -> String {
    if share.of == 0 {
        return "–".to_owned();
    }
    format!("{:.3} ({:.3}–{:.3})", share.share, share.low, share.high)
}
