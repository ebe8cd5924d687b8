//! A text as its words: which of them carry a claim, and which a premise has.

use std::collections::{HashMap, HashSet};

use ibidem_language::claims::{carries_a_claim, number_in_digits};
use ibidem_language::denials::is_about_sources;
use ibidem_language::stems::{self, Beginning, beginning};
use ibidem_language::{SHORTEST_STEM, same_word};

/// From here on scripts are written without spaces: each sign counts as a word.
const WITHOUT_SPACES: char = '\u{2e80}';

/// What a word of a claim says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::speak::verify) enum Kind {
    /// Nothing by itself, such as "the"; or something about the answer, such as "passage".
    Plain,
    Word,
    /// It begins with a capital where no sentence begins.
    Name,
    Figure,
}

#[derive(Clone, Debug)]
pub(in crate::speak::verify) struct Word {
    /// Holds the word in lower case, numbers without their commas.
    pub(in crate::speak::verify) text: String,
    pub(in crate::speak::verify) stem: String,
    pub(in crate::speak::verify) kind: Kind,
}

/// The words of a text, in their order.
pub(in crate::speak::verify) fn words_of(text: &str) -> Vec<Word> {
    let mut words = Vec::new();
    for raw in raw_words(text) {
        let is_first = words.is_empty();
        words.push(word(raw, is_first));
    }
    words
}

fn word(raw: &str, is_first: bool) -> Word {
    let has_digit = raw.chars().any(|character| character.is_ascii_digit());
    let mut text = raw.to_lowercase();
    if has_digit {
        text.retain(|character| character != ',');
    }
    let is_letter = text.chars().nth(1).is_none() && text.is_ascii() && !has_digit;
    let kind = match raw.chars().next() {
        _ if has_digit => Kind::Figure,
        _ if is_letter || !carries_a_claim(&text) || is_about_sources(&text) => Kind::Plain,
        Some(first) if first.is_uppercase() && !is_first => Kind::Name,
        _ => Kind::Word,
    };
    Word { stem: stems::of_a_claim(&text).to_owned(), text, kind }
}

/// Runs of letters and digits; a point or a comma between digits belongs to the number.
fn raw_words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut begin = None;
    let mut characters = text.char_indices().peekable();
    let mut previous = ' ';
    while let Some((place, character)) = characters.next() {
        let next = characters.peek().map_or(' ', |(_, next)| *next);
        let joins = matches!(character, '.' | ',') && previous.is_ascii_digit() && next.is_ascii_digit();
        if character.is_alphanumeric() && character >= WITHOUT_SPACES {
            words.extend(begin.take().map(|begin| &text[begin..place]));
            words.push(&text[place..place + character.len_utf8()]);
        } else if character.is_alphanumeric() || joins {
            begin.get_or_insert(place);
        } else {
            words.extend(begin.take().map(|begin| &text[begin..place]));
        }
        previous = character;
    }
    words.extend(begin.map(|begin| &text[begin..]));
    words
}

impl Word {
    /// A sign of a script without spaces.
    pub(in crate::speak::verify) fn is_sign(&self) -> bool {
        self.text.chars().all(|sign| sign >= WITHOUT_SPACES)
    }

    /// Whether a premise's word is this one in some form.
    pub(in crate::speak::verify) fn is_form_of(&self, other: &Self) -> bool {
        let is_word = self.kind != Kind::Figure && other.kind != Kind::Figure;
        self.text == other.text
            || (is_word && self.stem == other.stem)
            || number_in_digits(&self.text).is_some_and(|digits| digits == other.text)
            || (is_word && beginning(&self.text) == beginning(&other.text) && is_long_form_of(&self.text, &other.text))
    }
}

/// A premise's words, ready to be looked for.
pub(in crate::speak::verify) struct Premise {
    texts: HashSet<String>,
    stems: HashSet<String>,
    by_beginning: HashMap<Beginning, Vec<String>>,
}

impl Premise {
    pub(in crate::speak::verify) fn parse(text: &str) -> Self {
        let mut premise = Self { texts: HashSet::new(), stems: HashSet::new(), by_beginning: HashMap::new() };
        for word in words_of(text) {
            premise.stems.insert(word.stem);
            premise.texts.extend(number_in_digits(&word.text));
            if premise.texts.insert(word.text.clone()) {
                premise.by_beginning.entry(beginning(&word.text)).or_default().push(word.text);
            }
        }
        premise
    }

    /// How many letters a word has beside one of the premise's that it begins or ends with; none where there is no such.
    pub(in crate::speak::verify) fn letters_beside(&self, word: &Word) -> Option<usize> {
        let length = |word: &str| word.chars().count();
        let is_part = |own: &&String| {
            length(own) > SHORTEST_STEM && (word.text.starts_with(own.as_str()) || word.text.ends_with(own.as_str()))
        };
        self.texts.iter().filter(is_part).map(|own| length(&word.text) - length(own)).min()
    }

    /// Whether it has the word in this form or another.
    pub(in crate::speak::verify) fn has(&self, word: &Word) -> bool {
        if self.texts.contains(&word.text) {
            return true;
        }
        if word.kind == Kind::Figure {
            return false;
        }
        let forms = || self.by_beginning.get(&beginning(&word.text)).into_iter().flatten();
        self.stems.contains(&word.stem)
            || number_in_digits(&word.text).is_some_and(|digits| self.texts.contains(&digits))
            || forms().any(|form| is_long_form_of(form, &word.text))
    }
}

/// Of shorter words the beginning says too little: "ever" is no form of "every".
fn is_long_form_of(one: &str, other: &str) -> bool {
    let is_long = |word: &str| word.chars().count() > SHORTEST_STEM;
    is_long(one) && is_long(other) && same_word(one, other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_falls_into_words_that_say_something_and_words_that_do_not() {
        let words = words_of("The board of Acme paid 1,200.50 euros, 5 times.");
        let found: Vec<_> = words.iter().map(|word| (word.text.as_str(), word.kind)).collect();
        assert_eq!(
            found,
            [
                ("the", Kind::Plain),
                ("board", Kind::Word),
                ("of", Kind::Plain),
                ("acme", Kind::Name),
                ("paid", Kind::Word),
                ("1200.50", Kind::Figure),
                ("euros", Kind::Word),
                ("5", Kind::Figure),
                ("times", Kind::Word)
            ]
        );
        assert_eq!(words_of("一文abc").iter().map(|word| word.text.as_str()).collect::<Vec<_>>(), ["一", "文", "abc"]);
    }

    #[test]
    fn a_premise_has_a_word_in_any_of_its_forms_and_a_number_as_it_is() {
        let premise = Premise::parse("Deploying three services costs 1,000 euros.");
        for (word, expected) in [
            ("deployed", true),
            ("deployment", false),
            ("service", true),
            ("3", true),
            ("4", false),
            ("three", true),
            ("1000", true),
            ("100", false),
        ] {
            assert_eq!(premise.has(&words_of(word)[0]), expected, "{word}");
        }
        assert!(Premise::parse("It took 3 days.").has(&words_of("three")[0]));
        assert!(!Premise::parse("It is changed every year.").has(&words_of("ever")[0]));
        assert!(Premise::parse("All meals are paid.").has(&words_of("meal")[0]));
    }
}
