//! Checking a receipt again: with the receipt, the corpus as it is now, and nothing else.
//!
//! Three things are asked of each sentence. Is the receipt what it was (its digest)? Do its sources say what the receipt
//! says they said (the version's digest, the span, the passage's digest)? And do they still say so (the document's
//! current version, the figures, the verifier)?

mod corpus;
mod judge;
mod presented;
mod report;
mod source;
mod terms;

#[cfg(test)]
mod tests;

use crate::ports::entailment::Entailment;
use crate::ports::vocabulary::Vocabulary;
use crate::words::{CitedSource, ReceiptSentence, ReceiptSource, SentenceVerdict};

pub use corpus::{Corpus, KeptDocument, KeptVersion};
pub use presented::{Presented, PresentedError};
pub use report::{Outcome, Report, SentenceReport, SourceReport};

use judge::judge;
use source::{Found, look_up};

/// What a receipt is checked against.
pub struct Witnesses<'a> {
    pub corpus: &'a Corpus,
    /// None where none can be had: then only what needs no judgement is checked.
    pub entailment: Option<&'a dyn Entailment>,
    /// None where no vocabulary is configured: then definitions are not checked.
    pub vocabulary: Option<&'a dyn Vocabulary>,
}

/// Checks everything that can be checked.
pub async fn verify(presented: &Presented, witnesses: &Witnesses<'_>) -> Report {
    let mut sentences = Vec::with_capacity(presented.receipt.sentences.len());
    for sentence in &presented.receipt.sentences {
        sentences.push(check(sentence, witnesses).await);
    }
    Report::of(presented, witnesses.entailment.map(Entailment::name), sentences)
}

async fn check(sentence: &ReceiptSentence, witnesses: &Witnesses<'_>) -> SentenceReport {
    let mut found = Vec::with_capacity(sentence.sources.len());
    for source in &sentence.sources {
        found.push(find(sentence, source, witnesses).await);
    }
    let mut report = SentenceReport::of(sentence, &found);
    if sentence.sources.is_empty() {
        return report.with(Outcome::Unsupported, "it names no source".to_owned());
    }
    // What was not believed when it was said is not believed now.
    let verdict = sentence.check.verdict;
    if matches!(verdict, SentenceVerdict::Contradicted | SentenceVerdict::Unsupported) {
        let why = sentence.check.why.clone().unwrap_or_else(|| "its passages did not say so".to_owned());
        return report.with(Outcome::Unsupported, format!("marked as {} when it was said: {why}", verdict.as_str()));
    }
    // Sources that are gone or changed say enough; judging their text would not help.
    if found.iter().all(|found| found.outcome <= Outcome::Reworded) {
        let passages: Vec<&str> = found.iter().map(|found| found.text.as_str()).collect();
        report = judge(report, sentence, &found, &passages, witnesses.entailment).await;
    }
    report
}

async fn find(sentence: &ReceiptSentence, source: &ReceiptSource, witnesses: &Witnesses<'_>) -> Found {
    match &source.source_id {
        CitedSource::Passage(id) => look_up(*id, source, witnesses.corpus),
        CitedSource::Concept(uri) => terms::look_up(uri, &sentence.text, source, witnesses.vocabulary).await,
    }
}
