//! The figures of a run, in the terminal.

use ibidem_measure::golden::results::Results;
use ibidem_measure::golden::score::Score;

use crate::console;

pub(super) fn show(results: &Results) {
    let metrics = &results.metrics;
    let mut table = console::table(&["", "precision", "recall", "f1", "right", "of"]);
    let mut row = |name: &str, score: &Score| {
        table.add_row([
            name.to_owned(),
            share(score.precision),
            share(score.recall),
            share(score.f1),
            score.right.to_string(),
            score.count.to_string(),
        ]);
    };
    row("all", &metrics.overall);
    for (collection, score) in &metrics.by_collection {
        row(collection, score);
    }
    for (category, score) in &metrics.by_category {
        row(category, score);
    }
    for (half, score) in &metrics.by_half {
        row(half.words(), score);
    }
    console::say(&table.to_string());
    for failure in &results.failures {
        console::note(&format!("{}: {} — {}", failure.id, failure.query, failure.reason));
    }
    let mut table = console::table(&["", "observed", "aim", ""]);
    for target in &results.targets {
        let missed = if target.reached { "" } else { "missed" };
        table.add_row([
            target.name.clone(),
            format!("{:.4}", target.observed),
            format!("{} {:.2}", target.sign, target.aim),
            missed.to_owned(),
        ]);
    }
    console::say(&format!("\n{table}"));
    let latency = &metrics.latency;
    console::say(&format!(
        "{} questions, {} as they must be; {:.4} not answered; p50 {:.0} ms, p95 {:.0} ms, p99 {:.0} ms, most {:.0} ms",
        results.meta.total,
        results.meta.passed,
        metrics.abstention.rate,
        latency.p50,
        latency.p95,
        latency.p99,
        latency.max
    ));
}

fn share(share: Option<f64>) -> String {
    share.map_or_else(|| "–".to_owned(), |share| format!("{share:.4}"))
}
