//! Learn-then-Test: the threshold that gives the most answers while wrong ones stay under a bound, with a confidence.
//!
//! An answer is given when its score is at least the threshold. Of the answers given, the share that is wrong is the
//! risk. What is promised holds over the draw of the labelled questions: with probability of at least `confidence`, the
//! chosen threshold's risk on questions of the same kind is at most `max_risk`. Nothing is promised on other questions.
//!
//! The thresholds are fixed before the labels are seen, and are tested from the strictest on. Each test asks whether
//! the labels could have come about if the risk were above the bound. The chance of being wrong is shared between a few
//! places where testing begins; it is handed on from each threshold that passes to the next, and lost at one that fails
//! (the fallback procedure of Wiens, of which testing in a fixed sequence is the case of one beginning). So all
//! thresholds that pass keep the bound together, and the loosest of them may be taken.

pub mod binomial;
pub mod curve;
pub mod gate;
mod labels;
pub mod observe;
mod p_value;
pub mod questions;
pub mod written;

use serde::Serialize;

pub use labels::LabelsNeeded;
pub use p_value::Bound;

/// A question that was answered, with the score that decides whether it would be, and what a person said of the answer.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Labelled {
    pub score: f64,
    pub wrong: bool,
}

/// What is asked of a threshold.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Demand {
    /// The largest share of wrong answers among those given.
    pub max_risk: f64,
    /// How sure that must be, such as 0.95.
    pub confidence: f64,
    pub bound: Bound,
}

#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum CalibrateError {
    #[error("{0} is {1}; it must be between 0 and 1, and neither")]
    OutOfRange(&'static str, f64),
    #[error("a score is not a number; leave such questions out, or find out why they have none")]
    NoScore,
    #[error("the thresholds must be numbers, at least one, each smaller than the one before")]
    NoSequence,
    #[error("testing must begin at one place at least, and at no more places than there are thresholds ({0})")]
    NoBeginning(usize),
}

/// Thresholds from the strictest to the loosest, and in how many places testing begins.
///
/// They must not be made of the labels they are then tried on: that would be choosing the question by the answer.
#[derive(Clone, PartialEq, Debug)]
pub struct Sequence {
    thresholds: Vec<f64>,
    beginnings: usize,
}

impl Sequence {
    /// With few labels one beginning is best where the strictest threshold already answers enough of them; with
    /// several, a strict threshold that answers too few to be sure of anything does not end the search.
    pub fn new(thresholds: Vec<f64>, beginnings: usize) -> Result<Self, CalibrateError> {
        let falling = thresholds.windows(2).all(|pair| pair[0] > pair[1]);
        if thresholds.is_empty() || !falling || thresholds.iter().any(|threshold| !threshold.is_finite()) {
            return Err(CalibrateError::NoSequence);
        }
        if beginnings == 0 || beginnings > thresholds.len() {
            return Err(CalibrateError::NoBeginning(thresholds.len()));
        }
        Ok(Self { thresholds, beginnings })
    }

    /// For scores between 0 and 1: every hundredth from 0.99 down to 0, with four beginnings.
    pub fn hundredths() -> Self {
        Self { thresholds: (0..100).rev().map(|place| f64::from(place) / 100.0).collect(), beginnings: 4 }
    }

    /// Whether testing begins at this place: they are evenly spread, the first in front.
    fn begins_at(&self, place: usize) -> bool {
        (0..self.beginnings).any(|beginning| beginning * self.thresholds.len() / self.beginnings == place)
    }
}

/// How one threshold does on the labels.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Step {
    pub threshold: f64,
    pub answered: usize,
    pub wrong: usize,
    /// Of all labelled questions, the share that is answered.
    pub coverage: f64,
    /// The share of wrong answers; 0 when none is given.
    pub risk: f64,
    /// How likely such labels are if the risk is above the bound.
    pub p_value: f64,
    /// The chance of error that was left when it was tested.
    pub level: f64,
    pub passed: bool,
}

/// Every threshold with its figures: the curve of risk and coverage. And the one to take.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Calibration {
    pub demand: Demand,
    pub labels: usize,
    pub steps: Vec<Step>,
    /// The loosest that passed.
    pub chosen: Option<Step>,
    /// When none passed: what it would take.
    pub needed: Option<LabelsNeeded>,
}

impl Calibration {
    /// What a threshold's risk is at most, with the demanded confidence, if it had been the only one looked at: for
    /// drawing the curve.
    pub fn upper_bound(&self, step: &Step) -> f64 {
        self.demand.bound.upper_bound(step.answered, step.wrong, 1.0 - self.demand.confidence)
    }
}

/// Chooses the threshold. The labels must be a fair draw of the questions it will be used on.
pub fn calibrate(points: &[Labelled], demand: Demand, sequence: &Sequence) -> Result<Calibration, CalibrateError> {
    for (name, value) in [("max_risk", demand.max_risk), ("confidence", demand.confidence)] {
        if !(value > 0.0 && value < 1.0) {
            return Err(CalibrateError::OutOfRange(name, value));
        }
    }
    if points.iter().any(|point| point.score.is_nan()) {
        return Err(CalibrateError::NoScore);
    }
    let mut sorted = points.to_vec();
    sorted.sort_by(|one, other| other.score.total_cmp(&one.score));
    let share = (1.0 - demand.confidence) / as_float(sequence.beginnings);
    let (mut answered, mut wrong, mut level) = (0, 0, 0.0);
    let mut steps = Vec::with_capacity(sequence.thresholds.len());
    for (place, threshold) in sequence.thresholds.iter().copied().enumerate() {
        while let Some(point) = sorted.get(answered).filter(|point| point.score >= threshold) {
            answered += 1;
            wrong += usize::from(point.wrong);
        }
        if sequence.begins_at(place) {
            level += share;
        }
        let p_value = demand.bound.p_value(answered, wrong, demand.max_risk);
        let passed = level > 0.0 && p_value <= level;
        steps.push(Step {
            threshold,
            answered,
            wrong,
            coverage: ratio(answered, points.len()),
            risk: ratio(wrong, answered),
            p_value,
            level,
            passed,
        });
        if !passed {
            level = 0.0;
        }
    }
    let chosen = steps.iter().rev().find(|step| step.passed).copied();
    let needed = chosen.is_none().then(|| labels::needed(&steps, points.len(), &demand, share));
    Ok(Calibration { demand, labels: points.len(), steps, chosen, needed })
}

fn ratio(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { as_float(part) / as_float(whole) }
}

#[expect(clippy::cast_precision_loss, reason = "counts of labels are far below 2^53")]
fn as_float(count: usize) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests;
