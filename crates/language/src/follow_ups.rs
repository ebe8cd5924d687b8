//! A question that goes on with the one before, put so that it stands by itself: "and for part-timers?".
//!
//! Rules over the tables of a language: openings, pronouns, words that are always of something. A question that has none
//! of these signs is left as it is. The words that are carried over are the asker's own, out of an earlier question.

mod apart;
mod carried;
mod differing;
mod signs;
mod topic;
mod words;

use crate::tables::{Language, Tables};
pub use apart::taken_apart;
use signs::Sign;
use words::{Word, words};

/// A conversation as far as its questions tell what is spoken of.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Spoken {
    /// The last question, standing by itself.
    last: Option<String>,
    /// What was asked about alike in the questions so far: "leave of full-time staff", "leave of part-time staff".
    alternatives: Vec<String>,
}

impl Spoken {
    /// What a question is meant to say after those so far, if it does not stand by itself.
    pub fn self_contained(&self, question: &str) -> Option<String> {
        self.understood(question).map(|carried| carried.text)
    }

    /// Goes on with a question that was answered.
    pub fn answered(&mut self, question: &str) {
        match self.understood(question) {
            Some(Carried { text, takes_place }) => {
                if takes_place {
                    for question in [self.last.as_deref().unwrap_or_default(), &text] {
                        let words = words(question);
                        let Some(topic) = topic::topic(&words, language_of(&words, &[])) else { continue };
                        if !self.alternatives.iter().any(|known| known.eq_ignore_ascii_case(&topic)) {
                            self.alternatives.push(topic);
                        }
                    }
                }
                self.last = Some(text);
            }
            None => *self = Self { last: Some(question.trim().to_owned()), alternatives: Vec::new() },
        }
    }

    fn understood(&self, question: &str) -> Option<Carried> {
        let last = self.last.as_deref()?;
        let asked = words(question);
        let before = words(last);
        let tables = language_of(&asked, &before);
        let sign = signs::sign(&asked, question.trim_end().ends_with('?'), tables)?;
        let topic = || topic::topic(&before, tables);
        match sign {
            Sign::Fragment(phrase) => carried::fragment(last, &before, &[], phrase, tables),
            Sign::Same(phrase) => carried::fragment(last, &before, &words(tables.follow_ups.for_whom), phrase, tables),
            Sign::Choice if self.alternatives.len() > 1 => {
                let choices = self.alternatives.join(&format!(" {} ", tables.follow_ups.or));
                let asked = words::joined(&asked);
                Some(Carried::plainly(format!("{asked}: {choices}?")))
            }
            Sign::Pronoun(place) => carried::pronoun(&asked, place, &topic()?, tables),
            Sign::Choice if signs::pronoun(&asked, tables).is_some() => {
                carried::pronoun(&asked, signs::pronoun(&asked, tables)?, &topic()?, tables)
            }
            Sign::Choice | Sign::Relational | Sign::Poor(_) | Sign::Bare(_) => {
                let asked = match sign {
                    Sign::Poor(rest) | Sign::Bare(rest) => rest,
                    _ => &asked,
                };
                let (asked, topic) = (words::joined(asked), topic()?);
                let text = match sign {
                    Sign::Bare(_) => format!("{}: {asked}?", words::capitalised(&topic)),
                    _ => format!("{} {} {topic}?", words::capitalised(&asked), tables.follow_ups.for_whom),
                };
                Some(Carried::plainly(text))
            }
        }
    }
}

/// A question that stands by itself.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Carried {
    text: String,
    /// It asks of something else what the last one asked.
    takes_place: bool,
}

impl Carried {
    fn plainly(text: String) -> Self {
        Self { text, takes_place: false }
    }
}

/// The language that more of the words belong to.
fn language_of(asked: &[Word<'_>], before: &[Word<'_>]) -> &'static Tables {
    let count = |tables: &Tables| {
        let grammar = |word: &&Word<'_>| tables.follow_ups.has_grammar(&word.lower);
        asked.iter().chain(before).filter(grammar).count()
    };
    let [english, german] = [Language::English, Language::German].map(Language::tables);
    if count(german) > count(english) { german } else { english }
}

#[cfg(test)]
mod tests;
