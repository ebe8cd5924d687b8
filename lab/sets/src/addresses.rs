//! Questions that name documents by their addresses: each must bring exactly those, or be refused.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

use ibidem_engine::ask::{AskError, Engine};
use ibidem_engine::listener::Nobody;
use ibidem_engine::turn::Asked;
use ibidem_words::{Action, Answer, Reason};
use serde::{Deserialize, Serialize};

use ibidem_measure::metrics::percentile;

#[derive(Debug, thiserror::Error)]
pub enum AddressesError {
    #[error("{0} cannot be read: {1}")]
    Unreadable(String, std::io::Error),
    #[error("{0}, line {1}: {2}")]
    BadLine(String, usize, serde_json::Error),
}

/// A question, and the titles of the documents it must bring; none when it must be refused.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
pub struct AddressQuery {
    pub kind: String,
    pub query: String,
    pub expect: Vec<String>,
}

/// How the questions of one kind did.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct KindScore {
    pub kind: String,
    pub queries: usize,
    pub right: usize,
    pub p50_milliseconds: f64,
    pub p95_milliseconds: f64,
}

/// A question that did not end as it must.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Wrong {
    pub query: String,
    pub expected: Vec<String>,
    pub brought: Vec<String>,
    pub reason: Option<Reason>,
}

pub fn load(file: &Path) -> Result<Vec<AddressQuery>, AddressesError> {
    let name = || file.display().to_string();
    let text = std::fs::read_to_string(file).map_err(|error| AddressesError::Unreadable(name(), error))?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(place, line)| {
            serde_json::from_str(line).map_err(|error| AddressesError::BadLine(name(), place + 1, error))
        })
        .collect()
}

/// Asks every question, one after the other, for a whole answer.
pub async fn run(
    engine: &Engine,
    asked: impl Fn(&str) -> Asked,
    queries: &[AddressQuery],
) -> Result<(Vec<KindScore>, Vec<Wrong>), AskError> {
    let mut times: BTreeMap<&str, (Vec<f64>, usize)> = BTreeMap::new();
    let mut wrong = Vec::new();
    for query in queries {
        let question = asked(&query.query);
        let began = Instant::now();
        let answer = engine.ask(question, &mut Nobody).await?.answer;
        let milliseconds = began.elapsed().as_secs_f64() * 1_000.0;
        let (of_kind, right) = times.entry(&query.kind).or_default();
        of_kind.push(milliseconds);
        if is_right(query, &answer) {
            *right += 1;
        } else {
            wrong.push(Wrong {
                query: query.query.clone(),
                expected: query.expect.clone(),
                brought: brought(&answer),
                reason: answer.reason,
            });
        }
    }
    let scores = times.into_iter().map(|(kind, (mut milliseconds, right))| KindScore {
        kind: kind.to_owned(),
        queries: milliseconds.len(),
        right,
        p50_milliseconds: percentile(&mut milliseconds, 0.50),
        p95_milliseconds: percentile(&mut milliseconds, 0.95),
    });
    Ok((scores.collect(), wrong))
}

fn is_right(query: &AddressQuery, answer: &Answer) -> bool {
    if query.expect.is_empty() {
        return answer.refused && answer.reason == Some(Reason::EntityNotFound) && answer.citations.is_empty();
    }
    answer.action == Action::Cite && brought(answer) == query.expect
}

/// Each document once, in the order of its first citation.
fn brought(answer: &Answer) -> Vec<String> {
    let mut titles: Vec<String> = Vec::new();
    for citation in &answer.citations {
        if !titles.contains(&citation.document_name) {
            titles.push(citation.document_name.clone());
        }
    }
    titles
}
