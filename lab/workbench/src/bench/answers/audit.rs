//! `ibidem-workbench bench audit`: what the audit costs, with it and without it in turns.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use ibidem_server::AuditSettings;

use super::instant_model::{InstantModel, Writes};
use super::timed::Ledger;
use super::{Asker, Library, Measured, WARM_UP, asker, library};
use crate::bench::processes::ServerProcess;
use crate::bench::{percentile, spread};
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
    /// A server process whose processor time is counted too, as NAME=ID; its children are counted with it. May be repeated.
    #[arg(long = "process", value_name = "NAME=ID")]
    processes: Vec<ServerProcess>,
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
        let length = Duration::from_secs(self.seconds);
        let at_rate = self.in_turns(&with, &without, async |asker| asker.at_rate(self.rate, length).await).await?;
        let saturated =
            self.in_turns(&with, &without, async |asker| asker.with_clients(self.clients, length).await).await?;
        let recorded = scratch.store.turn_count().await? - before;
        let answered: usize = [&at_rate, &saturated].into_iter().flatten().map(|[on, _]| on.answers.each.len()).sum();
        let processes = self.counted().map(|process| process.name);
        let heads = ["", "", "answers/s", "p50 ms", "p99 ms", "throughput", "p99"].map(str::to_owned);
        let heads: Vec<String> = heads.into_iter().chain(processes.map(|name| format!("{name} ms"))).collect();
        let mut table = console::table(&heads.iter().map(String::as_str).collect::<Vec<_>>());
        add_rows(&mut table, &format!("{} a second", self.rate), &at_rate);
        add_rows(&mut table, &format!("{} clients", self.clients), &saturated);
        console::say(&table.to_string());
        console::say(&format!(
            "{} passages, a model server that answers at once, {} rounds of {} s each way in turns; {recorded} records of \
             {answered} answers with the audit; medians of the rounds with the lowest and highest; throughput and p99 are \
             ratios of a round with it to the one beside it without; milliseconds of a process are processor time for an \
             answer (must: throughput at least 0.97)",
            self.passages, self.rounds, self.seconds
        ));
        anyhow::ensure!(recorded == answered as u64, "not every answer has its record");
        Ok(())
    }

    /// The processes whose time is counted: this one, with clients and model server, and those that were named.
    fn counted(&self) -> impl Iterator<Item = ServerProcess> {
        std::iter::once(ServerProcess::this()).chain(self.processes.iter().cloned())
    }

    fn spent(&self) -> anyhow::Result<Vec<Duration>> {
        self.counted().map(|process| process.spent()).collect()
    }

    /// With and without, each first as often as second: what drifts meanwhile drifts for both.
    async fn in_turns(
        &self,
        with: &Arc<Asker>,
        without: &Arc<Asker>,
        part: impl AsyncFn(&Arc<Asker>) -> anyhow::Result<Measured>,
    ) -> anyhow::Result<Vec<[Arm; 2]>> {
        let mut rounds = Vec::new();
        for round in 0..self.rounds {
            let first = self.arm(if round % 2 == 0 { with } else { without }, &part).await?;
            let second = self.arm(if round % 2 == 0 { without } else { with }, &part).await?;
            rounds.push(if round % 2 == 0 { [first, second] } else { [second, first] });
        }
        Ok(rounds)
    }

    async fn arm(
        &self,
        asker: &Arc<Asker>,
        part: impl AsyncFn(&Arc<Asker>) -> anyhow::Result<Measured>,
    ) -> anyhow::Result<Arm> {
        let before = self.spent()?;
        let answers = part(asker).await?;
        tokio::time::sleep(BETWEEN_ROUNDS).await;
        let count = u32::try_from(answers.each.len().max(1))?;
        let after = self.spent()?;
        let spent = after.iter().zip(before).map(|(after, before)| after.saturating_sub(before) / count).collect();
        Ok(Arm { answers, spent })
    }
}

/// A round with the audit or without it.
struct Arm {
    answers: Measured,
    /// Processor time for an answer, of each process that is counted.
    spent: Vec<Duration>,
}

impl Arm {
    fn took(&self, share: f64) -> f64 {
        percentile(self.answers.each.iter().map(|took| took.whole).collect(), share)
    }
}

fn add_rows(table: &mut comfy_table::Table, what: &str, rounds: &[[Arm; 2]]) {
    for (place, name) in ["audit on", "audit off"].into_iter().enumerate() {
        let of = |figure: &dyn Fn(&Arm) -> f64| spread(rounds.iter().map(|round| figure(&round[place])));
        let ratio = |figure: &dyn Fn(&Arm) -> f64| match place {
            0 => spread(rounds.iter().map(|[on, off]| figure(on) / figure(off))),
            _ => String::new(),
        };
        let rate = |arm: &Arm| arm.answers.per_second();
        let p99 = |arm: &Arm| arm.took(0.99);
        let mut cells = vec![what.to_owned(), name.to_owned(), of(&rate), of(&|arm| arm.took(0.5)), of(&p99)];
        cells.extend([ratio(&rate), ratio(&p99)]);
        let processes = rounds.first().map_or(0, |[on, _]| on.spent.len());
        cells.extend((0..processes).map(|process| of(&|arm| arm.spent[process].as_secs_f64() * 1_000.0)));
        table.add_row(cells);
    }
}
