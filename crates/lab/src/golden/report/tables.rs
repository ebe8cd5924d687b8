//! Figures as tables.

use std::collections::{BTreeMap, BTreeSet};

use super::{escaped, put, shown};
use crate::golden::compare::{Difference, Figure};
use crate::golden::results::Results;
use crate::golden::score::{Confused, Score};
use crate::golden::targets::Target;

pub(super) fn targets(targets: &[Target]) -> String {
    let mut html = String::from("<div class=\"targets\">\n");
    for target in targets {
        let (class, verdict) = if target.reached { ("target", "reached") } else { ("target missed", "missed") };
        put(
            &mut html,
            format_args!(
                "<div class=\"{class}\"><span>{}</span><b>{:.3}</b><span>aim {} {:.2} <span \
                 class=\"verdict\">{verdict}</span></span></div>\n",
                escaped(&target.name),
                target.observed,
                escaped(&target.sign),
                target.aim
            ),
        );
    }
    html.push_str("</div>\n");
    html
}

pub(super) fn scores(heading: &str, scores: &BTreeMap<String, Score>) -> String {
    let mut html = format!(
        "<h2>{heading}</h2>\n<div class=\"scroll\"><table>\n<tr><th></th><th class=\"number\">precision</th><th \
         class=\"number\">recall</th><th class=\"number\">F1</th><th class=\"number\">as it must be</th><th></th></tr>\n"
    );
    for (name, score) in scores {
        let share = 100.0 * score.right as f64 / score.count.max(1) as f64;
        put(
            &mut html,
            format_args!(
                "<tr><td>{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td><td \
                 class=\"number\">{} of {}</td><td><span class=\"bar\"><i style=\"width:{share:.1}%\"></i></span></td></tr>\n",
                escaped(&name.replace('_', " ")),
                shown(score.precision),
                shown(score.recall),
                shown(score.f1),
                score.right,
                score.count
            ),
        );
    }
    html.push_str("</table></div>\n");
    html
}

/// What questions must become, and what became of them.
pub(super) fn confusion(confusion: &[Confused]) -> String {
    let rows: BTreeSet<&str> = confusion.iter().map(|confused| confused.expected.as_str()).collect();
    let columns: BTreeSet<&str> = confusion.iter().map(|confused| confused.actual.as_str()).collect();
    let mut html = String::from(
        "<h2>Expected and actual outcomes</h2>\n<p class=\"small\">Rows: what must become of a question. Columns: what \
         did. What nothing answers may be refused for any reason that is about the evidence.</p>\n<div \
         class=\"scroll\"><table class=\"confusion\">\n<tr><th class=\"row\"></th>",
    );
    for column in &columns {
        let name = escaped(&column.replace('_', " "));
        put(&mut html, format_args!("<th class=\"column\"><span>{name}</span></th>"));
    }
    html.push_str("</tr>\n");
    for row in rows {
        put(&mut html, format_args!("<tr><th class=\"row\">{}</th>", escaped(&row.replace('_', " "))));
        for column in &columns {
            let found = confusion.iter().find(|confused| confused.expected == row && confused.actual == *column);
            match found {
                None => html.push_str("<td class=\"none\">·</td>"),
                Some(confused) => {
                    let class = if confused.is_right() { "right" } else { "wrong" };
                    put(&mut html, format_args!("<td class=\"{class}\">{}</td>", confused.count));
                }
            }
        }
        html.push_str("</tr>\n");
    }
    html.push_str("</table></div>\n");
    html
}

pub(super) fn difference(before: &Results, after: &Results) -> String {
    let difference = Difference::between(before, after);
    let mut html = String::from(
        "<h2>Beside the baseline</h2>\n<div class=\"scroll\"><table>\n<tr><th></th><th class=\"number\">before</th><th \
         class=\"number\">after</th><th class=\"number\">change</th></tr>\n",
    );
    // Of the collections, only what changed.
    let changed = difference.by_collection.iter().filter(|figure| figure.before != figure.after);
    for figure in difference.figures.iter().chain(changed) {
        put(
            &mut html,
            format_args!(
                "<tr><td>{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td></tr>\n",
                escaped(&figure.name),
                shown(figure.before),
                shown(figure.after),
                change(figure)
            ),
        );
    }
    html.push_str("</table></div>\n");
    for flipped in &difference.flipped {
        put(
            &mut html,
            format_args!(
                "<p>{}: {} → {} <span class=\"small\">{}</span></p>\n",
                escaped(&flipped.id),
                flipped.before.words(),
                flipped.after.words(),
                escaped(&flipped.query)
            ),
        );
    }
    html
}

fn change(figure: &Figure) -> String {
    match figure.change() {
        None => "–".to_owned(),
        Some(change) if change.abs() < 5e-4 => "=".to_owned(),
        Some(change) => format!("{change:+.3}"),
    }
}
