//! Keyword sufficiency: words the asker used that the evidence does not have.

use std::collections::BTreeSet;

use crate::words::{Candidate, GateRecord, Verdict};

/// Words that carry no subject.
const STOP_WORDS: [&str; 95] = [
    "a", "about", "after", "all", "am", "an", "and", "any", "are", "as", "at", "be", "been", "before", "but", "by",
    "can", "could", "did", "do", "does", "for", "from", "get", "give", "had", "has", "have", "he", "her", "his", "how",
    "i", "if", "in", "into", "is", "it", "its", "just", "list", "many", "may", "me", "much", "must", "my", "no", "not",
    "of", "on", "one", "or", "our", "out", "over", "please", "shall", "she", "should", "show", "so", "some", "tell",
    "than", "that", "the", "their", "them", "then", "there", "these", "they", "this", "those", "to", "under", "up",
    "us", "was", "we", "were", "what", "when", "where", "which", "who", "whom", "whose", "why", "will", "with",
    "would", "you", "your",
];

/// The words of a question that say what it is about, in lower case, each once.
pub fn significant_terms(query: &str) -> BTreeSet<String> {
    let words = query.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase);
    words.filter(|word| STOP_WORDS.binary_search(&word.as_str()).is_err()).collect()
}

/// Two forms of one word: the same but for a short ending.
pub fn same_word(one: &str, other: &str) -> bool {
    const LONGEST_ENDING: usize = 3;
    const SHORTEST_STEM: usize = 4;
    if one == other {
        return true;
    }
    let common = one.chars().zip(other.chars()).take_while(|(a, b)| a == b).count();
    let longest = one.chars().count().max(other.chars().count());
    common >= SHORTEST_STEM && longest - common <= LONGEST_ENDING
}

/// Warns, and never refuses: a passage may answer in other words.
pub(super) fn warn(
    query: &str,
    evidence: &[Candidate],
    most_missing: f64,
    trace: &mut Vec<GateRecord>,
) -> Option<String> {
    let asked = significant_terms(query);
    if asked.is_empty() {
        return None;
    }
    let mut present = BTreeSet::new();
    for candidate in evidence {
        present.extend(significant_terms(&candidate.passage.text));
        present.extend(significant_terms(&candidate.passage.title));
        // However its number is written.
        let address = significant_terms(candidate.passage.address.as_deref().unwrap_or_default());
        present.extend(address.iter().map(|word| word.trim_start_matches('0').to_owned()));
        present.extend(address);
    }
    let missing: Vec<&str> =
        asked.iter().filter(|term| !present.iter().any(|word| same_word(word, term))).map(String::as_str).collect();
    let share = missing.len() as f64 / asked.len() as f64;
    let warns = !missing.is_empty() && share >= most_missing;
    trace.push(GateRecord {
        gate: "keywords".to_owned(),
        verdict: if warns { Verdict::Warn } else { Verdict::Pass },
        observed: share,
        threshold: most_missing,
    });
    warns.then(|| format!("The sources do not mention: {}", missing.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stop_words_are_in_order_so_that_they_can_be_found() {
        assert!(STOP_WORDS.is_sorted());
    }

    #[test]
    fn significant_terms_are_what_the_question_is_about() {
        let terms = significant_terms("What is the limit for meals, and the LIMIT for hotels?");
        assert_eq!(terms.into_iter().collect::<Vec<_>>(), ["hotels", "limit", "meals"]);
    }

    #[test]
    fn forms_of_a_word_are_the_same_word() {
        for (one, other, same) in [
            ("meal", "meals", true),
            ("carry", "carried", true),
            ("expense", "expenses", true),
            ("cat", "car", false),
            ("policy", "police", true),
            ("leave", "lea", false),
        ] {
            assert_eq!(same_word(one, other), same, "{one} {other}");
        }
    }
}
