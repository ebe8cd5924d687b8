//! How many labels a bound needs that could not be met.

use serde::Serialize;

use super::{Demand, Step, as_float};

/// More than this nobody will label: the score is not good enough.
const MOST: usize = 1_000_000;

#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LabelsNeeded {
    /// So many more should do, if they turn out like those there are: an estimate from what was observed at this
    /// threshold, and no promise.
    More { labels: usize, threshold: f64 },
    /// At no threshold were the answers better than the bound: a better score is needed, or a looser bound.
    NoNumber,
}

/// The fewest, over all thresholds, with which the observed risk would pass at this level.
pub(super) fn needed(steps: &[Step], labels: usize, demand: &Demand, level: f64) -> LabelsNeeded {
    let hopeful = steps.iter().filter(|step| step.answered > 0 && step.risk < demand.max_risk);
    let estimates = hopeful.filter_map(|step| {
        let answered = enough(step, demand, level)?;
        let all = whole((as_float(answered) / step.coverage).ceil());
        Some((all.saturating_sub(labels).max(1), step.threshold))
    });
    // Of equals the loosest, which comes last, since it gives the most answers.
    let fewest = estimates.reduce(|best, next| if next.0 <= best.0 { next } else { best });
    match fewest {
        Some((labels, threshold)) => LabelsNeeded::More { labels, threshold },
        // Before anything is labelled: what would do if no answer were wrong, and every question answered.
        None if labels == 0 => {
            let all_right = |answered: usize| demand.bound.p_value(answered, 0, demand.max_risk) <= level;
            let threshold = steps.last().map_or(0.0, |step| step.threshold);
            first(all_right).map_or(LabelsNeeded::NoNumber, |labels| LabelsNeeded::More { labels, threshold })
        }
        None => LabelsNeeded::NoNumber,
    }
}

/// How many answers pass with the step's share of wrong ones.
fn enough(step: &Step, demand: &Demand, level: f64) -> Option<usize> {
    first(|answered| {
        let wrong = whole((as_float(answered) * step.risk).ceil());
        demand.bound.p_value(answered, wrong, demand.max_risk) <= level
    })
}

/// The smallest number that passes, found by doubling and halving. A part of a wrong answer counts as one, so passing
/// goes up and down by one answer's worth; this may miss the very first by that much.
fn first(passes: impl Fn(usize) -> bool) -> Option<usize> {
    let mut high = 1;
    while !passes(high) {
        high *= 2;
        if high > MOST {
            return None;
        }
    }
    let mut low = high / 2;
    while low + 1 < high {
        let middle = usize::midpoint(low, high);
        if passes(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    Some(high)
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "counts, rounded before")]
fn whole(count: f64) -> usize {
    count as usize
}
