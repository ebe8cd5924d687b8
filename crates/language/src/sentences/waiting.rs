//! Ends that the next word decides.

use super::abbreviations::{Known, begins_sentences, is_month, is_weekday};
use super::boundary::Shape;

/// No word that decides anything is longer.
const LONGEST_WORD: usize = 24;

/// What the next word is asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Question {
    /// After a name or an initial: a word that begins sentences?
    BeginsSentence,
    /// After a number: anything but a month?
    IsNoMonth,
    /// After a time of day: anything but a day?
    IsNoWeekday,
    /// After `No.`: anything but a number with letters before it, like `MN975262`?
    IsNoNumber,
    /// Right after a full stop, without a space: a word of a sentence, rather than of a file's or a program's name?
    IsSentenceWithoutSpace,
    /// At the beginning of a line: `a)` or `a.`?
    IsItemLetter,
    /// Below the first row of a table: the line that makes that row its header? Either way the row ends.
    IsRuleOfTable,
}

/// An end that is not certain yet.
#[derive(Clone, Debug)]
pub(super) struct Waiting {
    /// The bytes before it.
    pub(super) at: usize,
    /// The characters read since.
    pub(super) characters: usize,
    question: Question,
    word: String,
}

impl Waiting {
    pub(super) fn new(at: usize, question: Question, first: char) -> Self {
        Self { at, characters: 0, question, word: first.to_string() }
    }

    /// Hears the next character, or that there is none of this word. Some(None) is no end, None is not certain yet.
    pub(super) fn decide(&mut self, next: Option<char>) -> Option<Option<Shape>> {
        let ends = match self.question {
            Question::BeginsSentence => self.known(next, begins_sentences).map(|known| {
                // `J. A. Smith`
                let initial = self.word.chars().count() == 1 && next == Some('.');
                known && !initial
            }),
            Question::IsNoMonth => self.known(next, is_month).map(|known| !known),
            Question::IsNoWeekday => self.known(next, is_weekday).map(|known| !known),
            Question::IsNoNumber => self.is_no_number(next),
            Question::IsSentenceWithoutSpace => self.is_sentence(next),
            Question::IsItemLetter => self.is_item_letter(next),
            Question::IsRuleOfTable => {
                let is_rule = self.is_rule(next)?;
                return Some(Some(if is_rule { Shape::TableHeader } else { Shape::Text }));
            }
        };
        ends.map(|ends| ends.then_some(Shape::Text))
    }

    fn known(&mut self, next: Option<char>, list: fn(&str) -> Known) -> Option<bool> {
        match next.filter(|sign| sign.is_alphabetic()) {
            Some(letter) => {
                self.word.push(letter);
                (list(&self.word) == Known::No).then_some(false)
            }
            None => Some(list(&self.word) == Known::Whole),
        }
    }

    fn is_no_number(&mut self, next: Option<char>) -> Option<bool> {
        match next {
            Some(sign) if sign.is_numeric() => Some(false),
            Some(sign) if sign.is_alphabetic() || matches!(sign, '-' | '/' | '_') => {
                self.word.push(sign);
                (self.word.len() > LONGEST_WORD).then_some(true)
            }
            _ => Some(true),
        }
    }

    fn is_sentence(&mut self, next: Option<char>) -> Option<bool> {
        match next {
            Some(letter) if letter.is_lowercase() => {
                self.word.push(letter);
                (self.word.len() > LONGEST_WORD).then_some(false)
            }
            Some(sign) if !sign.is_whitespace() && !matches!(sign, ',' | '\'' | '’') => Some(false),
            _ => Some(self.word.len() > 1 || matches!(self.word.as_str(), "A" | "I")),
        }
    }

    fn is_item_letter(&mut self, next: Option<char>) -> Option<bool> {
        match next {
            Some(')') if self.word.chars().count() == 1 => Some(true),
            Some('.') if self.word.chars().count() == 1 => {
                self.word.push('.');
                None
            }
            Some(sign) => Some(self.word.ends_with('.') && sign.is_whitespace()),
            None => Some(false),
        }
    }

    /// `|---`, `| :-`: the word is what stands after the first `|`, spaces left out.
    fn is_rule(&mut self, next: Option<char>) -> Option<bool> {
        match next {
            Some(sign) if self.word.ends_with('-') => Some(matches!(sign, '-' | '|' | ':') || sign.is_whitespace()),
            Some(sign @ ('-' | ':')) => {
                self.word.push(sign);
                None
            }
            Some(' ') if self.word == "|" => None,
            _ => Some(false),
        }
    }
}
