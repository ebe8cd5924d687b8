//! A run as one page: figures, plots and failures in a file that needs nothing else, and runs nothing.
//!
//! Questions, refusals and names are other people's words: every one of them is escaped, and the page forbids scripts.

mod failures;
mod latency;
mod plot;
mod reliability;
mod risk_coverage;
mod tables;

use std::fmt::Write as _;

use super::results::Results;
use crate::html::escaped;

/// The page of a run, beside an earlier one where there is one.
pub fn page(results: &Results, baseline: Option<&Results>) -> String {
    let meta = &results.meta;
    let mut page = String::from(HEAD);
    let answered_by = meta.config.answering_model.as_deref().unwrap_or("the sources’ own sentences");
    put(
        &mut page,
        format_args!(
            "<h1>Golden set</h1>\n<p class=\"about\">{} questions, {} with the outcome they must have. Policy \
             <b>{}</b>, embedding model {}, answers by {}, {} documents.</p>\n<p class=\"small\">{}, Ibidem {}, set \
             <code>{}</code>, configuration <code>{}</code></p>\n",
            meta.total,
            meta.passed,
            escaped(&meta.config.policy),
            escaped(&meta.config.embedding_model),
            escaped(answered_by),
            meta.config.documents,
            meta.timestamp.format("%Y-%m-%d %H:%M UTC"),
            escaped(&meta.version),
            escaped(&meta.golden_set_blob),
            meta.config_hash.short(12),
        ),
    );
    page.push_str(&tables::targets(&results.targets));
    if let Some(baseline) = baseline {
        page.push_str(&tables::difference(baseline, results));
    }
    page.push_str(&tables::scores("By collection", &results.metrics.by_collection));
    page.push_str(&tables::scores("By category", &results.metrics.by_category));
    let halves = results.metrics.by_half.iter().map(|(half, score)| (half.words().to_owned(), *score)).collect();
    page.push_str(&tables::scores("By half", &halves));
    page.push_str(&tables::confusion(&results.metrics.confusion));
    page.push_str("<h2>Confidence</h2>\n<div class=\"plots\">\n");
    page.push_str(&risk_coverage::figure(&results.questions));
    page.push_str(&reliability::figure(&results.questions));
    page.push_str("</div>\n<h2>Latency</h2>\n<div class=\"plots\">\n");
    page.push_str(&latency::figure(results));
    page.push_str("</div>\n");
    page.push_str(&failures::section(&results.failures));
    page.push_str("</main>\n</body>\n</html>\n");
    page
}

const HEAD: &str = concat!(
    "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n",
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n",
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>Golden set</title>\n<style>\n",
    include_str!("report/page.css"),
    "</style>\n</head>\n<body>\n<main>\n"
);

/// Writes to a page. A string takes whatever is written.
fn put(page: &mut String, written: std::fmt::Arguments<'_>) {
    let _ = page.write_fmt(written);
}

/// A share as people read it.
fn shown(share: Option<f64>) -> String {
    share.map_or_else(|| "–".to_owned(), |share| format!("{share:.3}"))
}

#[cfg(test)]
mod tests;
