//! Whether answers are as often right as they are sure.

use maud::Markup;

use super::plot::{Axis, Plot};
use super::risk_coverage::answers;
use crate::golden::run::Measured;

/// Answers that are about equally sure.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Bin {
    /// Their mean confidence, 0 to 1.
    pub(super) confidence: f64,
    /// The share that is right.
    pub(super) right: f64,
    pub(super) count: usize,
}

/// Of a width of five points of a hundred.
pub(super) fn bins(questions: &[Measured]) -> Vec<Bin> {
    const WIDTH: f64 = 5.0;
    let mut answers = answers(questions);
    answers.sort_by(|one, other| one.0.total_cmp(&other.0));
    let bin_of = |answer: &(f64, bool)| (answer.0 / WIDTH).floor();
    answers
        .chunk_by(|one, other| bin_of(one).total_cmp(&bin_of(other)).is_eq())
        .map(|group| {
            let count = group.len();
            let sum: f64 = group.iter().map(|(confidence, _)| confidence / 100.0).sum();
            let right = group.iter().filter(|(_, right)| *right).count();
            Bin { confidence: sum / count as f64, right: right as f64 / count as f64, count }
        })
        .collect()
}

/// Wilson's interval: where the true share lies in 95 of 100 cases, also of few.
pub(super) fn interval(share: f64, count: usize) -> (f64, f64) {
    const Z: f64 = 1.959_964;
    let n = count as f64;
    let scale = 1.0 + Z * Z / n;
    let centre = (share + Z * Z / (2.0 * n)) / scale;
    let width = Z * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt() / scale;
    ((centre - width).max(0.0), (centre + width).min(1.0))
}

pub(super) fn figure(questions: &[Measured]) -> Markup {
    let bins = bins(questions);
    let lowest = bins.iter().map(|bin| bin.confidence).fold(1.0, f64::min);
    let from = (lowest * 10.0).floor().min(6.0) / 10.0;
    let mut plot = Plot::new(Axis::shares("confidence", from, 1.0), Axis::shares("right", 0.0, 1.0));
    plot.line("ideal", &[(from, from), (1.0, 1.0)]);
    for bin in &bins {
        let (low, high) = interval(bin.right, bin.count);
        plot.line("range", &[(bin.confidence, low), (bin.confidence, high)]);
        plot.point(bin.confidence, bin.right, &bin.count.to_string());
    }
    plot.figure(
        "Reliability",
        "How often answers of about the same confidence are right, with how many there are and where the true share \
         lies in 95 of 100 cases. On the dashed line they would be as right as they are sure.",
    )
}
