//! Every question that had another outcome than it must have, with what each gate saw.

use ibidem_words::Verdict;
use maud::{Markup, html};

use crate::golden::results::Failure;

pub(super) fn section(failures: &[Failure]) -> Markup {
    html! {
        h2 { "Failures: " (failures.len()) }
        p.small {
            "A gate that drops passages shows how many it dropped, and the threshold it dropped them by."
        }
        @for failure in failures {
            details {
                summary {
                    span.kind { (failure.judged.words()) } " " (failure.query) " " span.id { (failure.id) }
                }
                p.why { (failure.reason) }
                (outcome(failure))
                (trace(failure))
            }
        }
    }
}

fn outcome(failure: &Failure) -> Markup {
    let listed = |names: &[String]| if names.is_empty() { "–".to_owned() } else { names.join(", ") };
    let (expected, actual) = (&failure.expected, &failure.actual);
    let wanted = expected.reason.map_or("answered", |reason| reason.as_str());
    let found = actual.reason.map_or(actual.action.as_str(), |reason| reason.as_str());
    html! {
        table {
            tr { th {} th { "outcome" } th { "collections" } th { "documents" } }
            tr {
                td { "expected" } td { (wanted) } td { (listed(&expected.doc_types)) } td { (listed(&expected.doc_ids)) }
            }
            tr { td { "actual" } td { (found) } td { (listed(&actual.doc_types)) } td { (listed(&actual.doc_ids)) } }
        }
    }
}

fn trace(failure: &Failure) -> Markup {
    html! {
        table {
            tr { th { "gate" } th { "verdict" } th.number { "observed" } th.number { "threshold" } }
            @for record in &failure.trace {
                tr {
                    td { (record.gate.replace('_', " ")) }
                    td.stop[record.verdict == Verdict::Stop] { (record.verdict.in_words()) }
                    @if record.verdict.has_looked() {
                        td.number { (record.observed) }
                        td.number { (record.threshold) }
                    } @else {
                        td.number {}
                        td.number {}
                    }
                }
            }
        }
    }
}
