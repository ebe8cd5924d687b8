//! What another policy would change, as a page that needs nothing else.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::{Compared, Report, Side};
use crate::html::escaped;

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

/// The page. Questions are whatever anybody typed: nothing of them is taken for markup.
pub fn page(report: &Report) -> String {
    let mut html = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\
         <meta name=\"viewport\" content=\"width=device-width\"><title>Replay</title><style>{STYLE}</style></head><body>\n\
         <h1>{} decisions made again</h1>\n<p>Under the policy that was in force, {} came to the same, {} to something \
         else; of {} the policy is not known here.</p>\n",
        report.decisions,
        report.same,
        report.different.len(),
        report.policy_unknown,
    );
    if !report.different.is_empty() {
        let ids: Vec<String> = report.different.iter().map(|id| format!("<code>{id}</code>")).collect();
        let _ = writeln!(html, "<p>Something is wrong with: {}</p>", ids.join(", "));
    }
    if let Some(compared) = &report.compared {
        two_policies(&mut html, compared, report.decisions);
        risk(&mut html, compared);
        flips(&mut html, compared);
    }
    html.push_str("</body></html>\n");
    html
}

fn two_policies(html: &mut String, compared: &Compared, decisions: usize) {
    let name = escaped(&compared.policy);
    let _ = writeln!(
        html,
        "<h2>Under {name}</h2>\n<p class=\"faint\">Policy <code>{}</code></p>\n\
         <p><span class=\"key before\"></span>as it was<span class=\"key after\"></span>under {name}</p>\n\
         <table><thead><tr><th>outcome</th><th class=\"number\">as it was</th><th class=\"number\">under {name}</th>\
         <th></th></tr></thead><tbody>",
        escaped(&compared.policy_sha256),
    );
    let outcomes: BTreeSet<&String> = compared.before.outcomes.keys().chain(compared.after.outcomes.keys()).collect();
    for outcome in outcomes {
        let count = |side: &Side| side.outcomes.get(outcome).copied().unwrap_or_default();
        let (before, after) = (count(&compared.before), count(&compared.after));
        let width = |count: usize| 100.0 * count as f64 / decisions.max(1) as f64;
        let _ = writeln!(
            html,
            "<tr><td>{}</td><td class=\"number\">{before}</td><td class=\"number\">{after}</td><td style=\"width:45%\">\
             <div class=\"bar before\" style=\"width:{:.1}%\"></div><div class=\"bar after\" style=\"width:{:.1}%\"></div>\
             </td></tr>",
            escaped(outcome),
            width(before),
            width(after),
        );
    }
    let reworded: usize = compared.reworded.values().sum();
    let _ = writeln!(
        html,
        "</tbody></table>\n<p>{} flip. {reworded} are answered either way, from other passages or in other words. \
         “answers” means that no gate stops it: how the answer would end only a model could tell, and none was asked.</p>",
        compared.flips.len(),
    );
}

fn risk(html: &mut String, compared: &Compared) {
    html.push_str(
        "<h2>Risk</h2>\n<table><thead><tr><th></th><th class=\"number\">as it was</th><th class=\"number\">would be</th>\
         </tr></thead><tbody>\n",
    );
    let share = |part: usize, of: usize| {
        if of == 0 { "–".to_owned() } else { format!("{:.1} %", 100.0 * part as f64 / of as f64) }
    };
    let bound = |side: &Side| {
        side.risk_below.map_or_else(|| "no reviews".to_owned(), |bound| format!("{:.1} %", 100.0 * bound))
    };
    let of = |part: usize, whole: usize| format!("{part} of {whole} ({})", share(part, whole));
    let mut row = |what: &str, before: String, after: String| {
        let _ = writeln!(
            html,
            "<tr><td>{what}</td><td class=\"number\">{before}</td><td class=\"number\">{after}</td></tr>"
        );
    };
    let (before, after) = (&compared.before, &compared.after);
    row("answered", before.answered.to_string(), after.answered.to_string());
    row(
        "sentences that a model wrote and their passages did not support (never shown)",
        of(before.unsupported, before.sentences),
        of(after.unsupported, after.sentences),
    );
    row("wrong answers among those reviewed", of(before.wrong, before.reviewed), of(after.wrong, after.reviewed));
    row("with 95 % confidence the share of wrong answers is below", bound(before), bound(after));
    html.push_str("</tbody></table>\n");
}

fn flips(html: &mut String, compared: &Compared) {
    let _ = writeln!(html, "<h2>{} flips</h2>", compared.flips.len());
    if compared.flips.is_empty() {
        html.push_str("<p>Every decision stands.</p>\n");
        return;
    }
    html.push_str("<table><thead><tr><th>question</th><th>was</th><th>would be</th><th>why</th></tr></thead><tbody>\n");
    for flip in compared.flips.iter().take(MOST_FLIPS) {
        let question =
            flip.question.as_deref().map_or_else(|| "<span class=\"faint\">not kept</span>".to_owned(), escaped);
        let _ = writeln!(
            html,
            "<tr><td>{question}<br><code class=\"faint\">{}</code></td><td>{}</td><td>{}</td><td>{}</td></tr>",
            flip.request_id,
            escaped(&flip.from),
            escaped(&flip.to),
            escaped(&flip.why()),
        );
    }
    html.push_str("</tbody></table>\n");
    if compared.flips.len() > MOST_FLIPS {
        let _ =
            writeln!(html, "<p>The first {MOST_FLIPS} of {}; all of them are in the JSON.</p>", compared.flips.len());
    }
}
