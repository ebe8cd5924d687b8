//! Answers to be judged: one on each line, with the question and its id.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

/// A line of a file of answers.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    id: String,
    query: String,
    answer: Answered,
}

/// An answer as `ibidem ask --json` and the API give it, or as any other program may write it.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(untagged)]
pub enum Answered {
    Ibidem {
        answer: String,
        #[serde(default)]
        citations: Vec<Cited>,
        model_used: Option<String>,
    },
    Other {
        text: String,
        #[serde(default)]
        sources: Vec<String>,
        model: Option<String>,
    },
}

#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
pub struct Cited {
    snippet_full: String,
}

impl Answered {
    pub fn text(&self) -> &str {
        match self {
            Self::Ibidem { answer: text, .. } | Self::Other { text, .. } => text,
        }
    }

    pub fn sources(&self) -> Vec<&str> {
        match self {
            Self::Ibidem { citations, .. } => citations.iter().map(|cited| cited.snippet_full.as_str()).collect(),
            Self::Other { sources, .. } => sources.iter().map(String::as_str).collect(),
        }
    }

    /// Who wrote it, where that is said.
    pub fn model(&self) -> Option<&str> {
        match self {
            Self::Ibidem { model_used: model, .. } | Self::Other { model, .. } => model.as_deref(),
        }
    }
}

/// Two answers to one question.
#[derive(Clone, PartialEq, Debug)]
pub struct Pair {
    pub id: String,
    pub query: String,
    pub a: Answered,
    pub b: Answered,
}

#[derive(Debug, thiserror::Error)]
pub enum AnswersError {
    #[error("{0} cannot be read: {1}")]
    Unreadable(String, std::io::Error),
    #[error(
        "{file}, line {line}: {error}; a line is {{\"id\": \"1\", \"query\": \"…?\", \"answer\": …}} with an answer as \
         `ibidem ask --json` gives it, or {{\"text\": \"…\", \"sources\": [\"…\"], \"model\": \"…\"}}"
    )]
    OtherForm { file: String, line: usize, error: serde_json::Error },
    #[error("{file}: the id {id:?} is there twice; which of the answers counts?")]
    Twice { file: String, id: String },
    #[error("the id {0:?} has another question in each file: they are not answers to the same")]
    OtherQuestion(String),
}

/// The answers that both files have, by id, and how many only one of them has.
pub fn pairs(a: &Path, b: &Path) -> Result<(Vec<Pair>, usize), AnswersError> {
    let (ours, mut theirs) = (load(a)?, load(b)?);
    let mut pairs = Vec::new();
    let mut alone = 0;
    for (id, line) in ours {
        let Some(other) = theirs.remove(&id) else {
            alone += 1;
            continue;
        };
        if other.query != line.query {
            return Err(AnswersError::OtherQuestion(id));
        }
        pairs.push(Pair { id, query: line.query, a: line.answer, b: other.answer });
    }
    Ok((pairs, alone + theirs.len()))
}

fn load(file: &Path) -> Result<BTreeMap<String, Line>, AnswersError> {
    let name = file.display().to_string();
    let text = std::fs::read_to_string(file).map_err(|error| AnswersError::Unreadable(name.clone(), error))?;
    let mut lines = BTreeMap::new();
    for (place, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let line: Line = serde_json::from_str(line).map_err(|error| AnswersError::OtherForm {
            file: name.clone(),
            line: place + 1,
            error,
        })?;
        let id = line.id.clone();
        if lines.insert(id.clone(), line).is_some() {
            return Err(AnswersError::Twice { file: name, id });
        }
    }
    Ok(lines)
}
