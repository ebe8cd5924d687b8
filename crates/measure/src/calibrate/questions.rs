//! Labelled questions: what a person said must become of each. One on each line, a golden set, or one of SQuAD 2.0.

use std::path::Path;

use ibidem_words::CollectionName;
use serde::{Deserialize, Serialize};

use crate::golden::{Category, GoldenQuery};
use crate::squad;

/// A question, whether the documents answer it, and by which of them.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LabelledQuestion {
    pub id: String,
    pub query: String,
    pub answerable: bool,
    /// Addresses of documents, or what follows `#` where they came from a file of many: one of them must be in the
    /// evidence. Empty where nobody said which; then any will do.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub documents: Vec<String>,
    /// The words that answer it, as people wrote or marked them: one of them must be in the answer. Empty where nobody
    /// said; then the right document will do.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<String>,
    /// Only these collections are asked; empty means all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub collections: Vec<CollectionName>,
}

#[derive(Debug, thiserror::Error)]
pub enum LabelError {
    #[error("{0} cannot be read: {1}")]
    Unreadable(String, std::io::Error),
    #[error(
        "{file}, line {line}: neither a labelled question ({label}) nor one of a golden set ({golden}); a label is \
         {{\"id\": \"1\", \"query\": \"…?\", \"answerable\": true, \"documents\": [\"ADR-0012\"]}}"
    )]
    OtherForm { file: String, line: usize, label: String, golden: String },
    #[error("{file}: the id {id:?} is there twice; a label must count once")]
    Twice { file: String, id: String },
}

/// The questions of a file, and how many were left out because no gate decides them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Labels {
    pub questions: Vec<LabelledQuestion>,
    /// Questions about terms and for lists: a rule answers them, whatever the threshold.
    pub left_out: usize,
}

/// Reads a file of any of the three forms.
pub fn load(file: &Path) -> Result<(Labels, Vec<u8>), LabelError> {
    let name = file.display().to_string();
    let bytes = std::fs::read(file).map_err(|error| LabelError::Unreadable(name.clone(), error))?;
    let labels = parse(&name, &bytes)?;
    let mut seen = std::collections::HashSet::new();
    if let Some(twice) = labels.questions.iter().find(|question| !seen.insert(question.id.as_str())) {
        return Err(LabelError::Twice { file: name, id: twice.id.clone() });
    }
    Ok((labels, bytes))
}

fn parse(name: &str, bytes: &[u8]) -> Result<Labels, LabelError> {
    if let Ok(halves) = squad::parse(bytes) {
        let questions = halves.into_iter().flatten().map(of_squad).collect();
        return Ok(Labels { questions, left_out: 0 });
    }
    let mut labels = Labels::default();
    let text = String::from_utf8_lossy(bytes);
    for (place, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let label = match serde_json::from_str::<LabelledQuestion>(line) {
            Ok(label) => Some(label),
            Err(label) => match serde_json::from_str::<GoldenQuery>(line) {
                Ok(golden) => of_golden(golden),
                Err(golden) => {
                    let (label, golden) = (label.to_string(), golden.to_string());
                    return Err(LabelError::OtherForm { file: name.to_owned(), line: place + 1, label, golden });
                }
            },
        };
        match label {
            Some(label) => labels.questions.push(label),
            None => labels.left_out += 1,
        }
    }
    Ok(labels)
}

fn of_squad(question: squad::SquadQuestion) -> LabelledQuestion {
    LabelledQuestion {
        id: question.id,
        query: question.text,
        answerable: question.answerable,
        documents: if question.answerable { vec![question.paragraph] } else { Vec::new() },
        answers: question.answers,
        collections: Vec::new(),
    }
}

/// None where a rule decides, and no gate.
fn of_golden(query: GoldenQuery) -> Option<LabelledQuestion> {
    if query.category.is_terminology() || query.category == Category::NonTerminologyList {
        return None;
    }
    let answerable = !query.expected.abstain;
    let documents = if answerable { query.expected.doc_ids } else { Vec::new() };
    let (answers, collections) = (Vec::new(), Vec::new());
    Some(LabelledQuestion { id: query.id, query: query.query, answerable, documents, answers, collections })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(text: &str) -> Result<Labels, LabelError> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("labels");
        std::fs::write(&file, text).unwrap();
        load(&file).map(|(labels, _)| labels)
    }

    #[test]
    fn three_forms_are_read_and_what_a_rule_decides_is_left_out() {
        let labels = read_text(
            "{\"id\": \"1\", \"query\": \"Why?\", \"answerable\": false}\n\n\
             {\"id\": \"GS-1\", \"query\": \"What is decided about TLS?\", \"category\": \"adr_retrieval\", \
             \"expected\": {\"route\": \"adr\", \"abstain\": false, \"doc_types\": [\"ADR\"], \"doc_ids\": \
             [\"ADR-0031\"]}, \"tags\": []}\n\
             {\"id\": \"GS-2\", \"query\": \"What is X?\", \"category\": \"terminology_miss\", \"expected\": \
             {\"route\": \"skosmos\", \"abstain\": true, \"reason\": \"terminology_not_found\"}, \"tags\": []}\n",
        )
        .unwrap();
        let label = |question: &LabelledQuestion| (question.answerable, question.documents.clone());
        let all: Vec<_> = labels.questions.iter().map(label).collect();
        assert_eq!(all, [(false, vec![]), (true, vec!["ADR-0031".to_owned()])]);
        assert_eq!(labels.left_out, 1);
        let squad = r#"{"data": [{"title": "T", "paragraphs": [{"context": "c", "qas": [
            {"id": "a", "question": "Who?", "is_impossible": false, "answers": []},
            {"id": "b", "question": "Whom?", "is_impossible": true, "answers": []}]}]}]}"#;
        let all: Vec<_> = read_text(squad).unwrap().questions.iter().map(label).collect();
        assert_eq!(all, [(true, vec!["T#p0".to_owned()]), (false, vec![])]);
    }

    #[test]
    fn what_is_no_label_is_named_with_its_line_and_one_label_counts_once() {
        let line = r#"{"id": "1", "query": "Why?", "answerable": true}"#;
        let message = read_text(&format!("{line}\n{{\"query\": \"Why?\"}}")).unwrap_err().to_string();
        assert!(message.contains("line 2") && message.contains("missing field"), "{message}");
        let message = read_text(&format!("{line}\n{line}")).unwrap_err().to_string();
        assert!(message.contains("the id \"1\" is there twice"), "{message}");
    }
}
