//! A text as words, numbers, identifiers and signs, each with its place.

use std::borrow::Cow;

use super::identifiers;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Word,
    /// Digits, with the separators between them.
    Number,
    /// Written as one piece and compared as one piece: `ADR-0031`, `v1.2.3`, a path, an address.
    Identifier,
    /// A single sign: punctuation, `%`, `€`.
    Sign,
    /// The end of a line.
    Break,
}

#[derive(Clone, Debug)]
pub(super) struct Token<'a> {
    pub(super) kind: Kind,
    pub(super) text: &'a str,
    /// In lower case, typographic apostrophes made plain.
    pub(super) folded: Cow<'a, str>,
    /// Where it begins in the text, in bytes.
    pub(super) start: usize,
    /// Nothing stands between this token and the one before it.
    pub(super) glued: bool,
}

impl Token<'_> {
    pub(super) fn end(&self) -> usize {
        self.start + self.text.len()
    }

    pub(super) fn is(&self, word: &str) -> bool {
        self.folded == word
    }

    pub(super) fn is_word(&self) -> bool {
        self.kind == Kind::Word
    }

    /// A sign that joins what stands on both sides of it.
    pub(super) fn is_dash(&self) -> bool {
        self.kind == Kind::Sign && self.text.starts_with(is_dash)
    }

    pub(super) fn is_capitalised(&self) -> bool {
        self.text.starts_with(char::is_uppercase)
    }

    /// Two capitals or more: an acronym, its plural included (`APIs`).
    pub(super) fn is_acronym(&self) -> bool {
        let mut letters = self.text.chars().filter(|c| c.is_alphabetic());
        self.is_word()
            && letters.next().is_some_and(char::is_uppercase)
            && letters.next().is_some_and(char::is_uppercase)
            && self.text.trim_end_matches('s').chars().all(|c| c.is_uppercase() || !c.is_alphabetic())
    }
}

pub(super) fn is_dash(character: char) -> bool {
    matches!(character, '-' | '‐' | '‑' | '‒' | '–' | '—' | '−')
}

pub(super) fn is_apostrophe(character: char) -> bool {
    matches!(character, '\'' | '’' | 'ʼ')
}

/// Lower case, with one kind of apostrophe and one kind of dash.
pub(super) fn fold(text: &str) -> Cow<'_, str> {
    if text.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase()) {
        return Cow::Borrowed(text);
    }
    let plain = |c: char| {
        if is_apostrophe(c) {
            '\''
        } else if is_dash(c) {
            '-'
        } else {
            c
        }
    };
    text.chars().flat_map(char::to_lowercase).map(plain).collect()
}

/// All tokens of a text. Citation markers and footnote marks are left out: they say where from, not what.
pub(super) fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut found = Tokens { text, found: Vec::with_capacity(text.len() / 5) };
    let mut place = 0;
    while let Some(next) = text[place..].chars().next() {
        if next == '\n' {
            found.push(Kind::Break, place, place + 1);
            place += 1;
        } else if next.is_whitespace() {
            place += next.len_utf8();
        } else {
            let end = text[place..].find(char::is_whitespace).map_or(text.len(), |length| place + length);
            place = found.chunk(place, end);
        }
    }
    found.found
}

struct Tokens<'a> {
    text: &'a str,
    found: Vec<Token<'a>>,
}

impl<'a> Tokens<'a> {
    fn push(&mut self, kind: Kind, start: usize, end: usize) {
        let text = &self.text[start..end];
        let glued = self.found.last().is_some_and(|last| last.end() == start && last.kind != Kind::Break);
        self.found.push(Token { kind, text, folded: fold(text), start, glued });
    }

    /// What stands between white space, in its parts. Returns where reading goes on.
    fn chunk(&mut self, start: usize, end: usize) -> usize {
        if let Some((from, to)) = identifiers::core(&self.text[start..end]) {
            self.parts(start, start + from);
            self.push(Kind::Identifier, start + from, start + to);
            self.parts(start + to, end);
            return end;
        }
        self.parts(start, end)
    }

    /// Words, numbers and signs. A number may reach over a narrow space, and so beyond the end.
    fn parts(&mut self, start: usize, end: usize) -> usize {
        let mut place = start;
        while place < end {
            let rest = &self.text[place..];
            let Some(next) = rest.chars().next() else { break };
            let length = if let Some(marker) = marker_length(rest) {
                place += marker;
                continue;
            } else if next.is_ascii_digit() {
                let length = number_length(rest);
                self.push(Kind::Number, place, place + length);
                length
            } else if next.is_alphabetic() {
                let length = word_length(rest);
                self.push(Kind::Word, place, place + length);
                length
            } else if next.is_whitespace() || is_footnote_mark(next) {
                next.len_utf8()
            } else {
                self.push(Kind::Sign, place, place + next.len_utf8());
                next.len_utf8()
            };
            place += length;
        }
        place.max(end)
    }
}

/// `[1]`, `[^1]`, `[1, 2]`: a citation, not a figure.
fn marker_length(rest: &str) -> Option<usize> {
    let inside = rest.strip_prefix('[')?;
    let close = inside.bytes().take(16).position(|byte| byte == b']')?;
    let inside = &inside.as_bytes()[..close];
    let only_numbers = inside.iter().all(|byte| byte.is_ascii_digit() || matches!(byte, b'^' | b',' | b' ' | b'-'));
    (only_numbers && inside.iter().any(u8::is_ascii_digit)).then_some(close + 2)
}

fn is_footnote_mark(character: char) -> bool {
    matches!(character, '¹' | '²' | '³' | '⁰' | '⁴'..='⁹' | '†' | '‡')
}

/// Digits and the separators between them; a narrow or no-break space only before a group of three.
fn number_length(rest: &str) -> usize {
    let mut length = rest.bytes().take_while(u8::is_ascii_digit).count();
    loop {
        let after = &rest[length..];
        let Some(separator) = after.chars().next() else { return length };
        let group = &after[separator.len_utf8()..];
        let digits = group.bytes().take_while(u8::is_ascii_digit).count();
        let joins = match separator {
            '.' | ',' => digits > 0,
            '\u{a0}' | '\u{202f}' | '\u{2009}' | '_' => digits == 3,
            c if is_apostrophe(c) => digits == 3,
            _ => false,
        };
        if !joins {
            return length;
        }
        length += separator.len_utf8() + digits;
    }
}

/// Letters, and an apostrophe between two of them. `m²` is one word.
fn word_length(rest: &str) -> usize {
    let mut length = 0;
    let mut characters = rest.chars().peekable();
    while let Some(character) = characters.next() {
        let inside = character.is_alphabetic()
            || is_combining(character)
            || (is_apostrophe(character) && characters.peek().is_some_and(|next| next.is_alphabetic()))
            || (matches!(character, '²' | '³') && is_metric(&rest[..length]));
        if !inside {
            break;
        }
        length += character.len_utf8();
    }
    length.max(rest.chars().next().map_or(0, char::len_utf8))
}

fn is_metric(letters: &str) -> bool {
    matches!(letters, "m" | "km" | "cm" | "mm" | "ft")
}

fn is_combining(character: char) -> bool {
    matches!(character, '\u{300}'..='\u{36f}')
}
