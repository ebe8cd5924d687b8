//! A claim is said once: not again in the same words, nor in nearly the same.

use ibidem_language::claims::{carries_a_claim, turns_by_sign, turns_in_another_language, turns_in_english};
use ibidem_language::markers::without_markers;
use ibidem_language::same_word;

/// The claims of an answer so far.
#[derive(Clone, Debug, Default)]
pub(super) struct EarlierClaims(Vec<Claimed>);

#[derive(Clone, Debug)]
struct Claimed {
    lower: String,
    /// The words that claim something, in their order.
    words: Vec<String>,
}

impl EarlierClaims {
    /// Whether a claim has the words of an earlier one, but for words that claim nothing, and does not turn it round.
    pub(super) fn has(&self, claim: &str) -> bool {
        let claimed = Claimed::of(claim);
        self.0.iter().any(|before| before.is_nearly(&claimed))
    }

    pub(super) fn add(&mut self, claim: &str) {
        self.0.push(Claimed::of(claim));
    }
}

impl Claimed {
    fn of(claim: &str) -> Self {
        let lower = without_markers(claim).trim().to_lowercase();
        let all: Vec<&str> =
            lower.split(|sign: char| !sign.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
        let claiming = all.iter().copied().filter(|word| carries_a_claim(word) || has_digit(word));
        let mut words: Vec<String> = claiming.map(str::to_owned).collect();
        if words.is_empty() {
            words = all.into_iter().map(str::to_owned).collect();
        }
        Self { lower, words }
    }

    fn is_nearly(&self, other: &Self) -> bool {
        self.words.len() == other.words.len()
            && self.words.iter().zip(&other.words).all(|(one, other)| is_same(one, other))
            && !turns(&self.lower, &other.lower)
            && !turns(&other.lower, &self.lower)
    }
}

/// A figure is another figure if one digit is; forms of a word are one word.
fn is_same(one: &str, other: &str) -> bool {
    one == other || (!has_digit(one) && !has_digit(other) && same_word(one, other))
}

fn has_digit(word: &str) -> bool {
    word.contains(|sign: char| sign.is_numeric())
}

fn turns(one: &str, other: &str) -> bool {
    turns_in_english(one, other) || turns_in_another_language(one, other) || turns_by_sign(one, other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearly_the_same_words_are_the_same_and_another_figure_name_or_denial_is_not() {
        let mut earlier = EarlierClaims::default();
        earlier.add("The gearbox takes 1.8 litres of oil.[1]");
        earlier.add("Leave is carried over.[2]");
        for (claim, again) in [
            ("The gearbox takes 1.8 litres of oil.[1]", true),
            ("the gearbox takes 1.8 litres of the oil [3]", true),
            ("Also, this gearbox takes 1.8 litres of oil.", true),
            ("The gearbox takes 1.9 litres of oil.[1]", false),
            ("The engine takes 1.8 litres of oil.[1]", false),
            ("Oil takes 1.8 litres of the gearbox.[1]", false),
            ("Leave is not carried over.[2]", false),
            ("Leave is carried over.[1]", true),
            ("Leave is carried over to March.[2]", false),
        ] {
            assert_eq!(earlier.has(claim), again, "{claim}");
        }
    }
}
