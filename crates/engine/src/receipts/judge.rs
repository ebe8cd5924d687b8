//! Judging a sentence again by what its sources say now.

use super::report::{Outcome, SentenceReport};
use super::source::{Found, spaced_alike};
use crate::ports::entailment::{Entailment, Pair, Support};
use crate::speak::sentences::without_citations;
use crate::words::ReceiptSentence;

/// Adds the verdict on a sentence whose sources are all there.
pub(super) async fn judge(
    report: SentenceReport,
    sentence: &ReceiptSentence,
    found: &[Found],
    passages: &[&str],
    entailment: Option<&dyn Entailment>,
) -> SentenceReport {
    let claim = spaced_alike(&without_citations(&sentence.text));
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
    let mut premises: Vec<String> = passages.iter().map(|passage| (*passage).to_owned()).collect();
    if premises.len() > 1 {
        premises.push(passages.join("\n"));
    }
    let pairs = premises.into_iter().map(|premise| Pair { premise, claim: claim.clone() }).collect();
    let judged = match entailment.judge(pairs).await {
        Ok(judged) => judged,
        Err(error) => return report.with(Outcome::NotChecked, error.to_string()),
    };
    let best = judged.iter().max_by(|one, other| one.score.total_cmp(&other.score));
    let support = best.map(|best| f64::from(best.score));
    let report = SentenceReport { support, ..report };
    let name = entailment.name();
    if judged.iter().any(|judgement| judgement.support == Support::Supported) {
        report
    } else if judged.iter().any(|judgement| judgement.support == Support::Contradicted) {
        not_so(report, format!("its passages say otherwise, by {name}"))
    } else {
        not_so(report, format!("its passages do not say so, by {name}"))
    }
}

/// Where the words changed, that is the reason.
fn not_so(report: SentenceReport, why: String) -> SentenceReport {
    match report.outcome {
        Outcome::Reworded => report.with(Outcome::Changed, format!("the passage changed: {why}")),
        _ => report.with(Outcome::Unsupported, why),
    }
}
