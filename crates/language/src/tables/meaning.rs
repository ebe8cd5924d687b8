//! What a language's words do to a statement, as data: see [`crate::meaning`].

/// What a word or a phrase does to the statement it stands in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
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

#[derive(Debug)]
pub(crate) struct Meaning {
    /// Words and phrases, in lower case; of phrases that begin alike, the longest is read.
    pub(crate) cues: &'static [(&'static str, Cue)],
    /// Comparatives of which one turns the other round.
    pub(crate) opposites: &'static [(&'static str, &'static str)],
    /// What comparatives end in.
    pub(crate) comparative: &'static str,
    /// "Must not" forbids; in German it says that one need not.
    pub(crate) must_not_forbids: bool,
    /// Nouns are written with a capital.
    pub(crate) has_capital_nouns: bool,
    /// Articles that say of the noun behind them that it does not act, whatever the order.
    pub(crate) oblique: &'static [&'static str],
    /// Words that stand for nothing, beside the stop words.
    pub(crate) plain: &'static [&'static str],
}

pub(crate) const NO_MEANING: Meaning = Meaning {
    cues: &[],
    opposites: &[],
    comparative: "",
    must_not_forbids: true,
    has_capital_nouns: false,
    oblique: &[],
    plain: &[],
};
