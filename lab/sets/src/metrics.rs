//! How good a ranking is, by the definitions of trec_eval that published figures use; and how well confidence tells right
//! from wrong.

use std::collections::HashMap;

/// How relevant documents are to one query: the judged ones only, by document id.
pub type Judgements = HashMap<String, u32>;

/// Normalised discounted cumulative gain of the first `k`: the gain is the grade itself, the discount the logarithm
/// to base 2 of the place plus one, the ideal ranking that of all judged documents. 0 when nothing is relevant.
pub fn ndcg(ranking: &[String], judgements: &Judgements, k: usize) -> f64 {
    let found = ranking.iter().take(k).map(|document| judgements.get(document).copied().unwrap_or(0));
    let mut grades: Vec<u32> = judgements.values().copied().collect();
    grades.sort_unstable_by(|one, other| other.cmp(one));
    let ideal = discounted(grades.into_iter().take(k));
    if ideal == 0.0 { 0.0 } else { discounted(found) / ideal }
}

/// The share of the relevant documents that are among the first `k`. 0 when nothing is relevant.
pub fn recall(ranking: &[String], judgements: &Judgements, k: usize) -> f64 {
    let relevant = judgements.values().filter(|grade| **grade > 0).count();
    let found = ranking.iter().take(k).filter(|document| is_relevant(judgements, document)).count();
    if relevant == 0 { 0.0 } else { ratio(found, relevant) }
}

/// One over the place of the first relevant document; 0 when there is none.
pub fn reciprocal_rank(ranking: &[String], judgements: &Judgements) -> f64 {
    let first = ranking.iter().position(|document| is_relevant(judgements, document));
    first.map_or(0.0, |place| ratio(1, place + 1))
}

/// The mean, 0 of nothing.
pub fn mean(values: impl IntoIterator<Item = f64>) -> f64 {
    let (sum, count) = values.into_iter().fold((0.0, 0_usize), |(sum, count), value| (sum + value, count + 1));
    if count == 0 { 0.0 } else { sum / as_float(count) }
}

/// How often a right answer is surer than a wrong one, of all pairs; an equal one counts half. 0.5 says nothing, 1 tells
/// all of them apart. None where there are no pairs.
pub fn area_under_curve(answers: &[(f64, bool)]) -> Option<f64> {
    let of =
        |wanted: bool| answers.iter().filter(move |(_, right)| *right == wanted).map(|(confidence, _)| *confidence);
    let pairs = of(true).count() * of(false).count();
    let surer = |right: f64, wrong: f64| match right.total_cmp(&wrong) {
        std::cmp::Ordering::Greater => 1.0,
        std::cmp::Ordering::Equal => 0.5,
        std::cmp::Ordering::Less => 0.0,
    };
    let sum: f64 = of(true).flat_map(|right| of(false).map(move |wrong| surer(right, wrong))).sum();
    (pairs > 0).then(|| sum / as_float(pairs))
}

fn is_relevant(judgements: &Judgements, document: &str) -> bool {
    judgements.get(document).is_some_and(|grade| *grade > 0)
}

fn discounted(grades: impl Iterator<Item = u32>) -> f64 {
    grades.enumerate().map(|(place, grade)| f64::from(grade) / as_float(place + 2).log2()).sum()
}

fn ratio(part: usize, whole: usize) -> f64 {
    as_float(part) / as_float(whole)
}

#[expect(clippy::cast_precision_loss, reason = "counts of documents are far below 2^53")]
fn as_float(count: usize) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranking(documents: &str) -> Vec<String> {
        documents.chars().map(String::from).collect()
    }

    fn judged(grades: &[(&str, u32)]) -> Judgements {
        grades.iter().map(|(document, grade)| ((*document).to_owned(), *grade)).collect()
    }

    fn close(found: f64, expected: f64, what: &str) {
        assert!((found - expected).abs() < 1e-9, "{what}: {found}, expected {expected}");
    }

    #[test]
    fn ndcg_equals_what_is_computed_by_hand() {
        // 1 / log2(3) = 0.63093, 1 / log2(4) = 0.5
        let second = 1.0 / 3_f64.log2();
        type Case = (&'static str, &'static [(&'static str, u32)], usize, f64);
        let cases: [Case; 9] = [
            ("abc", &[("a", 1)], 10, 1.0),
            ("bac", &[("a", 1)], 10, second),
            ("bca", &[("a", 1)], 10, 0.5),
            ("bca", &[("a", 1)], 2, 0.0),
            ("acb", &[("a", 1), ("b", 1)], 10, (1.0 + 0.5) / (1.0 + second)),
            // Relevant documents that were not found stay in the ideal.
            ("a", &[("a", 1), ("b", 1), ("c", 1)], 10, 1.0 / (1.0 + second + 0.5)),
            // The ideal is cut off at k too.
            ("a", &[("a", 1), ("b", 1)], 1, 1.0),
            // Grades are gains as they are, not powers of two.
            ("ba", &[("a", 3), ("b", 1)], 10, (1.0 + 3.0 * second) / (3.0 + second)),
            ("ab", &[("a", 0), ("b", 0)], 10, 0.0),
        ];
        for (documents, grades, k, expected) in cases {
            close(ndcg(&ranking(documents), &judged(grades), k), expected, documents);
        }
        close(ndcg(&[], &judged(&[("a", 1)]), 10), 0.0, "nothing found");
        close(ndcg(&ranking("a"), &Judgements::new(), 10), 0.0, "nothing judged");
    }

    #[test]
    fn recall_counts_relevant_documents_among_the_first() {
        let judgements = judged(&[("a", 1), ("b", 2), ("c", 1), ("d", 1), ("x", 0)]);
        for (documents, k, expected) in
            [("abcd", 10, 1.0), ("abcd", 2, 0.5), ("xyab", 3, 0.25), ("xyz", 10, 0.0), ("", 10, 0.0)]
        {
            close(recall(&ranking(documents), &judgements, k), expected, documents);
        }
        close(recall(&ranking("a"), &judged(&[("a", 0)]), 10), 0.0, "nothing relevant");
    }

    #[test]
    fn the_reciprocal_rank_is_that_of_the_first_relevant_document() {
        let judgements = judged(&[("a", 1), ("b", 1), ("x", 0)]);
        for (documents, expected) in [("ab", 1.0), ("xa", 0.5), ("xyzb", 0.25), ("xyz", 0.0)] {
            close(reciprocal_rank(&ranking(documents), &judgements), expected, documents);
        }
    }

    #[test]
    fn the_mean_of_nothing_is_nothing() {
        close(mean([]), 0.0, "nothing");
        close(mean([1.0, 0.5, 0.0]), 0.5, "three");
    }

    #[test]
    fn the_area_is_the_share_of_pairs_in_which_the_right_one_is_surer() {
        for (answers, area) in [
            (vec![(90.0, true), (80.0, false)], Some(1.0)),
            (vec![(80.0, true), (80.0, false)], Some(0.5)),
            (vec![(70.0, true), (90.0, true), (80.0, false)], Some(0.5)),
            (vec![(70.0, true), (90.0, false)], Some(0.0)),
            (vec![(90.0, true)], None),
        ] {
            assert_eq!(area_under_curve(&answers), area, "{answers:?}");
        }
    }
}
