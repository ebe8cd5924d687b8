//! The page that a campaign leaves behind.

use std::time::Duration;

use crate::faults::{alone, pairs};
use crate::table::{Outcome, table};
use crate::world::DEADLINE;
use crate::{SEED, asked, rate};

/// What a case takes beside the fault itself: load before it, and load until all is well again.
const BESIDE: Duration = Duration::from_secs(3);

/// How long it takes, and how long all pairs would.
pub(crate) fn expected(cases: usize, length: Duration) -> String {
    let all = alone().len() + pairs(SEED).len();
    format!(
        "seed {SEED}; {cases} cases of {} s each, about {} minutes. Everything alone and all pairs are {all} cases: \
         about {} minutes, and about {} with 30 s each",
        length.as_secs(),
        minutes(cases, length),
        minutes(all, length),
        minutes(all, Duration::from_secs(30)),
    )
}

fn minutes(cases: usize, length: Duration) -> u64 {
    (length + BESIDE).as_secs() * cases as u64 / 60
}

pub(crate) fn page(outcomes: &[Outcome], length: Duration, took: Duration) -> String {
    let asked_for = outcomes.iter().map(|outcome| outcome.seen.len()).sum::<usize>();
    let wrong = outcomes.iter().map(|outcome| outcome.problems.len()).sum::<usize>();
    let lost = outcomes.iter().map(|outcome| outcome.turns - outcome.recorded).sum::<usize>();
    let longest = outcomes.iter().flat_map(|outcome| &outcome.seen).map(|seen| seen.took).max().unwrap_or_default();
    format!(
        include_str!("page.md"),
        seconds = length.as_secs(),
        rate = rate(),
        busy = load_of_the_machine(),
        pairs = asked("IBIDEM_CAMPAIGN_PAIRS", "sample:20"),
        expected = expected(outcomes.len(), length),
        minutes = took.as_secs() / 60,
        cases = outcomes.len(),
        asked = asked_for,
        wrong = wrong,
        lost = lost,
        deadline = DEADLINE.as_secs(),
        most = (DEADLINE + DEADLINE / 10).as_secs_f64(),
        longest = longest.as_secs_f64(),
        table = table(outcomes),
    )
}

/// Of the last fifteen minutes, and the cores that share it.
fn load_of_the_machine() -> String {
    let loads = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = loads.split(' ').nth(2).unwrap_or("unknown").to_owned();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    format!("{load} on {cores} cores")
}
