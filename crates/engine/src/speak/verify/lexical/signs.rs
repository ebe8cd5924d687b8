//! What tells a claim that a premise supports from one that it does not.

use super::text::{Kind, Word};

/// How much a found word takes back of a stretch of missing ones.
const FOUND_AGAIN: f64 = 0.7;
/// More of them tell nothing more.
const MOST_NAMES: f64 = 3.0;
const MOST_FIGURES: f64 = 2.0;
/// A claim of so many words turns on each of them.
const FEW_WORDS: f64 = 3.0;

/// The signs of one pair. Only words that carry a claim count.
///
/// How much of a claim stands in the premise in the same order was tried and left out: among the pairs made for fitting it
/// tells those that were made by changing a sentence from those that people wrote, and not what is supported.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Signs {
    /// The share of the claim's words that the premise has, in whatever form.
    pub covered: f64,
    /// How many it does not have; the root, because the first says more than the tenth.
    pub missing: f64,
    /// The longest stretch of missing words, found ones in between counted against it; its root. A clause that was
    /// made up shows here also in a long claim.
    pub stretch: f64,
    /// Missing names.
    pub names: f64,
    /// How many numbers are missing.
    pub figures: f64,
    /// How near in meaning the nearest sentence of the premise is, from 0 to 1.
    pub similarity: Option<f64>,
}

impl Signs {
    /// Measures a claim by which of its words the premise has. None when the claim has no word that could be supported.
    pub(super) fn of(claim: &[Word], has: &[bool]) -> Option<Self> {
        let counts = claim.iter().zip(has).filter(|(word, _)| word.kind != Kind::Plain);
        let (weighed, is_missing): (Vec<&Word>, Vec<bool>) = counts.map(|(word, has)| (word, !has)).unzip();
        if weighed.is_empty() {
            return None;
        }
        let missing_of = |kind: Kind| {
            let found = weighed.iter().zip(&is_missing).filter(|(word, is_missing)| **is_missing && word.kind == kind);
            count(found.count())
        };
        let missing = count(is_missing.iter().filter(|is_missing| **is_missing).count());
        Some(Self {
            covered: 1.0 - missing / count(weighed.len()),
            missing: missing.sqrt(),
            stretch: longest_stretch(&is_missing).sqrt(),
            names: missing_of(Kind::Name).min(MOST_NAMES),
            figures: missing_of(Kind::Figure).min(MOST_FIGURES),
            similarity: None,
        })
    }

    pub(super) fn with_similarity(self, similarity: f64) -> Self {
        Self { similarity: Some(similarity.clamp(0.0, 1.0)), ..self }
    }

    /// Every word of the claim was found.
    pub(super) fn is_covered(&self) -> bool {
        self.missing == 0.0
    }

    /// The premise has most of the claim's words: more than half of few, half of more, and the larger share the more of
    /// them it does not have.
    pub(super) fn is_mostly_found(&self) -> bool {
        // `missing` is the root of a whole number of words.
        let missing = (self.missing * self.missing).round();
        let words = if missing > 0.0 { missing / (1.0 - self.covered) } else { 0.0 };
        let least = match missing {
            few if words < FEW_WORDS + 0.5 && few > 0.0 => 0.5 + f64::EPSILON,
            few if few < 3.0 => 0.5,
            3.0 => 0.6,
            _ => 2.0 / 3.0,
        };
        self.covered >= least
    }

    /// Returns the values in the order of the weights; the similarity comes last, and is 0 where nobody measured it.
    pub fn values(&self) -> [f64; 6] {
        let similarity = self.similarity.unwrap_or_default();
        [self.covered, self.missing, self.stretch, self.names, self.figures, similarity]
    }
}

fn longest_stretch(is_missing: &[bool]) -> f64 {
    let (mut longest, mut current) = (0.0_f64, 0.0_f64);
    for is_missing in is_missing {
        current = if *is_missing { current + 1.0 } else { (current - FOUND_AGAIN).max(0.0) };
        longest = longest.max(current);
    }
    longest
}

#[expect(clippy::cast_precision_loss, reason = "words of a sentence are few")]
fn count(words: usize) -> f64 {
    words as f64
}

#[cfg(test)]
mod tests {
    use super::super::text::{Premise, words_of};
    use super::*;

    fn signs_of(claim: &str, premise: &str) -> Option<Signs> {
        let (claim, premise) = (words_of(claim), Premise::parse(premise));
        Signs::of(&claim, &claim.iter().map(|word| premise.has(word)).collect::<Vec<_>>())
    }

    fn signs(claim: &str, premise: &str) -> Signs {
        signs_of(claim, premise).unwrap()
    }

    #[test]
    fn a_sentence_has_every_sign_of_its_own_support() {
        let sentence = "The board of Acme paid 1,200 euros for three servers.";
        assert_eq!(signs(sentence, sentence).values(), [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    }

    #[test]
    fn a_clause_that_was_made_up_shows_as_a_stretch() {
        let premise = "The office opens at eight.";
        let found = signs("The office opens at eight, and visitors receive fresh coffee from Brazil.", premise);
        assert!((found.missing - 5.0_f64.sqrt()).abs() < 1e-9, "{found:?}");
        assert_eq!(found.stretch.to_bits(), found.missing.to_bits());
        assert!((found.names - 1.0).abs() < 1e-9);
    }

    #[test]
    fn what_is_mostly_made_of_other_words_is_told() {
        let premise = "The gearbox holds 1.8 litres of oil.";
        for (claim, expected) in [
            ("Oil is harmless.", false),
            ("The gearbox oil is harmless.", true),
            ("The gearbox takes 1.8 litres of oil.", true),
            ("The gearbox oil makes children healthy.", false),
            ("The gearbox oil litres flow into rivers.", true),
            ("The gearbox oil litres flow secretly into rivers.", false),
        ] {
            assert_eq!(signs(claim, premise).is_mostly_found(), expected, "{claim}");
        }
    }

    #[test]
    fn a_claim_of_plain_words_has_no_signs() {
        assert!(signs_of("It is so.", "It is so.").is_none());
    }
}
