//! `ibidem eval check`: fails when a run is worse than the one it is compared with, so that no loss lands unnoticed.

use std::path::PathBuf;
use std::process::ExitCode;

use ibidem_measure::golden::compare::{Difference, Tolerance, losses};
use ibidem_measure::golden::results::Results;

use super::diff;
use crate::console;

#[derive(clap::Args)]
pub(crate) struct Check {
    /// The results of the run to check, as `ibidem eval run --output` wrote them.
    #[arg(long, value_name = "FILE")]
    current: PathBuf,
    /// The earlier results to compare with.
    #[arg(long, value_name = "FILE", default_value = "demo/architecture/golden_baseline.json")]
    baseline: PathBuf,
    /// How much precision may drop before the check fails.
    #[arg(long, value_name = "SHARE", default_value_t = 0.05, value_parser = a_share)]
    precision_threshold: f64,
    /// How much recall may drop before the check fails.
    #[arg(long, value_name = "SHARE", default_value_t = 0.05, value_parser = a_share)]
    recall_threshold: f64,
    /// How much the share of unanswered questions may rise before the check fails.
    #[arg(long, value_name = "SHARE", default_value_t = 0.05, value_parser = a_share)]
    abstention_threshold: f64,
}

impl Check {
    pub(crate) fn run(&self) -> anyhow::Result<ExitCode> {
        let (current, baseline) = (Results::load(&self.current)?, Results::load(&self.baseline)?);
        diff::show(&Difference::between(&baseline, &current));
        let tolerance = Tolerance {
            precision: self.precision_threshold,
            recall: self.recall_threshold,
            abstention: self.abstention_threshold,
        };
        let losses = losses(&current, &baseline, tolerance);
        for loss in &losses {
            console::complain(loss);
        }
        if losses.is_empty() {
            console::say("no worse than the baseline");
            return Ok(ExitCode::SUCCESS);
        }
        console::note(
            "where this is meant, write the new results over the baseline with `just golden` and say why in the commit",
        );
        Ok(ExitCode::FAILURE)
    }
}

fn a_share(written: &str) -> Result<f64, String> {
    let share: f64 = written.parse().map_err(|error| format!("{error}"))?;
    if (0.0..=1.0).contains(&share) { Ok(share) } else { Err("a share is between 0 and 1".to_owned()) }
}
