//! What a sentence affirms and what it denies, word by word; what it demands, counts and compares.

use super::antonyms::opposed;
use super::cues::{self, Force, Share};
use super::tokens::{Kind, Token};
use crate::stems::of_a_statement as stem;
use crate::stop_words::is_of_a_statement;

/// Whether a word is affirmed, denied, or neither for certain.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Sign {
    Affirmed,
    Denied,
    Uncertain,
}

impl Sign {
    pub(super) fn turned(self, denied: bool) -> Self {
        match self {
            Self::Affirmed if denied => Self::Denied,
            Self::Denied if denied => Self::Affirmed,
            same => same,
        }
    }
}

/// A word that carries meaning.
#[derive(Clone, Debug)]
pub(super) struct StatedWord {
    /// Its stem; of a word with an opposite, the one both share.
    pub(super) root: String,
    /// As it is written.
    pub(super) word: String,
    pub(super) sign: Sign,
    /// A negation stands over it; an opposite word has its sign turned without one.
    pub(super) negated: bool,
    /// The word that a negation is about, or one that is the opposite of another.
    pub(super) head: bool,
    pub(super) compares: bool,
    /// The negation is about this phrase alone: `without X`, `rather than X`.
    pub(super) by_phrase: bool,
    pub(super) clause: usize,
    /// For `faster than B`: B.
    pub(super) than: Option<String>,
}

/// `must`, `may`, `should`, and what they are said of.
#[derive(Clone, Debug)]
pub(super) struct Demand {
    pub(super) force: Force,
    pub(super) word: String,
    /// Roots of the words around it.
    pub(super) of: Vec<String>,
}

/// `before`, `after`, `more`, `less`, `if`, `unless`: which way, and of what.
#[derive(Clone, Debug)]
pub(super) struct Relation {
    pub(super) pair: &'static str,
    pub(super) forward: bool,
    pub(super) word: String,
    pub(super) of: String,
    /// Roots before it in its clause.
    pub(super) before: Vec<String>,
}

/// `all`, `some`: how much of what.
#[derive(Clone, Debug)]
pub(super) struct Portion {
    pub(super) share: Share,
    pub(super) word: String,
    pub(super) of: String,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Statement {
    pub(super) words: Vec<StatedWord>,
    pub(super) demands: Vec<Demand>,
    pub(super) relations: Vec<Relation>,
    pub(super) portions: Vec<Portion>,
    /// It says `only` or its like.
    pub(super) exclusive: Option<String>,
    /// Its exceptions: `unless`, `only`, `without`.
    pub(super) exceptions: Vec<&'static str>,
    /// It restricts in some way: a demand, a negation, a limit.
    pub(super) restricts: bool,
}

/// The root and whether the word is the opposite of it.
pub(super) fn root(folded: &str) -> (String, bool, bool) {
    let stem = stem(folded);
    match opposed(&stem) {
        Some(opposed) => (opposed.root.to_owned(), opposed.negative, opposed.compares),
        None => (stem, false, false),
    }
}

pub(super) fn is_content(token: &Token<'_>) -> bool {
    match token.kind {
        Kind::Word => {
            is_of_a_statement(&token.folded)
                && !cues::is_negation(&token.folded)
                && (token.text.len() > 1 || token.is_capitalised())
        }
        Kind::Number | Kind::Identifier => true,
        Kind::Sign | Kind::Break => false,
    }
}
