//! Key phrases: the significant words of a text, and those that stand next to each other.

use std::collections::{HashMap, HashSet};

use ibidem_language::markers::without_markers;
use ibidem_language::stems::{beginning, key, short};
use ibidem_language::{is_significant, same_word};
use ibidem_words::as_shown;

/// What the sources say, ready to be held against an answer.
pub(super) struct KeyPhrases {
    /// By their first letters and by their stems: forms of one word have one of the two in common.
    words: HashMap<String, Vec<String>>,
    pairs: HashSet<(String, String)>,
}

impl KeyPhrases {
    pub(super) fn of<'a>(texts: impl Iterator<Item = &'a str>) -> Self {
        let mut phrases = Self { words: HashMap::new(), pairs: HashSet::new() };
        for text in texts {
            for run in runs(text) {
                phrases.pairs.extend(pairs(&run));
                for word in run {
                    for place in places(&word) {
                        let known = phrases.words.entry(place).or_default();
                        if !known.contains(&word) {
                            known.push(word.clone());
                        }
                    }
                }
            }
        }
        phrases
    }

    /// The share of an answer's key phrases that the sources have; none of an answer that says nothing.
    pub(super) fn share_of<'a>(&self, answer: impl Iterator<Item = &'a str>) -> f64 {
        let mut words = HashSet::new();
        let mut neighbours = HashSet::new();
        for text in answer {
            for run in runs(&without_markers(text)) {
                neighbours.extend(pairs(&run));
                words.extend(run);
            }
        }
        let all = words.len() + neighbours.len();
        if all == 0 {
            return 0.0;
        }
        let found = words.iter().filter(|word| self.has(word)).count()
            + neighbours.iter().filter(|pair| self.pairs.contains(*pair)).count();
        as_shown(found as f64 / all as f64)
    }

    fn has(&self, word: &str) -> bool {
        let mut known = places(word).filter_map(|place| self.words.get(&place)).flatten();
        known.any(|known| same_word(known, word))
    }
}

/// Where a word is looked for, and its other forms with it.
fn places(word: &str) -> impl Iterator<Item = String> {
    std::iter::once(beginning(word)).chain(short(word))
}

/// The significant words of each stretch between stops and commas, in order.
fn runs(text: &str) -> Vec<Vec<String>> {
    let stretches = text.split(['.', ',', ';', ':', '!', '?', '(', ')', '\n']);
    let runs = stretches.map(|stretch| {
        let words = stretch.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        words.map(str::to_lowercase).filter(|word| is_significant(word)).collect::<Vec<_>>()
    });
    runs.filter(|run| !run.is_empty()).collect()
}

/// In what the forms have in common, so that "restores backups" and "restored backup" are one pair.
fn pairs(run: &[String]) -> impl Iterator<Item = (String, String)> + '_ {
    run.windows(2).map(|pair| (key(&pair[0]), key(&pair[1])))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn coverage(context: &[&str], answer: &str) -> f64 {
        KeyPhrases::of(context.iter().copied()).share_of([answer].into_iter())
    }

    #[test]
    fn test_calculate_coverage() {
        let context = ["Backups are kept for ninety days.", "Operations restores them."];
        for (answer, share) in [
            ("Backups are kept for ninety days.[1]", 1.0),
            ("Operations restored the backup.[2]", 0.8),
            ("Lunch is free.", 0.0),
            ("Backups keep ninety days.", 1.0),
            ("", 0.0),
            ("[1]", 0.0),
        ] {
            assert!((coverage(&context, answer) - share).abs() < 1e-9, "{answer}: {}", coverage(&context, answer));
        }
    }
}
