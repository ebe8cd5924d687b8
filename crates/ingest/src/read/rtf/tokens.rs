//! The signs of an RTF file: groups, control words, and bytes of text.

/// No control word is longer.
const LONGEST_WORD: usize = 64;
/// A number has its sign and at most so many digits.
const LONGEST_NUMBER: usize = 11;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Token<'a> {
    Open,
    Close,
    /// `\par`, `\fs24`.
    Word(&'a str, Option<i32>),
    /// A backslash and a sign that is no letter: `\~`, `\*`.
    Sign(u8),
    /// A byte of text that is written by its number: `\'e4`.
    Byte(u8),
    /// A byte of text.
    Plain(u8),
}

pub(super) struct Tokens<'a> {
    rest: &'a [u8],
}

impl<'a> Tokens<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    fn take(&mut self, length: usize) -> &'a [u8] {
        let (taken, rest) = self.rest.split_at(length.min(self.rest.len()));
        self.rest = rest;
        taken
    }

    fn take_while(&mut self, most: usize, belongs: impl Fn(u8) -> bool) -> &'a [u8] {
        self.take(self.rest.iter().take(most).take_while(|byte| belongs(**byte)).count())
    }

    /// What a backslash begins.
    fn control(&mut self) -> Option<Token<'a>> {
        let word = self.take_while(LONGEST_WORD, |byte| byte.is_ascii_alphabetic());
        if word.is_empty() {
            return match *self.take(1).first()? {
                b'\'' => Some(Token::Byte(hexadecimal(self.take_while(2, |byte| byte.is_ascii_hexdigit())))),
                // A line's end behind a backslash is a paragraph's end.
                b'\r' | b'\n' => Some(Token::Word("par", None)),
                sign => Some(Token::Sign(sign)),
            };
        }
        let is_negative = self.rest.first() == Some(&b'-') && self.rest.get(1).is_some_and(u8::is_ascii_digit);
        self.take(usize::from(is_negative));
        let digits = self.take_while(LONGEST_NUMBER, |byte| byte.is_ascii_digit());
        let number = text(digits).parse::<i32>().ok().map(|number| if is_negative { -number } else { number });
        // One space belongs to the word that it ends.
        self.take(usize::from(self.rest.first() == Some(&b' ')));
        if word == b"bin" {
            self.take(usize::try_from(number.unwrap_or(0)).unwrap_or(0));
        }
        Some(Token::Word(text(word), number))
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        loop {
            return match *self.take(1).first()? {
                b'{' => Some(Token::Open),
                b'}' => Some(Token::Close),
                b'\\' => self.control(),
                // Lines of the file are not lines of the text.
                b'\r' | b'\n' | b'\0' => continue,
                b'\t' => Some(Token::Word("tab", None)),
                byte => Some(Token::Plain(byte)),
            };
        }
    }
}

/// Of signs that were looked at: they are ASCII.
fn text(ascii: &[u8]) -> &str {
    std::str::from_utf8(ascii).unwrap_or_default()
}

fn hexadecimal(digits: &[u8]) -> u8 {
    u8::from_str_radix(text(digits), 16).unwrap_or(b'?')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_are_told_apart() {
        let written = b"{\\rtf1 a\\'e4\\u-3913 ?\r\n\\~\\bin3 }}}\\par-x\\\nb\\'zz\\fs99999999999}\\";
        let expected = [
            Token::Open,
            Token::Word("rtf", Some(1)),
            Token::Plain(b'a'),
            Token::Byte(0xe4),
            Token::Word("u", Some(-3913)),
            Token::Plain(b'?'),
            Token::Sign(b'~'),
            Token::Word("bin", Some(3)),
            Token::Word("par", None),
            Token::Plain(b'-'),
            Token::Plain(b'x'),
            Token::Word("par", None),
            Token::Plain(b'b'),
            Token::Byte(b'?'),
            Token::Plain(b'z'),
            Token::Plain(b'z'),
            Token::Word("fs", None),
            Token::Close,
        ];
        assert_eq!(Tokens::new(written).collect::<Vec<_>>(), expected);
    }
}
