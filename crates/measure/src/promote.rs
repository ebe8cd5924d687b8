//! Feedback becomes labels: answers that somebody reviewed, as questions of the golden set.

use std::collections::BTreeSet;

use ibidem_words::{Answer, CitedSource, Reason};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::golden::{
    Category, Expected, GoldenQuery, GoldenRoute, NumberedQuery, Problem, Source, VOCABULARY, lint, parse,
};

/// What a reviewer said of one answer.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Review {
    pub request_id: Uuid,
    pub verdict: ReviewVerdict,
    pub category: Category,
    /// What must become of the question. Where the verdict says it all it may be left out.
    #[serde(default)]
    pub expected: Option<Expected>,
    /// In the golden set; made of the request's id unless it is given.
    #[serde(default)]
    pub id: Option<String>,
    #[serde(default)]
    pub tags: Vec<String>,
    /// As it was asked, where the record does not have it.
    #[serde(default)]
    pub query: Option<String>,
}

impl Review {
    /// What an asker said of an answer, as a review; none where that takes more than the verdict.
    pub fn of_feedback(request_id: Uuid, verdict: Option<ReviewVerdict>) -> Option<Self> {
        let verdict = verdict?;
        let category = match verdict {
            ReviewVerdict::Right => Category::SemanticSearch,
            ReviewVerdict::ShouldRefuse => Category::Unanswerable,
            ReviewVerdict::Wrong => return None,
        };
        Some(Self { request_id, verdict, category, expected: None, id: None, tags: Vec::new(), query: None })
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReviewVerdict {
    /// It must become of the question again what became of it: an answer from these sources, or this refusal.
    Right,
    /// Something else must become of it, which `expected` says.
    Wrong,
    /// It was answered, and nothing answers it.
    ShouldRefuse,
}

/// What is stored of a turn.
#[derive(Clone, PartialEq, Debug)]
pub struct StoredTurn {
    /// Digests stand in place of what was asked.
    pub is_hashed: bool,
    pub query: Option<String>,
    pub answer: Answer,
}

/// A document that the answer cites, as the catalogue has it now.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CitedDocument {
    pub collection: String,
    pub address: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PromoteError {
    #[error(
        "its words were stored as digests (`audit.queries: hashed`), and nobody reads them back: ask the person who asked, \
         and write the golden query by hand"
    )]
    Hashed,
    #[error("the record does not have what was asked; add `query` to the review, as it was asked")]
    NoQuery,
    #[error("a wrong answer does not say what the right one is; add `expected` to the review")]
    NoExpected,
    #[error("`expected` says that it is {0}, and the verdict that it is not")]
    Contradictory(&'static str),
    #[error(
        "what it cites has no address, or is not there any more: add `expected` with `doc_types` and `doc_ids` to the review"
    )]
    NoAddress,
}

/// The golden query that a reviewed turn becomes. `cited` is what the catalogue knows of its citations.
pub fn promote(review: &Review, turn: &StoredTurn, cited: &[CitedDocument]) -> Result<GoldenQuery, PromoteError> {
    if turn.is_hashed {
        return Err(PromoteError::Hashed);
    }
    let query = turn.query.as_ref().or(review.query.as_ref()).ok_or(PromoteError::NoQuery)?;
    let expected = match (&review.expected, review.verdict) {
        (Some(expected), _) => expected.clone(),
        (None, ReviewVerdict::ShouldRefuse) => refused(review.category, None),
        (None, ReviewVerdict::Wrong) => return Err(PromoteError::NoExpected),
        (None, ReviewVerdict::Right) if turn.answer.refused => refused(review.category, turn.answer.reason),
        (None, ReviewVerdict::Right) => answered(&turn.answer, cited)?,
    };
    match review.verdict {
        ReviewVerdict::ShouldRefuse if !expected.abstain => return Err(PromoteError::Contradictory("answered")),
        ReviewVerdict::Right if expected.abstain && !turn.answer.refused => {
            return Err(PromoteError::Contradictory("refused"));
        }
        ReviewVerdict::Right if !expected.abstain && turn.answer.refused => {
            return Err(PromoteError::Contradictory("answered"));
        }
        _ => {}
    }
    let id = review.id.clone().unwrap_or_else(|| {
        let request: String = review.request_id.simple().to_string().chars().take(8).collect();
        format!("FB-{}", request.to_uppercase())
    });
    let tags = if review.tags.is_empty() { vec!["feedback".to_owned()] } else { review.tags.clone() };
    Ok(GoldenQuery { id, query: query.trim().to_owned(), category: review.category, expected, tags })
}

/// No answer, for the reason that its category is about, or else the one it was refused for.
fn refused(category: Category, refused_for: Option<Reason>) -> Expected {
    let reason = match category {
        Category::TerminologyMiss => Reason::TerminologyNotFound,
        Category::TerminologyAmbiguous => Reason::TerminologyAmbiguous,
        Category::TerminologyTimeout => Reason::TerminologyTimeout,
        Category::EntityNotFound => Reason::EntityNotFound,
        _ => refused_for.unwrap_or(Reason::LowConfidence),
    };
    let route = if category.is_terminology() { GoldenRoute::Skosmos } else { GoldenRoute::Tree };
    let nothing = Vec::new();
    Expected { route, abstain: true, reason: Some(reason), doc_types: nothing.clone(), doc_ids: nothing, source: None }
}

/// The same sources again.
fn answered(answer: &Answer, cited: &[CitedDocument]) -> Result<Expected, PromoteError> {
    let concepts: BTreeSet<String> = answer
        .citations
        .iter()
        .filter_map(|citation| match &citation.source_id {
            CitedSource::Concept(uri) => Some(uri.clone()),
            CitedSource::Passage(_) | CitedSource::Tool(_) => None,
        })
        .collect();
    if !concepts.is_empty() {
        return Ok(Expected {
            route: GoldenRoute::Skosmos,
            abstain: false,
            reason: None,
            doc_types: vec![VOCABULARY.to_owned()],
            doc_ids: concepts.into_iter().collect(),
            source: Some(Source::Skosmos),
        });
    }
    let addresses: Option<BTreeSet<String>> = cited.iter().map(|document| document.address.clone()).collect();
    let doc_ids: Vec<String> = addresses.ok_or(PromoteError::NoAddress)?.into_iter().collect();
    if doc_ids.is_empty() {
        return Err(PromoteError::NoAddress);
    }
    let collections: BTreeSet<&str> = cited.iter().map(|document| document.collection.as_str()).collect();
    let one = [GoldenRoute::Adr, GoldenRoute::Principle, GoldenRoute::Policy]
        .into_iter()
        .find(|route| collections.len() == 1 && collections.iter().all(|name| route.collection() == Some(name)));
    Ok(Expected {
        route: one.unwrap_or(GoldenRoute::Tree),
        abstain: false,
        reason: None,
        doc_types: collections.into_iter().map(str::to_owned).collect(),
        doc_ids,
        source: None,
    })
}

/// What adding queries to a set comes to.
#[derive(Clone, PartialEq, Debug)]
pub struct Addition {
    /// The set's text with the new lines; none where something is wrong with one of them.
    pub text: Result<String, Vec<Problem>>,
    /// The new queries, with the lines they stand on.
    pub added: Vec<NumberedQuery>,
    /// Ids of those that the set has already: the same question is never there twice.
    pub there_already: Vec<String>,
}

/// Adds queries to a set's text, each on a line of its own, with everything that the linter finds about them.
pub fn add(set: &str, queries: Vec<GoldenQuery>) -> Addition {
    let (mut placed, _) = parse(set);
    let words = |query: &GoldenQuery| query.query.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    let mut known: BTreeSet<String> = placed.iter().map(|placed| words(&placed.query)).collect();
    let mut text = set.trim_end().to_owned();
    if !text.is_empty() {
        text.push('\n');
    }
    let before = text.lines().count();
    let (mut added, mut there_already) = (Vec::new(), Vec::new());
    for query in queries {
        if !known.insert(words(&query)) {
            there_already.push(query.id);
            continue;
        }
        let line = before + added.len() + 1;
        text.push_str(&serde_json::to_string(&query).unwrap_or_default());
        text.push('\n');
        added.push(NumberedQuery { line, query });
    }
    placed.extend(added.iter().cloned());
    // What is wrong with the rest of the set is not about these.
    let problems = lint::lint(&placed).into_iter().filter(|problem| problem.line.is_some_and(|line| line > before));
    let problems: Vec<Problem> = problems.collect();
    Addition { text: if problems.is_empty() { Ok(text) } else { Err(problems) }, added, there_already }
}

#[cfg(test)]
mod tests;
