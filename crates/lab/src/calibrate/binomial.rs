//! The binomial distribution's lower tail, and what follows from it.

use super::as_float;

/// The chance of at most `successes` of `trials`, each with this probability between 0 and 1.
///
/// Summed from the largest term of the tail downward, in proportion to it, so that nothing is lost to underflow before
/// the end.
pub fn at_most(trials: usize, successes: usize, probability: f64) -> f64 {
    if successes >= trials || probability <= 0.0 {
        return 1.0;
    }
    if probability >= 1.0 {
        return 0.0;
    }
    let odds = probability / (1.0 - probability);
    let (mut term, mut sum) = (1.0, 1.0);
    for count in (1..=successes).rev() {
        term *= as_float(count) / (as_float(trials - count + 1) * odds);
        sum += term;
        // Terms fall once they fall: below the mean they always do.
        if term < sum * f64::EPSILON && as_float(count) < as_float(trials) * probability {
            break;
        }
    }
    (log_exactly(trials, successes, probability) + sum.ln()).exp().min(1.0)
}

/// The logarithm of the chance of exactly so many.
fn log_exactly(trials: usize, successes: usize, probability: f64) -> f64 {
    let ways = log_factorial(trials) - log_factorial(successes) - log_factorial(trials - successes);
    ways + as_float(successes) * probability.ln() + as_float(trials - successes) * (-probability).ln_1p()
}

/// By multiplying where that is exact, else by Stirling's series, whose first term left out is below 1e-12 there.
pub(super) fn log_factorial(count: usize) -> f64 {
    const EXACT: usize = 16;
    if count <= EXACT {
        return (1..=count).map(as_float).product::<f64>().ln();
    }
    let count = as_float(count);
    let square = count * count;
    let correction = (1.0 / 12.0 - (1.0 / 360.0 - 1.0 / (1_260.0 * square)) / square) / count;
    count * count.ln() - count + (std::f64::consts::TAU * count).ln() / 2.0 + correction
}

/// The largest number between 0 and 1 for which this still holds. It must hold up to some number and not beyond.
pub(super) fn largest(holds: impl Fn(f64) -> bool) -> f64 {
    /// Halvings after which two neighbours are the same number.
    const HALVINGS: usize = 60;
    let (mut low, mut high) = (0.0, 1.0);
    if holds(high) {
        return high;
    }
    for _ in 0..HALVINGS {
        let middle = (low + high) / 2.0;
        if holds(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}

/// Clopper and Pearson's upper bound: the probability under which so few successes have just this chance.
pub fn clopper_pearson(trials: usize, successes: usize, error: f64) -> f64 {
    largest(|probability| at_most(trials, successes, probability) > error)
}
