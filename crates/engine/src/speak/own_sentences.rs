//! An answer of the sources' own sentences, and no model that writes it.

use std::collections::HashSet;

use crate::candidate::Candidate;
use ibidem_ports::reranker::RerankError;
use ibidem_words::Fallback;
use ibidem_words::Verdict;

use super::Brief;
use super::answers::{self, AnswerReader};
use super::citing::{self, Finished};
use super::confidence::Weighing;
use super::extractive::extract;
use super::footnotes::Footnotes;
use crate::draft::{AnswerReading, CheckedSentence};
use crate::in_force::with_successors_speaking;
use crate::listener::Listener;
use crate::outcome::{Decided, Outcome, Refused, Writing};
use crate::policy::{Answerability, Policy};
use crate::turn::TurnLog;

/// The sources' own sentences stand in for a model's, which was asked in vain for so long.
#[derive(Clone, Copy, Default)]
pub(super) struct StandIn {
    pub(super) after_ms: u64,
    pub(super) instead_of: InsteadOf,
}

/// What the sources' own sentences are said in place of.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum InsteadOf {
    /// There is no model to ask.
    #[default]
    NoModel,
    /// A model was asked, and did not answer.
    Failure,
    /// A model wrote what may not be said.
    WrittenInVain,
}

impl InsteadOf {
    fn notice(self, policy: &Policy) -> String {
        let instead = policy.rules.speak.quote_instead.as_ref().filter(|_| self == Self::WrittenInVain);
        instead.unwrap_or(&policy.rules.wording.extractive_notice).clone()
    }
}

/// The sources' own sentences; in place of a model's, that is said.
pub(super) async fn own_sentences(
    brief: Brief<'_>,
    mut log: TurnLog,
    stand_in: Option<StandIn>,
    listener: &mut dyn Listener,
) -> Decided {
    let Brief { asked, evidence, .. } = brief;
    let policy = &asked.policy;
    if let Some(stand_in) = stand_in {
        log.raise(Fallback::Extractive);
        log.warnings.push(stand_in.instead_of.notice(policy));
    }
    let footnotes = Footnotes::mint(evidence).on(asked.at.date_naive());
    let QuotedAnswer { sentences, likely, covered, not_answered, is_unread, failure } =
        quoted(brief, &log, &footnotes).await;
    if let Some(failure) = &failure {
        log.fall_back(Fallback::NoRerank, failure);
    }
    let failure = failure.map(|failure| failure.to_string());
    let gate = likely.and_then(|likely| answers::record(policy, &[(sentences.len(), likely)]));
    log.trace.extend(gate.clone());
    let weighing = Weighing::of(policy, &asked.question, &log.fallback_reasons, evidence);
    let confidence = weighing.confidence(weighing.coverage(&sentences, covered), None);
    let StandIn { after_ms: took_ms, instead_of } = stand_in.unwrap_or_default();
    if let Some(gate) = gate.filter(|gate| gate.verdict == Verdict::Stop) {
        let refusal = match is_unread {
            true => answers::unread(policy, &gate),
            false => answers::refusal(policy, &gate, instead_of == InsteadOf::Failure),
        };
        let refused = Refused { confidence: Some(confidence), took_ms, ..Refused::under(policy, refusal) };
        return Decided::plainly(Outcome::Refused(refused), weighing.retrieval(), log);
    }
    log.warnings.extend(not_answered);
    log.trace.extend(weighing.record(confidence));
    let writing = Writing { model: Some("extractive".to_owned()), took_ms, ..citing::writing_from(evidence) };
    let finished =
        Finished { footnotes: &footnotes, sentences: &sentences, writing, confidence, retrieval: weighing.retrieval() };
    if !weighing.is_enough(confidence) {
        return Decided { failure, ..finished.unsure(brief, log, listener).await };
    }
    for checked in &sentences {
        listener.sentence(&checked.sentence.text, footnotes.citations(&checked.sentence));
    }
    Decided { failure, ..finished.cited(asked, log, listener) }
}

/// What is quoted, and how likely it answers by a reader, where there is one.
#[derive(Default)]
struct QuotedAnswer {
    sentences: Vec<CheckedSentence>,
    likely: Option<f64>,
    /// How far it covers the question: as likely as it answers, or of a question that was taken apart, in the mean over the
    /// parts that it answers. The others are named beside it.
    covered: Option<f64>,
    /// Said beside it of the parts of the question that are not answered.
    not_answered: Vec<String>,
    /// The reader that is configured could not say whether it answers.
    is_unread: bool,
    failure: Option<RerankError>,
}

/// The sentences that answer the question as a whole; or, where it was taken apart, those that answer its parts.
async fn quoted(brief: Brief<'_>, log: &TurnLog, footnotes: &Footnotes<'_>) -> QuotedAnswer {
    let Brief { asked, evidence, .. } = brief;
    let most = asked.policy.rules.speak.extractive_sentences;
    let parts = asked.parts();
    let were_read = !parts.is_empty() && evidence.iter().any(|candidate| candidate.readings.len() == parts.len() + 1);
    if !were_read {
        return answering(brief, log, footnotes, &asked.question.query, evidence, most).await;
    }
    let each = (most / parts.len()).max(1);
    let mut all = QuotedAnswer::default();
    let mut missing = Vec::new();
    let mut of_parts = Vec::new();
    for (place, part) in (1..).zip(&parts) {
        let read: Vec<Candidate> = evidence.iter().map(|candidate| candidate.as_read_for(place)).collect();
        match answered(brief, log, footnotes, part, &read, each).await {
            Some(quoted) => {
                of_parts.extend(quoted.likely);
                all.add(quoted);
            }
            None => missing.push(part),
        }
    }
    all.covered = mean(&of_parts);
    if missing.is_empty() {
        return all;
    }
    // What stands for the whole may answer what was not found for a part.
    let read: Vec<Candidate> = evidence.iter().map(|candidate| candidate.as_read_for(0)).collect();
    let whole = answered(brief, log, footnotes, &asked.question.query, &read, most).await;
    match (whole, all.sentences.is_empty()) {
        (Some(whole), _) => {
            of_parts.extend(whole.likely);
            all.covered = mean(&of_parts);
            all.add(whole);
        }
        (None, true) => return answering(brief, log, footnotes, &asked.question.query, evidence, most).await,
        (None, false) => {
            let wording = asked.policy.rules.gather.parts.iter().map(|rules| &rules.not_answered);
            let filled =
                |wording: &String| missing.iter().map(|part| wording.replace("{part}", part)).collect::<Vec<_>>();
            all.not_answered = wording.flat_map(filled).collect();
        }
    }
    all
}

fn mean(numbers: &[f64]) -> Option<f64> {
    (!numbers.is_empty()).then(|| numbers.iter().sum::<f64>() / numbers.len() as f64)
}

impl QuotedAnswer {
    /// With what answers another part; the same is not said twice.
    fn add(&mut self, other: Self) {
        self.sentences.extend(other.sentences);
        let mut seen = HashSet::new();
        self.sentences.retain(|checked| seen.insert(checked.sentence.text.clone()));
        self.likely = self.likely.into_iter().chain(other.likely).reduce(f64::max);
        self.is_unread |= other.is_unread;
        self.failure = self.failure.take().or(other.failure);
    }
}

/// What is quoted of notes as they were read for a question, if they are as likely to answer it as the policy asks.
async fn answered(
    brief: Brief<'_>,
    log: &TurnLog,
    footnotes: &Footnotes<'_>,
    question: &str,
    read: &[Candidate],
    most: usize,
) -> Option<QuotedAnswer> {
    let rules = &brief.asked.policy.rules;
    let least = rules.sift.rules_of::<Answerability>().map(|gate| gate.0).fold(0.0, f64::max);
    let best = read.iter().filter_map(Candidate::answering).fold(0.0, f64::max);
    if best < least {
        return None;
    }
    let quoted = answering(brief, log, footnotes, question, read, most).await;
    let is_beside = rules.speak.least_answering.zip(quoted.likely).is_some_and(|(least, likely)| likely < least);
    (!is_beside && !quoted.sentences.is_empty()).then_some(quoted)
}

/// What is quoted of notes as they were read for a question, and how likely that answers it. What replaced a document is
/// tried before the document.
async fn answering(
    brief: Brief<'_>,
    log: &TurnLog,
    footnotes: &Footnotes<'_>,
    question: &str,
    read: &[Candidate],
    most: usize,
) -> QuotedAnswer {
    let least = brief.asked.policy.rules.speak.least_answering.unwrap_or(0.0);
    if let Some(in_force) = with_successors_speaking(read) {
        let quoted = quotation_of(brief, log, footnotes, question, &in_force, most).await;
        if quoted.likely.is_some_and(|likely| likely >= least) {
            return quoted;
        }
    }
    quotation_of(brief, log, footnotes, question, read, most).await
}

/// The sentences of the notes in which the answer was found, read together with the question.
async fn quotation_of(
    brief: Brief<'_>,
    log: &TurnLog,
    footnotes: &Footnotes<'_>,
    question: &str,
    read: &[Candidate],
    most: usize,
) -> QuotedAnswer {
    let sentences: Vec<CheckedSentence> =
        extract(question, &Footnotes::mint(read), most).into_iter().map(CheckedSentence::verbatim).collect();
    let mut reading = AnswerReading::default();
    if let Some(reader) = AnswerReader::of(brief.parts, brief.asked, question, brief.evidence, log) {
        let for_reader: Vec<&CheckedSentence> = sentences.iter().collect();
        reader.lets_out(&for_reader, footnotes, &mut reading).await;
    }
    let likely = reading.so_far.last().map(|(_, likely)| *likely);
    let AnswerReading { is_unread, failure, .. } = reading;
    QuotedAnswer { sentences, likely, covered: likely, not_answered: Vec::new(), is_unread, failure }
}
