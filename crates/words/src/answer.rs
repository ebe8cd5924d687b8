//! What the asker gets: an answer with its citations, or a refusal with its reason.

use super::Fallback;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{Action, CharSpan, CitedSource, GateRecord, ProposedCall, Reason, Receipt, Seal, Sha256Hash, SigningKey};

/// A citation names the source that a claim of the answer rests on.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Citation {
    /// The number shown in the text.
    pub marker: u32,
    #[cfg_attr(feature = "schema", schema(value_type = String))]
    pub source_id: CitedSource,
    pub document_id: Uuid,
    pub document_name: String,
    pub version: u32,
    pub updated_at: DateTime<Utc>,
    pub chunk_index: u32,
    pub page_number: Option<u32>,
    pub section: Option<String>,
    /// The cells of a sheet that it is from, as programs for sheets name them: `Tariffs!C7`, or `row 7` of a file without
    /// sheets. Left out for what is from no sheet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cells: Option<String>,
    /// How relevant the passage is to the question, from 0 to 1.
    pub relevance_score: f64,
    /// The first 200 characters of the passage, `...` if it goes on. What looks like a citation of an answer is in round
    /// brackets.
    pub snippet: String,
    /// The passage as the document has it, word for word: the receipt has its digest.
    pub snippet_full: String,
    pub span: CharSpan,
    #[cfg_attr(feature = "schema", schema(value_type = String))]
    pub document_sha256: Sha256Hash,
    /// What people call the document by: `ADR-0031`.
    #[serde(default)]
    pub address: Option<String>,
    /// The collection that the document is in.
    #[serde(default)]
    pub collection: Option<String>,
    /// Where the document came from: its path below the folder that was ingested, or the name that the API was told.
    #[serde(default)]
    pub file: Option<String>,
    /// Where to fetch the source: a path of this API for a passage, the URI of a concept, null of a tool's result.
    #[serde(default)]
    pub link: Option<String>,
    /// Whether the document is in force: `in_force`, `superseded`, `rejected`, `deprecated`, `draft`, `expired` or
    /// `not_yet`. Null for a concept of a vocabulary and for a tool's result.
    #[serde(default)]
    pub status: Option<String>,
    /// Addresses of what replaced the document.
    #[serde(default)]
    pub replaced_by: Vec<String>,
    /// The call of a tool whose result this is. Left out for documents and concepts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<CitedTool>,
}

/// A call of a tool, as a citation names it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct CitedTool {
    /// The server, as the settings name it.
    pub server: String,
    /// The tool, as its server names it.
    pub tool: String,
    /// Identifies the call in the record of the turn.
    pub call_id: Uuid,
    /// When it was called.
    pub called_at: DateTime<Utc>,
}

/// How well the search went, and whether it was simpler than it should have been.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct RetrievalQuality {
    /// How sure the answer is, from 0 to 1, rounded to three places so that clients compare what they see.
    pub confidence_score: f64,
    pub confidence_level: ConfidenceLevel,
    pub fallback_active: bool,
    pub fallback_reasons: Vec<Fallback>,
    pub degraded: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum ConfidenceLevel {
    High,
    Medium,
    Low,
}

impl RetrievalQuality {
    /// The score, rounded to three places. Any active fallback costs a fifth of it, once, however many are active.
    pub fn score(base: f64, fell_back: bool) -> f64 {
        let score = if fell_back { base * 0.8 } else { base };
        // Nothing found is 0, and not -0.
        (score.clamp(0.0, 1.0) * 1_000.0).round() / 1_000.0 + 0.0
    }

    pub fn of(base: f64, fallback_reasons: Vec<Fallback>) -> Self {
        let fallback_active = !fallback_reasons.is_empty();
        let confidence_score = Self::score(base, fallback_active);
        let confidence_level = match confidence_score {
            score if score >= 0.85 => ConfidenceLevel::High,
            score if score >= 0.60 => ConfidenceLevel::Medium,
            _ => ConfidenceLevel::Low,
        };
        Self { confidence_score, confidence_level, fallback_active, fallback_reasons, degraded: fallback_active }
    }
}

/// What the asker should know about how the answer came about.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Transparency {
    pub statement: Option<String>,
    pub show_to_user: bool,
}

/// How much an answer can be relied on. The policy says what each part counts. Where the judge's is left out, the coverage
/// counts for it.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Confidence {
    /// The confidence that is compared with the policy's threshold, from 0 to 100, weighed of the parts below.
    pub overall: f64,
    /// How well the search went, from 0 to 1. It falls when a part of the search failed.
    pub retrieval_score: f64,
    /// How far the answer covers the question, from 0 to 1, times the share of its key phrases that the sources have.
    pub coverage_score: f64,
    /// 0 to 100, by the policy's judge. Left out where nobody was asked, as of sentences that are quoted word for word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub llm_score: Option<f64>,
}

/// Somebody who may know, when the sources do not.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct RouteTarget {
    pub tag: String,
    pub owner_user_id: Option<Uuid>,
    pub owner_email: Option<String>,
    pub reason: String,
    /// The configured admin stands in, because the tag has no owner.
    pub fallback: bool,
    /// Whether the question is on its way to them: it is in the queue, or was sent today. Left out where it is not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub handed_over: bool,
}

/// A passage that came near and was not enough: where to read on after a refusal.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct NearestMiss {
    /// Names the passage, as `{document_id}:{chunk_index}`.
    #[cfg_attr(feature = "schema", schema(value_type = String))]
    pub source_id: CitedSource,
    /// The version of the document that was read.
    pub version: u32,
    /// What the document is called.
    pub title: String,
    /// The section that the passage stands in.
    pub section: Option<String>,
    /// The name by which the document can be asked for.
    pub address: Option<String>,
    /// Why it is no answer, in a sentence.
    pub why: String,
    /// The probability, by the reader, that it answers. Left out where no reader read it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answers: Option<f64>,
    /// How similar it is to the question. Left out by earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub similarity: Option<f64>,
}

/// Something to ask instead. When it was offered, it led to an answer.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Offer {
    /// What is shown.
    pub text: String,
    /// The question that it stands for.
    pub query: String,
}

/// An answer is the reply to one question: cited, refused, asked back or routed to a person.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Answer {
    pub request_id: Uuid,
    pub action: Action,
    /// The question as it was searched for, where it went on with an earlier one of the conversation and was put so that
    /// it stands by itself. Left out where the question was searched as it was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rewritten_question: Option<String>,
    pub answer: String,
    pub refused: bool,
    /// Why there is no answer, with the numbers that decided it.
    pub refusal_reason: Option<String>,
    /// Why there is no answer, in a sentence without numbers. Null where there is one.
    #[serde(default)]
    pub why: Option<String>,
    /// What came nearest to an answer that was refused, nearest first. It holds no text of a passage.
    #[serde(default)]
    pub nearest: Vec<NearestMiss>,
    /// The language of the texts around the answer, as a tag such as `en`: of refusals, notices and offers. Left out by
    /// earlier versions, whose texts are in the language of the policy file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    pub reason: Option<Reason>,
    pub citations: Vec<Citation>,
    /// Null where nothing was answered.
    pub confidence: Option<Confidence>,
    pub retrieval_quality: RetrievalQuality,
    pub transparency: Transparency,
    pub route_to: Option<RouteTarget>,
    /// What to do or ask next, in words: the texts of `offers`, `details`, and advice.
    pub suggestions: Vec<String>,
    /// What can be asked instead, or to choose between: at most three, each of which was answered when it was looked at.
    /// Left out where there is none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub offers: Vec<Offer>,
    /// What the asker is asked to say, for a form. Left out where nothing is missing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub details: Vec<String>,
    pub warnings: Vec<String>,
    /// The model whose words these are; `extractive` when they are the sources' own.
    pub model_used: Option<String>,
    pub context_chunks_used: usize,
    pub context_tokens_used: u64,
    pub generation_time_ms: u64,
    pub grounded: bool,
    pub trace: Vec<GateRecord>,
    /// What would be done in another system if the asker confirms it. Left out where nothing is to be confirmed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirmation: Option<ProposedCall>,
    /// Null only in an answer that is still being made.
    pub receipt: Option<Receipt>,
}

impl Answer {
    /// The answer as it may be kept: without the token that confirms what it proposes.
    #[must_use]
    pub fn to_keep(&self) -> Self {
        let kept = self.clone();
        Self { confirmation: kept.confirmation.map(ProposedCall::without_token), ..kept }
    }

    /// What the asker should know of how the answer came about, in sentences.
    pub fn notices(&self) -> Vec<&str> {
        let quality = &self.retrieval_quality;
        let is_quoted = quality.fallback_reasons.contains(&Fallback::Extractive);
        // A refusal quotes nothing, and says itself that little was found.
        let is_idle = self.refused && is_quoted && self.warnings.len() == 1;
        let is_noted = self.transparency.show_to_user && (quality.degraded || !self.refused);
        let statement = self.transparency.statement.as_deref().filter(|_| is_noted);
        self.warnings.iter().filter(|_| !is_idle).map(String::as_str).chain(statement).collect()
    }

    /// The finished answer, with the receipt of all that it says, signed where there is a key: nothing in it may change
    /// after this without sealing it again.
    #[must_use]
    pub fn sealed(self, seal: Seal<'_>) -> Self {
        let receipt = Receipt::of(&self, seal);
        Self { receipt: Some(receipt), ..self }
    }

    /// Seals a sealed answer again, of which something around its text was changed before it went out.
    pub fn seal_again(&mut self, key: Option<&SigningKey>) {
        self.receipt = self.receipt.take().map(|receipt| receipt.showing(self, key));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// (id, base, flags, score, level)
    const CONF: [(&str, f64, &[Fallback], f64, ConfidenceLevel); 5] = [
        ("CONF-01", 0.85, &[], 0.85, ConfidenceLevel::High),
        ("CONF-02", 0.85, &[Fallback::KeywordsOnly], 0.68, ConfidenceLevel::Medium),
        ("CONF-03", 0.90, &[Fallback::CircuitOpen], 0.72, ConfidenceLevel::Medium),
        ("CONF-04", 0.80, &[Fallback::KeywordsOnly, Fallback::CircuitOpen], 0.64, ConfidenceLevel::Medium),
        ("CONF-05", 0.50, &[Fallback::KeywordsOnly], 0.40, ConfidenceLevel::Low),
    ];

    #[test]
    fn conf_01_to_05_a_fallback_costs_a_fifth_once() {
        for (id, base, flags, score, level) in CONF {
            let quality = RetrievalQuality::of(base, flags.to_vec());
            assert!((quality.confidence_score - score).abs() < 1e-9, "{id}: {quality:?}");
            assert_eq!(quality.confidence_level, level, "{id}");
            assert_eq!(quality.fallback_active, !flags.is_empty(), "{id}");
        }
    }
}
