//! The outline: which notes support an answer, by the planner. None does, and nothing is written.

use ibidem_ports::language_model::{ModelError, PromptMessage};
use ibidem_words::{GateRecord, Speaker, Verdict};

use super::footnotes::Footnotes;
use super::prompt;
use crate::policy::OutlineRules;
use crate::roles::NamedModel;
use crate::turn::Asked;

/// A line for each note is enough.
const MOST_TOKENS: u32 = 256;

/// The places of the notes that the planner would write from, in its order, each once.
pub(super) async fn outline(
    planner: &NamedModel,
    rules: &OutlineRules,
    asked: &Asked,
    footnotes: &Footnotes<'_>,
) -> Result<Vec<usize>, ModelError> {
    let notes: String = footnotes.notes().map(|(number, candidate)| prompt::note(number, &candidate.passage)).collect();
    let [before, after] = prompt::around_notes(&asked.question.query);
    let messages = vec![
        PromptMessage { role: Speaker::System, content: rules.prompt.trim().to_owned() },
        PromptMessage { role: Speaker::User, content: format!("{before}{notes}{after}") },
    ];
    let written = planner.say(messages, MOST_TOKENS, asked.deadline).await?;
    Ok(parse(&written, footnotes.minted()))
}

/// The minted numbers in brackets, `[^2]` or `[2]`, in the order of their first mention.
fn parse(written: &str, minted: u32) -> Vec<usize> {
    let mut places = Vec::new();
    for bracket in written.split('[').skip(1) {
        let Some((inside, _)) = bracket.split_once(']') else { continue };
        let Ok(number) = inside.trim_start_matches('^').trim().parse::<u32>() else { continue };
        let Some(place) = (1..=minted).contains(&number).then(|| number as usize - 1) else { continue };
        if !places.contains(&place) {
            places.push(place);
        }
    }
    places
}

pub(super) fn record(notes: usize) -> GateRecord {
    let verdict = if notes == 0 { Verdict::Stop } else { Verdict::Pass };
    GateRecord { gate: "outline".to_owned(), verdict, observed: notes as f64, threshold: 1.0 }
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
            assert_eq!(parse(written, 3), places, "{written}");
        }
    }
}
