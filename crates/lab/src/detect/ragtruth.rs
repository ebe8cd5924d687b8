//! RAGTruth: answers of language models to questions about passages, with the spans that people found unsupported.

use std::ops::Range;
use std::path::Path;

use serde::Deserialize;

use super::{DetectError, lines};

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MarkedAnswer {
    pub id: String,
    pub model: String,
    pub passages: Vec<String>,
    pub answer: String,
    pub spans: Vec<MarkedSpan>,
}

/// What people marked, in characters of the answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MarkedSpan {
    pub characters: Range<usize>,
    /// As they called it, such as "Evident Conflict".
    pub kind: String,
}

#[derive(Deserialize)]
struct Line {
    id: String,
    model: String,
    passages: String,
    response: String,
    labels: Vec<Label>,
}

#[derive(Deserialize)]
struct Label {
    start: usize,
    end: usize,
    label_type: String,
}

pub fn marked_answers(file: &Path) -> Result<Vec<MarkedAnswer>, DetectError> {
    lines(file, "an answer of RAGTruth", 0, |line| {
        let line: Line = serde_json::from_str(line).map_err(|error| error.to_string())?;
        let length = line.response.chars().count();
        let span = |label: Label| {
            if label.start >= label.end || label.end > length {
                return Err(format!("characters {} to {} of {length} are no span", label.start, label.end));
            }
            Ok(MarkedSpan { characters: label.start..label.end, kind: label.label_type })
        };
        let spans = line.labels.into_iter().map(span).collect::<Result<_, _>>()?;
        let passages = passages_of(&line.passages);
        Ok(MarkedAnswer { id: line.id, model: line.model, passages, answer: line.response, spans })
    })
}

/// The text is one, with `passage 1:` before the first passage.
fn passages_of(text: &str) -> Vec<String> {
    let mut passages = Vec::new();
    let mut rest = text;
    for number in 1.. {
        let Some((before, after)) = rest.split_once(&format!("passage {number}:")) else { break };
        passages.push(before);
        rest = after;
    }
    passages.push(rest);
    passages.iter().map(|passage| passage.trim()).filter(|passage| !passage.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_read_with_its_passages_and_what_was_marked() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("answers.jsonl");
        let line = |end: usize| {
            format!(
                r#"{{"id": "1", "model": "m", "passages": "passage 1:One.\n\npassage 2:Two passage 1: is.\n\n",
                "response": "Naïve.", "labels": [{{"start": 2, "end": {end}, "label_type": "Evident Conflict"}}]}}"#
            )
            .replace('\n', " ")
        };
        std::fs::write(&file, line(6)).unwrap();
        let found = marked_answers(&file).unwrap();
        assert_eq!(found[0].passages, ["One.", "Two passage 1: is."]);
        assert_eq!(found[0].spans[0].characters, 2..6);
        std::fs::write(&file, line(7)).unwrap();
        assert!(marked_answers(&file).unwrap_err().to_string().contains("no span"));
    }
}
