//! `ibidem replay`: decisions made again from their records, and what another policy would change. No model is asked.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use chrono::{DateTime, NaiveDate, Utc};
use ibidem_engine::policy::Policy;
use ibidem_measure::replay::{Compared, RecordedTurn, Replayer, Report, Reviewed, Side, page};
use ibidem_store::{ActionRecord, AuditedAction, DecisionsOf, bytes_left_out};
use ibidem_words::PolicyTexts;
use ibidem_words::Sha256Hash;
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

use crate::operator::Operator;
use crate::settings::Settings;
use crate::{compose, console, json_lines};

/// Decisions read at once.
const PAGE: u16 = 500;
/// More flips are not listed in the terminal; JSON and the page have them.
const MOST_LISTED: usize = 40;

#[derive(clap::Args)]
pub(crate) struct Replay {
    #[command(flatten)]
    operator: Operator,
    /// The policy file to compare with: the name of a built-in one, or a path. It decides on the passages that were
    /// found at the time; its own settings for the search have no effect.
    #[arg(long)]
    policy: Option<String>,
    /// A file of thresholds by collection that replaces those of that policy file.
    #[arg(long, requires = "policy")]
    thresholds: Option<PathBuf>,
    /// Takes questions from this day (2026-11-01) or time (2026-11-01T08:00:00Z) on.
    #[arg(long, value_parser = moment)]
    since: Option<DateTime<Utc>>,
    /// Takes questions before this day or time.
    #[arg(long, value_parser = moment)]
    until: Option<DateTime<Utc>>,
    /// Reviews of answers by people, one per line: {"request_id": "…", "right": true}. With them, an upper bound on the
    /// share of wrong answers is printed for both policy files.
    #[arg(long)]
    reviews: Option<PathBuf>,
    /// Prints JSON.
    #[arg(long)]
    json: bool,
    /// Also writes an HTML page into this file.
    #[arg(long)]
    html: Option<PathBuf>,
}

#[derive(Serialize)]
struct Timed {
    #[serde(flatten)]
    report: Report,
    /// Decisions whose records were cut because they were too large: they cannot be made again.
    left_out: usize,
    /// Making decisions again, on one core, and the same with reading their JSON.
    decisions_per_second: f64,
    with_reading_per_second: f64,
}

impl Replay {
    pub(crate) fn act(&self) -> ActionRecord {
        self.operator.act(AuditedAction::ReplayDecisions)
    }

    /// Fails when a decision did not come to the same: then either a record was changed, or this binary decides otherwise.
    pub(crate) async fn run(self, settings: &Settings) -> anyhow::Result<ExitCode> {
        let other = self.other_policy()?;
        let reviews = self.reviews.as_deref().map_or_else(|| Ok(Vec::new()), read_reviews)?;
        let store = compose::ready_store(settings).await?;
        let own = own_policies(&store.policies().await?);
        let mut replayer = Replayer::new(own, other.as_ref(), &reviews)?;
        let bar = ProgressBar::new_spinner()
            .with_style(ProgressStyle::with_template("{spinner} {pos} decisions, {per_sec}")?);
        let (mut deciding, mut reading) = (Duration::ZERO, Duration::ZERO);
        let mut left_out = 0;
        let mut of = DecisionsOf {
            tenant: self.operator.tenant_id(),
            since: self.since.unwrap_or(DateTime::UNIX_EPOCH),
            until: self.until.unwrap_or_else(Utc::now),
            after: None,
            most: PAGE,
        };
        loop {
            let kept = store.decisions(of).await?;
            let Some(last) = kept.last() else { break };
            of.after = Some((last.asked_at, last.id));
            let count = kept.len();
            let began = Instant::now();
            let whole = kept.into_iter().filter(|kept| {
                let is_left_out = bytes_left_out(&kept.decision).is_some();
                left_out += usize::from(is_left_out);
                !is_left_out
            });
            let turns: Vec<RecordedTurn> = whole
                .map(|kept| {
                    let unreadable = || format!("the decision of request {} cannot be read", kept.request_id);
                    Ok(RecordedTurn {
                        decision: serde_json::from_str(&kept.decision).with_context(unreadable)?,
                        request_id: kept.request_id,
                        asked_at: kept.asked_at,
                        policy_sha256: kept.policy_sha256,
                        question: kept.question,
                    })
                })
                .collect::<anyhow::Result<_>>()?;
            reading += began.elapsed();
            let began = Instant::now();
            for turn in &turns {
                replayer.take(turn);
            }
            deciding += began.elapsed();
            bar.inc(count as u64);
        }
        bar.finish_and_clear();
        let report = replayer.finish();
        if let Some(path) = &self.html {
            std::fs::write(path, page(&report)).with_context(|| format!("cannot write {}", path.display()))?;
        }
        // Each was made again under its own policy, and under the other where there is one.
        let made = report.decisions * if other.is_some() { 2 } else { 1 };
        let rate = |took: Duration| made as f64 / took.as_secs_f64().max(1e-9);
        let timed = Timed {
            decisions_per_second: rate(deciding),
            with_reading_per_second: rate(deciding + reading),
            left_out,
            report,
        };
        console::say_json_or(self.json, &timed, || show(&timed))?;
        Ok(if timed.report.different.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }

    fn other_policy(&self) -> anyhow::Result<Option<Policy>> {
        let Some(named) = &self.policy else { return Ok(None) };
        let policy = Policy::clone(&*compose::named_policy(named)?);
        let Some(path) = &self.thresholds else { return Ok(Some(policy)) };
        let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        Ok(Some(policy.overlaid(&text).with_context(|| path.display().to_string())?))
    }
}

/// A day in UTC, or a moment.
pub(super) fn moment(written: &str) -> Result<DateTime<Utc>, String> {
    let day = written.parse::<NaiveDate>().ok().and_then(|day| day.and_hms_opt(0, 0, 0)).map(|moment| moment.and_utc());
    day.or_else(|| written.parse().ok())
        .ok_or_else(|| format!("{written:?} is neither a day (2026-11-01) nor a moment (2026-11-01T08:00:00Z)"))
}

/// One that this binary cannot read any more is as good as unknown: its decisions are counted as such.
fn own_policies(texts: &[PolicyTexts]) -> HashMap<Sha256Hash, Policy> {
    texts.iter().filter_map(|texts| Policy::as_recorded(texts).ok()).map(|policy| (policy.hash, policy)).collect()
}

fn read_reviews(path: &Path) -> anyhow::Result<Vec<Reviewed>> {
    let lines = json_lines::load(path).context("expected {\"request_id\": \"…\", \"right\": true} on each line")?;
    Ok(lines.into_iter().map(|(_, review)| review).collect())
}

fn show(Timed { report, left_out, decisions_per_second, with_reading_per_second }: &Timed) {
    console::say(&format!(
        "{} decisions replayed: {} the same, {} different, {} of a policy file that is not known here",
        report.decisions,
        report.same,
        report.different.len(),
        report.policy_unknown
    ));
    if *left_out > 0 {
        console::say(&format!("{left_out} were not replayed: their records were too large and were cut when written"));
    }
    for id in &report.different {
        console::say(&format!("different: {id}"));
    }
    if let Some(compared) = &report.compared {
        show_compared(compared);
    }
    console::note(&format!(
        "{decisions_per_second:.0} decisions per second on one core, {with_reading_per_second:.0} including reading their records"
    ));
}

fn show_compared(compared: &Compared) {
    let mut sides = console::table(&["", "as it was", "would be"]);
    let outcomes: BTreeSet<&String> = compared.before.outcomes.keys().chain(compared.after.outcomes.keys()).collect();
    for outcome in outcomes {
        let count = |side: &Side| side.outcomes.get(outcome).copied().unwrap_or_default().to_string();
        sides.add_row([outcome.clone(), count(&compared.before), count(&compared.after)]);
    }
    if let (Some(before), Some(after)) = (compared.before.risk_below, compared.after.risk_below) {
        let shown = |bound: f64| format!("< {bound:.3}");
        sides.add_row(["wrong answers, with 95 % confidence".to_owned(), shown(before), shown(after)]);
    }
    console::say(&sides.to_string());
    let mut flips = console::table(&["request", "question", "was", "would be", "why"]);
    for flip in compared.flips.iter().take(MOST_LISTED) {
        let question = flip.question.clone().unwrap_or_else(|| "(not kept)".to_owned());
        flips.add_row([flip.request_id.to_string(), question, flip.from.clone(), flip.to.clone(), flip.why()]);
    }
    let reworded: usize = compared.reworded.values().sum();
    console::say(&format!(
        "{} decisions would change; {reworded} would still be answered, but differently",
        compared.flips.len()
    ));
    if !compared.flips.is_empty() {
        console::say(&flips.to_string());
    }
    if compared.flips.len() > MOST_LISTED {
        console::say(&format!("… and {} more: --json or --html has them all", compared.flips.len() - MOST_LISTED));
    }
}
