//! Checking a receipt again: with the receipt, the corpus as it is now, and nothing else.
//!
//! Four things are asked. Did this installation make it (its signature)? Is it what it was (its digest, and that its
//! stretches are the answer)? Do the sources of each stretch say what the receipt says they said (the version's digest,
//! the span, the passage's digest)? And do they still say so (the document's current version, the figures, the verifier)?

mod presented;
mod proof;
mod recheck;
mod report;
mod source;
mod structure;
mod terms;

#[cfg(test)]
mod tests;

use ibidem_ports::corpus::Corpus;
use ibidem_ports::degrade::Part;
use ibidem_ports::entailment::Entailment;
use ibidem_ports::vocabulary::Vocabulary;
use ibidem_words::{CitedSource, Computation, PublicKeys, ReceiptSource, SentenceVerdict, Stretch, StretchKind};

use crate::figures::recheck::{same_figure, stands_in};
pub use presented::{Presented, PresentedError};
pub use proof::{Proof, proof};
use recheck::recheck;
pub use report::{Outcome, Report, SourceReport, StretchReport};
pub(crate) use source::spaced_alike;
use source::{SourceState, look_up};

/// What a receipt is checked against.
pub struct Witnesses<'a> {
    /// The installation's public keys, those included that sign no more.
    pub keys: &'a PublicKeys,
    pub corpus: &'a Corpus,
    /// None where none can be had: then only what needs no classification is checked.
    pub entailment: Option<&'a Part<dyn Entailment>>,
    /// None where no vocabulary is configured: then definitions are not checked.
    pub vocabulary: Option<&'a Part<dyn Vocabulary>>,
}

/// Checks everything that can be checked.
pub async fn verify(presented: &Presented, witnesses: &Witnesses<'_>) -> Report {
    let receipt = &presented.receipt;
    let mut stretches = Vec::with_capacity(receipt.stretches.len());
    for stretch in &receipt.stretches {
        stretches.push(check(stretch, witnesses).await);
    }
    let signature = witnesses.keys.check(receipt.sha256, receipt.asked_at, receipt.signature.as_ref());
    Report::of(presented, signature, witnesses.entailment.map(|entailment| entailment.port().name()), stretches)
}

async fn check(stretch: &Stretch, witnesses: &Witnesses<'_>) -> StretchReport {
    let mut found = Vec::with_capacity(stretch.sources.len());
    for source in &stretch.sources {
        found.push(find(stretch, source, witnesses).await);
    }
    let report = StretchReport::of(stretch, &found);
    match stretch.kind {
        StretchKind::Claim => claim(report, stretch, &found, witnesses).await,
        StretchKind::Structure => structure::check(report, stretch, &found),
        // Nothing in the corpus has to say them: the signature says whose words they are.
        StretchKind::Policy => StretchReport { why: "the policy's own words".to_owned(), ..report },
        StretchKind::Unverified => {
            report.with(Outcome::NotChecked, "a model's own words, which no document has to say".to_owned())
        }
    }
}

async fn claim(
    report: StretchReport,
    stretch: &Stretch,
    found: &[SourceState],
    witnesses: &Witnesses<'_>,
) -> StretchReport {
    if stretch.sources.is_empty() {
        return report.with(Outcome::Unsupported, "it names no source".to_owned());
    }
    // What was not believed when it was said is not believed now.
    let verdict = stretch.check.verdict;
    if matches!(verdict, SentenceVerdict::Contradicted | SentenceVerdict::Unsupported) {
        let why = stretch.check.why.clone().unwrap_or_else(|| "its passages did not say so".to_owned());
        return report.with(Outcome::Unsupported, format!("marked as {} when it was said: {why}", verdict.as_str()));
    }
    // Sources that are gone or changed say enough; checking against their text would not help.
    if found.iter().any(|found| found.outcome > Outcome::Reworded) {
        return report;
    }
    if let Some(computation) = &stretch.check.computed {
        return computed(report, stretch, computation, witnesses.corpus);
    }
    recheck(report, stretch, found, witnesses.entailment).await
}

/// A figure is computed again from the table that the receipt names, and needs no model.
fn computed(report: StretchReport, stretch: &Stretch, computation: &Computation, corpus: &Corpus) -> StretchReport {
    let cited = stretch.sources.iter().find_map(|source| match &source.source_id {
        CitedSource::Passage(id) => Some((corpus.get(&id.document)?, source.version)),
        CitedSource::Concept(_) | CitedSource::Tool(_) => None,
    });
    let Some((document, version)) = cited else {
        return report.with(Outcome::Unsupported, "it names no table".to_owned());
    };
    let Some(kept) = document.versions.get(&version) else {
        return report.with(Outcome::NotChecked, format!("version {version} cannot be read"));
    };
    if let Err(why) = same_figure(computation, &kept.text, &stretch.text) {
        return report.with(Outcome::Unsupported, why);
    }
    let report = StretchReport { support: Some(1.0), ..report };
    if document.current_version == version {
        return report;
    }
    match document.versions.get(&document.current_version) {
        Some(newer) if stands_in(computation, &kept.text, &newer.text) => {
            let outcome = Outcome::StillSays;
            let why = format!(
                "version {version} was replaced by version {}, which has the same table",
                document.current_version
            );
            StretchReport { outcome, why, mend: outcome.mend(), ..report }
        }
        _ => report.with(Outcome::Changed, "the table was changed since".to_owned()),
    }
}

async fn find(stretch: &Stretch, source: &ReceiptSource, witnesses: &Witnesses<'_>) -> SourceState {
    match &source.source_id {
        CitedSource::Passage(id) => look_up(*id, source, witnesses.corpus),
        CitedSource::Concept(uri) => terms::look_up(uri, &stretch.text, source, witnesses.vocabulary).await,
        CitedSource::Tool(_) => {
            SourceState::only(Outcome::NotChecked, "a tool's result is of its moment; the record of the turn has it")
        }
    }
}
