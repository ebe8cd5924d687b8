//! Statements about what the documents do not say, and about what the model does not know.
//!
//! They are never a model's to make, and nothing can support them: that something is nowhere is not in any passage. The
//! policy has sentences of its own for it. Recognising them is no way out: what is recognised is dropped, and what is not
//! is a claim like any other.

use crate::tables::{Absences, Denials, Language, WITH_SPACES, WITHOUT_SPACES};

/// Whether a sentence says what the documents do not say, or that its speaker does not know.
pub fn is_denial(sentence: &str) -> bool {
    let lower = sentence.to_lowercase();
    let words: Vec<&str> = lower
        .split(|character: char| !(character.is_alphanumeric() || matches!(character, '\'' | '’')))
        .filter(|word| !word.is_empty())
        .collect();
    let spaced = format!(" {} ", words.join(" "));
    let has_phrase = |phrase: &&str| spaced.contains(&format!(" {phrase} "));
    WITH_SPACES.iter().any(|language| language.denials.confessions.iter().any(has_phrase))
        || WITHOUT_SPACES
            .iter()
            .any(|language| language.denials.confessions.iter().any(|phrase| lower.contains(phrase)))
        || Language::English.tables().absences.are_told_by(&words)
        || WITH_SPACES.iter().copied().chain(&*WITHOUT_SPACES).any(|language| language.denials.denies(&lower))
}

/// Whether a word speaks of the sources.
pub fn is_about_sources(word: &str) -> bool {
    Language::English.tables().absences.sources.contains(&word)
}

impl Denials {
    fn denies(&self, lower: &str) -> bool {
        let words = || lower.split(|sign: char| !sign.is_alphanumeric()).filter(|word| !word.is_empty());
        // Short words are grammar, and are meant as they stand.
        let begins =
            |word: &str, begin: &str| if begin.chars().count() < 3 { word == begin } else { word.starts_with(begin) };
        let has = |list: &[&str]| {
            list.iter().any(|begin| match begin.chars().next() {
                Some(first) if first >= '\u{2e80}' => lower.contains(begin),
                _ => words().any(|word| begins(word, begin)),
            })
        };
        has(&self.sources) && has(&self.denying) && has(&self.saying)
    }
}

impl Absences {
    fn are_told_by(&self, words: &[&str]) -> bool {
        let is_of_sources =
            |word: &&str| self.sources.contains(word) || matches!(*word, "i" | "there" | "this" | "unfortunately");
        self.is_bare(words) || (words.iter().any(is_of_sources) && (0..words.len()).any(|at| self.denies(&words[at..])))
    }

    /// Nothing but the denial: "Unknown.", "Not specified.", "No answer."
    fn is_bare(&self, words: &[&str]) -> bool {
        match words {
            ["unknown" | "unclear" | "unspecified"] | ["n", "a"] => true,
            ["not", said] => self.said.contains(said) || matches!(*said, "available" | "known" | "answerable"),
            ["no", told] => self.told.contains(told),
            [told, "not" | "un", said] => {
                self.told.contains(told) && (self.said.contains(said) || *said == "available")
            }
            _ => false,
        }
    }

    /// A denial that begins here: "does not mention", "no information", "cannot be determined".
    fn denies(&self, words: &[&str]) -> bool {
        let within = |from: usize, list: &[&str]| words.iter().skip(from).take(3).any(|word| list.contains(word));
        match words {
            ["do" | "does" | "did", "not", ..] => within(2, &self.saying),
            ["don't" | "doesn't" | "didn't" | "don’t" | "doesn’t" | "didn’t", ..] => within(1, &self.saying),
            ["no", ..] => within(1, &self.told),
            ["not", "possible", "to", ..] => within(3, &self.finding),
            ["not", "able", "to", ..] => within(3, &self.finding),
            ["not", ..] => within(1, &self.said),
            ["isn't" | "isn’t" | "aren't" | "aren’t" | "wasn't" | "wasn’t" | "weren't" | "weren’t", ..] => {
                within(1, &self.said) || within(1, &self.told) || within(1, &["able"])
            }
            ["could", "not", ..] => within(2, &self.finding),
            ["couldn't" | "couldn’t", ..] => within(1, &self.finding),
            ["none", "of", ..] => within(2, &self.sources),
            ["lack" | "lacks", ..] => within(1, &self.told),
            ["unclear", "from" | "in", ..] => within(2, &self.sources),
            ["nothing", ..] => within(1, &["about", "on", "in", "said"]),
            ["unable" | "impossible", "to", ..] => within(2, &self.finding),
            ["cannot" | "can't" | "can’t", ..] => {
                within(1, &self.finding) || within(1, &["determined", "answered", "found"])
            }
            ["can", "not", ..] => within(2, &self.finding),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_known_or_not_said_is_recognised_and_what_is_denied_of_the_world_is_not() {
        for denial in [
            "I don't know.",
            "The passages do not mention the price.",
            "The notes don't say who approved it.",
            "There is no information about refunds in the sources.",
            "There is no evidence that the oil must ever be changed.",
            "I am unable to answer from the given text.",
            "This is not specified in the documents.",
            "The passages do not mention the price, but it is usually paid by the tenant.",
            "I could not find an answer to that.",
            "I couldn't find this in the notes.",
            "I wasn't able to find who approves it.",
            "We do not know.",
            "I have no idea.",
            "Unknown.",
            "N/A",
            "Not specified.",
            "No answer.",
            "Information not available.",
            "None of the notes answer the question.",
            "The answer cannot be found in the notes.",
            "It is unclear from the notes who approves it.",
            "The documents lack details on this.",
            "There isn't any information on refunds.",
            "Not enough context to answer.",
            "No mention of parking fines is made.",
            "Based on the notes, it is not possible to say.",
            "Keine Ahnung.",
            "Dazu liegen keine Informationen vor.",
            "Diese Frage kann nicht beantwortet werden.",
            "Die Dokumente sagen dazu nichts.",
            "In den Unterlagen ist das nicht angegeben.",
            "Les documents ne le précisent pas.",
            "Los documentos no lo mencionan.",
            "文档中没有提到价格。",
            "資料には価格の記載がありません。",
        ] {
            assert!(is_denial(denial), "{denial}");
        }
        for claim in [
            "Passwords do not expire.",
            "No.",
            "Not available on Sundays.",
            "None of the tyres are included.",
            "The seal could not be opened.",
            "The lamp isn't lit.",
            "The price is not paid by the tenant.",
            "There is no light on the fibre.",
            "It does not include tyres.",
            "Das Öl darf nicht nachgefüllt werden.",
            "Le joint ne s'use pas.",
            "El aceite no se cambia.",
            "密封不会磨损。",
            "油は交換しません。",
        ] {
            assert!(!is_denial(claim), "{claim}");
        }
    }
}
