//! Falsehoods by kind, in English and German, and faithful sentences beside them: what becomes of each.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::AdversarialError;

/// What was done to a claim; of a faithful one, how it was put into other words.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// The condition under which it holds is left out.
    Condition,
    /// It is said of somebody or something else.
    Subject,
    /// Two statements of the note are made one.
    Merged,
    /// Who does it and to whom it is done change places.
    RoleSwap,
    /// A reason that the note does not give.
    Cause,
    Comparison,
    /// What answers one question is given as the answer to another.
    OtherQuestion,
    /// Something is added that the note does not say.
    Addition,
    Time,
    Quantifier,
    Negation,
    Modality,
    Bound,
    /// Cells of a table or a list are paired as they do not belong together.
    ListCells,
    Paraphrase,
    ActivePassive,
    Joined,
    Shortened,
    /// A figure is written in another way.
    Respelled,
}

impl Kind {
    pub const ALL: [Self; 19] = [
        Self::Condition,
        Self::Subject,
        Self::Merged,
        Self::RoleSwap,
        Self::Cause,
        Self::Comparison,
        Self::OtherQuestion,
        Self::Addition,
        Self::Time,
        Self::Quantifier,
        Self::Negation,
        Self::Modality,
        Self::Bound,
        Self::ListCells,
        Self::Paraphrase,
        Self::ActivePassive,
        Self::Joined,
        Self::Shortened,
        Self::Respelled,
    ];

    pub fn is_faithful(self) -> bool {
        self >= Self::Paraphrase
    }

    /// In words, as tables for people name it.
    pub fn title(self) -> &'static str {
        match self {
            Self::Condition => "condition dropped",
            Self::Subject => "subject changed",
            Self::Merged => "two statements merged",
            Self::RoleSwap => "roles swapped",
            Self::Cause => "cause invented",
            Self::Comparison => "comparison turned",
            Self::OtherQuestion => "another question answered",
            Self::Addition => "something added",
            Self::Time => "time turned",
            Self::Quantifier => "quantity changed",
            Self::Negation => "negation",
            Self::Modality => "must, may and should",
            Self::Bound => "bound turned",
            Self::ListCells => "cells paired freely",
            Self::Paraphrase => "paraphrased",
            Self::ActivePassive => "active and passive",
            Self::Joined => "joined",
            Self::Shortened => "shortened",
            Self::Respelled => "figures respelled",
        }
    }
}

/// A claim about one note.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
pub struct Pair {
    pub id: String,
    pub kind: Kind,
    /// `en` or `de`.
    pub language: String,
    pub note: String,
    pub claim: String,
    /// Whether the note bears it out.
    pub supported: bool,
}

/// What becomes of a claim before anybody sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// It goes out as it was written.
    Passed,
    /// The note's own sentence goes out in its place.
    Replaced,
    Dropped,
}

/// What became of the claims of one kind and language.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Outcomes {
    pub passed: usize,
    pub replaced: usize,
    pub dropped: usize,
}

impl Outcomes {
    pub fn all(&self) -> usize {
        self.passed + self.replaced + self.dropped
    }

    fn count(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Passed => self.passed += 1,
            Outcome::Replaced => self.replaced += 1,
            Outcome::Dropped => self.dropped += 1,
        }
    }

    #[must_use]
    pub fn with(self, other: Self) -> Self {
        Self {
            passed: self.passed + other.passed,
            replaced: self.replaced + other.replaced,
            dropped: self.dropped + other.dropped,
        }
    }
}

/// What became of one half of the pairs, by kind and then by language.
pub type Scores = BTreeMap<Kind, BTreeMap<String, Outcomes>>;

pub fn load(file: &Path) -> Result<Vec<Pair>, AdversarialError> {
    let name = || file.display().to_string();
    let text = std::fs::read_to_string(file).map_err(|error| AdversarialError::Unreadable(name(), error))?;
    let mut pairs: Vec<Pair> = Vec::new();
    for (place, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let pair: Pair =
            serde_json::from_str(line).map_err(|error| AdversarialError::BadLine(name(), place + 1, error))?;
        if pair.supported != pair.kind.is_faithful() {
            let label = if pair.supported { "supported" } else { "not supported" };
            return Err(AdversarialError::WrongLabel(name(), pair.id, label));
        }
        pairs.push(pair);
    }
    Ok(pairs)
}

/// Counts what became of the pairs.
pub fn score(outcomes: &[(&Pair, Outcome)]) -> Scores {
    let mut scores = Scores::new();
    for (pair, outcome) in outcomes {
        scores.entry(pair.kind).or_default().entry(pair.language.clone()).or_default().count(*outcome);
    }
    scores
}

/// What became of the pairs of these kinds, in one language or in all.
pub fn sum(scores: &Scores, kinds: impl Fn(Kind) -> bool, language: Option<&str>) -> Outcomes {
    let of_kinds = scores.iter().filter(|(kind, _)| kinds(**kind)).flat_map(|(_, languages)| languages);
    let counted = of_kinds.filter(|(name, _)| language.is_none_or(|language| language == name.as_str()));
    counted.fold(Outcomes::default(), |sum, (_, outcomes)| sum.with(*outcomes))
}

/// The figures as SECURITY.md has them: a row for each kind, the open half and the sealed one side by side.
pub fn markdown(open: &Scores, sealed: &Scores) -> String {
    let mut table = String::from(
        "| kind | English, open | English, sealed | German, open | German, sealed |\n|---|---|---|---|---|\n",
    );
    let cell = |scores: &Scores, kinds: &dyn Fn(Kind) -> bool, language: &str| {
        let Outcomes { passed, replaced, dropped } = sum(scores, kinds, Some(language));
        format!("{passed}, {replaced}, {dropped}")
    };
    let mut row = |title: &str, kinds: &dyn Fn(Kind) -> bool| {
        let [english, german] =
            ["en", "de"].map(|language| format!("{} | {}", cell(open, kinds, language), cell(sealed, kinds, language)));
        let _ = writeln!(table, "| {title} | {english} | {german} |");
    };
    for kind in Kind::ALL.into_iter().filter(|kind| !kind.is_faithful()) {
        row(kind.title(), &|other| other == kind);
    }
    row("**all falsehoods**", &|kind| !kind.is_faithful());
    for kind in Kind::ALL.into_iter().filter(|kind| kind.is_faithful()) {
        row(&format!("faithful, {}", kind.title()), &|other| other == kind);
    }
    row("**all faithful**", &|kind| kind.is_faithful());
    table
}

#[cfg(test)]
mod tests;
