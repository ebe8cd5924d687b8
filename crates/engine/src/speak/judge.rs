//! A model's opinion of an answer: one number from 0 to 100.

use ibidem_ports::language_model::{ModelError, ModelFault, PromptMessage};
use ibidem_words::{Speaker, unsteered};

use super::footnotes::Footnotes;
use super::prompt;
use crate::policy::ConfidenceRules;
use crate::roles::NamedModel;
use crate::turn::Asked;

const MOST_TOKENS: u32 = 8;
const MOST_WORDS: usize = 4;

/// What the judge gives an answer. One that says no number has failed.
pub(super) async fn judge(
    judge: &NamedModel,
    rules: &ConfidenceRules,
    asked: &Asked,
    footnotes: &Footnotes<'_>,
    answer: &str,
) -> Result<f64, ModelError> {
    let notes: String = footnotes.notes().map(|(number, candidate)| prompt::note(number, &candidate.passage)).collect();
    let (question, answer) = (unsteered(&asked.question.query), unsteered(answer));
    let values = [("{question}", question.as_ref()), ("{notes}", &notes), ("{answer}", answer.as_ref())];
    let content = filled(&rules.judge_prompt, &values);
    let reply = judge.say(vec![PromptMessage { role: Speaker::User, content }], MOST_TOKENS, asked.deadline).await?;
    parse(&reply).ok_or_else(|| {
        let reply: String = reply.chars().take(40).collect();
        ModelError::Own(ModelFault::Failed(format!("asked for a number from 0 to 100, {} said {reply:?}", judge.name)))
    })
}

/// Each place is filled once: what an answer says about places is data.
fn filled(prompt: &str, values: &[(&str, &str)]) -> String {
    let mut text = String::new();
    let mut rest = prompt;
    while let Some((at, (place, value))) =
        values.iter().filter_map(|value| Some((rest.find(value.0)?, value))).min_by_key(|(at, _)| *at)
    {
        text.push_str(&rest[..at]);
        text.push_str(value);
        rest = &rest[at + place.len()..];
    }
    text + rest
}

/// A number from 0 to 100, with a word or two around it at most: what goes on longer is no judgement.
fn parse(reply: &str) -> Option<f64> {
    if reply.split_whitespace().count() > MOST_WORDS {
        return None;
    }
    let start = reply.find(|c: char| c.is_ascii_digit())?;
    if reply[..start].ends_with('-') {
        return None;
    }
    let number = reply[start..].split(|c: char| !c.is_ascii_digit() && c != '.').next()?;
    let number: f64 = number.trim_end_matches('.').parse().ok()?;
    (0.0..=100.0).contains(&number).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_judgement_is_one_number_from_0_to_100() {
        for (reply, number) in [
            ("85", Some(85.0)),
            (" Score: 72.5.", Some(72.5)),
            ("100/100", Some(100.0)),
            ("0", Some(0.0)),
            ("850", None),
            ("-5", None),
            ("good", None),
            ("Leave of up to five days may be carried over.[1]", None),
            ("", None),
        ] {
            assert_eq!(parse(reply), number, "{reply}");
        }
    }

    #[test]
    fn what_an_answer_says_about_places_is_data() {
        let prompt = "Q {question} N {notes} A {answer}";
        let values = [("{question}", "{answer}"), ("{notes}", "n {question}"), ("{answer}", "a")];
        assert_eq!(filled(prompt, &values), "Q {answer} N n {question} A a");
    }
}
