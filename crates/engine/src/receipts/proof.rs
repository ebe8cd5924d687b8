//! What a receipt proves, in words: who said what, from which passages, by which method. Never that it is true.

use std::collections::HashSet;

use ibidem_words::{Receipt, SentenceVerdict, SignatureOutcome, Stretch, StretchKind};
use serde::Serialize;

use super::presented::Presented;

/// Longer questions are cut where they are repeated.
const LONGEST_QUESTION: usize = 120;

/// What receipts of version 1 say nothing of.
const NOT_IN_VERSION_1: [&str; 7] = [
    "the question",
    "names, sections, snippets, links, files, states and markers of the sources",
    "warnings and notices",
    "confidence and how the search went",
    "why there is no answer, what came nearest and what to ask instead",
    "whom the question goes to",
    "what is to be confirmed",
];

/// What a good signature on a receipt is worth.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Proof {
    /// The version of the rules that the receipt was made by.
    pub receipt_version: u32,
    /// Says in sentences what the receipt proves.
    pub proves: String,
    /// What may have been changed without anybody noticing; empty where everything was compared.
    pub not_covered: Vec<&'static str>,
}

/// Says what is proven, whether or not the documents still say so.
pub fn proof(presented: &Presented, signature: &SignatureOutcome) -> Proof {
    let receipt_version = presented.receipt.version;
    let is_signed = matches!(signature, SignatureOutcome::Valid { .. });
    if !is_signed || !presented.tampered.is_empty() {
        let why = match signature {
            SignatureOutcome::Valid { .. } => "it was changed after it was made",
            SignatureOutcome::Revoked { .. } => "the key that signed it was revoked",
            SignatureOutcome::OutOfTime { .. } => "its key did not sign at the date it bears",
            _ => "no key of this installation vouches for it",
        };
        return Proof { receipt_version, proves: format!("It proves nothing: {why}."), not_covered: Vec::new() };
    }
    let not_covered = not_covered(presented);
    let mut proves = format!("{} It does not prove that they are true.", what_was_said(&presented.receipt));
    if !presented.covers_what_was_shown() {
        proves.push_str(&format!(
            " Its receipt is of version {receipt_version}, which covers the words and their sources, and not: {}.",
            not_covered.join("; ")
        ));
    } else if !presented.has_answer {
        proves.push_str(" Only the receipt was handed in: what was shown around these words was not compared.");
    }
    Proof { receipt_version, proves, not_covered }
}

fn not_covered(presented: &Presented) -> Vec<&'static str> {
    match presented.covers_what_was_shown() {
        false => NOT_IN_VERSION_1.to_vec(),
        // The question stands in the receipt itself.
        true if !presented.has_answer => NOT_IN_VERSION_1[1..].to_vec(),
        true => Vec::new(),
    }
}

/// These words, from these passages, by this method.
fn what_was_said(receipt: &Receipt) -> String {
    let at = receipt.asked_at.format("%F %T UTC");
    let asked = receipt.question.as_deref().map(|asked| format!(", asked “{}”,", shortened(asked))).unwrap_or_default();
    let sources = receipt.stretches.iter().flat_map(|stretch| &stretch.sources);
    let passages: HashSet<_> = sources.map(|source| (&source.source_id, source.version)).collect();
    let from = match passages.len() {
        0 => ", from no passage".to_owned(),
        1 => ", from this 1 passage".to_owned(),
        more => format!(", from these {more} passages"),
    };
    format!(
        "It proves that this installation{asked} said these words at {at}{from}, by this method: {}.",
        method(receipt)
    )
}

fn method(receipt: &Receipt) -> String {
    let written = match receipt.model.as_deref() {
        Some("extractive") => "quoted from the sources".to_owned(),
        Some(model) => format!("written by {model}"),
        None if receipt.claims().next().is_some() => "taken from the sources".to_owned(),
        None => "the policy file's own words".to_owned(),
    };
    let read = receipt.reader.as_ref().map(|reader| format!("passages read by {reader}"));
    let judged =
        receipt.verifier.as_ref().map(|verifier| format!("each sentence held against its passages by {verifier}"));
    let is_unchecked = |stretch: &&Stretch| match stretch.kind {
        StretchKind::Claim => stretch.check.verdict == SentenceVerdict::Unchecked,
        StretchKind::Unverified => true,
        StretchKind::Structure | StretchKind::Policy => false,
    };
    let unchecked = receipt.stretches.iter().filter(is_unchecked).count();
    let unchecked = (unchecked > 0).then(|| format!("{unchecked} of its parts checked by nobody"));
    [Some(written), read, judged, unchecked].into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn shortened(question: &str) -> String {
    let question = question.split_whitespace().collect::<Vec<_>>().join(" ");
    match question.char_indices().nth(LONGEST_QUESTION) {
        Some((end, _)) => format!("{}…", &question[..end]),
        None => question,
    }
}
