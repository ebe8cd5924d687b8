//! A receipt as somebody hands it in: alone, or in its answer.

use ibidem_words::{Action, Answer, Receipt, ReceiptSource, Sha256Hash, StretchKind, receipt_sha256, trace_sha256};
use serde_json::Value;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PresentedError {
    #[error("this is not a receipt: {0}; hand in an answer of `ibidem ask --json` or its field `receipt`")]
    NoReceipt(String),
    #[error("this answer has no receipt: ask again")]
    WithoutReceipt,
    #[error("this receipt was made by version 0.1, whose receipts did not hold the whole answer: ask again")]
    Outdated,
}

/// A receipt that can be read, and what does not fit together in it.
#[derive(Clone, PartialEq, Debug)]
pub struct Presented {
    pub receipt: Receipt,
    /// What was changed after it was made, one line each; empty when nothing was.
    pub tampered: Vec<String>,
}

impl Presented {
    /// Reads a receipt, or an answer with one.
    pub fn read(json: &Value) -> Result<Self, PresentedError> {
        match json.get("receipt") {
            None => Self::alone(json),
            Some(Value::Null) => Err(PresentedError::WithoutReceipt),
            Some(receipt) => {
                let mut presented = Self::alone(receipt)?;
                presented.compare_with(json)?;
                Ok(presented)
            }
        }
    }

    fn alone(json: &Value) -> Result<Self, PresentedError> {
        if json.get("sentences").is_some() && json.get("stretches").is_none() {
            return Err(PresentedError::Outdated);
        }
        let unreadable = |error: serde_json::Error| PresentedError::NoReceipt(error.to_string());
        let receipt: Receipt = serde_json::from_value(json.clone()).map_err(unreadable)?;
        // The digest is of what was handed in, not of what we understood of it.
        let digest = receipt_sha256(json);
        let mut tampered = Vec::new();
        if json.get("sha256") != Some(&Value::from(digest.to_string())) {
            tampered.push(format!("its digest is {}, and says {}", digest.short(12), receipt.sha256.short(12)));
        }
        tampered.extend(contradictions(&receipt));
        Ok(Self { receipt, tampered })
    }

    /// An answer must be the one that the receipt is of.
    fn compare_with(&mut self, json: &Value) -> Result<(), PresentedError> {
        let unreadable = |error: serde_json::Error| PresentedError::NoReceipt(error.to_string());
        let answer: Answer = serde_json::from_value(json.clone()).map_err(unreadable)?;
        let receipt = &self.receipt;
        let compared = [
            ("text", answer.answer == receipt.text()),
            ("request_id", answer.request_id == receipt.request_id),
            ("action", answer.action == receipt.action),
            ("reason", answer.reason == receipt.reason),
            ("model_used", answer.model_used == receipt.model),
            ("trace", trace_sha256(&answer.trace) == receipt.trace_sha256),
        ];
        let other = compared.iter().filter(|(_, same)| !same);
        self.tampered.extend(other.map(|(field, _)| format!("the answer's {field} is not the receipt's")));
        let sources: Vec<&ReceiptSource> = receipt.stretches.iter().flat_map(|stretch| &stretch.sources).collect();
        for citation in &answer.citations {
            if !sources.contains(&&ReceiptSource::from(citation)) {
                self.tampered.push(format!("the answer's citation [{}] is not in the receipt", citation.marker));
            }
        }
        Ok(())
    }
}

/// What no receipt that was made here says, whatever its digest.
fn contradictions(receipt: &Receipt) -> Vec<String> {
    let mut found = Vec::new();
    if Sha256Hash::of(receipt.text().as_bytes()) != receipt.answer_sha256 {
        found.push("its stretches are not the text that it is of".to_owned());
    }
    let is_cited = receipt.action == Action::Cite;
    if is_cited && receipt.claims().next().is_none() {
        found.push("it is of an answer that cites, and claims nothing".to_owned());
    }
    let stands_alone = |kind: StretchKind| matches!(kind, StretchKind::Policy | StretchKind::Unverified);
    for stretch in &receipt.stretches {
        if stands_alone(stretch.kind) && !stretch.sources.is_empty() {
            found.push(format!("{:?} has sources, and is no claim", stretch.text));
        }
        // Only below a disclaimer, in an answer that cites nothing.
        if stretch.kind == StretchKind::Unverified && (is_cited || receipt.claims().next().is_some()) {
            found.push(format!("{:?} was checked by nobody, in an answer that cites", stretch.text));
        }
    }
    found
}
