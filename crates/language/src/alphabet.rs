//! The signs that a sentence is written with: one form for each, and none that its passages do not have.
//!
//! What reads words and figures knows ordinary letters, digits and punctuation. Whatever else a sentence has could say
//! something that nobody reads: `≠`, `⁸`, `❌`, a script of its own, words joined to one. So it must stand in a passage,
//! beside the same word.

mod normal;
mod numerals;

use std::cell::LazyCell;
use std::fmt;

pub use normal::plain;

use crate::tables::alphabet::{BEFORE_FIGURES, BESIDE_FIGURES, LEADING, LETTERS, PUNCTUATION, Script};

/// A word with more letters is several, or a name that a passage must have.
const LONGEST_WORD: usize = 24;
/// `µm` and `Ωm` are written in two scripts.
const LONGEST_SYMBOL: usize = 3;

impl Script {
    fn of(sign: char) -> Option<Self> {
        let place = LETTERS.partition_point(|((_, last), _)| *last < sign);
        LETTERS.get(place).filter(|((first, _), _)| *first <= sign).map(|(_, script)| *script)
    }

    /// Words are not parted by spaces, so that a run of letters is no word.
    fn is_without_spaces(self) -> bool {
        use Script::{Bopomofo, Han, Hiragana, Katakana, Khmer, Lao, Myanmar, Thai, Tibetan};
        matches!(self, Bopomofo | Han | Hiragana | Katakana | Khmer | Lao | Myanmar | Thai | Tibetan)
    }
}

/// What a sentence is written with and its passages are not.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Foreign {
    /// A sign, or a letter that is ordinary in no text.
    Sign(String),
    /// A number in other signs than digits.
    Numeral(String),
    /// A word in letters that no passage has.
    Script(String),
    /// A word in the letters of two scripts.
    Mixed(String),
    /// A word so long that it is several.
    Long(String),
}

impl fmt::Display for Foreign {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sign(sign) => write!(formatter, "none of the cited passages has the sign {sign} there"),
            Self::Numeral(numeral) => write!(formatter, "{numeral} stands in none of the cited passages"),
            Self::Script(word) => write!(formatter, "none of the cited passages has the letters of \"{word}\""),
            Self::Mixed(word) => write!(formatter, "\"{word}\" is written in two scripts, and in no cited passage"),
            Self::Long(word) => write!(formatter, "\"{word}\" is several words in one, and in no cited passage"),
        }
    }
}

/// The first thing that a sentence is written with and none of its passages is. All in their normal form.
pub fn foreign(sentence: &str, passages: &[&str]) -> Option<Foreign> {
    let lower = LazyCell::new(|| passages.iter().map(|passage| passage.to_lowercase()).collect::<Vec<String>>());
    let is_known = |text: &str| lower.iter().any(|passage| passage.contains(&text.to_lowercase()));
    let is_written_in =
        |script: Script| passages.iter().any(|passage| passage.chars().any(|sign| Script::of(sign) == Some(script)));
    let read = Read::of(sentence);
    let odd = read.words.iter().find_map(|word| word.oddity().filter(|_| !is_known(word.0)));
    let of_script = || {
        let mut known: Vec<Script> = Vec::new();
        let mut is_new = |script: Script| {
            let is_known = known.contains(&script) || is_written_in(script);
            known.extend(is_known.then_some(script));
            !is_known
        };
        let words = read.words.iter().filter(|word| !word.is_symbol());
        words.into_iter().find(|word| word.scripts().any(&mut is_new)).map(|word| Foreign::Script(word.0.to_owned()))
    };
    odd.or_else(of_script)
        .or_else(|| numerals::foreign(sentence, passages))
        .or_else(|| foreign_sign(&read.signs, passages))
}

/// The first sign that stands beside neither of its words in any passage.
fn foreign_sign(signs: &[Odd<'_>], passages: &[&str]) -> Option<Foreign> {
    if signs.is_empty() {
        return None;
    }
    let read: Vec<Read<'_>> = passages.iter().map(|passage| Read::of(passage)).collect();
    let is_known = |sign: &&Odd<'_>| read.iter().flat_map(|read| &read.signs).any(|known| sign.stands_as(known));
    signs.iter().find(|sign| !is_known(sign)).map(|sign| Foreign::Sign(sign.run.to_owned()))
}

/// A text as its words and its odd signs.
struct Read<'a> {
    words: Vec<Word<'a>>,
    signs: Vec<Odd<'a>>,
}

/// Letters, digits and their marks in a row.
struct Word<'a>(&'a str);

/// Signs in a row that are not ordinary, between the words beside them.
struct Odd<'a> {
    before: &'a str,
    run: &'a str,
    behind: &'a str,
}

impl<'a> Read<'a> {
    fn of(text: &'a str) -> Self {
        let mut read = Self { words: Vec::new(), signs: Vec::new() };
        let mut rest = text;
        let mut is_of_word = None;
        while let Some(kind) = rest.chars().next().map(|sign| Part::of(sign, text, text.len() - rest.len())) {
            let from = text.len() - rest.len();
            let goes_on = |(place, sign): &(usize, char)| Part::of(*sign, text, from + place) == kind;
            let length = rest.char_indices().take_while(goes_on).map(|(place, sign)| place + sign.len_utf8()).last();
            let (part, after) = rest.split_at(length.unwrap_or(rest.len()));
            match kind {
                Part::Word => {
                    read.words.push(Word(part));
                    for sign in read.signs.iter_mut().rev().take_while(|sign| sign.behind.is_empty()) {
                        sign.behind = part;
                    }
                    is_of_word = Some(part);
                }
                Part::Odd => read.signs.push(Odd { before: is_of_word.unwrap_or(""), run: part, behind: "" }),
                Part::Ordinary => {}
            }
            rest = after;
        }
        read
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Word,
    Odd,
    Ordinary,
}

impl Part {
    /// What the sign at this place of a text is.
    fn of(sign: char, text: &str, place: usize) -> Self {
        let is_digit = |sign: &char| sign.is_ascii_digit();
        let behind = || text[place + sign.len_utf8()..].chars();
        match sign {
            _ if sign.is_alphanumeric() || Script::of(sign).is_some() => Self::Word,
            _ if sign.is_whitespace() || PUNCTUATION.contains(sign) => Self::Ordinary,
            BEFORE_FIGURES if behind().next().is_some_and(|next| is_digit(&next)) => Self::Ordinary,
            _ if BESIDE_FIGURES.contains(sign) => {
                let next = behind().find(|sign| !sign.is_whitespace());
                let before = text[..place].chars().rev().find(|sign| !sign.is_whitespace());
                if next.iter().chain(&before).any(is_digit) { Self::Ordinary } else { Self::Odd }
            }
            _ if LEADING.contains(sign) && leads_a_line(&text[..place], behind()) => Self::Ordinary,
            _ => Self::Odd,
        }
    }
}

/// Whether a sign between these is one of those that a line begins with.
fn leads_a_line(before: &str, mut behind: impl Iterator<Item = char>) -> bool {
    let line = before.rsplit('\n').next().unwrap_or(before);
    let is_mark = |sign: char| sign.is_whitespace() || LEADING.contains(sign) || matches!(sign, '*' | '-' | '_');
    let next = behind.find(|sign| !LEADING.contains(*sign));
    line.chars().all(is_mark) && next.is_none_or(char::is_whitespace)
}

impl Word<'_> {
    fn scripts(&self) -> impl Iterator<Item = Script> {
        self.0.chars().filter_map(Script::of)
    }

    /// What is odd about it, if no passage has it.
    fn oddity(&self) -> Option<Foreign> {
        let word = || self.0.to_owned();
        if self.0.is_ascii() {
            return (self.0.len() > LONGEST_WORD).then(|| Foreign::Long(word()));
        }
        let odd = self.0.chars().find(|sign| !sign.is_ascii_alphanumeric() && Script::of(*sign).is_none());
        let length = self.0.chars().count();
        match odd {
            Some('²' | '³') if is_metric(self.0) => None,
            Some(sign) if sign.is_numeric() => Some(Foreign::Numeral(word())),
            Some(_) => Some(Foreign::Sign(word())),
            None if self.is_mixed() && !self.is_symbol() => Some(Foreign::Mixed(word())),
            None if length > LONGEST_WORD && !self.scripts().any(Script::is_without_spaces) => {
                Some(Foreign::Long(word()))
            }
            None => None,
        }
    }

    fn is_symbol(&self) -> bool {
        self.0.chars().nth(LONGEST_SYMBOL).is_none() && self.is_mixed()
    }

    /// Whether it has letters of two scripts that have some in common.
    fn is_mixed(&self) -> bool {
        let alike = |script: &Script| {
            matches!(script, Script::Latin | Script::Greek | Script::Cyrillic | Script::Armenian | Script::Georgian)
        };
        let mut scripts = self.scripts().filter(alike);
        scripts.next().is_some_and(|first| scripts.any(|script| script != first))
    }
}

/// Metres and feet, squared and cubed, perhaps with a figure before them.
fn is_metric(word: &str) -> bool {
    let unit = word.trim_start_matches(|sign: char| sign.is_ascii_digit());
    matches!(unit.trim_end_matches(['²', '³']), "m" | "km" | "dm" | "cm" | "mm" | "ft")
}

impl Odd<'_> {
    /// Whether it stands in the same place as one of a passage: beside one of the same words, or beside none.
    fn stands_as(&self, known: &Self) -> bool {
        let is_same = |one: &str, other: &str| !one.is_empty() && one.to_lowercase() == other.to_lowercase();
        let is_alone = |sign: &Self| sign.before.is_empty() && sign.behind.is_empty();
        let is_beside = is_same(self.before, known.before) || is_same(self.behind, known.behind);
        self.run == known.run && (is_beside || (is_alone(self) && is_alone(known)))
    }
}

#[cfg(test)]
mod tests;
