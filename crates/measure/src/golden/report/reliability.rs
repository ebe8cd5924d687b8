//! Whether answers are as often right as they are sure.

use maud::Markup;

use super::plot::{Axis, Plot};
use super::risk_coverage::answers;
use crate::golden::run::Measured;
use crate::reliability::{Bin, bins, interval};

/// Points of a hundred that answers of about the same confidence lie within.
const WIDTH: f64 = 5.0;

pub(super) fn curve(questions: &[Measured]) -> Vec<Bin> {
    bins(answers(questions), WIDTH)
}

pub(super) fn figure(questions: &[Measured]) -> Markup {
    let bins = curve(questions);
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
