//! The outline: which notes support an answer, by the planner. None does, and nothing is written.

use ibidem_ports::language_model::{ModelError, PromptMessage};
use ibidem_words::{GateRecord, Speaker, Verdict};

use serde::Deserialize;

use super::footnotes::Footnotes;
use super::in_form::{HOW_TO_OUTLINE, form_of_outline};
use super::prompt;
use crate::policy::{NotesBy, OutlineRules};
use crate::roles::NamedModel;
use crate::turn::Asked;

/// A line for each note is enough.
const MOST_TOKENS: u32 = 256;

/// What the planner makes of the notes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Outline {
    /// The places of the notes that it would write from, in its order, each once.
    pub(super) places: Vec<usize>,
    /// Whether they answer, where it was asked that.
    pub(super) is_answered: Option<bool>,
}

/// What the planner says of all the notes in one reply.
pub(super) async fn outline(
    planner: &NamedModel,
    rules: &OutlineRules,
    asked: &Asked,
    footnotes: &Footnotes<'_>,
) -> Result<Outline, ModelError> {
    let notes: String = footnotes.notes().map(|(number, candidate)| prompt::note(number, &candidate.passage)).collect();
    let [before, after] = prompt::around_notes(&asked.question.query);
    let by_schema = rules.notes_by == NotesBy::Schema;
    let how = if by_schema { format!("\n{HOW_TO_OUTLINE}") } else { String::new() };
    let messages = vec![
        PromptMessage { role: Speaker::System, content: format!("{}{how}", rules.prompt.trim()) },
        PromptMessage { role: Speaker::User, content: format!("{before}{notes}{after}") },
    ];
    let minted = footnotes.minted();
    if by_schema {
        let reply = planner.fill(form_of_outline(minted), messages, MOST_TOKENS, asked.deadline).await?;
        return Ok(in_form(&reply, minted).unwrap_or_else(|| parse(&reply, minted)));
    }
    let written = planner.say(messages, MOST_TOKENS, asked.deadline).await?;
    Ok(parse(&written, minted))
}

/// A reply in the form that was asked for; none where it is in another.
fn in_form(reply: &str, minted: u32) -> Option<Outline> {
    #[derive(Deserialize)]
    struct Reply {
        answered: bool,
        notes: Vec<u32>,
    }
    let inside = reply.find('{').zip(reply.rfind('}')).and_then(|(from, to)| reply.get(from..=to))?;
    let Reply { answered, notes } = serde_json::from_str(inside).ok()?;
    let places = if answered { places(notes, minted) } else { Vec::new() };
    Some(Outline { is_answered: Some(answered && !places.is_empty()), places })
}

/// The places of minted numbers, each once.
fn places(numbers: impl IntoIterator<Item = u32>, minted: u32) -> Vec<usize> {
    let mut places = Vec::new();
    for number in numbers.into_iter().filter(|number| (1..=minted).contains(number)) {
        let place = number as usize - 1;
        if !places.contains(&place) {
            places.push(place);
        }
    }
    places
}

/// The minted numbers in brackets, `[^2]` or `[2]`, in the order of their first mention.
fn parse(written: &str, minted: u32) -> Outline {
    let brackets = written.split('[').skip(1).filter_map(|bracket| bracket.split_once(']'));
    let numbers = brackets.filter_map(|(inside, _)| inside.trim_start_matches('^').trim().parse().ok());
    Outline { places: places(numbers, minted), is_answered: None }
}

/// Who says that the notes answer, beside the reader, as the trace has it.
pub(crate) const ANSWERED: &str = "answered_by_model";
pub(crate) const OUTLINE: &str = "outline";

pub(super) fn records(outline: &Outline) -> Vec<GateRecord> {
    let answered = outline.is_answered.map(|is_answered| record(ANSWERED, f64::from(u8::from(is_answered))));
    answered.into_iter().chain([record(OUTLINE, outline.places.len() as f64)]).collect()
}

fn record(gate: &str, observed: f64) -> GateRecord {
    let verdict = if observed < 1.0 { Verdict::Stop } else { Verdict::Pass };
    GateRecord { gate: gate.to_owned(), verdict, observed, threshold: 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outline_is_the_minted_numbers_in_their_order() {
        for (written, places) in [
            ("Retention: [^2]\nWho restores: [^1], [^2]", &[1, 0][..]),
            ("[3] and [1]", &[2, 0]),
            ("none", &[]),
            ("[^9] [^0] [x] [^", &[]),
            ("", &[]),
        ] {
            assert_eq!(parse(written, 3).places, places, "{written}");
        }
    }

    #[test]
    fn by_schema_it_says_whether_the_notes_answer_and_which() {
        for (reply, places, is_answered) in [
            (r#"{"answered": true, "notes": [2, 9, 2, 1]}"#, &[1, 0][..], true),
            ("```json\n{\"answered\": true, \"notes\": [3]}\n```", &[2], true),
            (r#"{"answered": false, "notes": [1]}"#, &[], false),
            (r#"{"answered": true, "notes": []}"#, &[], false),
        ] {
            let expected = Outline { places: places.to_vec(), is_answered: Some(is_answered) };
            assert_eq!(in_form(reply, 3), Some(expected), "{reply}");
        }
        assert_eq!(in_form("The second: [^2]", 3), None);
        let gates: Vec<String> = records(&in_form(r#"{"answered": false, "notes": []}"#, 3).unwrap())
            .into_iter()
            .map(|gate| gate.gate)
            .collect();
        assert_eq!(gates, [ANSWERED, OUTLINE]);
    }
}
