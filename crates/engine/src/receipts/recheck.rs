//! Checking a sentence again by what its sources say now.

use ibidem_language::layout::leads_in;
use ibidem_language::markers::{quoted, without_markers};
use ibidem_language::sentences::sentences_of;
use ibidem_ports::degrade::{Deadline, Part};
use ibidem_ports::entailment::Entailment;
use ibidem_words::{CharSpan, LineAbove, LinesAbove, SentenceVerdict, Stretch};

use super::report::{Outcome, StretchReport};
use super::source::{SourceState, spaced_alike};
use crate::policy::VerificationRules;
use crate::speak::markup::sanitize;
use crate::speak::note_line::NoteLine;
use crate::speak::quoting::is_quotation;
use crate::speak::verify::Verifier;

/// Adds the verdict on a claim whose sources are all there.
pub(super) async fn recheck(
    report: StretchReport,
    stretch: &Stretch,
    found: &[SourceState],
    entailment: Option<&Part<dyn Entailment>>,
) -> StretchReport {
    // Receipts of older versions quote what looks like a citation as the document writes it.
    let claim = spaced_alike(&quoted(&without_markers(&stretch.text)));
    let notes: Vec<(NoteLine<'_>, &str)> = found.iter().map(|found| (found.line(), found.text.as_str())).collect();
    let is_so = match stretch.check.by.as_str() {
        // A source's own words need no model: they are there, whole sentences of them, or they are not.
        "verbatim" => Some(found.iter().any(|found| is_quoted(&claim, found)) || is_quoted_in_context(&claim, found)),
        "catalogue" => Some(found.iter().all(|found| is_named(&claim, found))),
        _ => None,
    };
    match is_so {
        Some(true) => return unchanged(StretchReport { support: Some(1.0), ..report }, &claim, found),
        Some(false) => return not_so(report, "its words are not the source's".to_owned()),
        None => {}
    }
    let Some(entailment) = entailment else {
        return report.with(Outcome::NotChecked, "no verifier is configured here (`entailment`)".to_owned());
    };
    // Exactly as it was checked before anybody saw it.
    let verifier = Verifier { rules: VerificationRules::default(), entailment, deadline: Deadline::NONE };
    let (check, failure) = verifier.cited_under(&claim, &notes).await;
    if let Some(error) = failure {
        return report.with(Outcome::NotChecked, error.to_string());
    }
    let report = StretchReport { support: Some(check.support), ..report };
    match check.verdict {
        SentenceVerdict::Supported => unchanged(report, &claim, found),
        _ => not_so(report, check.why.unwrap_or_else(|| "its passages do not say so".to_owned())),
    }
}

/// A passage that was changed elsewhere has not changed what is said of it.
fn unchanged(report: StretchReport, claim: &str, found: &[SourceState]) -> StretchReport {
    let is_kept = |found: &SourceState| found.outcome < Outcome::Reworded || found.still_has_sentence_of(claim);
    if report.outcome != Outcome::Reworded || !found.iter().all(is_kept) {
        return report;
    }
    let outcome = Outcome::StillSays;
    let why = format!("{}; this sentence is unchanged", report.why.replace(", which says it in other words", ""));
    StretchReport { outcome, why, mend: outcome.mend(), ..report }
}

/// Where the words changed, that is the reason.
fn not_so(report: StretchReport, why: String) -> StretchReport {
    match report.outcome {
        Outcome::Reworded => report.with(Outcome::Changed, format!("the passage changed: {why}")),
        _ => report.with(Outcome::Unsupported, why),
    }
}

/// Whether these are sentences of the source, in a row and from their beginning to their end, or all it says. Half a
/// sentence is not: the other half may say the opposite.
fn is_quoted(claim: &str, found: &SourceState) -> bool {
    if let Some(definition) = &found.definition {
        return claim.trim_start_matches("- ") == spaced_alike(definition);
    }
    // As it may be shown: without markup.
    let text = sanitize(&found.text, &[found.text.as_str()]);
    let sentences: Vec<String> = sentences_of(&text).into_iter().map(spaced_alike).collect();
    let runs_from = |from: usize| {
        let mut rest = claim;
        for sentence in &sentences[from..] {
            match rest.strip_prefix(sentence.as_str()) {
                Some("") => return true,
                Some(after) => rest = after.trim_start(),
                None => return false,
            }
        }
        false
    };
    let says_something = claim.chars().any(char::is_alphanumeric);
    says_something && (claim == spaced_alike(&text) || (0..sentences.len()).any(runs_from))
}

/// Whether this is a sentence of a source with what it needs to be understood: what stands above it in the source, or in
/// the lines that the receipt names beside it.
fn is_quoted_in_context(claim: &str, found: &[SourceState]) -> bool {
    found.iter().enumerate().any(|(place, passage)| {
        let mut above = LinesAbove::default();
        for (_, line) in found.iter().enumerate().filter(|(other, _)| *other != place) {
            let text = line.text.trim();
            let span = CharSpan { start: 0, end: 0 };
            let line = Some(LineAbove { text: text.to_owned(), span });
            match () {
                () if text.contains(" | ") => above.head = line,
                () if leads_in(text) => above.lead_in = line,
                () => above.heading = line,
            }
        }
        passage.definition.is_none() && is_quotation(claim, &passage.text, &above, spaced_alike)
    })
}

/// Whether this is the document's name as lists give it: its title, perhaps after its address.
fn is_named(claim: &str, found: &SourceState) -> bool {
    let title = spaced_alike(&sanitize(&found.title, &[]));
    let name = claim.strip_prefix("- ").unwrap_or(claim);
    let with_address = found.address.as_ref().map(|address| format!("{} — {title}", spaced_alike(address)));
    !title.is_empty() && (name == title || Some(name) == with_address.as_deref())
}
