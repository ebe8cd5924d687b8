mod simulation;

use proptest::prelude::*;

use super::binomial::{at_most, clopper_pearson};
use super::*;

fn close(found: f64, expected: f64, what: &str) {
    assert!((found - expected).abs() <= 1e-9 * expected.abs().max(1e-3), "{what}: {found}, expected {expected}");
}

fn demand(max_risk: f64, confidence: f64) -> Demand {
    Demand { max_risk, confidence, bound: Bound::ClopperPearson }
}

/// So many answers with this score, the first of them wrong.
fn answers(score: f64, count: usize, wrong: usize) -> Vec<Labelled> {
    (0..count).map(|place| Labelled { score, wrong: place < wrong }).collect()
}

#[test]
fn binomial_tails_equal_what_is_computed_exactly() {
    // From rational arithmetic.
    for (trials, successes, probability, expected) in [
        (1, 0, 0.25, 0.75),
        (2, 1, 0.5, 0.75),
        (10, 3, 0.5, 0.171875),
        (20, 2, 0.1, 0.676926805189466),
        (100, 4, 0.1, 0.023711082663476764),
        (1_000, 30, 0.05, 0.0012770679174798373),
        (1_000, 60, 0.05, 0.9329374813666921),
        (5_000, 10, 0.01, 5.484779773570674e-12),
    ] {
        close(at_most(trials, successes, probability), expected, &format!("{successes} of {trials}"));
    }
    close(at_most(7, 7, 0.3), 1.0, "all of them");
    close(at_most(0, 0, 0.3), 1.0, "none at all");
    close(at_most(9, 4, 0.0), 1.0, "impossible");
    close(at_most(9, 4, 1.0), 0.0, "certain");
}

/// The chance of at most `successes` of `trials`, as it was computed by hand before.
///
/// Summed from the largest term of the tail downward, in proportion to it, so that nothing is lost to underflow before
/// the end.
fn summed(trials: usize, successes: usize, probability: f64) -> f64 {
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
fn log_factorial(count: usize) -> f64 {
    const EXACT: usize = 16;
    if count <= EXACT {
        return (1..=count).map(as_float).product::<f64>().ln();
    }
    let count = as_float(count);
    let square = count * count;
    let correction = (1.0 / 12.0 - (1.0 / 360.0 - 1.0 / (1_260.0 * square)) / square) / count;
    count * count.ln() - count + (std::f64::consts::TAU * count).ln() / 2.0 + correction
}

proptest! {
    #[test]
    fn tails_and_bounds_are_those_that_were_computed_by_hand(
        (trials, successes) in (1..5_000_usize).prop_flat_map(|trials| (Just(trials), 0..=trials)),
        few in 0..20_usize,
        probability in 0.0..=1.0_f64,
        error in 1e-4..0.5_f64,
    ) {
        for successes in [successes, few.min(trials)] {
            let (found, expected) = (at_most(trials, successes, probability), summed(trials, successes, probability));
            prop_assert!((found - expected).abs() < 1e-9, "{successes} of {trials} at {probability}: {found}, {expected}");
            let bound = clopper_pearson(trials, successes, error);
            let by_hand = binomial::largest(|probability| summed(trials, successes, probability) > error);
            prop_assert!((bound - by_hand).abs() < 1e-9, "{successes} of {trials} within {error}: {bound}, {by_hand}");
        }
    }
}

#[test]
fn upper_bounds_are_where_the_tail_is_the_error() {
    // With no success, the bound is known: one minus the error's root.
    for trials in [1, 10, 59, 299, 1_000] {
        close(clopper_pearson(trials, 0, 0.05), 1.0 - 0.05_f64.powf(1.0 / as_float(trials)), "no success");
    }
    for (trials, successes) in [(10, 3), (100, 7), (1_000, 40)] {
        let bound = clopper_pearson(trials, successes, 0.05);
        close(at_most(trials, successes, bound), 0.05, "the tail at the bound");
    }
    close(clopper_pearson(10, 10, 0.05), 1.0, "all of them");
    close(clopper_pearson(0, 0, 0.05), 1.0, "none at all");
}

#[test]
fn hoeffding_and_bentkus_are_never_sharper_than_the_exact_bound() {
    // Without a wrong answer they are the same but for rounding.
    let rounding = 1e-12;
    for (answered, wrong) in [(50, 0), (100, 3), (300, 10), (1_000, 20), (1_000, 80)] {
        let p_value = |bound: Bound| bound.p_value(answered, wrong, 0.05);
        assert!(p_value(Bound::HoeffdingBentkus) + rounding >= p_value(Bound::ClopperPearson), "{wrong} of {answered}");
        let upper = |bound: Bound| bound.upper_bound(answered, wrong, 0.05);
        assert!(upper(Bound::HoeffdingBentkus) + rounding >= upper(Bound::ClopperPearson), "{wrong} of {answered}");
    }
    close(Bound::HoeffdingBentkus.p_value(100, 0, 0.05), 0.95_f64.powi(100), "none wrong");
}

#[test]
fn the_loosest_threshold_that_passes_is_chosen() {
    let mut points = answers(0.9, 200, 1);
    points.extend(answers(0.5, 200, 2));
    points.extend(answers(0.1, 200, 120));
    let sequence = Sequence::new(vec![0.8, 0.4, 0.0], 1).unwrap();
    let calibration = calibrate(&points, demand(0.05, 0.95), &sequence).unwrap();
    let chosen = calibration.chosen.unwrap();
    assert_eq!((chosen.threshold, chosen.answered, chosen.wrong), (0.4, 400, 3));
    close(chosen.coverage, 2.0 / 3.0, "coverage");
    let bound = calibration.upper_bound(&chosen);
    assert!(chosen.risk < bound && bound <= 0.05, "{chosen:?}: {bound}");
    assert_eq!(calibration.steps.iter().map(|step| step.passed).collect::<Vec<_>>(), [true, true, false]);
    assert_eq!(calibration.needed, None);
}

#[test]
fn a_sequence_ends_at_its_first_failure_unless_testing_begins_again() {
    // Ten answers are too few to be sure of 5 %, four hundred are not.
    let mut points = answers(0.9, 10, 0);
    points.extend(answers(0.5, 400, 4));
    let thresholds = vec![0.8, 0.4];
    let one = calibrate(&points, demand(0.05, 0.95), &Sequence::new(thresholds.clone(), 1).unwrap()).unwrap();
    assert_eq!((one.chosen, one.steps[1].level), (None, 0.0));
    let two = calibrate(&points, demand(0.05, 0.95), &Sequence::new(thresholds, 2).unwrap()).unwrap();
    assert_eq!(two.chosen.map(|step| step.threshold), Some(0.4));
    close(two.steps[1].level, 0.025, "half of the chance of error was lost at the first");
}

#[test]
fn a_level_is_handed_on_from_what_passes() {
    let points = answers(0.9, 500, 0);
    let sequence = Sequence::new(vec![0.8, 0.6, 0.4, 0.2], 2).unwrap();
    let steps = calibrate(&points, demand(0.05, 0.9), &sequence).unwrap().steps;
    for (step, expected) in steps.iter().zip([0.05, 0.05, 0.1, 0.1]) {
        close(step.level, expected, "level");
    }
}

#[test]
fn labels_that_are_missing_are_counted() {
    let sequence = Sequence::new(vec![0.5], 1).unwrap();
    // 0.99^299 is the first power below 0.05: 299 right answers, at least, for 1 %.
    let none = calibrate(&[], demand(0.01, 0.95), &sequence).unwrap();
    assert_eq!(none.needed, Some(LabelsNeeded::More { labels: 299, threshold: 0.5 }));
    let some = calibrate(&answers(0.9, 100, 0), demand(0.01, 0.95), &sequence).unwrap();
    assert_eq!(some.needed, Some(LabelsNeeded::More { labels: 199, threshold: 0.5 }));
    // When only half of the questions are answered, twice as many are needed.
    let mut half = answers(0.9, 100, 0);
    half.extend(answers(0.1, 100, 50));
    let needed = calibrate(&half, demand(0.01, 0.95), &sequence).unwrap().needed;
    assert_eq!(needed, Some(LabelsNeeded::More { labels: 398, threshold: 0.5 }));
    let hopeless = calibrate(&answers(0.9, 1_000, 100), demand(0.05, 0.95), &sequence).unwrap();
    assert_eq!(hopeless.needed, Some(LabelsNeeded::NoNumber));
}

#[test]
fn as_many_labels_as_were_missing_are_enough_when_they_turn_out_alike() {
    let sequence = Sequence::new(vec![0.5], 1).unwrap();
    for bound in [Bound::ClopperPearson, Bound::HoeffdingBentkus] {
        let demand = Demand { bound, ..demand(0.05, 0.95) };
        let few = calibrate(&answers(0.9, 100, 3), demand, &sequence).unwrap();
        let Some(LabelsNeeded::More { labels, .. }) = few.needed else { panic!("{:?}", few.needed) };
        let all = 100 + labels;
        let wrong = (all * 3).div_ceil(100);
        let enough = calibrate(&answers(0.9, all, wrong), demand, &sequence).unwrap();
        assert!(enough.chosen.is_some(), "{bound:?}: {labels} more were not enough");
    }
}

#[test]
fn what_cannot_be_calibrated_is_said() {
    let sequence = Sequence::hundredths();
    for (max_risk, confidence) in [(0.0, 0.95), (1.0, 0.95), (0.05, 0.0), (0.05, 1.0), (f64::NAN, 0.95)] {
        let error = calibrate(&[], demand(max_risk, confidence), &sequence).unwrap_err();
        assert!(matches!(error, CalibrateError::OutOfRange(..)), "{error}");
    }
    let unscored = [Labelled { score: f64::NAN, wrong: false }];
    assert_eq!(calibrate(&unscored, demand(0.05, 0.95), &sequence), Err(CalibrateError::NoScore));
    for thresholds in [vec![], vec![0.1, 0.2], vec![0.2, 0.2], vec![f64::INFINITY, 0.1]] {
        assert_eq!(Sequence::new(thresholds, 1), Err(CalibrateError::NoSequence));
    }
    assert_eq!(Sequence::new(vec![0.2, 0.1], 3), Err(CalibrateError::NoBeginning(2)));
    assert_eq!(Sequence::new(vec![0.2, 0.1], 0), Err(CalibrateError::NoBeginning(2)));
}
