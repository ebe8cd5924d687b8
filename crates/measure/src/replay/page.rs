//! What another policy would change, as a page that needs nothing else.

use std::collections::BTreeSet;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::{Compared, Report, Side};
use crate::html::finished;

/// Longer lists are cut, and that is said: the rest is in the JSON.
const MOST_FLIPS: usize = 500;

const STYLE: &str = "
:root { color-scheme: light dark; --ink: #1c1c1c; --paper: #fdfdfc; --rule: #d9d6cf; --before: #7a8aa0; --after: #b5622b; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8e6e1; --paper: #17191c; --rule: #3a3d42; --before: #8fa3bf; --after: #e08a4f; }
}
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 64rem;
  margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2.5rem; }
table { border-collapse: collapse; width: 100%; } th, td { text-align: left; vertical-align: top; padding: .35rem .6rem;
  border-bottom: 1px solid var(--rule); }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.bar { height: .6rem; border-radius: 2px; margin: .12rem 0; min-width: 1px; }
.before { background: var(--before); } .after { background: var(--after); }
.key { display: inline-block; width: .8rem; height: .8rem; border-radius: 2px; margin: 0 .35rem 0 1rem; }
code { font-size: .85rem; overflow-wrap: anywhere; } .faint { opacity: .7; }
";

/// The page. Questions are whatever anybody typed: the template takes nothing of them for markup.
pub fn page(report: &Report) -> String {
    finished(html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'";
                meta name="viewport" content="width=device-width";
                title { "Replay" }
                style { (PreEscaped(STYLE)) }
            }
            body {
                h1 { (report.decisions) " decisions made again" }
                p {
                    "Under the policy that was in force, " (report.same) " came to the same, " (report.different.len())
                    " to something else; of " (report.policy_unknown) " the policy is not known here."
                }
                @if !report.different.is_empty() {
                    p {
                        "Something is wrong with: "
                        @for (place, id) in report.different.iter().enumerate() {
                            @if place > 0 { ", " }
                            code { (id.to_string()) }
                        }
                    }
                }
                @if let Some(compared) = &report.compared {
                    (two_policies(compared, report.decisions))
                    (risk(compared))
                    (flips(compared))
                }
            }
        }
    })
}

fn two_policies(compared: &Compared, decisions: usize) -> Markup {
    let outcomes: BTreeSet<&String> = compared.before.outcomes.keys().chain(compared.after.outcomes.keys()).collect();
    let count = |side: &Side, outcome: &str| side.outcomes.get(outcome).copied().unwrap_or_default();
    let width = |count: usize| format!("width:{:.1}%", 100.0 * count as f64 / decisions.max(1) as f64);
    let reworded: usize = compared.reworded.values().sum();
    html! {
        h2 { "Under " (compared.policy) }
        p.faint { "Policy " code { (compared.policy_sha256) } }
        p {
            span.key.before {} "as it was"
            span.key.after {} "under " (compared.policy)
        }
        table {
            thead {
                tr {
                    th { "outcome" }
                    th.number { "as it was" }
                    th.number { "under " (compared.policy) }
                    th {}
                }
            }
            tbody {
                @for outcome in outcomes {
                    @let (before, after) = (count(&compared.before, outcome), count(&compared.after, outcome));
                    tr {
                        td { (outcome) }
                        td.number { (before) }
                        td.number { (after) }
                        td style="width:45%" {
                            div.bar.before style=(width(before)) {}
                            div.bar.after style=(width(after)) {}
                        }
                    }
                }
            }
        }
        p {
            (compared.flips.len()) " flip. " (reworded)
            " are answered either way, from other passages or in other words. “answers” means that no gate stops it: how the "
            "answer would end only a model could tell, and none was asked."
        }
    }
}

fn risk(compared: &Compared) -> Markup {
    let share = |part: usize, of: usize| {
        if of == 0 { "–".to_owned() } else { format!("{:.1} %", 100.0 * part as f64 / of as f64) }
    };
    let bound = |side: &Side| {
        side.risk_below.map_or_else(|| "no reviews".to_owned(), |bound| format!("{:.1} %", 100.0 * bound))
    };
    let of = |part: usize, whole: usize| format!("{part} of {whole} ({})", share(part, whole));
    let (before, after) = (&compared.before, &compared.after);
    let rows = [
        ("answered", before.answered.to_string(), after.answered.to_string()),
        (
            "sentences that a model wrote and their passages did not support (never shown)",
            of(before.unsupported, before.sentences),
            of(after.unsupported, after.sentences),
        ),
        ("wrong answers among those reviewed", of(before.wrong, before.reviewed), of(after.wrong, after.reviewed)),
        ("with 95 % confidence the share of wrong answers is below", bound(before), bound(after)),
    ];
    html! {
        h2 { "Risk" }
        table {
            thead { tr { th {} th.number { "as it was" } th.number { "would be" } } }
            tbody {
                @for (what, before, after) in rows {
                    tr { td { (what) } td.number { (before) } td.number { (after) } }
                }
            }
        }
    }
}

fn flips(compared: &Compared) -> Markup {
    html! {
        h2 { (compared.flips.len()) " flips" }
        @if compared.flips.is_empty() {
            p { "Every decision stands." }
        } @else {
            table {
                thead { tr { th { "question" } th { "was" } th { "would be" } th { "why" } } }
                tbody {
                    @for flip in compared.flips.iter().take(MOST_FLIPS) {
                        tr {
                            td {
                                @match &flip.question {
                                    Some(question) => { (question) }
                                    None => { span.faint { "not kept" } }
                                }
                                br;
                                code.faint { (flip.request_id.to_string()) }
                            }
                            td { (flip.from) }
                            td { (flip.to) }
                            td { (flip.why()) }
                        }
                    }
                }
            }
            @if compared.flips.len() > MOST_FLIPS {
                p { "The first " (MOST_FLIPS) " of " (compared.flips.len()) "; all of them are in the JSON." }
            }
        }
    }
}
