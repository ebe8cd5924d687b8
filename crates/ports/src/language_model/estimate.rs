//! Tokens without a tokenizer: too many rather than too few.

use async_trait::async_trait;

use super::Tokenizer;

/// Estimates the tokens of models whose tokenizer is not configured.
///
/// English prose comes out at about twice its tokens, so half as much of it fits as would with the model's own
/// tokenizer. What vocabularies cut into small pieces counts piece by piece: every sign, every letter and digit of
/// what is no word, and outside ASCII every byte is a token.
#[derive(Clone, Copy, Debug, Default)]
pub struct Estimate;

impl Estimate {
    pub fn count(text: &str) -> usize {
        // Some tokenizers put a mark before every text.
        let mut tokens = 1;
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let length = rest.bytes().take_while(u8::is_ascii_alphanumeric).count().max(first.len_utf8());
            tokens += match first {
                first if first.is_ascii_alphanumeric() => tokens_of_letters(&rest.as_bytes()[..length]),
                // A space goes with the word after it.
                ' ' if rest[1..].starts_with(|next: char| next.is_ascii_alphabetic()) => 0,
                _ => length,
            };
            rest = &rest[length..];
        }
        tokens
    }
}

/// Two letters of a word to a token. What has a digit, a capital inside or many consonants in a row is none.
fn tokens_of_letters(letters: &[u8]) -> usize {
    let is_consonant = |letter: &u8| !b"aeiouyAEIOUY".contains(letter);
    let is_word = letters[0].is_ascii_alphabetic()
        && letters[1..].iter().all(u8::is_ascii_lowercase)
        && !letters.windows(3).any(|three| three.iter().all(is_consonant));
    if is_word { letters.len().div_ceil(2) } else { letters.len() }
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
            ("of", 1),
            ("a b", 2),
            ("litres", 3),
            ("Length", 6),
            ("HTML", 4),
            ("gearboxOil", 10),
            ("gearbox Oil", 4 + 2),
            ("M8", 2),
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
