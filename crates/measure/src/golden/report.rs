//! A run as one page: figures, plots and failures in a file that needs nothing else, and runs nothing.
//!
//! Questions, refusals and names are other people's words: the templates escape every one of them, and the page forbids
//! scripts.

mod failures;
mod latency;
mod plot;
mod reliability;
mod risk_coverage;
mod tables;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::results::Results;
use super::run::Measured;
use crate::html::finished;
use crate::reliability::Bin;

/// A point for every least confidence: the share of questions answered, and the share of those answers that are wrong.
pub fn risk_coverage(questions: &[Measured]) -> Vec<(f64, f64)> {
    risk_coverage::curve(questions)
}

/// How often answers of about the same confidence are right.
pub fn reliability(questions: &[Measured]) -> Vec<Bin> {
    reliability::curve(questions)
}

/// The page of a run, beside an earlier one where there is one.
pub fn page(results: &Results, baseline: Option<&Results>) -> String {
    let halves = results.metrics.by_half.iter().map(|(half, score)| (half.words().to_owned(), *score)).collect();
    finished(html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { "Golden set" }
                style { (PreEscaped(include_str!("report/page.css"))) }
            }
            body {
                main {
                    (about(results))
                    (tables::targets(&results.targets))
                    @if let Some(baseline) = baseline { (tables::difference(baseline, results)) }
                    (tables::scores("By collection", &results.metrics.by_collection))
                    (tables::scores("By category", &results.metrics.by_category))
                    (tables::scores("By half", &halves))
                    (tables::confusion(&results.metrics.confusion))
                    h2 { "Confidence" }
                    div.plots {
                        (risk_coverage::figure(&results.questions))
                        (reliability::figure(&results.questions))
                    }
                    h2 { "Latency" }
                    div.plots { (latency::figure(results)) }
                    (failures::section(&results.failures))
                }
            }
        }
    })
}

fn about(results: &Results) -> Markup {
    let meta = &results.meta;
    let answered_by = meta.config.answering_model.as_deref().unwrap_or("the sources’ own sentences");
    html! {
        h1 { "Golden set" }
        p.about {
            (meta.total) " questions, " (meta.passed) " with the outcome they must have. Policy " b { (meta.config.policy) }
            ", embedding model " (meta.config.embedding_model) ", answers by " (answered_by) ", "
            (meta.config.documents) " documents."
        }
        p.small {
            (meta.timestamp.format("%Y-%m-%d %H:%M UTC").to_string()) ", Ibidem " (meta.version) ", set "
            code { (meta.golden_set_blob) } ", configuration " code { (meta.config_hash.short(12)) }
        }
    }
}

/// A share as people read it.
fn format_share(share: Option<f64>) -> String {
    share.map_or_else(|| "–".to_owned(), |share| format!("{share:.3}"))
}

#[cfg(test)]
mod tests;
