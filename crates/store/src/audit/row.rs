//! A turn's record, made ready to be written.

use std::time::Duration;

use chrono::{DateTime, Utc};
use ibidem_ports::catalogue::CatalogueError;
use ibidem_ports::records::{SearchNumbers, TurnRecord};
use ibidem_words::{Speaker, TenantId};
use serde_json::{Value, json};
use uuid::Uuid;

use super::Texts;
use super::cut::{cut_document, cut_text};
use crate::convert::{corrupt, to_i32};

/// How many citations of an answer were held against the catalogue, and how many of them it does not know.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct CitationCheck {
    pub checked: u32,
    pub broken: u32,
}

/// A record as it will stand in its table, documents as JSON text.
#[derive(Clone, Debug)]
pub struct AuditRow {
    pub(super) id: Uuid,
    pub(super) asked_at: DateTime<Utc>,
    pub(super) tenant: TenantId,
    pub(super) request_id: Uuid,
    pub(super) subject_id: String,
    pub(super) subject_name: String,
    pub(super) session_id: Option<String>,
    pub(super) turn: i32,
    pub(super) texts: &'static str,
    pub(super) question: String,
    pub(super) route: &'static str,
    pub(super) retrieval: Option<String>,
    pub(super) decision: String,
    pub(super) action: &'static str,
    pub(super) reason: Option<&'static str>,
    pub(super) answer: String,
    pub(super) draft: Option<String>,
    pub(super) markers: String,
    pub(super) sentences: String,
    pub(super) markers_dropped: i32,
    pub(super) sentences_dropped: i32,
    pub(super) marker_score: f64,
    pub(super) sentence_score: f64,
    pub(super) citations_checked: Option<i32>,
    pub(super) citations_broken: Option<i32>,
    pub(super) fallback_flags: String,
    pub(super) policy_sha256: Vec<u8>,
    pub(super) duration_ms: i64,
    pub(super) stages: String,
    pub(super) failure: Option<String>,
}

impl AuditRow {
    pub(super) fn of(
        record: TurnRecord,
        citations: Option<CitationCheck>,
        texts: &Texts,
    ) -> Result<Self, CatalogueError> {
        let TurnRecord { question, answer, numbers, .. } = &record;
        let (markers, sentences) = (&numbers.markers, &numbers.sentences);
        let questions_before = question.history.iter().filter(|message| message.role == Speaker::User).count();
        let stages: Vec<_> = numbers.stages.iter().map(|(stage, took)| json!([stage, milliseconds(*took)])).collect();
        Ok(Self {
            id: Uuid::now_v7(),
            asked_at: record.asked_at,
            tenant: record.tenant,
            request_id: answer.request_id,
            turn: to_i32(questions_before + 1)?,
            texts: texts.name(),
            question: texts.document(question)?,
            route: if question.collections.len() == 1 { "direct" } else { "tree" },
            retrieval: numbers.search.as_ref().map(|search| texts.document(&retrieval(search))).transpose()?,
            decision: texts.document(&record.decision)?,
            action: answer.action.as_str(),
            reason: answer.reason.map(|reason| reason.as_str()),
            answer: texts.document(answer)?,
            markers: text(&json!({
                "expanded": markers.expanded,
                "not_minted": markers.not_minted,
                "malformed": markers.malformed,
                "repeated": markers.repeated,
                "internal": markers.internal,
            }))?,
            sentences: text(&json!({
                "supported": sentences.supported,
                "contradicted": sentences.contradicted,
                "unsupported": sentences.unsupported,
                "unchecked": sentences.unchecked,
            }))?,
            markers_dropped: to_i32(record.markers_dropped)?,
            sentences_dropped: to_i32(record.sentences_dropped)?,
            marker_score: numbers.marker_score(),
            sentence_score: numbers.sentence_score(),
            citations_checked: citations.map(|citations| to_i32(citations.checked)).transpose()?,
            citations_broken: citations.map(|citations| to_i32(citations.broken)).transpose()?,
            fallback_flags: text(&json!(answer.retrieval_quality.fallback_reasons))?,
            policy_sha256: record.policy_hash.as_bytes().to_vec(),
            duration_ms: i64::try_from(record.duration_ms).unwrap_or(i64::MAX),
            stages: text(&Value::Array(stages))?,
            session_id: question.session_id.clone().map(without_nul),
            subject_id: record.subject.id().to_string(),
            subject_name: without_nul(record.subject.name().to_owned()),
            draft: record.draft.map(|draft| texts.words(draft)),
            failure: record.failure.map(|failure| texts.words(failure)),
        })
    }

    pub fn request_id(&self) -> Uuid {
        self.request_id
    }

    /// About how many bytes it takes in memory and on its way.
    pub fn bytes(&self) -> usize {
        let texts = [&self.question, &self.decision, &self.answer, &self.markers, &self.sentences, &self.stages];
        let others = [&self.retrieval, &self.draft, &self.failure, &self.session_id];
        let texts: usize = texts.iter().map(|text| text.len()).sum();
        texts + others.iter().filter_map(|text| text.as_ref()).map(String::len).sum::<usize>()
    }
}

impl Texts {
    fn name(&self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Hashed(_) => "hashed",
        }
    }

    pub(crate) fn words(&self, words: String) -> String {
        match self {
            Self::Plain => cut_text(without_nul(words)),
            Self::Hashed(key) => key.hide(&words),
        }
    }

    fn document(&self, document: &impl serde::Serialize) -> Result<String, CatalogueError> {
        match self {
            Self::Plain => text(document),
            Self::Hashed(key) => text(&key.hide_in(serde_json::to_value(document).map_err(corrupt)?)),
        }
    }
}

fn retrieval(search: &SearchNumbers) -> Value {
    json!({
        "collections": search.collections,
        "found": search.found,
        "embedding_requests": search.embedding_requests,
        "embedding_failures": search.embedding_failures,
        "by_words_alone": search.by_words_alone,
        "took_ms": milliseconds(search.took),
    })
}

/// To the microsecond.
fn milliseconds(took: Duration) -> f64 {
    (took.as_secs_f64() * 1_000_000.0).round() / 1_000.0
}

fn text(document: &impl serde::Serialize) -> Result<String, CatalogueError> {
    let written = serde_json::to_string(document).map_err(corrupt)?;
    // Rare, and dear to look for in every text: only when this shows that there may be one.
    if written.contains("\\u0000") {
        let storable = serde_json::to_value(document).map(|value| storable(value).to_string()).map_err(corrupt)?;
        return cut_document(storable).map_err(corrupt);
    }
    cut_document(written).map_err(corrupt)
}

/// PostgreSQL's text has no NUL; a record that could not be written would be worse than one without it.
pub(crate) fn without_nul(text: String) -> String {
    if text.contains('\0') { text.replace('\0', "\u{fffd}") } else { text }
}

pub(crate) fn storable(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(without_nul(text)),
        Value::Array(values) => Value::Array(values.into_iter().map(storable).collect()),
        Value::Object(fields) => {
            Value::Object(fields.into_iter().map(|(name, value)| (name, storable(value))).collect())
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_nul_is_replaced_and_a_backslash_before_u0000_is_no_nul() {
        assert_eq!(text(&json!({"a": ["x\0y"]})).unwrap(), r#"{"a":["x�y"]}"#);
        assert_eq!(text(&json!("x\\u0000y")).unwrap(), r#""x\\u0000y""#);
        assert_eq!(milliseconds(Duration::from_nanos(1_234_567)), 1.235);
    }
}
