//! `ibidem eval judge`: two ways of answering, compared blind by a model that wrote neither.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use ibidem_adapters::openai::{Connection, OpenAiModel, OpenAiSettings};
use ibidem_engine::roles::NamedModel;
use ibidem_measure::judge::report::Comparison;
use ibidem_measure::judge::{Verdict, answers, judge_all};
use serde::Serialize;

use crate::console;
use crate::settings::Settings;

#[derive(clap::Args)]
pub(crate) struct Judge {
    /// The answers of A, one per line: `id`, `query` and `answer`. The answer is as `ibidem ask --json` prints it, or
    /// has `text`, `sources` and `model`.
    a: PathBuf,
    /// The answers of B to the same questions.
    b: PathBuf,
    /// The OpenAI-compatible server of the judge, up to and including /v1. Default: `language_model.url`.
    #[arg(long, value_name = "URL")]
    judge_url: Option<String>,
    /// The model that compares. It must have written none of the answers. Default: `language_model.roles.judge`.
    #[arg(long, value_name = "MODEL")]
    judge_model: Option<String>,
    /// The name of the environment variable that holds the key of the judge's server.
    #[arg(long, value_name = "NAME")]
    judge_key_from: Option<String>,
    /// How many pairs are compared in both orders, to measure how much the order matters.
    #[arg(long, default_value_t = 20)]
    both_orders: usize,
    /// How many pairs are compared at the same time.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=64))]
    at_once: u16,
    /// Time limit for one comparison, in seconds.
    #[arg(long, default_value_t = 120)]
    timeout: u64,
    /// Prints every verdict and the figures as JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report {
    judge: String,
    /// Questions that only one of the files has.
    unpaired: usize,
    comparison: Comparison,
    verdicts: Vec<Verdict>,
}

impl Judge {
    pub(crate) async fn run(self, settings: &Settings) -> anyhow::Result<()> {
        let (pairs, unpaired) = answers::pairs(&self.a, &self.b)?;
        anyhow::ensure!(!pairs.is_empty(), "the two files have no question in common: pairs are made by `id`");
        let judge = self.judge(settings)?;
        let asked = pairs.len() + self.both_orders.min(pairs.len());
        let bar = console::bar(asked as u64, "verdicts, {eta} left")?;
        let verdicts = judge_all(&judge, &pairs, self.both_orders, self.at_once.into(), || bar.inc(1)).await?;
        bar.finish_and_clear();
        let comparison = Comparison::of(pairs.len(), &verdicts);
        let report = Report { judge: judge.name, unpaired, comparison, verdicts };
        console::say_json_or(self.json, &report, || show(&report))
    }

    fn judge(&self, settings: &Settings) -> anyhow::Result<NamedModel> {
        let configured = settings.language_model();
        let model = self.judge_model.clone().or_else(|| configured?.roles.judge.0.clone());
        let model = model.context("who judges? name a model with --judge-model or `language_model.roles.judge`")?;
        // The key of one server is not for another.
        let connection = match &self.judge_url {
            Some(url) => Connection::to(url),
            None => configured
                .map(|models| models.connection(&model))
                .context("where is the judge? name its server with --judge-url or `language_model.url`")?,
        };
        let key = self.judge_key_from.as_ref();
        let key = key.map(|name| std::env::var(name).with_context(|| format!("the variable {name}"))).transpose()?;
        let server = OpenAiSettings {
            connection: Connection { api_key: key.or(connection.api_key), ..connection },
            model,
            also_allowed: Vec::new(),
            timeout: Duration::from_secs(self.timeout),
        };
        Ok(NamedModel::unknown(Arc::new(OpenAiModel::new(server).context("check --judge-url")?)))
    }
}

fn show(report: &Report) {
    let Comparison { pairs, judged, unreadable, scores, a_better, b_better, alike, p_value, position } =
        &report.comparison;
    let mut table = console::table(&["score, 1 to 5", "A", "B", "A − B", "95 %"]);
    for compared in scores {
        table.add_row([
            compared.score.to_owned(),
            format!("{:.2}", compared.a),
            format!("{:.2}", compared.b),
            format!("{:+.2}", compared.difference),
            format!("{:+.2} to {:+.2}", compared.low, compared.high),
        ]);
    }
    // Means of nothing would look like figures.
    if *judged > 0 {
        console::say(&table.to_string());
    }
    console::say(&format!(
        "{judged} of {pairs} pairs judged by {}, {unreadable} replies could not be read and are left out; {} questions are \
         in one file only.",
        report.judge, report.unpaired
    ));
    console::say(&format!("A is better in {a_better}, B in {b_better}, alike in {alike}; sign test p = {p_value:.3}."));
    match position {
        Some(position) => console::say(&format!(
            "In both orders {} pairs: being first is worth {:+.2} of 20 points (95 % {:+.2} to {:+.2}); in {} the better \
             one is another one in the other order.",
            position.pairs, position.gain_of_the_first, position.low, position.high, position.turned
        )),
        None => console::say("No pair was judged in both orders, so nothing is known about the place."),
    }
}
