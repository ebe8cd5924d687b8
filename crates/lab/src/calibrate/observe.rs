//! What the labels are worth: each question gathered and sifted as for an answer, with the deciding gate open.

use std::sync::Arc;

use futures::stream::{self, StreamExt as _, TryStreamExt as _};
use ibidem_engine::ask::Engine;
use ibidem_engine::explain::{ExplainedCandidate, Explanation};
use ibidem_engine::policy::CalibratedGate;
use ibidem_engine::search::SearchError;
use ibidem_engine::turn::Asked;
use ibidem_words::Reason;

use super::questions::LabelledQuestion;
use super::{Labelled, gate};

#[derive(Debug, thiserror::Error)]
pub enum ObserveError {
    #[error("question {id}: {error}")]
    Search { id: String, error: SearchError },
    /// A simpler search has other scores: the threshold would be about something else.
    #[error("question {id}: the search was simplified ({reason}); mend the part and run it again")]
    Simplified { id: String, reason: String },
}

/// What became of the labels.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Observed {
    /// One of each question that was searched for. What another gate refuses is answered at no threshold.
    pub points: Vec<Labelled>,
    /// Answered or refused by a rule, whatever the threshold.
    pub by_rule: usize,
    /// Searched for, and refused by another gate.
    pub refused_otherwise: usize,
    /// Answerable, and let through by every other gate with no right passage in the evidence.
    pub wrong_evidence: usize,
    /// Not answerable, and let through by every other gate.
    pub not_answerable: usize,
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
    let open = Asked { policy: Arc::new(gate::opened(&asked.policy, gate)), ..asked.clone() };
    let explained = stream::iter(questions).map(|label| explained(engine, &open, label)).buffered(at_once.max(1));
    let mut observed = Observed::default();
    let mut explained = std::pin::pin!(explained);
    while let Some((label, explanation)) = explained.try_next().await? {
        observed.take(gate, label, &explanation);
        done();
    }
    Ok(observed)
}

async fn explained<'a>(
    engine: &Engine,
    open: &Asked,
    label: &'a LabelledQuestion,
) -> Result<(&'a LabelledQuestion, Explanation), ObserveError> {
    let mut question = open.question.clone().asking(&label.query);
    if !label.collections.is_empty() {
        question.collections.clone_from(&label.collections);
    }
    let explanation = engine
        .explain(Asked { question, ..open.clone() })
        .await
        .map_err(|error| ObserveError::Search { id: label.id.clone(), error })?;
    let unavailable = explanation.decision.reason == Some(Reason::RetrievalUnavailable);
    if unavailable || !explanation.fallback_reasons.is_empty() {
        let reason = crate::simplified(&explanation.fallback_reasons, &explanation.failures);
        return Err(ObserveError::Simplified { id: label.id.clone(), reason });
    }
    Ok((label, explanation))
}

impl Observed {
    fn take(&mut self, gate: CalibratedGate, label: &LabelledQuestion, explanation: &Explanation) {
        if !explanation.route.starts_with("search") {
            self.by_rule += 1;
            return;
        }
        let Some(score) = gate::score(gate, explanation) else {
            self.refused_otherwise += 1;
            self.points.push(Labelled { score: f64::NEG_INFINITY, wrong: false });
            return;
        };
        let wrong = !label.answerable || !has_right_passage(gate, label, explanation);
        self.not_answerable += usize::from(!label.answerable);
        self.wrong_evidence += usize::from(wrong && label.answerable);
        self.points.push(Labelled { score, wrong });
    }
}

/// Whether there is something right to answer from. A gate on distance leaves the fewer the stricter it is, so that the
/// closest by itself must be right too: then the same holds at every threshold that lets the question through.
fn has_right_passage(gate: CalibratedGate, label: &LabelledQuestion, explanation: &Explanation) -> bool {
    let is_right = |candidate: &ExplainedCandidate| {
        label.documents.is_empty() || label.documents.iter().any(|document| is_called(candidate, document))
    };
    let evidence = explanation.candidates.iter().filter(|candidate| candidate.note.is_some()).any(is_right);
    match gate {
        CalibratedGate::Top1Similarity => evidence,
        CalibratedGate::DistanceThreshold => evidence && gate::closest(explanation).is_some_and(is_right),
    }
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
