//! Background notes shape an answer and are never in it.

use std::collections::HashSet;

use ibidem_language::alphabet::plain;
use ibidem_language::markers::without_markers;

/// So many words in a row that only a note has are the note's. A shorter note is its own only run.
const RUN: usize = 4;

/// What must not be repeated.
pub(super) struct Background {
    runs: HashSet<Vec<String>>,
    lengths: Vec<usize>,
}

impl Background {
    pub(super) fn of(notes: &[String]) -> Self {
        let mut runs = HashSet::new();
        for note in notes {
            let words = words(note);
            if words.is_empty() {
                continue;
            }
            runs.extend(words.windows(RUN.min(words.len())).map(<[String]>::to_vec));
        }
        let mut lengths: Vec<usize> = runs.iter().map(Vec::len).collect();
        lengths.sort_unstable();
        lengths.dedup();
        Self { runs, lengths }
    }

    /// Whether a sentence has words of a note that none of the passages it cites has.
    pub(super) fn is_repeated_in<'a>(&self, sentence: &str, cited: impl Iterator<Item = &'a str>) -> bool {
        if self.runs.is_empty() {
            return false;
        }
        // A marker in the middle of a run does not part it.
        let own = words(&without_markers(sentence));
        let cited: Vec<Vec<String>> = cited.map(words).collect();
        let in_cited = |run: &[String]| cited.iter().any(|text| text.windows(run.len()).any(|other| other == run));
        self.lengths.iter().any(|length| own.windows(*length).any(|run| self.runs.contains(run) && !in_cited(run)))
    }
}

fn words(text: &str) -> Vec<String> {
    plain(text).split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_note_are_known_and_words_of_the_passages_are_free() {
        let background = Background::of(&["Our chief dislikes red cars in the yard.".to_owned(), "Vinegar".to_owned()]);
        let passage = "The chief dislikes red cars, says the manual.";
        for (sentence, repeated) in [
            ("Red cars in the yard are not welcome.[1]", true),
            ("Red[1] cars[1] in[1] the[1] yard.", true),
            ("The chief dislikes red cars.[1]", false),
            ("Red cars are parked elsewhere.[1]", false),
            ("It is VINEGAR.[1]", true),
            ("See [a] and [12x].[1]", false),
        ] {
            assert_eq!(background.is_repeated_in(sentence, [passage].into_iter()), repeated, "{sentence}");
        }
        assert!(!Background::of(&[String::new()]).is_repeated_in("Anything.[1]", std::iter::empty()));
    }
}
