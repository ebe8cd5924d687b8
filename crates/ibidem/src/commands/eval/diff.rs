//! `ibidem eval diff`: two runs beside each other.

use std::path::PathBuf;

use ibidem_measure::golden::compare::{Difference, Figure};
use ibidem_measure::golden::results::Results;

use crate::console;

#[derive(clap::Args)]
pub(crate) struct Diff {
    /// The earlier results, as `ibidem eval run --output` wrote them.
    before: PathBuf,
    /// The later results.
    after: PathBuf,
    /// Prints JSON.
    #[arg(long)]
    json: bool,
}

impl Diff {
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        let difference = Difference::between(&Results::load(&self.before)?, &Results::load(&self.after)?);
        console::say_json_or(self.json, &difference, || show(&difference))
    }
}

pub(super) fn show(difference: &Difference) {
    let mut table = console::table(&["", "before", "after", "change"]);
    for figure in difference.figures.iter().chain(&difference.by_collection) {
        table.add_row([figure.name.clone(), number(figure.before), number(figure.after), change(figure)]);
    }
    console::say(&table.to_string());
    for flipped in &difference.flipped {
        let (before, after) = (flipped.before.words(), flipped.after.words());
        console::say(&format!("{}: {before} → {after} — {}", flipped.id, flipped.query));
    }
    if !difference.unpaired.is_empty() {
        console::say(&format!("in only one of the two: {}", difference.unpaired.join(", ")));
    }
    if !difference.same_questions {
        console::note("note: these are runs of different sets of questions");
    }
    if difference.same_config && difference.flipped.is_empty() {
        console::say("nothing flipped, and the settings are the same");
    }
}

fn number(number: Option<f64>) -> String {
    number.map_or_else(|| "–".to_owned(), |number| format!("{number:.4}"))
}

fn change(figure: &Figure) -> String {
    match figure.change() {
        None => "–".to_owned(),
        Some(change) if change.abs() < 5e-5 => "=".to_owned(),
        Some(change) => format!("{change:+.4}"),
    }
}
