//! What a language's words do to a statement, as data: see [`crate::meaning`].

use serde::Deserialize;

use super::{List, Pair, by_key};

/// What a word or a phrase does to the statement it stands in.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize, Debug)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Cue {
    /// Read, and of no consequence: `not only`.
    Nothing,
    Deny,
    /// Denies what follows, and nothing else: `without`.
    Without,
    Must,
    /// It need not be: `optional`.
    Free,
    May,
    Should,
    /// Not below or not before what follows: `at least`, `after`.
    From,
    /// Not above or not after what follows: `at most`, `until`.
    UpTo,
    During,
    All,
    Some,
    Only,
    /// The reason follows as a clause, or as a thing: `because`, `because of`.
    Because,
    BecauseOf,
    /// The consequence follows.
    Therefore,
    /// A condition follows as a clause, or as a thing: `if`, `in case of`.
    If,
    IfThing,
    /// Stands before what is compared with, behind a comparative.
    Than,
    /// Who does it follows, where the verb is passive.
    By,
    /// Begins another statement beside this one.
    And,
    /// Begins a clause that says something of the word before it.
    Relative,
    /// Stands for what was spoken of.
    Pronoun,
}

#[derive(Default, Deserialize, Debug)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Meaning {
    /// Words and phrases, in lower case; of phrases that begin alike, the longest is read.
    #[serde(deserialize_with = "by_key")]
    pub(crate) cues: List<(Cue, List)>,
    /// Comparatives of which one turns the other round.
    pub(crate) opposites: List<Pair>,
    /// What comparatives end in.
    pub(crate) comparative: &'static str,
    /// "Must not" says that one need not, as in German. Elsewhere it forbids.
    pub(crate) must_not_frees: bool,
    /// Nouns are written with a capital.
    pub(crate) has_capital_nouns: bool,
    /// Articles that say of the noun behind them that it does not act, whatever the order.
    pub(crate) oblique: List,
    /// Words that stand for nothing, beside the stop words.
    pub(crate) plain: List,
}

impl Meaning {
    /// Each word or phrase, and what it does.
    pub(crate) fn phrases(&self) -> impl Iterator<Item = (&'static str, Cue)> {
        self.cues.into_iter().flat_map(|(cue, phrases)| phrases.into_iter().map(|phrase| (*phrase, *cue)))
    }
}
