//! Whether what is to be said answers the question: a reader reads both together before anything goes out.
//!
//! A sentence can be true, well cited and beside the question. The verifier reads it with its passages and never with the
//! question, so it cannot tell.

use crate::candidate::Candidate;
use ibidem_language::markers::without_markers;
use ibidem_language::sentences::Kind;
use ibidem_ports::degrade::Deadline;
use ibidem_ports::reranker::{RerankError, RerankFault};
use ibidem_words::{GateRecord, Reason, Refusal, Verdict, as_shown, context_header};

use super::footnotes::Footnotes;
use crate::draft::{AnswerReading, CheckedSentence};
use crate::parts::Parts;
use crate::policy::Policy;
use crate::turn::{Asked, TurnLog};

/// The gate's name in the trace.
pub(crate) const GATE: &str = "answers";

/// A reader, the question, and how likely an answer to it must be.
pub(super) struct AnswerReader<'a> {
    /// None where the configured one has failed this question already: then nobody but a curator vouches for an answer.
    parts: Option<&'a Parts>,
    question: &'a str,
    least: f64,
    deadline: Deadline,
}

impl<'a> AnswerReader<'a> {
    /// None where the policy does not ask, or nobody is there to read: a reranker that said of none of the evidence where
    /// it answers is no reader, and is not asked for what it cannot say.
    pub(super) fn of(
        parts: &'a Parts,
        asked: &Asked,
        question: &'a str,
        evidence: &[Candidate],
        log: &TurnLog,
    ) -> Option<Self> {
        let least = asked.policy.rules.speak.least_answering?;
        let is_away = log.unread.is_some();
        let is_read = evidence.iter().any(|candidate| candidate.answer.is_some());
        let has_reader = parts.reranker.is_some() && is_read;
        if !is_away && !has_reader {
            return None;
        }
        Some(Self { parts: (!is_away).then_some(parts), question, least, deadline: asked.deadline })
    }

    /// Reads what may be said so far. Whether it may go out: what was likely enough for once may go on.
    pub(super) async fn lets_out(
        &self,
        sentences: &[&CheckedSentence],
        footnotes: &Footnotes<'_>,
        reading: &mut AnswerReading,
    ) -> bool {
        let Some(parts) = self.parts.filter(|_| reading.failure.is_none()) else {
            reading.is_unread = true;
            return self.takes(reading, sentences.len(), curated(sentences, footnotes));
        };
        if reading.is_over {
            return true;
        }
        match self.probability(parts, sentences, footnotes).await {
            Ok(Some(likely)) => self.takes(reading, sentences.len(), likely),
            // As where no reader is configured: what was read of the beginning decides nothing either.
            Ok(None) => {
                *reading = AnswerReading { is_over: true, ..AnswerReading::default() };
                true
            }
            Err(error) => {
                (reading.failure, reading.is_unread) = (Some(error), true);
                self.takes(reading, sentences.len(), curated(sentences, footnotes))
            }
        }
    }

    /// Notes how likely so many sentences answer, and says whether that, or what was read before, is enough.
    fn takes(&self, reading: &mut AnswerReading, sentences: usize, likely: f64) -> bool {
        reading.so_far.push((sentences, likely));
        reading.so_far.iter().any(|(_, likely)| *likely >= self.least)
    }

    /// How likely it answers; a curator's choice for this question counts as much as its match. None of a reranker that
    /// does not say where a text answers: its score is of the subject and not of the answer.
    async fn probability(
        &self,
        parts: &Parts,
        sentences: &[&CheckedSentence],
        footnotes: &Footnotes<'_>,
    ) -> Result<Option<f64>, RerankError> {
        let likely = likely_to_answer(parts, self.deadline, self.question, as_passage(sentences, footnotes)).await?;
        Ok(likely.map(|likely| likely.max(curated(sentences, footnotes))))
    }
}

/// How likely a text answers a question, by the reader that decides about such pairs. None of one that does not say where a
/// text answers.
async fn likely_to_answer(
    parts: &Parts,
    deadline: Deadline,
    question: &str,
    text: String,
) -> Result<Option<f64>, RerankError> {
    for reader in parts.readers_of(question, &text) {
        let read = reader.call(deadline, |reader| reader.read(question, vec![text.clone()])).await?;
        let [read] = read.as_slice() else {
            return Err(RerankError::Own(RerankFault::Failed(format!("{} scores for 1 text", read.len()))));
        };
        if read.answer.is_some() {
            return Ok(Some(as_shown(f64::from(read.score))));
        }
    }
    Ok(None)
}

/// How well what is said fits the question by a curator's choice: that stands with a reader and without one.
fn curated(sentences: &[&CheckedSentence], footnotes: &Footnotes<'_>) -> f64 {
    let numbers = sentences.iter().flat_map(|checked| &checked.sentence.citations);
    as_shown(numbers.filter_map(|number| footnotes.curated(*number)).fold(0.0, f64::max))
}

/// The claims as a reader reads passages: each stretch under the title and section of the note that it cites.
fn as_passage(sentences: &[&CheckedSentence], footnotes: &Footnotes<'_>) -> String {
    let mut text = String::new();
    let mut under = None;
    for sentence in sentences.iter().map(|checked| &checked.sentence).filter(|sentence| sentence.kind == Kind::Claim) {
        let note = sentence.citations.first().copied();
        if note != under
            && let Some(passage) = note.and_then(|number| footnotes.passage(number))
        {
            text.push_str(&context_header(&passage.title, passage.section.as_deref()));
            text.push('\n');
        }
        under = note;
        text.push_str(without_markers(&sentence.text).trim());
        text.push('\n');
    }
    text.truncate(text.trim_end().len());
    text
}

/// The gate's record, where the policy has the gate and somebody read: the first that was likely enough, or else the
/// last.
pub(crate) fn record<N: Copy>(policy: &Policy, so_far: &[(N, f64)]) -> Option<GateRecord> {
    let least = policy.rules.speak.least_answering?;
    let enough = so_far.iter().find(|(_, likely)| *likely >= least);
    let (_, observed) = enough.or(so_far.last())?;
    let verdict = if enough.is_some() { Verdict::Pass } else { Verdict::Stop };
    Some(GateRecord { gate: GATE.to_owned(), verdict, observed: *observed, threshold: least })
}

/// It is not said, because nobody could read whether it answers.
pub(super) fn unread(policy: &Policy, gate: &GateRecord) -> Refusal {
    let explanation = format!(
        "Probability that what can be said answers the question ({}) below threshold ({}): the reader that is to find it \
         out does not answer",
        gate.observed, gate.threshold
    );
    let suggestions = vec![policy.rules.wording.texts().again.clone()];
    Refusal { reason: Reason::RetrievalUnavailable, explanation, suggestions }
}

/// It is not said, with the number. Where a model was to write and failed, one that writes may still answer.
pub(super) fn refusal(policy: &Policy, gate: &GateRecord, has_model_failed: bool) -> Refusal {
    let explanation = format!(
        "Probability that what can be said answers the question ({}) below threshold ({})",
        gate.observed, gate.threshold
    );
    if has_model_failed {
        let explanation = format!("Models that answered (0 of 1). {explanation} for the documents' own sentences");
        let suggestions = vec![policy.rules.wording.texts().again.clone()];
        return Refusal { reason: Reason::GenerationUnavailable, explanation, suggestions };
    }
    Refusal { reason: Reason::BesideTheQuestion, explanation, suggestions: policy.rules.wording.next_steps.clone() }
}
