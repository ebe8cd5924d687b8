//! Decisions made again: from their records alone, without any model, by the same code that made them.
//!
//! Under the policy that was in force the decision must be the same, bit for bit. Under another policy it shows what
//! would have become of the question; where that depends on words that nobody has written, that is said and not guessed.

mod record;
mod speech;

use crate::candidate::Candidate;
use crate::word_overlap::LEAST_LIKENESS;
use ibidem_ports::records::{DecisionRecord, HIDDEN, ToolCallRecord, ToolOutcome};
use ibidem_words::{Action, GateRecord, Reason, Verdict};

use crate::policy::{Duplicates, OutOfCorpus, Policy};
use crate::route::tools::{RenderedReply, gate, render};
use crate::sift::{Finding, GatesOutcome, run_gates};
use crate::speak::outline::{ANSWERED, OUTLINE};
pub use record::restored_candidate;
pub(crate) use record::{decision_record, pool_record, turn_numbers};

/// What a decision comes to when it is made again.
#[derive(Clone, PartialEq, Debug)]
pub enum Again {
    Decided(Decided),
    Open(Open),
}

impl Again {
    /// Whether it comes to exactly what is on record, gate by gate.
    pub fn is_as_recorded(&self, record: &DecisionRecord) -> bool {
        matches!(self, Self::Decided(decided)
            if decided.action == record.action && decided.reason == record.reason
                && of_those_that_looked(&decided.trace) == of_those_that_looked(&record.trace))
    }
}

/// What the gates found, by their names: an older record does not say which of them did not look, and may have been written
/// when they looked in another order.
fn of_those_that_looked(trace: &[GateRecord]) -> Vec<&GateRecord> {
    let mut looked: Vec<&GateRecord> = trace.iter().filter(|record| record.verdict.has_looked()).collect();
    looked.sort_by(|one, other| one.gate.cmp(&other.gate));
    looked
}

#[derive(Clone, PartialEq, Debug)]
pub struct Decided {
    pub action: Action,
    pub reason: Option<Reason>,
    pub trace: Vec<GateRecord>,
}

/// What a record cannot tell. In each case the question would not have been refused by the gates.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Open {
    /// It would be searched once more, wider.
    WiderSearch,
    /// It would be answered from other passages.
    OtherEvidence,
    /// Sentences would be said that nobody has written.
    OtherSentences,
}

impl Open {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::WiderSearch => "wider_search",
            Self::OtherEvidence => "other_evidence",
            Self::OtherSentences => "other_sentences",
        }
    }
}

/// Why decisions cannot be made again under a policy at all.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Unreplayable {
    #[error(
        "the policy calls passages duplicates that are alike by {0}, and records hold no likeness of {LEAST_LIKENESS} \
         or less: choose a higher number for `duplicates`"
    )]
    Duplicates(f64),
}

/// A policy under which decisions can be made again.
#[derive(Clone, Copy, Debug)]
pub struct Replay<'a> {
    policy: &'a Policy,
}

impl<'a> Replay<'a> {
    pub fn under(policy: &'a Policy) -> Result<Self, Unreplayable> {
        let mut duplicates = policy.rules.sift.rules_of::<Duplicates>();
        match duplicates.find(|most| most.0 < LEAST_LIKENESS) {
            Some(most) => Err(Unreplayable::Duplicates(most.0)),
            None => Ok(Self { policy }),
        }
    }

    /// Makes the decision of a record again. It is pure: the same record under the same policy always comes to the
    /// same.
    pub fn again(&self, record: &DecisionRecord) -> Again {
        if let Some(call) = record.tool_calls.first() {
            return self.by_tool(record, call);
        }
        // A term that no vocabulary defined was asked of the documents: no threshold changes that.
        let undefined = record.trace.first().filter(|gate| gate.gate == "terminology" && !record.rounds.is_empty());
        match (self.by_gates(record), undefined) {
            (Again::Decided(mut decided), Some(term)) => {
                decided.trace.insert(0, term.clone());
                Again::Decided(decided)
            }
            (again, _) => again,
        }
    }

    /// No tool is called again: what it said then is told again, by the rules that this policy has for it.
    fn by_tool(&self, record: &DecisionRecord, call: &ToolCallRecord) -> Again {
        let as_it_was = || Again::Decided(as_recorded(record, record.trace.clone()));
        let mut tools = self.policy.rules.gather.tools.iter();
        let Some(rules) = tools.find(|rules| rules.server == call.server && rules.tool == call.tool) else {
            return Again::Open(Open::OtherEvidence);
        };
        let is_hidden = call.result.iter().any(|(_, value)| value.starts_with(HIDDEN));
        let outcome = match call.outcome {
            _ if rules.writes && rules.wording.confirm.is_none() => ToolOutcome::NotAllowed,
            _ if call.pin.is_some_and(|pin| pin != rules.pinned) => ToolOutcome::Changed,
            // It was called without the asker's word, and would be proposed.
            ToolOutcome::Answered | ToolOutcome::Absent | ToolOutcome::UnsupportedFigure
                if rules.writes && call.confirms.is_none() =>
            {
                return Again::Open(Open::OtherEvidence);
            }
            // It was proposed, and would be called.
            ToolOutcome::ConfirmationNeeded if !rules.writes => return Again::Open(Open::OtherEvidence),
            ToolOutcome::NotAllowed if rules.writes => return as_it_was(),
            _ if is_hidden => return as_it_was(),
            ToolOutcome::Answered | ToolOutcome::Absent | ToolOutcome::UnsupportedFigure => {
                match render(rules, &call.result) {
                    Ok(RenderedReply::Text { .. }) => ToolOutcome::Answered,
                    Ok(RenderedReply::Absent) => ToolOutcome::Absent,
                    // A field that nobody kept.
                    Err(stop) if stop.outcome == ToolOutcome::InvalidResult => return Again::Open(Open::OtherEvidence),
                    Err(stop) => stop.outcome,
                }
            }
            // It was not called, and would be.
            ToolOutcome::Changed => return Again::Open(Open::OtherEvidence),
            ToolOutcome::NotAllowed if call.pin.is_none() => return Again::Open(Open::OtherEvidence),
            _ => return as_it_was(),
        };
        let is_answered = outcome == ToolOutcome::Answered;
        let action = if is_answered { Action::Cite } else { Action::Refuse };
        let mut trace: Vec<GateRecord> = record.trace.iter().filter(|gate| gate.gate != "tool").cloned().collect();
        trace.push(gate("tool", usize::from(is_answered), 1));
        Again::Decided(Decided { action, reason: outcome.reason(), trace })
    }

    fn by_gates(&self, record: &DecisionRecord) -> Again {
        let mut rounds = record.rounds.iter().peekable();
        while let Some(pool) = rounds.next() {
            let outcome = run_gates(&self.policy.rules.sift, record::restored(pool));
            let GatesOutcome { kept, trace, finding, .. } = outcome;
            let is_last = rounds.peek().is_none();
            match finding {
                Finding::TriesAgain(..) if is_last => return Again::Open(Open::WiderSearch),
                Finding::TriesAgain(..) => {}
                Finding::Refuses(reason, _) => return self.refused(record, reason, trace),
                Finding::AsksBack { reason, .. } => {
                    return Again::Decided(Decided { action: Action::Clarify, reason: Some(reason), trace });
                }
                Finding::Passes => {
                    let places = pool.places(kept.iter().map(|candidate| candidate.passage.passage));
                    if !is_last || places != pool.kept {
                        return Again::Open(Open::OtherEvidence);
                    }
                    return self.spoken(record, &Evidence { places, kept, by_words_alone: pool.by_words_alone }, trace);
                }
            }
        }
        // No gate decided it: a rule did, or a part that failed. Thresholds change nothing about that.
        Again::Decided(as_recorded(record, record.trace.clone()))
    }

    fn refused(&self, record: &DecisionRecord, reason: Reason, trace: Vec<GateRecord>) -> Again {
        let is_general = record.is_general && matches!(self.policy.rules.out_of_corpus, OutOfCorpus::Disclaimed(_));
        let action = if is_general { Action::Route } else { Action::Refuse };
        let is_undefined = record.trace.first().is_some_and(|gate| gate.gate == "terminology");
        let reason = if is_undefined { Reason::TerminologyNotFound } else { reason };
        Again::Decided(Decided { action, reason: Some(reason), trace })
    }

    /// The same evidence: what was written from it is still what would be written.
    fn spoken(&self, record: &DecisionRecord, evidence: &Evidence, mut trace: Vec<GateRecord>) -> Again {
        // Which notes a planner would write from is its own opinion, and is taken as it was.
        trace.extend(record.trace.iter().filter(|record| is_planners(&record.gate)).cloned());
        match &record.speech {
            Some(speech) => speech::again(speech, self.policy, evidence, trace),
            None if is_after_the_gates(record.reason) => Again::Decided(as_recorded(record, trace)),
            // It was stopped, and would not be: nobody has written anything yet.
            None => Again::Open(Open::OtherSentences),
        }
    }
}

fn is_planners(gate: &str) -> bool {
    [ANSWERED, OUTLINE].contains(&gate)
}

/// What the gates leave of a pool, each with its place in it.
struct Evidence {
    places: Vec<u32>,
    kept: Vec<Candidate>,
    by_words_alone: bool,
}

impl Evidence {
    fn at(&self, place: u32) -> Option<&Candidate> {
        self.places.iter().position(|own| *own == place).map(|at| &self.kept[at])
    }
}

/// Refused with good evidence, and before anything was written.
fn is_after_the_gates(reason: Option<Reason>) -> bool {
    matches!(reason, Some(Reason::BudgetExceeded | Reason::NoThesis | Reason::GenerationUnavailable))
}

fn as_recorded(record: &DecisionRecord, trace: Vec<GateRecord>) -> Decided {
    Decided { action: record.action, reason: record.reason, trace }
}

/// What became of a decision under another policy.
#[derive(Clone, PartialEq, Debug)]
pub enum Change {
    /// It stands.
    None,
    /// It is answered as before, from other passages or in other words.
    Reworded(Open),
    /// It flips.
    Flip(Flip),
}

#[derive(Clone, PartialEq, Debug)]
pub struct Flip {
    pub from: (Action, Option<Reason>),
    /// None where it would be answered, and how that ends nobody can know without a model.
    pub to: Option<(Action, Option<Reason>)>,
    /// The gate that decides it otherwise, as it was and as it would be; none where the gate was not there.
    pub gate: String,
    pub was: Option<GateRecord>,
    pub would_be: Option<GateRecord>,
}

impl Change {
    pub fn of(record: &DecisionRecord, again: &Again) -> Self {
        let from = (record.action, record.reason);
        match again {
            Again::Decided(decided) if (decided.action, decided.reason) == from => Self::None,
            Again::Decided(decided) => {
                Self::Flip(Flip::of(from, Some((decided.action, decided.reason)), &record.trace, &decided.trace))
            }
            // Answered before, and answered again.
            Again::Open(open) if record.action == Action::Cite => Self::Reworded(*open),
            Again::Open(_) => Self::Flip(Flip::of(from, None, &record.trace, &[])),
        }
    }
}

impl Flip {
    fn of(
        from: (Action, Option<Reason>),
        to: Option<(Action, Option<Reason>)>,
        was: &[GateRecord],
        would_be: &[GateRecord],
    ) -> Self {
        // The gate that stops now; where none does, the one that stopped before.
        let stops = |trace: &[GateRecord]| trace.iter().rfind(|record| record.verdict == Verdict::Stop).cloned();
        let gate = stops(would_be).or_else(|| stops(was)).map(|record| record.gate).unwrap_or_default();
        let of_gate = |trace: &[GateRecord]| trace.iter().rfind(|record| record.gate == gate).cloned();
        Self { from, to, was: of_gate(was), would_be: of_gate(would_be), gate }
    }
}
