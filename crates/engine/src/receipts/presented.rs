//! A receipt as somebody hands it in: alone, or in its answer.

use ibidem_words::{
    Action, Answer, RECEIPT_VERSION, Receipt, ReceiptSource, Sha256Hash, StretchKind, receipt_sha256, shown_sha256,
    trace_sha256, unambiguous_json,
};
use serde_json::Value;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PresentedError {
    #[error("this is not JSON that every program reads alike: {0}; hand in the answer as the server gave it")]
    Ambiguous(String),
    #[error("this is not a receipt: {0}; hand in an answer of `ibidem ask --json` or its field `receipt`")]
    NoReceipt(String),
    #[error("this answer has no receipt: ask again")]
    WithoutReceipt,
    #[error(
        "this answer has no receipt, because something in it was withdrawn after it was given: hand in the answer as it \
         was first given, or ask again"
    )]
    Withdrawn,
    #[error("this receipt is of version {0}, and this program knows versions 1 to {RECEIPT_VERSION}: use a newer one")]
    Newer(u64),
    #[error("this receipt was made by version 0.1, whose receipts did not hold the whole answer: ask again")]
    Outdated,
}

/// A receipt that can be read, and what does not fit together in it.
#[derive(Clone, PartialEq, Debug)]
pub struct Presented {
    pub receipt: Receipt,
    /// Whether the answer that it is of was handed in too. Alone, it says nothing of names, links and warnings.
    pub has_answer: bool,
    /// What was changed after it was made, one line each; empty when nothing was.
    pub tampered: Vec<String>,
}

impl Presented {
    /// Reads a receipt, or an answer with one, as JSON. What two programs may read differently is not read.
    pub fn parse(text: &str) -> Result<Self, PresentedError> {
        let json = unambiguous_json(text).map_err(|error| PresentedError::Ambiguous(error.to_string()))?;
        match json.get("receipt") {
            None => Self::alone(&json),
            Some(Value::Null) if json.get("withdrawn").is_some() => Err(PresentedError::Withdrawn),
            Some(Value::Null) => Err(PresentedError::WithoutReceipt),
            Some(receipt) => {
                let mut presented = Self { has_answer: true, ..Self::alone(receipt)? };
                presented.compare_with(&json)?;
                Ok(presented)
            }
        }
    }

    fn alone(json: &Value) -> Result<Self, PresentedError> {
        if json.get("sentences").is_some() && json.get("stretches").is_none() {
            return Err(PresentedError::Outdated);
        }
        if let Some(version) = json.get("version").and_then(Value::as_u64).filter(|it| *it > RECEIPT_VERSION.into()) {
            return Err(PresentedError::Newer(version));
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
        Ok(Self { receipt, has_answer: false, tampered })
    }

    /// Whether it covers the question and all that was shown, by the rules that it was made by.
    pub fn covers_what_was_shown(&self) -> bool {
        self.receipt.shown_sha256.is_some()
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
        self.tampered.extend(changed_around_the_text(receipt, json));
        Ok(())
    }
}

/// What is not as it was shown: by the digest of the whole answer, as it was handed in. Receipts of version 1 have none.
fn changed_around_the_text(receipt: &Receipt, json: &Value) -> Vec<String> {
    let Some(shown) = receipt.shown_sha256 else { return Vec::new() };
    let mut found = Vec::new();
    let digest = shown_sha256(json);
    if digest != shown {
        let (now, then) = (digest.short(12), shown.short(12));
        found.push(format!("the answer is not the one that was shown: its digest is {now}, and was {then}"));
    }
    let token = json.get("confirmation").and_then(|proposed| proposed.get("token"));
    let is_the_token = |token: &Value| {
        token.as_str().map(|token| Sha256Hash::of(token.as_bytes())) == receipt.token_sha256 && !token.is_null()
    };
    // It is left out where the answer is read again.
    if token.is_some_and(|token| !is_the_token(token)) {
        found.push("the token of the answer's confirmation is not the one that was given".to_owned());
    }
    found
}

/// What no receipt that was made here says, whatever its digest.
fn contradictions(receipt: &Receipt) -> Vec<String> {
    let mut found = Vec::new();
    let says_all = receipt.question.is_some() && receipt.shown_sha256.is_some();
    if receipt.version >= RECEIPT_VERSION && !says_all {
        found.push(format!("it is of version {}, and does not say what was asked and shown", receipt.version));
    }
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
