//! Which words a passage shares with the question and with other passages: computed once, so that gates only compare
//! numbers.

use ibidem_language::{PresentTerms, Terms};

use ibidem_ports::catalogue::CataloguePassage;
use ibidem_words::as_shown;

/// The words that a passage shares with the question, and what tells whether another passage has the same text.
#[derive(Clone, PartialEq, Debug)]
pub struct WordOverlap {
    wording: Wording,
    /// Which of the question's words its text, title or address has.
    pub present: PresentTerms,
    /// The share of them, rounded as it is shown; all of them when the question has none.
    pub coverage: f64,
}

/// How alike two texts are is seen from their words, or was seen once and written down.
#[derive(Clone, PartialEq, Debug)]
enum Wording {
    Runs(Shingles),
    Recorded {
        place: u32,
        /// The places of others that are alike, and how much.
        alike: Vec<(u32, f64)>,
    },
}

impl WordOverlap {
    pub fn of(passage: &CataloguePassage, terms: &Terms) -> Self {
        let mut present = PresentTerms::default();
        if !terms.is_empty() {
            terms.mark(&passage.text, &mut present);
            terms.mark(&passage.title, &mut present);
            for part in passage.address.iter().flat_map(|address| address.split(|c: char| !c.is_alphanumeric())) {
                // However its number is written.
                terms.mark(part, &mut present);
                terms.mark(part.trim_start_matches('0'), &mut present);
            }
        }
        let coverage = if terms.is_empty() { 1.0 } else { as_shown(present.count() as f64 / terms.len() as f64) };
        Self { wording: Wording::Runs(Shingles::of(&passage.text)), present, coverage }
    }

    /// Whether the texts are more alike than `most`, by the runs of three words that both have.
    pub fn is_more_alike(&self, other: &Self, most: f64) -> bool {
        match (&self.wording, &other.wording) {
            (Wording::Runs(one), Wording::Runs(other)) => one.is_more_alike(other, most),
            (Wording::Recorded { alike, .. }, Wording::Recorded { place, .. }) => {
                alike.iter().any(|(other, share)| other == place && *share > most)
            }
            // One of them was read and the other was not: they are of two pools.
            _ => false,
        }
    }

    /// How alike the texts are, where that is more than `LEAST_LIKENESS`.
    pub fn likeness(&self, other: &Self) -> Option<f64> {
        match (&self.wording, &other.wording) {
            (Wording::Runs(one), Wording::Runs(other)) => {
                one.is_more_alike(other, LEAST_LIKENESS).then(|| one.likeness(other))
            }
            (Wording::Recorded { place, alike }, Wording::Recorded { place: other, alike: others }) => {
                let recorded = alike.iter().find(|(one, _)| one == other);
                recorded.or_else(|| others.iter().find(|(one, _)| one == place)).map(|(_, share)| *share)
            }
            // One of them was read and the other was not: they are of two pools.
            _ => None,
        }
    }

    /// Restores the overlap as it was recorded: `alike` has the places of others in the same pool.
    pub fn recorded(place: u32, alike: Vec<(u32, f64)>, present: PresentTerms, coverage: f64) -> Self {
        Self { wording: Wording::Recorded { place, alike }, present, coverage }
    }
}

/// Texts that are less alike are not written down as alike: no policy calls them the same.
pub const LEAST_LIKENESS: f64 = 0.25;

/// Runs of three words, in lower case: alike where the wording is, whatever the spacing.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Shingles {
    /// Each run as a hash, in order.
    runs: Vec<u64>,
    /// A bit for each class of runs: set when there is an odd number of them.
    parity: [u64; 4],
}

impl Shingles {
    fn of(text: &str) -> Self {
        let words: Vec<u64> =
            text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(word_hash).collect();
        let mut runs: Vec<u64> =
            if words.len() < 3 { words } else { words.windows(3).map(|run| fnv(run.iter().copied())).collect() };
        runs.sort_unstable();
        runs.dedup();
        let mut parity = [0; 4];
        for run in &runs {
            parity[(run >> 6 & 3) as usize] ^= 1 << (run & 63);
        }
        Self { runs, parity }
    }

    /// Whether the share of common runs among all (Jaccard) is above `most`. Two empty texts are the same.
    fn is_more_alike(&self, other: &Self, most: f64) -> bool {
        if self.is_surely_apart(other, most) {
            return false;
        }
        let (one, other) = (&self.runs, &other.runs);
        let (fewer, more) = (one.len().min(other.len()), one.len().max(other.len()));
        if more == 0 {
            return most < 1.0;
        }
        if fewer as f64 / more as f64 <= most {
            return false;
        }
        // Each run that only one of them has leaves fewer that could be common: most pairs are told apart by a few.
        let (mut common, mut apart) = (0_usize, 0_usize);
        let (mut a, mut b) = (0, 0);
        while a < one.len() && b < other.len() {
            match one[a].cmp(&other[b]) {
                std::cmp::Ordering::Equal => {
                    common += 1;
                    a += 1;
                    b += 1;
                    continue;
                }
                std::cmp::Ordering::Less => a += 1,
                std::cmp::Ordering::Greater => b += 1,
            }
            apart += 1;
            let best_common = (one.len() + other.len() - apart) / 2;
            if best_common as f64 / (best_common + apart) as f64 <= most {
                return false;
            }
        }
        common as f64 / (one.len() + other.len() - common) as f64 > most
    }

    /// The share of common runs among all (Jaccard), by the same division as the comparison's.
    fn likeness(&self, other: &Self) -> f64 {
        let common = self.runs.iter().filter(|run| other.runs.binary_search(run).is_ok()).count();
        let all = self.runs.len() + other.runs.len() - common;
        if all == 0 { 1.0 } else { common as f64 / all as f64 }
    }

    /// Each bit in which the parities differ stands for at least one run that only one of them has. A few such runs
    /// make two texts different enough, so that nearly all pairs are told apart by the first of the numbers.
    fn is_surely_apart(&self, other: &Self, most: f64) -> bool {
        let all = (self.runs.len() + other.runs.len()) as f64;
        let mut apart = 0;
        self.parity.iter().zip(&other.parity).any(|(one, other)| {
            apart += (one ^ other).count_ones();
            // The share of common runs is (all − apart) / (all + apart); half a run more, because numbers are rounded.
            let apart = f64::from(apart) - 0.5;
            all - apart < most * (all + apart)
        })
    }
}

fn word_hash(word: &str) -> u64 {
    if word.is_ascii() {
        return fnv(word.bytes().map(|byte| u64::from(byte.to_ascii_lowercase())));
    }
    fnv(word.chars().flat_map(char::to_lowercase).map(u64::from))
}

/// FNV-1a over whole numbers: fast, and the same everywhere. Two of a few thousand runs collide once in 10^13.
fn fnv(numbers: impl Iterator<Item = u64>) -> u64 {
    const BASIS: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0100_0000_01b3;
    numbers.fold(BASIS, |hash, number| {
        let hash = (hash ^ number).wrapping_mul(PRIME);
        // A number has more bits than FNV's bytes: fold the high ones back in.
        hash ^ (hash >> 32)
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    /// The same measure, written as it is defined.
    fn jaccard(one: &str, other: &str) -> f64 {
        let runs = |text: &str| -> BTreeSet<Vec<String>> {
            let words: Vec<String> = text
                .split(|c: char| !c.is_alphanumeric())
                .filter(|word| !word.is_empty())
                .map(str::to_lowercase)
                .collect();
            if words.len() < 3 {
                return words.into_iter().map(|word| vec![word]).collect();
            }
            words.windows(3).map(<[String]>::to_vec).collect()
        };
        let (one, other) = (runs(one), runs(other));
        let all = one.union(&other).count();
        if all == 0 { 1.0 } else { one.intersection(&other).count() as f64 / all as f64 }
    }

    proptest! {
        #[test]
        fn numbers_tell_texts_apart_as_words_do(
            one in "[a-cA-C]{1,2}( [a-c]{1,2}){0,12}",
            other in "[a-c]{1,2}([ ,.][a-cÄß]{1,2}){0,12}",
            most in prop::sample::select(vec![0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0]),
        ) {
            for (one, other) in [(&one, &other), (&one, &one)] {
                let alike = Shingles::of(one).is_more_alike(&Shingles::of(other), most);
                prop_assert_eq!(alike, jaccard(one, other) > most, "{} | {}", one, other);
                let likeness = Shingles::of(one).likeness(&Shingles::of(other));
                prop_assert_eq!(alike, likeness > most, "as it is written down: {} | {}", one, other);
            }
        }
    }
}
