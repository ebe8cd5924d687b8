//! Every question that had another outcome than it must have, with what each gate saw.

use ibidem_words::Verdict;

use super::{escaped, put};
use crate::golden::results::Failure;

pub(super) fn section(failures: &[Failure]) -> String {
    let mut html = format!(
        "<h2>Failures: {}</h2>\n<p class=\"small\">A gate that drops passages shows how many it dropped, and the \
         threshold it dropped them by.</p>\n",
        failures.len()
    );
    for failure in failures {
        put(
            &mut html,
            format_args!(
                "<details><summary><span class=\"kind\">{}</span> {} <span class=\"id\">{}</span></summary>\n<p \
                 class=\"why\">{}</p>\n",
                failure.judged.words(),
                escaped(&failure.query),
                escaped(&failure.id),
                escaped(&failure.reason)
            ),
        );
        html.push_str(&outcome(failure));
        html.push_str(&trace(failure));
        html.push_str("</details>\n");
    }
    html
}

fn outcome(failure: &Failure) -> String {
    let listed = |names: &[String]| if names.is_empty() { "–".to_owned() } else { escaped(&names.join(", ")) };
    let (expected, actual) = (&failure.expected, &failure.actual);
    let wanted = expected.reason.map_or("answered", |reason| reason.as_str());
    let found = actual.reason.map_or(actual.action.as_str(), |reason| reason.as_str());
    format!(
        "<table><tr><th></th><th>outcome</th><th>collections</th><th>documents</th></tr>\n\
         <tr><td>expected</td><td>{wanted}</td><td>{}</td><td>{}</td></tr>\n\
         <tr><td>actual</td><td>{found}</td><td>{}</td><td>{}</td></tr></table>\n",
        listed(&expected.doc_types),
        listed(&expected.doc_ids),
        listed(&actual.doc_types),
        listed(&actual.doc_ids)
    )
}

fn trace(failure: &Failure) -> String {
    let mut html = String::from(
        "<table><tr><th>gate</th><th>verdict</th><th class=\"number\">observed</th><th \
         class=\"number\">threshold</th></tr>\n",
    );
    for record in &failure.trace {
        let (class, verdict) = match record.verdict {
            Verdict::Pass => ("", "pass"),
            Verdict::Warn => ("", "warn"),
            Verdict::Stop => ("stop", "stop"),
        };
        put(
            &mut html,
            format_args!(
                "<tr><td>{}</td><td class=\"{class}\">{verdict}</td><td class=\"number\">{}</td><td \
                 class=\"number\">{}</td></tr>\n",
                escaped(&record.gate.replace('_', " ")),
                record.observed,
                record.threshold
            ),
        );
    }
    html.push_str("</table>\n");
    html
}
