//! What a word before a full stop is: the end of a sentence, or an abbreviation that goes on.

use crate::tables::{Abbreviations, List, Tables, WITH_SPACES};

/// How a word stands to the full stop after it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Word {
    /// A word like any other.
    Plain,
    /// So short that, with a small letter after it, it is rather somebody's abbreviation than a sentence's last word.
    Short,
    /// `Dr.`, `e.g.`: something always follows.
    Opening,
    /// `No.`, `Dec.`: goes on if a number follows, and is a word like any other otherwise.
    BeforeNumber,
    /// `etc.`, `a.m.`: may well be the last word.
    Closing,
    /// `U.S.`, `Inc.`, an initial: a name may follow, or a sentence.
    Named,
    /// One or two digits: in some languages that is an ordinal, and a month follows.
    Ordinal,
}

impl Word {
    /// Of the word as it stands before the stop, with what is around it.
    pub(super) fn before_stop(word: &str) -> Self {
        const LONGEST_SHORT: usize = 4;
        let word = word.trim_start_matches(|sign: char| !sign.is_alphanumeric()).to_lowercase();
        let is = |list: fn(&Abbreviations) -> List| {
            WITH_SPACES.iter().any(|language| list(&language.abbreviations).contains(&word.as_str()))
        };
        let letters = word.chars().count();
        let initials = word.split('.').all(|part| part.chars().count() == 1) && word.chars().all(is_letter_or_dot);
        match () {
            () if is(|known| known.opening) => Self::Opening,
            () if is(|known| known.before_number) => Self::BeforeNumber,
            () if is(|known| known.closing) => Self::Closing,
            () if is(|known| known.named) || initials => Self::Named,
            () if (1..=2).contains(&letters) && word.chars().all(|sign| sign.is_ascii_digit()) => Self::Ordinal,
            () if (1..=LONGEST_SHORT).contains(&letters) && word.chars().all(char::is_alphabetic) => Self::Short,
            () => Self::Plain,
        }
    }
}

fn is_letter_or_dot(sign: char) -> bool {
    // Scripts without small letters write whole words with one sign.
    sign == '.' || sign.is_lowercase()
}

/// How a word that is still being read stands to a list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Known {
    No,
    /// Some word of the list begins so.
    Perhaps,
    Whole,
}

pub(super) fn begins_sentences(word: &str) -> Known {
    known(|language| language.sentence_starters, word)
}

/// A month that follows the ordinal of its day.
pub(super) fn is_month(word: &str) -> Known {
    known(|language| if language.writes_days_with_a_stop { language.months } else { List::default() }, word)
}

pub(super) fn is_weekday(word: &str) -> Known {
    known(|language| language.weekdays, word)
}

fn known(list: fn(&Tables) -> List, word: &str) -> Known {
    let words = || WITH_SPACES.iter().flat_map(|language| list(language));
    if words().any(|known| *known == word) {
        return Known::Whole;
    }
    if words().any(|known| known.starts_with(word)) { Known::Perhaps } else { Known::No }
}
