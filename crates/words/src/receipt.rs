//! An answer's proof, which anybody can check again who has the documents.
//!
//! The stretches, one after the other, are the answer's text byte for byte, each with what it is and how it was checked:
//! nothing was shown that is not in the receipt. What is shown around the text (names, links, warnings, figures) is in
//! the receipt by its digest. `sha256` is the digest of everything else in the receipt, as canonical JSON (RFC 8785)
//! without that field and the signature. The signature is the installation's over that digest ([`super::signing`]):
//! whoever rewrites a receipt can write a digest anew, but no signature.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::canonical::{digest_of, digest_of_json};
use super::decision::as_shown;
use super::signing::{ReceiptSignature, SigningKey};
use super::{
    Action, Answer, CharSpan, Citation, CitedSource, Computation, DocumentId, GateRecord, PolicyInForce, PolicyPlace,
    Reason, Sha256Hash,
};

/// What is handed out now. A receipt of version 1 does not say its version, and covers neither the question nor what was
/// shown around the answer's text.
pub const RECEIPT_VERSION: u32 = 2;

/// Every answer has a receipt, also one that refuses: then its one stretch is the policy's own words.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Receipt {
    /// Says by which rules the receipt was made, and so what it covers. Left out by version 1.
    #[serde(default = "first_version", skip_serializing_if = "is_first_version")]
    pub version: u32,
    pub request_id: Uuid,
    /// Holds the question as it was asked; of an earlier version it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
    pub asked_at: DateTime<Utc>,
    pub action: Action,
    pub reason: Option<Reason>,
    /// Covers the answer's text as it was shown: that of all stretches together.
    #[cfg_attr(feature = "schema", schema(value_type = String))]
    pub answer_sha256: Sha256Hash,
    /// Covers the whole answer as it was shown, as canonical JSON: every field but this receipt and the token that
    /// confirms what the answer proposes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<String>))]
    pub shown_sha256: Option<Sha256Hash>,
    /// Covers the token that confirms what the answer proposes, which is not kept. Left out where it proposes nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<String>))]
    pub token_sha256: Option<Sha256Hash>,
    /// Identifies the policy file that was in force.
    #[cfg_attr(feature = "schema", schema(value_type = String))]
    pub policy_sha256: Sha256Hash,
    /// Where this policy file was set; absent where it is the installation's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy_place: Option<PolicyPlace>,
    /// Covers the gates' records, their numbers to four places, as canonical JSON.
    #[cfg_attr(feature = "schema", schema(value_type = String))]
    pub trace_sha256: Sha256Hash,
    /// The model whose words these are; `extractive` when they are the sources' own; null when nothing was written.
    pub model: Option<String>,
    /// The entailment model that judged the claims; null when none did.
    pub verifier: Option<String>,
    /// What read the question together with each passage; null where nothing did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reader: Option<String>,
    /// Holds the answer's text in order, byte for byte.
    pub stretches: Vec<Stretch>,
    /// Covers everything else in this receipt but the signature, as canonical JSON (RFC 8785).
    #[cfg_attr(feature = "schema", schema(value_type = String))]
    pub sha256: Sha256Hash,
    /// Proves which installation answered; null where it has no key.
    #[serde(default)]
    pub signature: Option<ReceiptSignature>,
}

impl Receipt {
    /// The versions of documents that are needed to check it.
    pub fn documents(&self) -> BTreeSet<(DocumentId, u32)> {
        let sources = self.stretches.iter().flat_map(|stretch| &stretch.sources);
        let passages = sources.filter_map(|source| match &source.source_id {
            CitedSource::Passage(id) => Some((id.document, source.version)),
            CitedSource::Concept(_) | CitedSource::Tool(_) => None,
        });
        passages.collect()
    }

    /// What an answer that is not finished says. [`Answer::sealed`] makes a receipt of it.
    pub fn unsealed(verifier: Option<String>, stretches: Vec<Stretch>) -> Self {
        let nothing = Sha256Hash::of(b"");
        Self {
            version: RECEIPT_VERSION,
            request_id: Uuid::nil(),
            question: None,
            asked_at: DateTime::UNIX_EPOCH,
            action: Action::Refuse,
            reason: None,
            answer_sha256: nothing,
            shown_sha256: None,
            token_sha256: None,
            policy_sha256: nothing,
            policy_place: None,
            trace_sha256: nothing,
            model: None,
            verifier,
            reader: None,
            stretches,
            sha256: nothing,
            signature: None,
        }
    }

    /// Makes the receipt of an answer as it will be shown. An answer that was not made of stretches is the policy's own
    /// words.
    pub(super) fn of(answer: &Answer, seal: Seal<'_>) -> Self {
        let Seal { question, asked_at, policy, reader, key } = seal;
        let words = || vec![Stretch::policy(answer.answer.clone())];
        let base = answer.receipt.clone().unwrap_or_else(|| Self::unsealed(None, words()));
        let mut receipt = Self {
            request_id: answer.request_id,
            question: Some(question.to_owned()),
            asked_at,
            action: answer.action,
            reason: answer.reason,
            answer_sha256: Sha256Hash::of(answer.answer.as_bytes()),
            token_sha256: answer.confirmation.as_ref().and_then(|call| Some(call.token.as_ref()?.digest())),
            policy_sha256: policy.sha256,
            policy_place: policy.place,
            trace_sha256: trace_sha256(&answer.trace),
            model: answer.model_used.clone(),
            reader,
            ..base
        };
        for stretch in &mut receipt.stretches {
            // Short enough that everybody reads the same number.
            stretch.check.support = as_shown(stretch.check.support);
        }
        receipt.showing(answer, key)
    }

    /// The same of an answer of which something around the text was changed before anybody saw it.
    #[must_use]
    pub(super) fn showing(self, answer: &Answer, key: Option<&SigningKey>) -> Self {
        // Plain strings and numbers: serialising them cannot fail.
        let written = serde_json::to_value(answer).unwrap_or_default();
        let sealed = Self { shown_sha256: Some(shown_sha256(&written)), ..self }.sealed();
        match key {
            Some(key) => sealed.signed(key),
            None => sealed,
        }
    }

    /// Sets the digest anew and removes the signature, which was made for another digest.
    #[must_use]
    pub fn sealed(self) -> Self {
        let fields = serde_json::to_value(&self).unwrap_or_default();
        Self { sha256: receipt_sha256(&fields), signature: None, ..self }
    }

    /// Signs the digest with the installation's key.
    #[must_use]
    pub fn signed(self, key: &SigningKey) -> Self {
        Self { signature: Some(key.sign(self.sha256)), ..self }
    }

    /// The answer's text, as its stretches give it.
    pub fn text(&self) -> String {
        self.stretches.iter().map(|stretch| stretch.text.as_str()).collect()
    }

    /// What was claimed, in order.
    pub fn claims(&self) -> impl Iterator<Item = &Stretch> {
        self.stretches.iter().filter(|stretch| stretch.kind == StretchKind::Claim)
    }
}

fn first_version() -> u32 {
    1
}

fn is_first_version(version: &u32) -> bool {
    *version == first_version()
}

/// What an answer is sealed with.
pub struct Seal<'a> {
    /// Holds the question as it was asked.
    pub question: &'a str,
    pub asked_at: DateTime<Utc>,
    pub policy: PolicyInForce,
    /// What read the question together with each passage; none where nothing did.
    pub reader: Option<String>,
    /// None where the installation has no key.
    pub key: Option<&'a SigningKey>,
}

/// The digest of an answer as it is written, without its receipt, which holds this digest, and without the token that
/// confirms what it proposes: that is the asker's alone, and is left out where the answer is kept.
pub fn shown_sha256(answer: &serde_json::Value) -> Sha256Hash {
    let mut fields = answer.clone();
    if let Some(fields) = fields.as_object_mut() {
        fields.remove("receipt");
        if let Some(proposed) = fields.get_mut("confirmation").and_then(serde_json::Value::as_object_mut) {
            proposed.remove("token");
        }
    }
    digest_of_json(&fields)
}

/// The digest of a receipt as it is written, without its digest and its signature.
pub fn receipt_sha256(receipt: &serde_json::Value) -> Sha256Hash {
    let mut fields = receipt.clone();
    if let Some(fields) = fields.as_object_mut() {
        fields.remove("sha256");
        fields.remove("signature");
    }
    digest_of_json(&fields)
}

/// Returns the digest of what the gates recorded. Numbers count to four places: not every reader of JSON keeps the
/// seventeenth.
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
pub struct Stretch {
    /// Holds the text as it was shown: markers and the white space around it included.
    pub text: String,
    pub kind: StretchKind,
    pub check: SentenceCheck,
    pub sources: Vec<ReceiptSource>,
}

/// What a stretch of an answer is. There is nothing else in an answer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum StretchKind {
    /// It says something, and its sources were asked whether they say so.
    Claim,
    /// It orders what follows: a heading or a label that stands in a source or in the question, a rule, white space.
    Structure,
    /// Words of the policy file.
    Policy,
    /// A model's own words that nobody checked: only under a policy that allows it, below its disclaimer.
    Unverified,
}

impl Stretch {
    /// Makes a stretch of the policy file's own words, which need no source.
    pub fn policy(text: String) -> Self {
        Self { text, kind: StretchKind::Policy, check: SentenceCheck::policy(), sources: Vec::new() }
    }

    /// Makes a stretch of a model's own words, which stand below a disclaimer because nothing supports them.
    pub fn unverified(text: String) -> Self {
        Self { text, kind: StretchKind::Unverified, check: SentenceCheck::unchecked(), sources: Vec::new() }
    }
}

/// How a sentence was checked against the passages it cites, and what was found.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct SentenceCheck {
    pub verdict: SentenceVerdict,
    /// How surely its passages support it, 0 to 1; 1 for words that are the source's own.
    pub support: f64,
    /// Who judged: an entailment model, `figures`, `verbatim`, `catalogue` (a document's title), `computed` (the program,
    /// which computed a figure from cells), `structure` (a heading or label of a source), `question` (the asker's own
    /// words), `policy` (the policy file's words), or `none`.
    pub by: String,
    /// Why it is not supported, in words; or what there is to know of one that is.
    pub why: Option<String>,
    /// It cited nothing, and was given the passage that supports it.
    pub attributed: bool,
    /// What was computed from which cells, where its figure was computed: `function`, `column`, `conditions`, `figure`,
    /// `cells`, `range`, `table`, `rows` and `rows_sha256`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<Object>))]
    pub computed: Option<Box<Computation>>,
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
    /// Marks a sentence as the source's own words: there is nothing to verify.
    pub fn verbatim() -> Self {
        Self {
            verdict: SentenceVerdict::Supported,
            support: 1.0,
            by: "verbatim".to_owned(),
            why: None,
            attributed: false,
            computed: None,
        }
    }

    /// A figure that was computed from cells.
    pub fn computed(computation: Computation) -> Self {
        let computed = Some(Box::new(computation));
        Self { by: "computed".to_owned(), computed, ..Self::verbatim() }
    }

    /// A document's name, from the catalogue.
    pub fn catalogue() -> Self {
        Self { by: "catalogue".to_owned(), ..Self::verbatim() }
    }

    /// Marks words of the policy file: no source has to say them.
    pub fn policy() -> Self {
        Self { by: "policy".to_owned(), ..Self::unchecked() }
    }

    /// Nobody looked.
    pub fn unchecked() -> Self {
        Self { verdict: SentenceVerdict::Unchecked, support: 0.0, by: "none".to_owned(), ..Self::verbatim() }
    }
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ReceiptSource {
    #[cfg_attr(feature = "schema", schema(value_type = String))]
    pub source_id: CitedSource,
    pub version: u32,
    /// Where the passage stands, in characters of that version's text.
    pub span: CharSpan,
    /// Digest of that version's text: a document that was changed since is noticed.
    #[cfg_attr(feature = "schema", schema(value_type = String))]
    pub document_sha256: Sha256Hash,
    /// Digest of the characters at `span`.
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
