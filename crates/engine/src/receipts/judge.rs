//! Judging a sentence again by what its sources say now.

use super::report::{Outcome, SentenceReport};
use super::source::{Found, spaced_alike};
use crate::policy::VerificationRules;
use crate::ports::entailment::Entailment;
use crate::speak::markers::without_markers;
use crate::speak::verify::Verifier;
use crate::words::{ReceiptSentence, SentenceVerdict};

/// Adds the verdict on a sentence whose sources are all there.
pub(super) async fn judge(
    report: SentenceReport,
    sentence: &ReceiptSentence,
    found: &[Found],
    passages: &[&str],
    entailment: Option<&dyn Entailment>,
) -> SentenceReport {
    let claim = spaced_alike(&without_markers(&sentence.text));
    let is_in = |text: &str, words: &str| spaced_alike(text).contains(words);
    match sentence.check.by.as_str() {
        // A source's own words need no model: they are there or they are not.
        "verbatim" if passages.iter().any(|passage| is_in(passage, &claim)) => {
            return SentenceReport { support: Some(1.0), ..report };
        }
        // A definition's quotation marks and name are ours.
        "verbatim" if passages.iter().any(|passage| claim.contains(&spaced_alike(passage))) => {
            return SentenceReport { support: Some(1.0), ..report };
        }
        "catalogue" if found.iter().all(|found| is_in(&claim, &spaced_alike(&found.title))) => {
            return SentenceReport { support: Some(1.0), ..report };
        }
        "verbatim" | "catalogue" => return not_so(report, "its words are not the source's".to_owned()),
        _ => {}
    }
    let Some(entailment) = entailment else {
        return report.with(Outcome::NotChecked, "no verifier is configured here (`entailment`)".to_owned());
    };
    // Exactly as it was judged before anybody saw it.
    let verifier = Verifier { rules: VerificationRules::default(), entailment };
    let (check, failure) = verifier.cited(&claim, passages).await;
    if let Some(error) = failure {
        return report.with(Outcome::NotChecked, error.to_string());
    }
    let report = SentenceReport { support: Some(check.support), ..report };
    match check.verdict {
        SentenceVerdict::Supported => report,
        _ => not_so(report, check.why.unwrap_or_else(|| "its passages do not say so".to_owned())),
    }
}

/// Where the words changed, that is the reason.
fn not_so(report: SentenceReport, why: String) -> SentenceReport {
    match report.outcome {
        Outcome::Reworded => report.with(Outcome::Changed, format!("the passage changed: {why}")),
        _ => report.with(Outcome::Unsupported, why),
    }
}
