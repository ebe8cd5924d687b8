//! Sentences: out of a stream, held until they are whole; and out of a text, as they stand.

use super::gauntlet::Passed;

/// A sentence with the notes it cites.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Sentence {
    /// The text as it stands, white space after it included, citations as `[n]`.
    pub text: String,
    pub citations: Vec<u32>,
}

/// Finds where sentences end: after `.`, `!` or `?` and what closes with it, once white space follows; or at a line's end.
#[derive(Clone, Copy, Debug, Default)]
struct Boundary {
    /// The last word was closed by a full stop or the like.
    closed: bool,
    /// White space followed: the next word begins a new sentence.
    ended: bool,
}

impl Boundary {
    /// Whether a new sentence begins with this character.
    fn before(&mut self, character: char) -> bool {
        if character.is_whitespace() {
            self.ended |= self.closed || character == '\n';
            return false;
        }
        let begins = std::mem::take(&mut self.ended);
        let ends = matches!(character, '.' | '!' | '?' | '。' | '！' | '？' | '…');
        let closes = matches!(character, '"' | '\'' | ')' | ']' | '”' | '’' | '»');
        self.closed = ends || (closes && self.closed && !begins);
        // Scripts that write without spaces end a sentence with the sign itself.
        self.ended = matches!(character, '。' | '！' | '？');
        begins
    }
}

/// Collects pieces until a sentence is whole; citations that follow it belong to it.
#[derive(Clone, Debug, Default)]
pub struct SentenceHolder {
    held: Sentence,
    boundary: Boundary,
}

impl SentenceHolder {
    pub fn push(&mut self, passed: Passed) -> Vec<Sentence> {
        let mut whole = Vec::new();
        match passed {
            Passed::Citation(number) => {
                self.held.text.push_str(&format!("[{number}]"));
                self.held.citations.push(number);
            }
            Passed::Text(text) => {
                for character in text.chars() {
                    if self.boundary.before(character) {
                        whole.extend(self.finish());
                    }
                    self.held.text.push(character);
                }
            }
        }
        whole
    }

    /// What is left at the end, unless it says nothing.
    pub fn finish(&mut self) -> Option<Sentence> {
        let last = std::mem::take(&mut self.held);
        let without_markers = last.text.chars().filter(|c| c.is_alphabetic()).count();
        (without_markers > 0).then_some(last)
    }
}

/// The sentences of a text, verbatim, without the white space around them.
pub fn sentences_of(text: &str) -> Vec<&str> {
    let mut boundary = Boundary::default();
    let mut begins = vec![0];
    begins.extend(text.char_indices().filter(|(_, character)| boundary.before(*character)).map(|(place, _)| place));
    let ends = begins.iter().skip(1).copied().chain([text.len()]);
    let sentences = begins.iter().zip(ends).map(|(begin, end)| text[*begin..end].trim());
    sentences.filter(|sentence| sentence.chars().any(char::is_alphabetic)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_falls_into_its_sentences() {
        let text = "Version 3.5 is out. \"Really?\" she asked. Costs (approx.) are 1.2 m.\n- a list item\nEnd";
        assert_eq!(
            sentences_of(text),
            [
                "Version 3.5 is out.",
                "\"Really?\"",
                "she asked.",
                "Costs (approx.)",
                "are 1.2 m.",
                "- a list item",
                "End"
            ]
        );
        assert_eq!(sentences_of("一文。二文。"), ["一文。", "二文。"]);
        assert!(sentences_of(" \n ---").is_empty());
    }

    #[test]
    fn citations_belong_to_the_sentence_before_them() {
        let mut holder = SentenceHolder::default();
        let mut whole = Vec::new();
        for passed in [
            Passed::Text("One.".to_owned()),
            Passed::Citation(1),
            Passed::Text(" Two 2.5".to_owned()),
            Passed::Citation(2),
            Passed::Text(". ".to_owned()),
            Passed::Citation(3),
            Passed::Text(" Three".to_owned()),
        ] {
            whole.extend(holder.push(passed));
        }
        whole.extend(holder.finish());
        let found: Vec<_> = whole.iter().map(|sentence| (sentence.text.as_str(), &sentence.citations[..])).collect();
        assert_eq!(found, [("One.[1] ", &[1][..]), ("Two 2.5[2]. [3] ", &[2, 3]), ("Three", &[])]);
    }
}
