//! What became of each case, as a line of a table.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

use crate::checks::{Problem, flags};
use crate::faults::{Case, named};
use crate::load::Seen;

/// One case.
pub(crate) struct Outcome {
    pub(crate) case: Case,
    pub(crate) seen: Vec<Seen>,
    /// Replies that show that something was wrong.
    pub(crate) touched: usize,
    /// How often a breaker opened.
    pub(crate) trips: u64,
    /// From the end of the fault until every breaker was closed and every sort of question answered as before.
    pub(crate) well_after: Duration,
    /// Turns that were answered, and those of them in the database.
    pub(crate) turns: usize,
    pub(crate) recorded: usize,
    pub(crate) problems: Vec<Problem>,
    /// How often it had to be tried again, because the machine was late itself.
    pub(crate) again: usize,
}

impl Outcome {
    fn line(&self) -> String {
        let count = |is: &dyn Fn(&Seen) -> bool| self.seen.iter().filter(|seen| is(seen)).count();
        let action = |action: &'static str| count(&move |seen| seen.status == 200 && seen.body["action"] == action);
        let found = count(&|seen| seen.status == 200 && seen.body["hits"].is_array());
        let status = |status: u16| count(&move |seen| seen.status == status);
        let took: Vec<f64> = self.seen.iter().map(|seen| seen.took.as_secs_f64()).collect();
        let longest = took.iter().copied().fold(0.0, f64::max);
        format!(
            "| {} | {} | {} | {} | {} | {found} | {} | {} | {} | {} | {:.2} / {longest:.2} | {} | {:.1} | {} of {} | {} | {} |",
            named(&self.case),
            self.seen.len(),
            action("cite"),
            action("route"),
            action("refuse"),
            status(503),
            status(504),
            self.touched,
            counted(self.seen.iter().flat_map(|seen| flags(&seen.body))),
            median(took),
            self.trips,
            self.well_after.as_secs_f64(),
            self.recorded,
            self.turns,
            self.again,
            self.problems.len(),
        )
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}

fn counted<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for name in names {
        *counts.entry(name).or_default() += 1;
    }
    let counts: Vec<String> = counts.into_iter().map(|(name, count)| format!("{name} {count}")).collect();
    if counts.is_empty() { "none".to_owned() } else { counts.join(", ") }
}

pub(crate) fn table(outcomes: &[Outcome]) -> String {
    let mut table = String::from(
        "| fault | asked | cite | route | refuse | found | 503 | 504 | touched | flags | seconds, median / longest | \
         opened | well after s | recorded | again | wrong |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    for outcome in outcomes {
        let _ = writeln!(table, "{}", outcome.line());
    }
    table
}
