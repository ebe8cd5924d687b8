//! The golden set: questions with the outcome each of them must have, one on each line.

pub mod actual;
pub mod blob;
pub mod by_rule;
pub mod compare;
pub mod compliance;
pub mod corpus;
pub mod defined;
pub mod halves;
pub mod judged;
pub mod lint;
pub mod report;
pub mod results;
pub mod run;
pub mod score;
pub mod targets;
pub mod terms;

use std::fmt;
use std::path::Path;

use ibidem_words::Reason;
use serde::{Deserialize, Serialize};

/// The term that an evaluation's vocabulary never answers in time.
pub const TIMEOUT_TRIGGER: &str = "__TEST_SKOSMOS_TIMEOUT__";

/// The collections of the architecture team, all of which the set asks about.
pub const COLLECTIONS: [&str; 4] = ["ADR", "Principle", "Policy", VOCABULARY];
/// The collection whose documents are concepts.
pub const VOCABULARY: &str = "Vocabulary";

/// A question and what must become of it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GoldenQuery {
    pub id: String,
    pub query: String,
    pub category: Category,
    pub expected: Expected,
    /// To pick and group by; they decide nothing.
    pub tags: Vec<String>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expected {
    pub route: GoldenRoute,
    /// Whether the right outcome is no answer: a refusal, or a question back.
    pub abstain: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
    /// The collections that an answer must cite, each of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub doc_types: Vec<String>,
    /// Addresses of documents and URIs of concepts: an answer cites at least one of them in each of its collections.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub doc_ids: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<Source>,
}

/// Where a question is to be answered from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GoldenRoute {
    /// The vocabulary.
    Skosmos,
    Adr,
    Principle,
    Policy,
    /// Several collections, or whichever has it.
    Tree,
}

impl GoldenRoute {
    /// The one collection that this route leads to.
    pub fn collection(self) -> Option<&'static str> {
        match self {
            Self::Skosmos => Some(VOCABULARY),
            Self::Adr => Some("ADR"),
            Self::Principle => Some("Principle"),
            Self::Policy => Some("Policy"),
            Self::Tree => None,
        }
    }
}

/// What vouches for a definition.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Source {
    #[serde(rename = "SKOSMOS")]
    Skosmos,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Category {
    TerminologyHit,
    TerminologyMiss,
    TerminologyAmbiguous,
    TerminologyTimeout,
    NonTerminologyDefine,
    NonTerminologyList,
    AdrRetrieval,
    PrincipleRetrieval,
    PolicyRetrieval,
    EntityNotFound,
    SemanticSearch,
    CrossCollection,
    /// What the documents do not say, however near they come to it.
    Unanswerable,
}

impl Category {
    /// Every category and the fewest questions it may have.
    pub const MINIMUMS: [(Self, usize); 13] = [
        (Self::TerminologyHit, 5),
        (Self::TerminologyMiss, 3),
        (Self::TerminologyAmbiguous, 2),
        (Self::TerminologyTimeout, 2),
        (Self::NonTerminologyDefine, 3),
        (Self::NonTerminologyList, 3),
        (Self::AdrRetrieval, 5),
        (Self::PrincipleRetrieval, 3),
        (Self::PolicyRetrieval, 3),
        (Self::EntityNotFound, 3),
        (Self::SemanticSearch, 5),
        (Self::CrossCollection, 3),
        // Without any, nothing would show an engine that answers everything.
        (Self::Unanswerable, 5),
    ];

    pub fn is_terminology(self) -> bool {
        matches!(
            self,
            Self::TerminologyHit | Self::TerminologyMiss | Self::TerminologyAmbiguous | Self::TerminologyTimeout
        )
    }
}

/// As it is written in the set.
impl fmt::Display for Category {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

/// Whether evidence that does not carry an answer may be refused for this reason. Which of them it is depends on the
/// policy's gates, so a question that nothing answers is refused rightly for any of them.
pub fn is_about_evidence(reason: Reason) -> bool {
    matches!(
        reason,
        Reason::NoResults
            | Reason::LowSimilarity
            | Reason::LowCoverage
            | Reason::LowConfidence
            | Reason::NotAnswered
            | Reason::BesideTheQuestion
            | Reason::NoThesis
            | Reason::UnsupportedClaims
            | Reason::OutOfScope
    )
}

/// Something that is wrong with the set, and where.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Problem {
    /// From 1; none when it is about the set as a whole.
    pub line: Option<usize>,
    pub id: Option<String>,
    pub what: String,
}

impl Problem {
    fn of(placed: &NumberedQuery, what: impl Into<String>) -> Self {
        Self { line: Some(placed.line), id: Some(placed.query.id.clone()), what: what.into() }
    }

    fn of_the_set(what: impl Into<String>) -> Self {
        Self { line: None, id: None, what: what.into() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.line, &self.id) {
            (Some(line), Some(id)) => write!(f, "line {line}, {id}: {}", self.what),
            (Some(line), None) => write!(f, "line {line}: {}", self.what),
            (None, _) => f.write_str(&self.what),
        }
    }
}

/// A question and the line it stands on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NumberedQuery {
    pub line: usize,
    pub query: GoldenQuery,
}

#[derive(Debug, thiserror::Error)]
pub enum GoldenError {
    #[error("{0} cannot be read: {1}")]
    Unreadable(String, std::io::Error),
    #[error("{0} is not a golden set: {1}; `ibidem eval lint` names everything that is wrong with it")]
    NotASet(String, Problem),
}

/// The questions of a set, for a run: every line is one, or there is no run.
pub fn load(file: &Path) -> Result<Vec<GoldenQuery>, GoldenError> {
    let (placed, problems) = parse(&text(file)?);
    match problems.into_iter().next() {
        Some(problem) => Err(GoldenError::NotASet(file.display().to_string(), problem)),
        None => Ok(placed.into_iter().map(|placed| placed.query).collect()),
    }
}

/// A set's text, as it is hashed and parsed.
pub fn text(file: &Path) -> Result<String, GoldenError> {
    std::fs::read_to_string(file).map_err(|error| GoldenError::Unreadable(file.display().to_string(), error))
}

/// What can be read, and what is wrong with the lines that cannot.
pub fn parse(text: &str) -> (Vec<NumberedQuery>, Vec<Problem>) {
    let mut placed = Vec::new();
    let mut problems = Vec::new();
    for (place, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let line_number = place + 1;
        match serde_json::from_str(line) {
            Ok(query) => placed.push(NumberedQuery { line: line_number, query }),
            Err(error) => problems.push(Problem { line: Some(line_number), id: id_of(line), what: error.to_string() }),
        }
    }
    (placed, problems)
}

/// The id of a line that is not a question but has one.
fn id_of(line: &str) -> Option<String> {
    let value: serde_json::Value = serde_json::from_str(line).ok()?;
    Some(value.get("id")?.as_str()?.to_owned())
}

#[cfg(test)]
mod run_tests;
#[cfg(test)]
mod tests;
