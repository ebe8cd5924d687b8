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

/// A sentence without its references: "(passage 2)" goes, "Passage 2 states" becomes "the passage states". That is how
/// these answers cite, and a citation is no figure and no name. The gauntlet takes markers out of an answer in the same
/// way before its sentences are checked.
pub fn without_references(sentence: &str) -> String {
    let mut plain = String::with_capacity(sentence.len());
    let mut rest = sentence;
    while let Some(open) = rest.find('(') {
        let (before, group) = rest.split_at(open);
        let Some(close) = group.find(')') else { break };
        let (group, after) = group.split_at(close + 1);
        plain.push_str(&named(before));
        if !is_reference(group) {
            plain.push_str(&named(group));
        }
        rest = after;
    }
    plain.push_str(&named(rest));
    plain
}

/// "(Passage 1)", "(as mentioned in passages 1 and 3)".
fn is_reference(group: &str) -> bool {
    const LONGEST: usize = 8;
    let words: Vec<String> = group.split_whitespace().map(bare).collect();
    words.len() <= LONGEST && words.windows(2).any(|pair| is_passage(&pair[0]) && is_number(&pair[1]))
}

/// Numbered passages, as "the passage".
fn named(text: &str) -> String {
    let words: Vec<&str> = text.split_inclusive(char::is_whitespace).collect();
    let mut plain = String::with_capacity(text.len());
    let mut numbered = false;
    for (place, word) in words.iter().enumerate() {
        let this = bare(word);
        let goes_on = |from: usize| words.get(from).is_some_and(|next| is_number(&bare(next)));
        if is_passage(&this) && goes_on(place + 1) {
            plain.push_str("the passage ");
            numbered = true;
        } else if !(numbered && (is_number(&this) || (matches!(this.as_str(), "and" | "or") && goes_on(place + 1)))) {
            plain.push_str(word);
            numbered = false;
        }
    }
    plain
}

fn bare(word: &str) -> String {
    let bare = word.trim().trim_end_matches("'s").trim_matches(|character: char| !character.is_alphanumeric());
    bare.to_lowercase()
}

fn is_passage(bare: &str) -> bool {
    matches!(bare, "passage" | "passages")
}

fn is_number(bare: &str) -> bool {
    !bare.is_empty() && bare.chars().all(|character| character.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_a_passage_is_no_figure() {
        for (sentence, expected) in [
            ("According to passage 2, it takes 3 days.", "According to the passage it takes 3 days."),
            ("Passages 1, 2 and 3 say 3 days.", "the passage say 3 days."),
            ("It takes 3 days (Passage 1) or 4 (in Rome).", "It takes 3 days  or 4 (in Rome)."),
            ("(as mentioned in passages 1 and 3)", ""),
            ("The passage of 30 ships took 3 days.", "The passage of 30 ships took 3 days."),
        ] {
            assert_eq!(without_references(sentence), expected);
        }
    }

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
