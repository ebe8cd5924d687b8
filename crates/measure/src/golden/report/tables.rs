//! Figures as tables.

use std::collections::{BTreeMap, BTreeSet};

use maud::{Markup, html};

use super::format_share;
use crate::golden::compare::{Difference, Figure};
use crate::golden::results::Results;
use crate::golden::score::{Confused, Score};
use crate::golden::targets::Target;

pub(super) fn targets(targets: &[Target]) -> Markup {
    html! {
        div.targets {
            @for target in targets {
                div.target.missed[!target.reached] {
                    span { (target.name) }
                    b { (format!("{:.3}", target.observed)) }
                    span {
                        "aim " (target.sign) " " (format!("{:.2}", target.aim)) " "
                        span.verdict { @if target.reached { "reached" } @else { "missed" } }
                    }
                }
            }
        }
    }
}

pub(super) fn scores(heading: &str, scores: &BTreeMap<String, Score>) -> Markup {
    let share = |score: &Score| 100.0 * score.right as f64 / score.count.max(1) as f64;
    html! {
        h2 { (heading) }
        div.scroll {
            table {
                tr {
                    th {}
                    th.number { "precision" }
                    th.number { "recall" }
                    th.number { "F1" }
                    th.number { "as it must be" }
                    th {}
                }
                @for (name, score) in scores {
                    tr {
                        td { (name.replace('_', " ")) }
                        td.number { (format_share(score.precision)) }
                        td.number { (format_share(score.recall)) }
                        td.number { (format_share(score.f1)) }
                        td.number { (score.right) " of " (score.count) }
                        td { span.bar { i style=(format!("width:{:.1}%", share(score))) {} } }
                    }
                }
            }
        }
    }
}

/// What questions must become, and what became of them.
pub(super) fn confusion(confusion: &[Confused]) -> Markup {
    let rows: BTreeSet<&str> = confusion.iter().map(|confused| confused.expected.as_str()).collect();
    let columns: BTreeSet<&str> = confusion.iter().map(|confused| confused.actual.as_str()).collect();
    let found = |row: &str, column: &str| {
        confusion.iter().find(|confused| confused.expected == row && confused.actual == column)
    };
    html! {
        h2 { "Expected and actual outcomes" }
        p.small {
            "Rows: what must become of a question. Columns: what did. What nothing answers may be refused for any reason "
            "that is about the evidence."
        }
        div.scroll {
            table.confusion {
                tr {
                    th.row {}
                    @for column in &columns { th.column { span { (column.replace('_', " ")) } } }
                }
                @for row in rows {
                    tr {
                        th.row { (row.replace('_', " ")) }
                        @for column in &columns {
                            @match found(row, column) {
                                None => { td.none { "·" } }
                                Some(confused) if confused.is_right() => { td.right { (confused.count) } }
                                Some(confused) => { td.wrong { (confused.count) } }
                            }
                        }
                    }
                }
            }
        }
    }
}

pub(super) fn difference(before: &Results, after: &Results) -> Markup {
    let difference = Difference::between(before, after);
    // Of the collections, only what changed.
    let changed = difference.by_collection.iter().filter(|figure| figure.before != figure.after);
    html! {
        h2 { "Beside the baseline" }
        div.scroll {
            table {
                tr { th {} th.number { "before" } th.number { "after" } th.number { "change" } }
                @for figure in difference.figures.iter().chain(changed) {
                    tr {
                        td { (figure.name) }
                        td.number { (format_share(figure.before)) }
                        td.number { (format_share(figure.after)) }
                        td.number { (change(figure)) }
                    }
                }
            }
        }
        @for flipped in &difference.flipped {
            p {
                (flipped.id) ": " (flipped.before.words()) " → " (flipped.after.words()) " "
                span.small { (flipped.query) }
            }
        }
    }
}

fn change(figure: &Figure) -> String {
    match figure.change() {
        None => "–".to_owned(),
        Some(change) if change.abs() < 5e-4 => "=".to_owned(),
        Some(change) => format!("{change:+.3}"),
    }
}
