//! Whether the promise is kept: labels drawn a thousand times over from questions whose true risk is known.

use super::super::*;

const DRAWS: u32 = 1_000;
const CONFIDENCE: f64 = 0.95;

/// Small, and the same everywhere: the tests give the same figures on every machine.
struct Draws(u64);

impl Draws {
    /// SplitMix64's next, as a number from 0 to below 1.
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// How an answer's chance of being wrong follows from its score; scores are even between 0 and 1.
#[derive(Clone, Copy, Debug)]
enum World {
    /// Good answers and bad ones, and a score that tells them well.
    Telling,
    /// A score that tells them a little: the chance falls evenly.
    Faint,
    /// A score that tells nothing, and answers that are just worse than the bound: whatever passes is a mistake.
    Blind,
}

const GOOD: f64 = 0.01;
const BAD: f64 = 0.55;
const STEEPNESS: f64 = 60.0;
const BETWEEN: f64 = 0.4;
const FAINT: f64 = 0.3;

impl World {
    fn wrong(self, score: f64, max_risk: f64) -> f64 {
        match self {
            Self::Telling => GOOD + BAD / (1.0 + (STEEPNESS * (score - BETWEEN)).exp()),
            Self::Faint => FAINT * (1.0 - score),
            Self::Blind => max_risk * 1.001,
        }
    }

    /// The true risk of a threshold: the mean over all scores above it.
    fn risk(self, threshold: f64, max_risk: f64) -> f64 {
        match self {
            Self::Telling => {
                let antiderivative = |score: f64| (STEEPNESS * (BETWEEN - score)).exp().ln_1p() / STEEPNESS;
                GOOD + BAD * (antiderivative(threshold) - antiderivative(1.0)) / (1.0 - threshold)
            }
            Self::Faint => FAINT * (1.0 - threshold) / 2.0,
            Self::Blind => self.wrong(threshold, max_risk),
        }
    }

    /// The most that can be answered under the bound by one who knows the true risk of every threshold.
    fn best(self, sequence: &Sequence, max_risk: f64) -> f64 {
        let kept = sequence.thresholds.iter().rev().find(|threshold| self.risk(**threshold, max_risk) <= max_risk);
        kept.map_or(0.0, |threshold| 1.0 - threshold)
    }
}

struct Outcome {
    /// The share of draws whose threshold does not keep the bound.
    violated: f64,
    /// The mean share of questions answered, of what could be at best; a draw without a threshold answers none. Not a
    /// number where nothing can be answered.
    of_best: f64,
    /// The share of draws that gave no threshold.
    none: f64,
}

fn simulate(world: World, labels: usize, demand: Demand) -> Outcome {
    let sequence = Sequence::hundredths();
    let best = world.best(&sequence, demand.max_risk);
    let (mut violated, mut none, mut answered) = (0_u32, 0_u32, 0.0);
    for seed in 0..DRAWS {
        let mut draws = Draws(u64::from(seed));
        let points: Vec<Labelled> = (0..labels)
            .map(|_| {
                let score = draws.next();
                Labelled { score, wrong: draws.next() < world.wrong(score, demand.max_risk) }
            })
            .collect();
        match calibrate(&points, demand, &sequence).unwrap().chosen {
            Some(step) => {
                violated += u32::from(world.risk(step.threshold, demand.max_risk) > demand.max_risk);
                answered += 1.0 - step.threshold;
            }
            None => none += 1,
        }
    }
    let share = |count: u32| f64::from(count) / f64::from(DRAWS);
    let of_best = if best == 0.0 { f64::NAN } else { answered / f64::from(DRAWS) / best };
    Outcome { violated: share(violated), of_best, none: share(none) }
}

const EXACT: Bound = Bound::ClopperPearson;
const LOOSE: Bound = Bound::HoeffdingBentkus;

/// Prints how often the bound is violated, and says so if that is too often. Returns the answers given, of the best.
fn kept(world: World, cases: &[(Bound, f64, usize)]) -> Vec<f64> {
    let promised = 1.0 - CONFIDENCE;
    // Three standard errors of a share of 5 % over the draws.
    let monte_carlo = 3.0 * (promised * CONFIDENCE / f64::from(DRAWS)).sqrt();
    println!("{world:?}: {DRAWS} draws; at most {promised:.3} + {monte_carlo:.3} (3 standard errors) may be violated");
    println!("bound             max risk  labels  violated  of best  no threshold");
    let row = |&(bound, max_risk, labels): &(Bound, f64, usize)| {
        let Outcome { violated, of_best, none } =
            simulate(world, labels, Demand { max_risk, confidence: CONFIDENCE, bound });
        let name = format!("{bound:?}");
        let share = if of_best.is_nan() { "none".to_owned() } else { format!("{of_best:.3}") };
        println!("{name:<16}  {max_risk:>8}  {labels:>6}  {violated:>8.3}  {share:>7}  {none:>12.3}");
        assert!(violated <= promised + monte_carlo, "{name}, {max_risk}, {labels}: violated in {violated}");
        of_best
    };
    cases.iter().map(row).collect()
}

#[test]
fn a_telling_score_keeps_the_bound_and_loses_few_answers() {
    kept(World::Telling, &[(EXACT, 0.1, 100), (EXACT, 0.1, 300), (LOOSE, 0.1, 1_000)]);
    for of_best in kept(World::Telling, &[(EXACT, 0.1, 1_000), (EXACT, 0.05, 1_000)]) {
        assert!(of_best >= 0.95, "{of_best} of the answers that could be given");
    }
}

/// Nobody can promise many answers here; the table says how few they are.
#[test]
fn a_faint_score_keeps_the_bound() {
    kept(World::Faint, &[(EXACT, 0.1, 100), (EXACT, 0.1, 300), (EXACT, 0.1, 1_000)]);
}

#[test]
fn where_every_threshold_is_a_mistake_few_are_made() {
    kept(World::Blind, &[(EXACT, 0.1, 100), (EXACT, 0.1, 300), (EXACT, 0.1, 1_000), (EXACT, 0.05, 1_000)]);
    kept(World::Blind, &[(LOOSE, 0.1, 100), (LOOSE, 0.1, 300)]);
}

/// The simulation can fail: a bound that is not one is found out.
#[test]
fn choosing_by_the_observed_risk_alone_breaks_the_bound() {
    let max_risk = 0.1;
    let mut violated = 0;
    for seed in 0..DRAWS {
        let mut draws = Draws(u64::from(seed));
        let point = |_| {
            let score = draws.next();
            Labelled { score, wrong: draws.next() < World::Faint.wrong(score, max_risk) }
        };
        let points: Vec<Labelled> = (0..300).map(point).collect();
        let demand = Demand { max_risk, confidence: CONFIDENCE, bound: Bound::ClopperPearson };
        let steps = calibrate(&points, demand, &Sequence::hundredths()).unwrap().steps;
        let naive = steps.iter().rev().find(|step| step.answered > 0 && step.risk <= max_risk);
        violated += u32::from(naive.is_some_and(|step| World::Faint.risk(step.threshold, max_risk) > max_risk));
    }
    let share = f64::from(violated) / f64::from(DRAWS);
    println!("by the observed risk alone, the bound is violated in {share:.3} of the draws");
    assert!(share > 0.3, "{share}");
}
