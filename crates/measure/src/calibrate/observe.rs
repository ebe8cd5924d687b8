//! What the labels are worth: each question answered with the deciding gate open, by the sources' own sentences, and the
//! answer held against what a person said.

use std::sync::Arc;

use futures::stream::{self, StreamExt as _, TryStreamExt as _};
use ibidem_engine::ask::{AskError, Engine, Spoken};
use ibidem_engine::explain::{ExplainedCandidate, Explanation};
use ibidem_engine::listener::Nobody;
use ibidem_engine::policy::{CalibratedGate, SpeakMode};
use ibidem_engine::search::SearchError;
use ibidem_engine::turn::Asked;
use ibidem_words::{Action, Answer, CitedSource, Reason};

use super::questions::LabelledQuestion;
use super::{Labelled, gate};
use crate::squad::plain;

#[derive(Debug, thiserror::Error)]
pub enum ObserveError {
    #[error("question {id}: {error}")]
    Search { id: String, error: SearchError },
    #[error("question {id}: {error}")]
    Ask { id: String, error: AskError },
    /// A simpler search has other scores: the threshold would be about something else.
    #[error("question {id}: the search was simplified ({reason}); mend the part and run it again")]
    Simplified { id: String, reason: String },
}

/// What became of the labels.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Observed {
    /// One of each question that was searched for. What is refused otherwise is answered at no threshold.
    pub points: Vec<Labelled>,
    /// Answered or refused by a rule, whatever the threshold.
    pub by_rule: usize,
    /// Searched for, and refused by another gate or by the checks of the answer.
    pub refused_otherwise: usize,
    /// Not answerable, and answered.
    pub not_answerable: usize,
    /// Answerable, and answered from no right document.
    pub wrong_source: usize,
    /// Answerable, and answered from a right document without the labelled words.
    pub wrong_answer: usize,
}

/// Observes all questions, so many at once. No model writes anything. `done` hears of each.
pub async fn observe(
    engine: &Engine,
    asked: &Asked,
    gate: CalibratedGate,
    questions: &[LabelledQuestion],
    at_once: usize,
    mut done: impl FnMut(),
) -> Result<Observed, ObserveError> {
    let mut open = gate::opened(&asked.policy, gate);
    open.rules.speak.mode = SpeakMode::Extractive;
    let open = Asked { policy: Arc::new(open), ..asked.clone() };
    let answered = stream::iter(questions).map(|label| answered(engine, &open, gate, label)).buffered(at_once.max(1));
    let mut observed = Observed::default();
    let mut answered = std::pin::pin!(answered);
    while let Some(outcome) = answered.try_next().await? {
        observed.take(outcome);
        done();
    }
    Ok(observed)
}

/// What became of one label.
enum Outcome {
    ByRule,
    Refused,
    Answered { score: f64, judged: Judged },
}

enum Judged {
    Right,
    NotAnswerable,
    WrongSource,
    WrongAnswer,
}

async fn answered(
    engine: &Engine,
    open: &Asked,
    gate: CalibratedGate,
    label: &LabelledQuestion,
) -> Result<Outcome, ObserveError> {
    let mut question = open.question.clone().asking(&label.query);
    if !label.collections.is_empty() {
        question.collections.clone_from(&label.collections);
    }
    let asked = Asked { question, ..open.clone() };
    let spoken = engine.ask(asked.clone(), &mut Nobody).await;
    let spoken = spoken.map_err(|error| ObserveError::Ask { id: label.id.clone(), error })?;
    let Spoken { answer, failure, search, .. } = spoken;
    let fallbacks = &answer.retrieval_quality.fallback_reasons;
    if answer.reason == Some(Reason::RetrievalUnavailable) || !fallbacks.is_empty() {
        let reason = crate::simplified(fallbacks, failure.as_slice());
        return Err(ObserveError::Simplified { id: label.id.clone(), reason });
    }
    if search.is_none() {
        return Ok(Outcome::ByRule);
    }
    if answer.action != Action::Cite {
        return Ok(Outcome::Refused);
    }
    if !label.answerable && gate != CalibratedGate::DistanceThreshold {
        let score = gate::observed(gate, &answer.trace);
        return Ok(score.map_or(Outcome::Refused, |score| Outcome::Answered { score, judged: Judged::NotAnswerable }));
    }
    let explanation = engine.explain(asked).await;
    let explanation = explanation.map_err(|error| ObserveError::Search { id: label.id.clone(), error })?;
    let Some(score) = gate::score(gate, &explanation) else { return Ok(Outcome::Refused) };
    Ok(Outcome::Answered { score, judged: judged(gate, label, &answer, &explanation) })
}

impl Observed {
    fn take(&mut self, outcome: Outcome) {
        let (score, judged) = match outcome {
            Outcome::ByRule => {
                self.by_rule += 1;
                return;
            }
            Outcome::Refused => {
                self.refused_otherwise += 1;
                self.points.push(Labelled { score: f64::NEG_INFINITY, wrong: false });
                return;
            }
            Outcome::Answered { score, judged } => (score, judged),
        };
        match judged {
            Judged::Right => {}
            Judged::NotAnswerable => self.not_answerable += 1,
            Judged::WrongSource => self.wrong_source += 1,
            Judged::WrongAnswer => self.wrong_answer += 1,
        }
        self.points.push(Labelled { score, wrong: !matches!(judged, Judged::Right) });
    }
}

/// The answer and its evidence together. A gate on distance leaves the fewer the stricter it is, so that the closest
/// by itself must be right too: then the same holds at every threshold that lets the question through.
fn judged(gate: CalibratedGate, label: &LabelledQuestion, answer: &Answer, explanation: &Explanation) -> Judged {
    if !label.answerable {
        return Judged::NotAnswerable;
    }
    let is_right = |candidate: &ExplainedCandidate| {
        label.documents.is_empty() || label.documents.iter().any(|document| is_called(candidate, document))
    };
    let is_cited = |candidate: &&ExplainedCandidate| {
        let cites = |source: &CitedSource| matches!(source, CitedSource::Passage(id) if *id == candidate.source_id);
        answer.citations.iter().any(|citation| cites(&citation.source_id))
    };
    let cites_right = explanation.candidates.iter().filter(is_cited).any(is_right);
    let closest_is_right = || match gate {
        CalibratedGate::Top1Similarity | CalibratedGate::Answerability => true,
        CalibratedGate::DistanceThreshold => gate::closest(explanation).is_some_and(is_right),
    };
    if !(cites_right && closest_is_right()) {
        return Judged::WrongSource;
    }
    let text = plain(&answer.answer);
    let says_it = label.answers.is_empty() || label.answers.iter().any(|words| text.contains(&plain(words)));
    if says_it { Judged::Right } else { Judged::WrongAnswer }
}

/// By its address, or by where it came from.
fn is_called(candidate: &ExplainedCandidate, document: &str) -> bool {
    let by_address = candidate.address.as_ref().is_some_and(|address| address.eq_ignore_ascii_case(document));
    let location = &candidate.source_location;
    let in_a_file = location.strip_suffix(document).is_some_and(|before| before.is_empty() || before.ends_with('#'));
    by_address || in_a_file
}

#[cfg(test)]
mod tests;
