//! An answer's proof, which anybody can check again who has the documents.
//!
//! `sha256` is the digest of everything else in the receipt, as canonical JSON (RFC 8785) without that one field. It
//! shows that nothing was changed by accident or in passing. It is no signature: whoever can rewrite the receipt can
//! also write the digest anew. What holds against that is the corpus itself: every source names a document's version by
//! the digest of its text, a span in that text, and the digest of what stands there.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::canonical::digest_of;
use super::evidence::as_shown;
use super::{Action, Answer, CharSpan, Citation, CitedSource, GateRecord, Reason, Sha256Hash};

/// In every answer, also in those that refuse: then there are no sentences, but what decided it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Receipt {
    pub request_id: Uuid,
    pub asked_at: DateTime<Utc>,
    pub action: Action,
    pub reason: Option<Reason>,
    /// Of the answer's text, as it was shown.
    #[cfg_attr(feature = "schema", schema(value_type = String))]
    pub answer_sha256: Sha256Hash,
    /// Of the policy that was in force.
    #[cfg_attr(feature = "schema", schema(value_type = String))]
    pub policy_sha256: Sha256Hash,
    /// Of the gates' records, their numbers to four places, as canonical JSON.
    #[cfg_attr(feature = "schema", schema(value_type = String))]
    pub trace_sha256: Sha256Hash,
    /// The model whose words these are; `extractive` when they are the sources' own; null when nothing was written.
    pub model: Option<String>,
    /// The entailment model that judged the sentences; null when none did.
    pub verifier: Option<String>,
    /// What was claimed, in order.
    pub sentences: Vec<ReceiptSentence>,
    /// Of everything else in this receipt, as canonical JSON (RFC 8785). Not a signature.
    #[cfg_attr(feature = "schema", schema(value_type = String))]
    pub sha256: Sha256Hash,
}

impl Receipt {
    /// What an answer that is not finished claims. [`Answer::sealed`] makes a receipt of it.
    pub fn unsealed(verifier: Option<String>, sentences: Vec<ReceiptSentence>) -> Self {
        let nothing = Sha256Hash::of(b"");
        Self {
            request_id: Uuid::nil(),
            asked_at: DateTime::UNIX_EPOCH,
            action: Action::Refuse,
            reason: None,
            answer_sha256: nothing,
            policy_sha256: nothing,
            trace_sha256: nothing,
            model: None,
            verifier,
            sentences,
            sha256: nothing,
        }
    }

    /// Of an answer as it will be shown.
    pub(super) fn of(answer: &Answer, asked_at: DateTime<Utc>, policy_sha256: Sha256Hash) -> Self {
        let claims = answer.receipt.clone().unwrap_or_else(|| Self::unsealed(None, Vec::new()));
        let mut receipt = Self {
            request_id: answer.request_id,
            asked_at,
            action: answer.action,
            reason: answer.reason,
            answer_sha256: Sha256Hash::of(answer.answer.as_bytes()),
            policy_sha256,
            trace_sha256: trace_sha256(&answer.trace),
            model: answer.model_used.clone(),
            ..claims
        };
        for sentence in &mut receipt.sentences {
            // Short enough that everybody reads the same number.
            sentence.check.support = as_shown(sentence.check.support);
        }
        receipt.sealed()
    }

    /// With the digest of everything else.
    #[must_use]
    pub fn sealed(self) -> Self {
        let mut fields = serde_json::to_value(&self).unwrap_or_default();
        if let Some(fields) = fields.as_object_mut() {
            fields.remove("sha256");
        }
        Self { sha256: super::canonical::digest_of_json(&fields), ..self }
    }
}

/// The digest of what the gates recorded. To four places: not every reader of JSON keeps the seventeenth.
pub fn trace_sha256(trace: &[GateRecord]) -> Sha256Hash {
    let shown = |record: &GateRecord| GateRecord {
        observed: as_shown(record.observed),
        threshold: as_shown(record.threshold),
        ..record.clone()
    };
    digest_of(&trace.iter().map(shown).collect::<Vec<_>>())
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ReceiptSentence {
    /// As it was said, markers included.
    pub text: String,
    pub check: SentenceCheck,
    pub sources: Vec<ReceiptSource>,
}

/// How a sentence was checked against the passages it cites, and what was found.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct SentenceCheck {
    pub verdict: SentenceVerdict,
    /// How surely its passages support it, 0 to 1; 1 for words that are the source's own.
    pub support: f64,
    /// Who judged: an entailment model, `figures`, `verbatim`, `catalogue` (a document's title), or `none`.
    pub by: String,
    /// Why it is not supported, in words.
    pub why: Option<String>,
    /// It cited nothing, and was given the passage that supports it.
    pub attributed: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum SentenceVerdict {
    /// Its passages say so.
    Supported,
    /// Its passages say otherwise.
    Contradicted,
    /// Its passages do not say.
    Unsupported,
    /// Nobody looked, because the policy says so or because the verifier failed.
    Unchecked,
}

impl SentenceVerdict {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Supported => "supported",
            Self::Contradicted => "contradicted",
            Self::Unsupported => "unsupported",
            Self::Unchecked => "unchecked",
        }
    }
}

impl SentenceCheck {
    /// The source's own words.
    pub fn verbatim() -> Self {
        Self {
            verdict: SentenceVerdict::Supported,
            support: 1.0,
            by: "verbatim".to_owned(),
            why: None,
            attributed: false,
        }
    }

    /// A document's name, from the catalogue.
    pub fn catalogue() -> Self {
        Self { by: "catalogue".to_owned(), ..Self::verbatim() }
    }

    /// Nobody looked.
    pub fn unchecked() -> Self {
        Self { verdict: SentenceVerdict::Unchecked, support: 0.0, by: "none".to_owned(), why: None, attributed: false }
    }
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ReceiptSource {
    #[cfg_attr(feature = "schema", schema(value_type = String))]
    pub source_id: CitedSource,
    pub version: u32,
    /// Characters of that version's text.
    pub span: CharSpan,
    /// Of that version's text.
    #[cfg_attr(feature = "schema", schema(value_type = String))]
    pub document_sha256: Sha256Hash,
    /// Of the characters at `span`.
    #[cfg_attr(feature = "schema", schema(value_type = String))]
    pub passage_sha256: Sha256Hash,
}

impl From<&Citation> for ReceiptSource {
    fn from(citation: &Citation) -> Self {
        Self {
            source_id: citation.source_id.clone(),
            version: citation.version,
            span: citation.span,
            document_sha256: citation.document_sha256,
            passage_sha256: Sha256Hash::of(citation.snippet_full.as_bytes()),
        }
    }
}
