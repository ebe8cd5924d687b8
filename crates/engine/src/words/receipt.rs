//! An answer's proof, which can be checked again: sentence, verdict, source span, digest of the document's version.

use serde::{Deserialize, Serialize};

use super::{CharSpan, Citation, CitedSource, Sha256Hash};

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Receipt {
    /// Of the policy that was in force.
    #[cfg_attr(feature = "schema", schema(value_type = String))]
    pub policy_sha256: Sha256Hash,
    pub sentences: Vec<ReceiptSentence>,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ReceiptSentence {
    /// As it was said, markers included.
    pub text: String,
    pub check: SentenceCheck,
    pub sources: Vec<ReceiptSource>,
}

/// How a sentence was checked against the passages it cites, and what was found.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct SentenceCheck {
    pub verdict: SentenceVerdict,
    /// How surely its passages support it, 0 to 1; 1 for words that are the source's own.
    pub support: f64,
    /// Who judged: an entailment model, `figures`, `verbatim`, or `none`.
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
    pub const ALL: [Self; 4] = [Self::Supported, Self::Contradicted, Self::Unsupported, Self::Unchecked];

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

    /// Nobody looked.
    pub fn unchecked() -> Self {
        Self { verdict: SentenceVerdict::Unchecked, support: 0.0, by: "none".to_owned(), why: None, attributed: false }
    }
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ReceiptSource {
    #[cfg_attr(feature = "schema", schema(value_type = String))]
    pub source_id: CitedSource,
    pub version: u32,
    pub span: CharSpan,
    #[cfg_attr(feature = "schema", schema(value_type = String))]
    pub document_sha256: Sha256Hash,
}

impl From<&Citation> for ReceiptSource {
    fn from(citation: &Citation) -> Self {
        Self {
            source_id: citation.source_id.clone(),
            version: citation.version,
            span: citation.span,
            document_sha256: citation.document_sha256,
        }
    }
}
