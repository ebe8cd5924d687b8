//! Answer or refuse: questions that paragraphs answer, and questions that they seem to answer and do not, asked the same
//! way. What is wrongly answered and what is wrongly refused belong together: either alone is easily made zero.

mod remembered;

use std::collections::BTreeMap;

use futures::stream::{self, StreamExt as _, TryStreamExt as _};
use ibidem_engine::ask::{AskError, Engine};
use ibidem_engine::listener::Nobody;
use ibidem_engine::turn::Asked;
use ibidem_words::Fallback;
use ibidem_words::{Action, Answer};
use serde::Serialize;

use crate::share::Share;
use ibidem_measure::squad::{SquadQuestion, plain};
pub use remembered::RememberedQueries;

#[derive(Debug, thiserror::Error)]
pub enum AnswerOrRefuseError {
    #[error("question {id}: {error}")]
    Ask { id: String, error: AskError },
    /// Another search, or another writer, than the one that is measured.
    #[error("question {id}: a part did not work ({reason}); mend it and run again")]
    Simplified { id: String, reason: String },
}

/// What became of a question.
#[derive(Clone, PartialEq, Debug)]
pub struct Outcome {
    pub answerable: bool,
    /// Something was said. A route, a question back and an answer withheld are refusals here.
    pub answered: bool,
    /// Why not.
    pub reason: Option<String>,
    /// One of its citations is of the paragraph that the question was asked about.
    pub cites_the_paragraph: bool,
    /// The words that people marked as the answer are in it.
    pub says_the_answer: bool,
    /// The model was late or failed, and the sources' own sentences stood in.
    pub stood_in: bool,
}

impl Outcome {
    pub fn of(question: &SquadQuestion, answer: &Answer) -> Self {
        let answered = answer.action == Action::Cite;
        let paragraph = plain(&question.context);
        let is_of_paragraph = |text: &str| !text.trim().is_empty() && paragraph.contains(&plain(text));
        let text = plain(&answer.answer);
        Self {
            answerable: question.answerable,
            answered,
            reason: answer.reason.map(|reason| reason.as_str().to_owned()),
            cites_the_paragraph: answered && answer.citations.iter().any(|cited| is_of_paragraph(&cited.snippet_full)),
            says_the_answer: answered && question.answers.iter().any(|answer| text.contains(&plain(answer))),
            stood_in: answer.retrieval_quality.fallback_reasons.contains(&Fallback::Extractive),
        }
    }
}

/// Asks every question as `template` does, so many at once, in their order. `done` hears of each with its answer.
pub async fn ask_all(
    engine: &Engine,
    template: &Asked,
    questions: &[&SquadQuestion],
    at_once: usize,
    mut done: impl FnMut(&SquadQuestion, &Answer),
) -> Result<Vec<Outcome>, AnswerOrRefuseError> {
    let answers = stream::iter(questions).map(|question| answer(engine, template, question)).buffered(at_once.max(1));
    let mut answers = std::pin::pin!(answers);
    let mut outcomes = Vec::with_capacity(questions.len());
    while let Some((question, answer)) = answers.try_next().await? {
        outcomes.push(Outcome::of(question, &answer));
        done(question, &answer);
    }
    Ok(outcomes)
}

async fn answer<'a>(
    engine: &Engine,
    template: &Asked,
    asked: &'a SquadQuestion,
) -> Result<(&'a SquadQuestion, Answer), AnswerOrRefuseError> {
    let question = template.question.clone().asking(&asked.text);
    let spoken = engine
        .ask(Asked { question, ..template.clone() }, &mut Nobody)
        .await
        .map_err(|error| AnswerOrRefuseError::Ask { id: asked.id.clone(), error })?;
    let flags = &spoken.answer.retrieval_quality.fallback_reasons;
    // A model that is late is a fact about the model, and is counted. A search that is simpler is another search.
    if flags.iter().any(|flag| !matches!(flag, Fallback::Extractive | Fallback::CircuitOpen)) {
        let reason = ibidem_measure::simplified(flags, spoken.failure.as_slice());
        return Err(AnswerOrRefuseError::Simplified { id: asked.id.clone(), reason });
    }
    Ok((asked, spoken.answer))
}

/// The figures of one way of answering.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Tally {
    pub questions: usize,
    /// Of the questions that no paragraph answers, those answered.
    pub false_answers: Share,
    /// Of the questions that a paragraph answers, those not answered.
    pub false_refusals: Share,
    /// Of the answered that a paragraph answers, those that cite it.
    pub cites_the_paragraph: Share,
    /// Of the same, those in which the marked words are.
    pub says_the_answer: Share,
    /// Of all, those for which the sources' own sentences stood in for a model.
    pub stood_in: usize,
    /// Why nothing was answered, over all questions.
    pub refused_for: BTreeMap<String, usize>,
}

impl Tally {
    pub fn of(outcomes: &[Outcome]) -> Self {
        let count = |holds: &dyn Fn(&Outcome) -> bool| outcomes.iter().filter(|outcome| holds(outcome)).count();
        let answerable = count(&|outcome| outcome.answerable);
        let rightly_answered = count(&|outcome| outcome.answerable && outcome.answered);
        let mut refused_for = BTreeMap::new();
        for outcome in outcomes.iter().filter(|outcome| !outcome.answered) {
            let reason = outcome.reason.clone().unwrap_or_else(|| "asked back".to_owned());
            *refused_for.entry(reason).or_default() += 1;
        }
        Self {
            questions: outcomes.len(),
            false_answers: Share::of(
                count(&|outcome| !outcome.answerable && outcome.answered),
                outcomes.len() - answerable,
            ),
            false_refusals: Share::of(answerable - rightly_answered, answerable),
            cites_the_paragraph: Share::of(
                count(&|outcome| outcome.answerable && outcome.cites_the_paragraph),
                rightly_answered,
            ),
            says_the_answer: Share::of(
                count(&|outcome| outcome.answerable && outcome.says_the_answer),
                rightly_answered,
            ),
            stood_in: count(&|outcome| outcome.stood_in),
            refused_for,
        }
    }
}

/// Every k-th, so that about so many are taken from the whole of a set, and always the same.
pub fn sample(questions: &[SquadQuestion], wanted: Option<usize>) -> Vec<&SquadQuestion> {
    let step = wanted.map_or(1, |wanted| questions.len().div_ceil(wanted.max(1)).max(1));
    questions.iter().step_by(step).collect()
}

#[cfg(test)]
mod tests;
