//! Which existing terms are near to one that does not exist.

use std::collections::BTreeSet;

use super::folded;

/// Below this share of equal letters, two spellings are different words.
const SIMILAR: f64 = 0.6;

/// The labels nearest to a term, best first; each once, however it is spelt. A label is near when it is spelt much
/// alike or shares words with the term.
pub fn closest_labels<'a>(term: &str, labels: impl IntoIterator<Item = &'a str>, limit: usize) -> Vec<String> {
    let term = folded(term);
    let mut near: Vec<(f64, String, &str)> = labels
        .into_iter()
        .filter_map(|label| {
            let spelling = folded(label);
            let nearness = nearness(&term, &spelling);
            (nearness > 0.0).then_some((nearness, spelling, label))
        })
        .collect();
    near.sort_by(|one, other| other.0.total_cmp(&one.0).then_with(|| (&one.1, one.2).cmp(&(&other.1, other.2))));
    let mut named = BTreeSet::new();
    near.retain(|(_, spelling, _)| named.insert(spelling.clone()));
    near.into_iter().take(limit).map(|(_, _, label)| label.to_owned()).collect()
}

/// From 0, nothing in common, to 1, the same.
fn nearness(term: &str, label: &str) -> f64 {
    let spelling = spelling(term, label);
    let spelling = if spelling < SIMILAR { 0.0 } else { spelling };
    spelling.max(shared_words(term, label))
}

/// The share of letters that need no change.
fn spelling(term: &str, label: &str) -> f64 {
    let (short, long) = (term.chars().count(), label.chars().count());
    let (short, long) = (short.min(long), short.max(long));
    // Too different in length to be spelt alike: not worth the square of it.
    if (short * 10) < (long * 6) { 0.0 } else { strsim::normalized_damerau_levenshtein(term, label) }
}

/// The words in both, as a share of the words in either.
fn shared_words(term: &str, label: &str) -> f64 {
    let words = |text: &str| -> BTreeSet<String> {
        let words = text.split(|character: char| !character.is_alphanumeric());
        // Articles and prepositions bring nothing near.
        words.filter(|word| word.chars().count() > 2).map(str::to_owned).collect()
    };
    let (term, label) = (words(term), words(label));
    let shared = term.intersection(&label).count();
    let either = term.union(&label).count();
    if either == 0 { 0.0 } else { as_f64(shared) / as_f64(either) }
}

fn as_f64(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}
