//! Near-duplicates: of two passages that say the same, the better one is enough.
//!
//! Every candidate is compared with every better one, on every question, so runs of words are compared as numbers:
//! as texts they took most of the time that a question takes here.

/// The texts that were kept, to compare worse ones with.
#[derive(Default)]
pub(super) struct Distinct(Vec<Shingles>);

impl Distinct {
    /// Keeps a text, unless it is more alike to a better one than `most`.
    pub(super) fn takes(&mut self, text: &str, most: f64) -> bool {
        let shingles = Shingles::of(text);
        let is_new = !self.0.iter().any(|better| better.is_more_alike(&shingles, most));
        if is_new {
            self.0.push(shingles);
        }
        is_new
    }
}

/// Runs of three words, in lower case: alike where the wording is, whatever the spacing. Each as a hash, in order.
struct Shingles(Vec<u64>);

impl Shingles {
    fn of(text: &str) -> Self {
        let words: Vec<u64> =
            text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(word_hash).collect();
        let mut runs: Vec<u64> =
            if words.len() < 3 { words } else { words.windows(3).map(|run| fnv(run.iter().copied())).collect() };
        runs.sort_unstable();
        runs.dedup();
        Self(runs)
    }

    /// Whether the share of common runs among all (Jaccard) is above `most`. Two empty texts are the same.
    fn is_more_alike(&self, other: &Self, most: f64) -> bool {
        let (one, other) = (&self.0, &other.0);
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
            }
        }
    }
}
