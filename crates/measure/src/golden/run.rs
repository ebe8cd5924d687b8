//! A run: every question is asked, one after the other, and what became of it is measured.

use std::time::Instant;

use ibidem_engine::policy::GatherRules;
use ibidem_ports::catalogue::{Catalogue, CatalogueError};
use ibidem_ports::vocabulary::{Vocabulary, VocabularyError};
use ibidem_words::{Answer, GateRecord, Scope};
use serde::{Deserialize, Serialize};

use super::actual::Actual;
use super::by_rule::asked_term;
use super::compliance::CitedSentences;
use super::defined::is_the_vocabularys;
use super::halves::{Half, halves};
use super::judged::{Judged, judge};
use super::{Category, Expected, GoldenQuery};

#[derive(Debug, thiserror::Error)]
pub enum RunError<E> {
    #[error("{0}: {1}")]
    Ask(String, E),
    #[error("{0}: what the answer cites cannot be looked up: {1}")]
    Catalogue(String, CatalogueError),
    #[error("{0}: the vocabulary cannot be asked whether the answer is its own: {1}")]
    Vocabulary(String, VocabularyError),
}

/// What an answer is compared with.
pub struct Truth<'a> {
    pub catalogue: &'a dyn Catalogue,
    pub scope: &'a Scope,
    pub vocabulary: Option<&'a dyn Vocabulary>,
    pub rules: &'a GatherRules,
}

/// A question, and what became of it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Measured {
    pub id: String,
    pub query: String,
    pub category: Category,
    pub half: Half,
    pub expected: Expected,
    pub actual: Actual,
    pub judged: Judged,
    /// What is wrong, where something is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// 0 to 100; none where an answer is given by rule, or not at all.
    pub confidence: Option<f64>,
    pub sentences: CitedSentences,
    /// Of an answer about a term: whether it is the vocabulary's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vocabularys_own: Option<bool>,
    pub trace: Vec<GateRecord>,
    pub latency_ms: f64,
}

/// Asks every question with `ask`; `done` hears of each.
pub async fn run<E>(
    queries: &[GoldenQuery],
    truth: &Truth<'_>,
    ask: impl AsyncFn(&str) -> Result<Answer, E>,
    done: impl Fn(),
) -> Result<Vec<Measured>, RunError<E>> {
    let mut measured = Vec::with_capacity(queries.len());
    for (query, half) in queries.iter().zip(halves(queries)) {
        let began = Instant::now();
        let answer = ask(&query.query).await.map_err(|error| RunError::Ask(query.id.clone(), error))?;
        let latency_ms = rounded(began.elapsed().as_secs_f64() * 1_000.0);
        measured.push(truth.measured(query, half, &answer, latency_ms).await?);
        done();
    }
    Ok(measured)
}

impl Truth<'_> {
    async fn measured<E>(
        &self,
        query: &GoldenQuery,
        half: Half,
        answer: &Answer,
        latency_ms: f64,
    ) -> Result<Measured, RunError<E>> {
        let actual = Actual::of(answer, self.catalogue, self.scope).await;
        let actual = actual.map_err(|error| RunError::Catalogue(query.id.clone(), error))?;
        let (judged, reason) = judge(query, &actual);
        let is_answered = actual.is_answered();
        let vocabularys_own = if query.category.is_terminology() && is_answered {
            let own = self.is_the_vocabularys(query, answer).await;
            Some(own.map_err(|error| RunError::Vocabulary(query.id.clone(), error))?)
        } else {
            None
        };
        Ok(Measured {
            id: query.id.clone(),
            query: query.query.clone(),
            category: query.category,
            half,
            expected: query.expected.clone(),
            judged,
            reason,
            confidence: answer.confidence.filter(|_| is_answered).map(|confidence| rounded(confidence.overall)),
            sentences: if is_answered { CitedSentences::of(answer) } else { CitedSentences::default() },
            vocabularys_own,
            trace: answer.trace.iter().map(with_four_places).collect(),
            latency_ms,
            actual,
        })
    }

    async fn is_the_vocabularys(&self, query: &GoldenQuery, answer: &Answer) -> Result<bool, VocabularyError> {
        let Some(vocabulary) = self.vocabulary else { return Ok(false) };
        let term = asked_term(&query.query, self.rules);
        is_the_vocabularys(answer, term.as_deref(), vocabulary).await
    }
}

/// To four places, as people read it.
fn with_four_places(record: &GateRecord) -> GateRecord {
    GateRecord { observed: rounded(record.observed), threshold: rounded(record.threshold), ..record.clone() }
}

pub(super) fn rounded(number: f64) -> f64 {
    (number * 10_000.0).round() / 10_000.0
}
