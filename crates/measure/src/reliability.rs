//! Whether answers are as often right as they are sure: the curve, and how well confidence tells right from wrong.

use serde::{Deserialize, Serialize};

/// Answers that are about equally sure.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Bin {
    /// Their mean confidence, 0 to 1.
    pub confidence: f64,
    /// The share that is right.
    pub right: f64,
    pub count: usize,
}

/// The reliability curve of answers, each with its confidence (0 to 100) and whether it is right: one point for each step
/// of confidence of this width that has any.
pub fn bins(mut answers: Vec<(f64, bool)>, width: f64) -> Vec<Bin> {
    answers.sort_by(|one, other| one.0.total_cmp(&other.0));
    // 100 belongs to the last step, and is none of its own.
    let bin_of = |answer: &(f64, bool)| (answer.0.min(100.0 - width / 2.0) / width).floor();
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
pub fn interval(share: f64, count: usize) -> (f64, f64) {
    const Z: f64 = 1.959_964;
    let n = count as f64;
    let scale = 1.0 + Z * Z / n;
    let centre = (share + Z * Z / (2.0 * n)) / scale;
    let width = Z * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt() / scale;
    ((centre - width).max(0.0), (centre + width).min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_of_about_the_same_confidence_are_one_point() {
        let answers = vec![(100.0, true), (81.0, true), (70.0, false), (80.0, false), (99.0, true)];
        let points: Vec<(usize, f64)> = bins(answers, 10.0).iter().map(|bin| (bin.count, bin.right)).collect();
        assert_eq!(points, [(1, 0.0), (2, 0.5), (2, 1.0)]);
        assert!(bins(Vec::new(), 10.0).is_empty());
    }

    #[test]
    fn an_interval_holds_its_share_and_narrows_with_more_of_them() {
        // By Wilson's formula: 8 of 10.
        let (low, high) = interval(0.8, 10);
        assert!((low - 0.4902).abs() < 1e-3 && (high - 0.9433).abs() < 1e-3, "{low} {high}");
        let (tighter, _) = interval(0.8, 1_000);
        assert!(tighter > 0.77 && interval(1.0, 5).1 <= 1.0);
    }
}
