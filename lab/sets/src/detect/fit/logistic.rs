//! Logistic regression, where the best of a claim's windows speaks for it.

use std::collections::HashMap;

use super::{Observed, SIGNS, Windows};

/// Keeps weights from growing where signs say the same twice; times the number of pairs.
const RIDGE: f64 = 0.01;
/// A change of weights changes which window is best, and the other way round: so often at most.
const ROUNDS: usize = 12;
const NEWTON_STEPS: usize = 30;

/// The logarithm of the odds is the constant plus the weighted signs.
#[derive(Clone, PartialEq, Debug)]
pub struct Fitted {
    pub constant: f64,
    pub weights: [f64; SIGNS],
}

impl Fitted {
    /// The best window's sum, and which that is.
    pub fn best(&self, windows: &Windows) -> (f64, usize) {
        let sum = |signs: &[f64; SIGNS]| {
            self.constant + self.weights.iter().zip(signs).map(|(weight, sign)| weight * sign).sum::<f64>()
        };
        let sums = windows.iter().map(sum).enumerate();
        let best = sums.max_by(|(_, one), (_, other)| one.total_cmp(other));
        best.map_or((f64::NEG_INFINITY, 0), |(place, sum)| (sum, place))
    }
}

/// Weights of the signs in `columns`, the others' 0; the constant so that this share of the supported claims, each set
/// counting alike, is dropped.
pub(super) fn fit(observed: &[&Observed], most_dropped: f64, columns: &[usize]) -> Fitted {
    let counts = weights_of_pairs(observed);
    // Before anything is known: what is covered, and not missing.
    let mut fitted = Fitted { constant: 0.0, weights: [1.0, -1.0, 0.0, 0.0, 0.0, 0.0] };
    let mut chosen: Vec<usize> = Vec::new();
    for _ in 0..ROUNDS {
        let best: Vec<usize> = observed.iter().map(|one| fitted.best(&one.windows).1).collect();
        if best == chosen {
            break;
        }
        chosen = best;
        let rows: Vec<Vec<f64>> = observed
            .iter()
            .zip(&chosen)
            .map(|(one, place)| columns.iter().map(|column| one.windows[*place][*column]).chain([1.0]).collect())
            .collect();
        let targets: Vec<bool> = observed.iter().map(|one| one.pair.supported).collect();
        let solution = regress(&rows, &targets, &counts);
        fitted = Fitted { constant: solution.last().copied().unwrap_or_default(), weights: [0.0; SIGNS] };
        for (column, weight) in columns.iter().zip(&solution) {
            fitted.weights[*column] = *weight;
        }
    }
    fitted.constant -= quantile_of_supported(observed, &counts, &fitted, most_dropped);
    fitted
}

/// Each set's supported pairs count as much as its others, and each set as much as any other.
fn weights_of_pairs(observed: &[&Observed]) -> Vec<f64> {
    let mut sizes: HashMap<(&str, bool), f64> = HashMap::new();
    for one in observed {
        *sizes.entry((&one.pair.set, one.pair.supported)).or_default() += 1.0;
    }
    observed.iter().map(|one| 1.0 / sizes[&(one.pair.set.as_str(), one.pair.supported)]).collect()
}

/// The sum below which this share of the supported claims lies.
fn quantile_of_supported(observed: &[&Observed], counts: &[f64], fitted: &Fitted, share: f64) -> f64 {
    let supported = observed.iter().zip(counts).filter(|(one, _)| one.pair.supported);
    let mut sums: Vec<(f64, f64)> = supported.map(|(one, count)| (fitted.best(&one.windows).0, *count)).collect();
    sums.sort_by(|one, other| one.0.total_cmp(&other.0));
    let all: f64 = sums.iter().map(|(_, count)| count).sum();
    let mut below = 0.0;
    for (sum, count) in &sums {
        below += count;
        if below > share * all {
            return *sum;
        }
    }
    sums.last().map_or(0.0, |(sum, _)| *sum)
}

/// Newton's method on the ridge-penalised likelihood; the last column is the constant's and goes unpenalised.
fn regress(rows: &[Vec<f64>], targets: &[bool], counts: &[f64]) -> Vec<f64> {
    let size = rows.first().map_or(0, Vec::len);
    let total: f64 = counts.iter().sum();
    let spread = spreads(rows, counts, total);
    let mut solution = vec![0.0; size];
    for _ in 0..NEWTON_STEPS {
        let mut gradient = vec![0.0; size];
        let mut curvature = vec![vec![0.0; size]; size];
        for ((row, target), count) in rows.iter().zip(targets).zip(counts) {
            let sum: f64 = row.iter().zip(&solution).map(|(value, weight)| value * weight).sum();
            let chance = 1.0 / (1.0 + (-sum).exp());
            let error = count * (chance - f64::from(u8::from(*target)));
            let bend = count * chance * (1.0 - chance);
            for (column, value) in row.iter().enumerate() {
                gradient[column] += error * value;
                for (other, other_value) in row.iter().enumerate() {
                    curvature[column][other] += bend * value * other_value;
                }
            }
        }
        for column in 0..size.saturating_sub(1) {
            // As if every sign had the same spread.
            let penalty = RIDGE * total * spread[column];
            gradient[column] += penalty * solution[column];
            curvature[column][column] += penalty;
        }
        let step = solve(curvature, gradient);
        solution.iter_mut().zip(&step).for_each(|(weight, step)| *weight -= step);
        if step.iter().all(|step| step.abs() < 1e-9) {
            break;
        }
    }
    solution
}

fn spreads(rows: &[Vec<f64>], counts: &[f64], total: f64) -> Vec<f64> {
    let size = rows.first().map_or(0, Vec::len);
    let mean =
        |of: &dyn Fn(&[f64]) -> f64| rows.iter().zip(counts).map(|(row, count)| count * of(row)).sum::<f64>() / total;
    let spread = |column: usize| {
        let middle = mean(&|row| row[column]);
        mean(&|row| (row[column] - middle).powi(2)).max(1e-9)
    };
    (0..size).map(spread).collect()
}

/// Gauss's elimination with the largest pivot.
fn solve(mut matrix: Vec<Vec<f64>>, mut right: Vec<f64>) -> Vec<f64> {
    let size = right.len();
    for column in 0..size {
        let pivot = (column..size).max_by(|a, b| matrix[*a][column].abs().total_cmp(&matrix[*b][column].abs()));
        let Some(pivot) = pivot.filter(|pivot| matrix[*pivot][column].abs() > 1e-12) else { continue };
        matrix.swap(column, pivot);
        right.swap(column, pivot);
        for row in column + 1..size {
            let factor = matrix[row][column] / matrix[column][column];
            let (upper, lower) = matrix.split_at_mut(row);
            lower[0].iter_mut().zip(&upper[column]).for_each(|(value, above)| *value -= factor * above);
            right[row] -= factor * right[column];
        }
    }
    for row in (0..size).rev() {
        let known: f64 = (row + 1..size).map(|column| matrix[row][column] * right[column]).sum();
        let pivot = matrix[row][row];
        right[row] = if pivot.abs() > 1e-12 { (right[row] - known) / pivot } else { 0.0 };
    }
    right
}

#[cfg(test)]
mod tests {
    use super::super::ClaimPair;
    use super::*;

    fn observed(supported: bool, covered: f64, missing: f64) -> Observed {
        let pair = ClaimPair {
            set: "made".to_owned(),
            kind: "any".to_owned(),
            passages: Vec::new(),
            claim: String::new(),
            supported,
            fitted: true,
        };
        Observed { pair, windows: vec![[0.0, 3.0, 0.0, 0.0, 0.0, 0.0], [covered, missing, 0.0, 0.0, 0.0, 0.0]] }
    }

    #[test]
    fn weights_are_found_and_so_much_of_the_supported_is_dropped() {
        let one = |place: u32| {
            let much = f64::from(place % 10) / 20.0;
            let supported = place < 50;
            observed(supported, if supported { 0.55 + much } else { much }, if supported { 0.2 } else { 1.5 })
        };
        let all: Vec<Observed> = (0..100).map(one).collect();
        let fitted = fit(&all.iter().collect::<Vec<_>>(), 0.1, &[0, 1]);
        assert!(fitted.weights[0] > 0.0 && fitted.weights[1] < 0.0, "{fitted:?}");
        let dropped = all.iter().filter(|one| one.pair.supported && fitted.best(&one.windows).0 < 0.0).count();
        assert_eq!(dropped, 5);
        assert!(all.iter().all(|one| one.pair.supported || fitted.best(&one.windows).0 < 0.0));
    }

    #[test]
    fn equations_are_solved() {
        let solution = solve(vec![vec![0.0, 2.0], vec![4.0, 1.0]], vec![6.0, 11.0]);
        assert!((solution[0] - 2.0).abs() < 1e-12 && (solution[1] - 3.0).abs() < 1e-12);
    }
}
