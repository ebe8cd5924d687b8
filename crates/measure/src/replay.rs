//! Many recorded decisions made again: whether each comes to the same under its own policy, and what another policy would
//! change.

mod page;

use std::collections::{BTreeMap, HashMap};

use chrono::{DateTime, Utc};
use ibidem_engine::policy::Policy;
use ibidem_engine::replay::{Again, Change, Flip, Replay, Unreplayable};
use ibidem_ports::records::{DecisionRecord, Speech};
use ibidem_words::{Action, GateRecord, Reason, Sha256Hash};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::calibrate::binomial::clopper_pearson;
pub use page::page;

/// A turn as it was recorded, as far as deciding it again needs it. One on each line of a file.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct RecordedTurn {
    pub request_id: Uuid,
    pub asked_at: DateTime<Utc>,
    pub policy_sha256: Sha256Hash,
    /// None where the installation keeps no questions.
    pub question: Option<String>,
    pub decision: DecisionRecord,
}

/// What somebody found who read an answer: one on each line of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reviewed {
    pub request_id: Uuid,
    /// Whether the answer was right; of a refusal, whether refusing was.
    pub right: bool,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Report {
    pub decisions: usize,
    /// Under the policy that was in force.
    pub same: usize,
    /// Which came to something else: there must be none.
    pub different: Vec<Uuid>,
    /// Their policy is not known here.
    pub policy_unknown: usize,
    /// None when no other policy was asked about.
    pub compared: Option<Compared>,
}

/// Two policies on the same questions.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Compared {
    pub policy: String,
    pub policy_sha256: String,
    pub before: Side,
    pub after: Side,
    pub flips: Vec<ShownFlip>,
    /// Answered before and after, from other passages or in other words, by what differs.
    pub reworded: BTreeMap<&'static str, usize>,
}

/// What a policy makes of the questions.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Side {
    /// By action and reason; `answers` where how the answer ends only a model could tell.
    pub outcomes: BTreeMap<String, usize>,
    pub answered: usize,
    /// Sentences of its answers that a model wrote, and how many of them their passages did not support.
    pub sentences: usize,
    pub unsupported: usize,
    /// Answers that somebody reviewed, and how many of them were wrong.
    pub reviewed: usize,
    pub wrong: usize,
    /// With 95 % confidence the share of wrong answers is below this; none without reviews.
    pub risk_below: Option<f64>,
}

#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ShownFlip {
    pub request_id: Uuid,
    pub asked_at: DateTime<Utc>,
    pub question: Option<String>,
    pub from: String,
    pub to: String,
    pub gate: String,
    pub was: Option<GateRecord>,
    pub would_be: Option<GateRecord>,
}

/// Goes through records, one at a time.
pub struct Replayer<'a> {
    /// Every policy that was in force, by its hash.
    own: HashMap<Sha256Hash, Policy>,
    other: Option<&'a Policy>,
    reviews: HashMap<Uuid, bool>,
    report: Report,
}

impl<'a> Replayer<'a> {
    pub fn new(
        own: HashMap<Sha256Hash, Policy>,
        other: Option<&'a Policy>,
        reviews: &[Reviewed],
    ) -> Result<Self, Unreplayable> {
        let compared = match other {
            Some(policy) => {
                Replay::under(policy)?;
                let (name, sha256) = (policy.rules.name.clone(), policy.hash.to_string());
                Some(Compared { policy: name, policy_sha256: sha256, ..Compared::default() })
            }
            None => None,
        };
        let reviews = reviews.iter().map(|review| (review.request_id, review.right)).collect();
        Ok(Self { own, other, reviews, report: Report { compared, ..Report::default() } })
    }

    /// Makes a decision again, under its own policy and under the other.
    pub fn take(&mut self, turn: &RecordedTurn) {
        self.report.decisions += 1;
        match self.own.get(&turn.policy_sha256).map(Replay::under) {
            Some(Ok(replay)) if replay.again(&turn.decision).is_as_recorded(&turn.decision) => self.report.same += 1,
            Some(Ok(_)) => self.report.different.push(turn.request_id),
            _ => self.report.policy_unknown += 1,
        }
        let (Some(Ok(replay)), Some(compared)) = (self.other.map(Replay::under), self.report.compared.as_mut()) else {
            return;
        };
        let review = self.reviews.get(&turn.request_id).copied();
        let decision = &turn.decision;
        compared.before.take(outcome(decision.action, decision.reason), decision, decision.action, review);
        let again = replay.again(decision);
        match &again {
            Again::Decided(decided) => {
                compared.after.take(outcome(decided.action, decided.reason), decision, decided.action, review);
            }
            // Nobody has reviewed what nobody has written.
            Again::Open(_) => compared.after.answers(),
        }
        match Change::of(decision, &again) {
            Change::None => {}
            Change::Reworded(open) => *compared.reworded.entry(open.as_str()).or_default() += 1,
            Change::Flip(flip) => compared.flips.push(ShownFlip::of(turn, flip)),
        }
    }

    pub fn finish(mut self) -> Report {
        if let Some(compared) = &mut self.report.compared {
            compared.before.bound();
            compared.after.bound();
        }
        self.report
    }
}

/// As it is shown: the action, and why.
fn outcome(action: Action, reason: Option<Reason>) -> String {
    match reason {
        Some(reason) => format!("{} {}", action.as_str(), reason.as_str()),
        None => action.as_str().to_owned(),
    }
}

/// It would be answered; how, nobody can know without a model.
const ANSWERS: &str = "answers";

impl Side {
    fn take(&mut self, outcome: String, decision: &DecisionRecord, action: Action, review: Option<bool>) {
        *self.outcomes.entry(outcome).or_default() += 1;
        if action != Action::Cite {
            return;
        }
        self.answered += 1;
        if let Some(Speech::Model(written)) = &decision.speech {
            let claims = written.kept.iter().filter(|sentence| sentence.is_claim).count();
            self.sentences += claims + written.dropped.len();
            // A quotation stands in place of each that was replaced.
            self.unsupported += written.dropped.len() + written.replaced.len();
        }
        // A review of a refusal says nothing about an answer.
        if let Some(right) = review.filter(|_| decision.action == Action::Cite) {
            self.reviewed += 1;
            self.wrong += usize::from(!right);
        }
    }

    fn answers(&mut self) {
        *self.outcomes.entry(ANSWERS.to_owned()).or_default() += 1;
        self.answered += 1;
    }

    fn bound(&mut self) {
        self.risk_below = (self.reviewed > 0).then(|| clopper_pearson(self.reviewed, self.wrong, 0.05));
    }
}

impl ShownFlip {
    fn of(turn: &RecordedTurn, flip: Flip) -> Self {
        let Flip { from, to, gate, was, would_be } = flip;
        Self {
            request_id: turn.request_id,
            asked_at: turn.asked_at,
            question: turn.question.clone(),
            from: outcome(from.0, from.1),
            to: to.map_or_else(|| ANSWERS.to_owned(), |(action, reason)| outcome(action, reason)),
            gate,
            was,
            would_be,
        }
    }

    /// The gate with its numbers, as it was and as it would be.
    pub fn why(&self) -> String {
        let numbers = |record: &GateRecord| {
            format!("{} against {}", format_number(record.observed), format_number(record.threshold))
        };
        match (&self.was, &self.would_be) {
            (Some(was), Some(would_be)) => format!("{}: {}, was {}", self.gate, numbers(would_be), numbers(was)),
            (Some(was), None) => format!("{}: was {}, and would not stop it", self.gate, numbers(was)),
            (None, Some(would_be)) => format!("{}: {}", self.gate, numbers(would_be)),
            (None, None) => "what was written is judged otherwise".to_owned(),
        }
    }
}

fn format_number(number: f64) -> String {
    let written = format!("{number:.4}");
    written.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests;
