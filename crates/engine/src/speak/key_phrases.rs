//! Key phrases: the significant words of a text, and those that stand next to each other.

use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

use ibidem_language::markers::without_markers;
use ibidem_language::stems::{Beginning, beginning, key, short};
use ibidem_language::{is_significant, same_word};
use ibidem_words::as_shown;

/// What the sources say. Their phrases are looked for when an answer is first held against them: one that only quotes
/// never is.
pub(super) struct Sources {
    texts: Vec<String>,
    phrases: OnceLock<KeyPhrases>,
}

impl Sources {
    pub(super) fn of<'a>(texts: impl Iterator<Item = &'a str>) -> Self {
        Self { texts: texts.map(str::to_owned).collect(), phrases: OnceLock::new() }
    }

    /// The share of an answer's key phrases that the sources have; none of an answer that says nothing.
    pub(super) fn share_of<'a>(&self, answer: impl Iterator<Item = &'a str>) -> f64 {
        self.phrases.get_or_init(|| KeyPhrases::of(self.texts.iter().map(String::as_str))).share_of(answer)
    }
}

/// The phrases of some texts, ready to be held against an answer.
#[derive(Default)]
struct KeyPhrases {
    /// By their first letters and by their stems: forms of one word have one of the two in common.
    by_beginning: HashMap<Beginning, Vec<String>>,
    by_stem: HashMap<String, Vec<String>>,
    pairs: HashSet<(Beginning, Beginning)>,
}

impl KeyPhrases {
    fn of<'a>(texts: impl Iterator<Item = &'a str>) -> Self {
        let mut phrases = Self::default();
        for text in texts {
            for run in runs(text) {
                let stems: Vec<Option<String>> = run.iter().map(|word| short(word)).collect();
                phrases.pairs.extend(pairs(&run, &stems));
                for (word, stem) in run.into_iter().zip(stems) {
                    if let Some(stem) = stem {
                        add(phrases.by_stem.entry(stem).or_default(), &word);
                    }
                    add(phrases.by_beginning.entry(beginning(&word)).or_default(), &word);
                }
            }
        }
        phrases
    }

    fn share_of<'a>(&self, answer: impl Iterator<Item = &'a str>) -> f64 {
        let mut words = HashSet::new();
        let mut neighbours = HashSet::new();
        for text in answer {
            for run in runs(&without_markers(text)) {
                let stems: Vec<Option<String>> = run.iter().map(|word| short(word)).collect();
                neighbours.extend(pairs(&run, &stems));
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
        let by_stem = short(word).and_then(|stem| self.by_stem.get(&stem));
        let mut known = self.by_beginning.get(&beginning(word)).into_iter().chain(by_stem).flatten();
        known.any(|known| same_word(known, word))
    }
}

fn add(known: &mut Vec<String>, word: &str) {
    if !known.iter().any(|known| known == word) {
        known.push(word.to_owned());
    }
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
fn pairs(run: &[String], stems: &[Option<String>]) -> Vec<(Beginning, Beginning)> {
    let keys: Vec<Beginning> = run.iter().zip(stems).map(|(word, stem)| key(word, stem.as_deref())).collect();
    keys.windows(2).map(|pair| (pair[0], pair[1])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn coverage(context: &[&str], answer: &str) -> f64 {
        Sources::of(context.iter().copied()).share_of([answer].into_iter())
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
