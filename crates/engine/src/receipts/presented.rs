//! A receipt as somebody hands it in: alone, or in its answer.

use serde_json::Value;

use crate::words::{Answer, Receipt, ReceiptSource, Sha256Hash, digest_of_json, trace_sha256};

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PresentedError {
    #[error("this is not a receipt: {0}; hand in an answer of `ibidem ask --json` or its field `receipt`")]
    NoReceipt(String),
    #[error("this answer has no receipt: ask again")]
    WithoutReceipt,
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
        let unreadable = |error: serde_json::Error| PresentedError::NoReceipt(error.to_string());
        let receipt: Receipt = serde_json::from_value(json.clone()).map_err(unreadable)?;
        // The digest is of what was handed in, not of what we understood of it.
        let mut fields = json.clone();
        let written = fields.as_object_mut().and_then(|fields| fields.remove("sha256"));
        let digest = digest_of_json(&fields);
        let mut tampered = Vec::new();
        if written != Some(Value::from(digest.to_string())) {
            tampered.push(format!("its digest is {}, and says {}", digest.short(12), receipt.sha256.short(12)));
        }
        Ok(Self { receipt, tampered })
    }

    /// An answer must be the one that the receipt is of.
    fn compare_with(&mut self, json: &Value) -> Result<(), PresentedError> {
        let unreadable = |error: serde_json::Error| PresentedError::NoReceipt(error.to_string());
        let answer: Answer = serde_json::from_value(json.clone()).map_err(unreadable)?;
        let receipt = &self.receipt;
        let compared = [
            ("text", Sha256Hash::of(answer.answer.as_bytes()) == receipt.answer_sha256),
            ("request_id", answer.request_id == receipt.request_id),
            ("action", answer.action == receipt.action),
            ("reason", answer.reason == receipt.reason),
            ("model_used", answer.model_used == receipt.model),
            ("trace", trace_sha256(&answer.trace) == receipt.trace_sha256),
        ];
        let other = compared.iter().filter(|(_, same)| !same);
        self.tampered.extend(other.map(|(field, _)| format!("the answer's {field} is not the receipt's")));
        let sources: Vec<&ReceiptSource> = receipt.sentences.iter().flat_map(|sentence| &sentence.sources).collect();
        for citation in &answer.citations {
            if !sources.contains(&&ReceiptSource::from(citation)) {
                self.tampered.push(format!("the answer's citation [{}] is not in the receipt", citation.marker));
            }
        }
        Ok(())
    }
}
