//! What the verdicts come to, and how far that can be relied on.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{Order, Scores, Sides, Verdict};
use crate::calibrate::binomial::at_most;

/// Drawn anew so often; the seed is fixed, so that the same verdicts give the same intervals.
const DRAWS: usize = 2_000;
const SEED: u64 = 0x0b1d_e0b1_de0b_1de0;

#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Comparison {
    pub pairs: usize,
    /// Of these, in the order of their ids, read without doubt.
    pub judged: usize,
    /// Replies that could not be read, in either order.
    pub unreadable: usize,
    pub scores: Vec<Compared>,
    /// By the sum of the four.
    pub a_better: usize,
    pub b_better: usize,
    pub alike: usize,
    /// How likely it is that so uneven a count comes of two that are equally good: the exact sign test.
    pub p_value: f64,
    pub position: Option<Position>,
}

/// Means of one of the four scores, and of the differences.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Compared {
    pub score: &'static str,
    pub a: f64,
    pub b: f64,
    /// A's less B's, with the interval of 95 % by drawing the pairs anew.
    pub difference: f64,
    pub low: f64,
    pub high: f64,
}

/// What the place does, by the pairs that were judged in both orders.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Position {
    pub pairs: usize,
    /// What being read first adds to the sum of the four scores, on average; 0 for a judge without a bias.
    pub gain_of_the_first: f64,
    pub low: f64,
    pub high: f64,
    /// Pairs whose better answer is another one in the other order.
    pub turned: usize,
}

impl Comparison {
    /// Of so many pairs.
    pub fn of(pairs: usize, verdicts: &[Verdict]) -> Self {
        let is_own = |verdict: &&Verdict| verdict.order == Order::of(&verdict.id);
        let own: Vec<Sides> = verdicts.iter().filter(is_own).filter_map(|verdict| verdict.scores).collect();
        let sums = |sides: &Sides| (sides.a.sum(), sides.b.sum());
        let count = |holds: fn((u8, u8)) -> bool| own.iter().filter(|sides| holds(sums(sides))).count();
        let (a_better, b_better) = (count(|(a, b)| a > b), count(|(a, b)| a < b));
        let scores = Scores::NAMES.iter().enumerate().map(|(place, score)| {
            let a: Vec<f64> = own.iter().map(|sides| f64::from(sides.a.all()[place])).collect();
            let b: Vec<f64> = own.iter().map(|sides| f64::from(sides.b.all()[place])).collect();
            let differences: Vec<f64> = a.iter().zip(&b).map(|(a, b)| a - b).collect();
            let (low, high) = interval(&differences);
            Compared { score, a: mean(&a), b: mean(&b), difference: mean(&differences), low, high }
        });
        Self {
            pairs,
            judged: own.len(),
            unreadable: verdicts.iter().filter(|verdict| verdict.scores.is_none()).count(),
            scores: scores.collect(),
            a_better,
            b_better,
            alike: own.len() - a_better - b_better,
            p_value: sign_test(a_better, b_better),
            position: position(verdicts),
        }
    }
}

fn position(verdicts: &[Verdict]) -> Option<Position> {
    let mut orders: BTreeMap<&str, [Option<Sides>; 2]> = BTreeMap::new();
    for verdict in verdicts {
        let place = usize::from(verdict.order == Order::BFirst);
        orders.entry(&verdict.id).or_default()[place] = verdict.scores;
    }
    let both: Vec<(Sides, Sides)> = orders.values().filter_map(|[first, second]| (*first).zip(*second)).collect();
    if both.is_empty() {
        return None;
    }
    let lead = |sides: &Sides| f64::from(sides.a.sum()) - f64::from(sides.b.sum());
    // A's lead when it is first, less its lead when it is second, is twice what each gains by its place.
    let gains: Vec<f64> = both.iter().map(|(a_first, b_first)| (lead(a_first) - lead(b_first)) / 2.0).collect();
    let (low, high) = interval(&gains);
    let turned = both.iter().filter(|(a_first, b_first)| lead(a_first) * lead(b_first) < 0.0).count();
    Some(Position { pairs: both.len(), gain_of_the_first: mean(&gains), low, high, turned })
}

#[expect(clippy::cast_precision_loss, reason = "counts of pairs are far below 2^53")]
fn mean(values: &[f64]) -> f64 {
    if values.is_empty() { 0.0 } else { values.iter().sum::<f64>() / values.len() as f64 }
}

/// Both ways, without those that are alike.
fn sign_test(one: usize, other: usize) -> f64 {
    (2.0 * at_most(one + other, one.min(other), 0.5)).min(1.0)
}

/// The middle 95 % of the means of as many values drawn with replacement.
fn interval(values: &[f64]) -> (f64, f64) {
    if values.is_empty() {
        return (0.0, 0.0);
    }
    let mut random = Random(SEED);
    let mut means: Vec<f64> = (0..DRAWS)
        .map(|_| {
            let drawn: Vec<f64> = values.iter().map(|_| values[random.below(values.len())]).collect();
            mean(&drawn)
        })
        .collect();
    means.sort_by(f64::total_cmp);
    (means[DRAWS / 40], means[DRAWS - 1 - DRAWS / 40])
}

/// `SplitMix64`: small, and the same everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        // The high half times the limit: fair to within 2^-32.
        usize::try_from(((mixed >> 32) * limit as u64) >> 32).unwrap_or(0)
    }
}
