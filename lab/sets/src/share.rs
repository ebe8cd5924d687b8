//! A share of something, and how far it can be relied on.

use serde::Serialize;

use ibidem_measure::calibrate::binomial::clopper_pearson;

/// What an interval leaves out at each end.
const AT_EACH_END: f64 = 0.025;

/// So many of so many, with the exact interval of 95 %. Where there is nothing to take a share of, nothing is known.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Share {
    pub count: usize,
    pub of: usize,
    pub share: f64,
    pub low: f64,
    pub high: f64,
}

impl Share {
    pub fn of(count: usize, of: usize) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "counts of questions are far below 2^53")]
        let share = if of == 0 { 0.0 } else { count as f64 / of as f64 };
        let high = clopper_pearson(of, count, AT_EACH_END);
        let low = 1.0 - clopper_pearson(of, of - count.min(of), AT_EACH_END);
        Self { count, of, share, low, high }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_the_exact_ones() {
        // Known values: 3 of 10, and none of 20, for which the upper end is 1 − 0.025^(1/20).
        let some = Share::of(3, 10);
        assert!((some.low - 0.066_74).abs() < 1e-4 && (some.high - 0.652_45).abs() < 1e-4, "{some:?}");
        let none = Share::of(0, 20);
        assert!(none.low.abs() < 1e-9 && (none.high - (1.0 - 0.025_f64.powf(0.05))).abs() < 1e-9, "{none:?}");
        let all = Share::of(20, 20);
        assert!((all.high - 1.0).abs() < 1e-9 && (all.low - (1.0 - none.high)).abs() < 1e-9, "{all:?}");
        let nothing = Share::of(0, 0);
        assert!(nothing.low.abs() < 1e-9 && (nothing.high - 1.0).abs() < 1e-9, "{nothing:?}");
    }
}
