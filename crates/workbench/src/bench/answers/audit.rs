//! `ibidem-workbench bench audit`: what the audit costs, with it and without it in turns.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use ibidem_server::AuditSettings;

use super::instant_model::{InstantModel, Writes};
use super::timed::Ledger;
use super::{Asker, Library, Measured, WARM_UP, asker, library};
use crate::bench::percentile;
use crate::settings::Settings;
use crate::{compose, console};

/// What is still being written when a round is over is written before the next begins.
const BETWEEN_ROUNDS: Duration = Duration::from_millis(500);

#[derive(clap::Args)]
pub(crate) struct AuditBench {
    /// How many passages the index has. It is built in the first run and used again in later ones.
    #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1_000..=10_000_000))]
    passages: u32,
    /// A .jsonl file. The passages are made of the sentences in the field `text` of its lines. May be repeated; all files
    /// together must have at least 1,000 sentences of four words or more.
    #[arg(long = "texts", required = true, value_name = "FILE")]
    texts: Vec<std::path::PathBuf>,
    /// Questions per second in the first part. They are sent at this rate even if earlier ones are not answered yet.
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    rate: u32,
    /// Number of clients in the second part. Each sends its next question as soon as it has the answer to the last.
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=100))]
    clients: u32,
    /// Number of rounds with the audit, and of rounds without it. They alternate.
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u32).range(2..=100))]
    rounds: u32,
    /// How long each round takes, in seconds.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..=600))]
    seconds: u64,
}

impl AuditBench {
    pub(crate) async fn run(self, settings: &Settings) -> anyhow::Result<()> {
        let Library { scratch, embedder, queries } = library(settings, &self.texts, self.passages).await?;
        let model = InstantModel::start(Writes::InOtherWords).await?;
        let ledger = Arc::new(Ledger::default());
        let on = compose::audit::for_server(&scratch.settings.audit, &scratch.store)?;
        anyhow::ensure!(on.log.is_some(), "`audit.use` is off: there is nothing to compare");
        let with = asker(&scratch, &embedder, &model, &ledger, queries.clone(), on).await?;
        let without = asker(&scratch, &embedder, &model, &ledger, queries, AuditSettings::default()).await?;
        for asker in [&with, &without] {
            for _ in 0..WARM_UP {
                asker.ask().await.context("warming up")?;
            }
        }
        let before = scratch.store.turn_count().await?;
        let mut table = console::table(&["", "", "answers", "answers/s", "p50 ms", "p99 ms", "throughput", "p99"]);
        let length = Duration::from_secs(self.seconds);
        let at_rate = self.in_turns(&with, &without, async |asker| asker.at_rate(self.rate, length).await).await?;
        add_rows(&mut table, &format!("{} a second", self.rate), &at_rate);
        let saturated =
            self.in_turns(&with, &without, async |asker| asker.with_clients(self.clients, length).await).await?;
        add_rows(&mut table, &format!("{} clients", self.clients), &saturated);
        let recorded = scratch.store.turn_count().await? - before;
        let answered = at_rate[0].each.len() + saturated[0].each.len();
        console::say(&table.to_string());
        console::say(&format!(
            "{} passages, a model server that answers at once, {} rounds of {} s each way in turns; {recorded} records of \
             {answered} answers with the audit; ratios are with over without (aim: within 3 %)",
            self.passages, self.rounds, self.seconds
        ));
        anyhow::ensure!(recorded == answered as u64, "not every answer has its record");
        Ok(())
    }

    /// With and without, each first as often as second: what drifts meanwhile drifts for both.
    async fn in_turns(
        &self,
        with: &Arc<Asker>,
        without: &Arc<Asker>,
        part: impl AsyncFn(&Arc<Asker>) -> anyhow::Result<Measured>,
    ) -> anyhow::Result<[Measured; 2]> {
        let mut both = [Measured::default(), Measured::default()];
        for round in 0..self.rounds {
            let order = if round % 2 == 0 { [0, 1] } else { [1, 0] };
            for place in order {
                let measured = part(if place == 0 { with } else { without }).await?;
                both[place].each.extend(measured.each);
                both[place].seconds += measured.seconds;
                tokio::time::sleep(BETWEEN_ROUNDS).await;
            }
        }
        Ok(both)
    }
}

fn add_rows(table: &mut comfy_table::Table, what: &str, both: &[Measured; 2]) {
    let slowest = |measured: &Measured, share: f64| {
        percentile(measured.each.iter().map(|took| took.whole).collect::<Vec<_>>(), share)
    };
    let [with, without] = both;
    for (name, measured) in [("audit on", with), ("audit off", without)] {
        let ratios = if std::ptr::eq(measured, with) {
            let throughput = with.per_second() / without.per_second();
            [format!("{throughput:.3}"), format!("{:.3}", slowest(with, 0.99) / slowest(without, 0.99))]
        } else {
            [String::new(), String::new()]
        };
        let [throughput, p99] = ratios;
        table.add_row([
            what.to_owned(),
            name.to_owned(),
            measured.each.len().to_string(),
            format!("{:.1}", measured.per_second()),
            format!("{:.2}", slowest(measured, 0.5)),
            format!("{:.2}", slowest(measured, 0.99)),
            throughput,
            p99,
        ]);
    }
}
