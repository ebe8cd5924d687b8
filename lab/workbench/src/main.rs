//! The workbench: how fast Ibidem is beside the parts it stands on, and how good on sets whose answers are known.

mod bench;
mod eval;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use ibidem_wiring::arguments::SettingsArguments;
use ibidem_wiring::{compose, console, json_lines, logs, operator, settings};

/// Measures Ibidem: its speed, compared with the parts it is built on, and its quality on public data sets.
///
/// It reads the same settings as `ibidem` and uses the same database, index and models. lab/data_sets.md says where the
/// public data sets come from, lab/reports what was measured with them, and `just lab` how to measure it again.
#[derive(Parser)]
#[command(name = "ibidem-workbench", version, propagate_version = true)]
struct Arguments {
    #[command(flatten)]
    settings: SettingsArguments,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Measures speed, and what Ibidem adds to the time of PostgreSQL, Qdrant and the models.
    ///
    /// Each benchmark works in a database and an index of its own on the configured servers; the data of the installation
    /// is not touched. Close other programs first: the figures depend on how busy the machine is.
    #[command(subcommand)]
    Bench(bench::Bench),
    /// Measures quality on sets whose answers are known, most of them public.
    #[command(subcommand)]
    Eval(eval::Eval),
}

fn main() -> ExitCode {
    ibidem_wiring::begin(|| run(Arguments::parse()))
}

fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let settings = arguments.settings.load()?;
    let counts_stages = matches!(&arguments.command, Command::Bench(bench) if bench.counts_stages());
    logs::start_with(&settings.log, counts_stages.then(bench::stages::layer));
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        match arguments.command {
            Command::Bench(command) => command.run(&settings).await.map(|()| ExitCode::SUCCESS),
            Command::Eval(command) => {
                let act = command.act();
                let result = command.run(&settings).await;
                if let Some(mut act) = act {
                    if result.is_err() {
                        act.outcome = "failed".into();
                    }
                    compose::audit::record(&settings, act).await;
                }
                result
            }
        }
    })
}
