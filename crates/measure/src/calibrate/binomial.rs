//! The binomial distribution's lower tail, and what follows from it.

use statrs::distribution::{Binomial, DiscreteCDF as _};

/// The chance of at most `successes` of `trials`, each with this probability between 0 and 1. Right to 1e-9 up to a hundred
/// thousand trials.
pub fn at_most(trials: usize, successes: usize, probability: f64) -> f64 {
    match Binomial::new(probability.clamp(0.0, 1.0), trials as u64) {
        Ok(binomial) => binomial.cdf(successes as u64),
        // Not a number is no probability.
        Err(_) => f64::NAN,
    }
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

/// Clopper and Pearson's upper bound: the probability under which so few successes have just this chance. By halving: the
/// inverse that comes with the tail is right only to 1e-8 of the bound where successes are few.
pub fn clopper_pearson(trials: usize, successes: usize, error: f64) -> f64 {
    largest(|probability| at_most(trials, successes, probability) > error)
}
