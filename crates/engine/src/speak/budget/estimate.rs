//! Tokens without a tokenizer: too many rather than too few.

use async_trait::async_trait;

use crate::ports::language_model::Tokenizer;

/// For models whose tokenizer is not configured.
///
/// English prose comes out at about twice its tokens, so half as much of it fits as would with the model's own
/// tokenizer. What vocabularies cut into small pieces counts piece by piece: every digit and every sign is a token,
/// and outside ASCII every byte.
#[derive(Clone, Copy, Debug, Default)]
pub struct Estimate;

impl Estimate {
    pub fn count(text: &str) -> usize {
        // Some tokenizers put a mark before every text.
        let mut tokens = 1;
        let mut letters = 0;
        let mut before = ' ';
        let mut characters = text.chars().peekable();
        while let Some(character) = characters.next() {
            let begins_word =
                !before.is_ascii_alphabetic() || (before.is_ascii_lowercase() && character.is_ascii_uppercase());
            if character.is_ascii_alphabetic() && !begins_word {
                letters += 1;
            } else {
                tokens += tokens_of_letters(std::mem::take(&mut letters));
                match character {
                    letter if letter.is_ascii_alphabetic() => letters = 1,
                    // A space goes with the word after it.
                    ' ' if characters.peek().is_some_and(char::is_ascii_alphabetic) => {}
                    other => tokens += other.len_utf8(),
                }
            }
            before = character;
        }
        tokens + tokens_of_letters(letters)
    }
}

/// Letters that make no word are cut to pieces of one or two.
fn tokens_of_letters(letters: usize) -> usize {
    (letters * 2).div_ceil(3)
}

#[async_trait]
impl Tokenizer for Estimate {
    fn name(&self) -> &'static str {
        "an estimate"
    }

    async fn count(&self, texts: Vec<String>) -> Vec<usize> {
        texts.iter().map(|text| Self::count(text)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_count_by_their_letters_and_everything_else_by_its_bytes() {
        for (text, tokens) in [
            ("", 0),
            ("a", 1),
            ("of", 2),
            ("a b", 2),
            ("litres", 4),
            ("gearboxOil", 5 + 2),
            ("1.8", 3),
            ("1 8", 3),
            ("  a", 2),
            ("a ", 2),
            ("ü", 2),
            ("油", 3),
            ("a\nb", 3),
        ] {
            assert_eq!(Estimate::count(text), tokens + 1, "{text:?}");
        }
    }
}
