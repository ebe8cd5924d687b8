//! How much of the conversation and of the evidence fits into a model's window beside the question.

use std::ops::Range;

use std::convert::Infallible;

use crate::candidate::Candidate;
use ibidem_ports::degrade::{Deadline, Part, PartError};
use ibidem_ports::language_model::{Estimate, ModelLimits, Tokenizer};
use ibidem_words::{Promise, Question, Reason, Refusal, Speaker};

use super::prompt;
use crate::policy::{Budget, SpeakRules};
use crate::roles::NamedModel;

/// What servers write around every message: who speaks, and that it ends. Five tokens in most templates.
const AROUND_A_MESSAGE: usize = 8;
/// What they write around the whole: a beginning, a date, and whose turn it is.
const AROUND_A_PROMPT: usize = 32;
/// A text with more bytes for each token of the window than any prose has is not worth counting: it does not fit.
const BYTES_FOR_A_TOKEN: usize = 16;

/// What of a turn goes into the prompt.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Allotted {
    /// Which messages of the conversation fit, oldest first.
    pub history: Vec<usize>,
    /// Which evidence fits, in its order.
    pub evidence: Vec<usize>,
    /// How many of the background notes fit, from the first.
    pub background: usize,
    pub tokens: TokensByPart,
    /// The most the model may write.
    pub answer: u32,
}

/// What was counted of what is kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TokensByPart {
    /// What the model is told, and the examples.
    pub system_prompt: usize,
    pub history: usize,
    /// How many tokens evidence and background take together.
    pub context: usize,
    pub question: usize,
}

impl TokensByPart {
    pub fn prompt(&self) -> usize {
        self.system_prompt + self.history + self.context + self.question
    }
}

impl Allotted {
    /// Parts the evidence into what is kept and what is not, both in order.
    pub fn part(&self, evidence: Vec<Candidate>) -> (Vec<Candidate>, Vec<Candidate>) {
        let mut places = 0..;
        evidence.into_iter().partition(|_| places.next().is_some_and(|place| self.evidence.contains(&place)))
    }
}

/// Counts all parts and says which of them fit. When the question alone does not, nothing is asked of any model.
pub async fn allot(
    rules: &SpeakRules,
    model: &NamedModel,
    question: &Question,
    evidence: &[Candidate],
    background: &[String],
    deadline: Deadline,
) -> Result<Allotted, Refusal> {
    let counted = count(rules, model, question, evidence, background, deadline).await;
    let allotted = allocate(rules.budget, model.limits, &counted)?;
    Ok(Allotted { answer: rules.max_answer_tokens.min(model.limits.response), ..allotted })
}

/// The tokens of every part of a prompt.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Counted {
    system_prompt: usize,
    question: usize,
    /// Oldest first, and whether it is the asker's.
    history: Vec<(bool, usize)>,
    notes: Vec<usize>,
    /// The places of the notes, best first.
    best_first: Vec<usize>,
    /// What is said above the background notes, and below them.
    around_background: usize,
    background: Vec<usize>,
}

async fn count(
    rules: &SpeakRules,
    model: &NamedModel,
    question: &Question,
    evidence: &[Candidate],
    background: &[String],
    deadline: Deadline,
) -> Counted {
    let mut texts = Counting::within(BYTES_FOR_A_TOKEN * model.limits.window as usize);
    let instructions = texts.add(prompt::instructions(rules).into_iter().map(|message| message.content));
    let asking = texts.add(prompt::around_notes(&question.query));
    let notes = (1..).zip(evidence).map(|(number, candidate)| prompt::note(number, &candidate.passage));
    let notes = texts.add(notes);
    let around_background = texts.add(prompt::around_background(rules));
    let behind = texts.add(background.iter().map(|note| prompt::background_note(note)));
    // The newest first: what is old may be too much to count.
    let history = texts.add(question.history.iter().rev().map(|message| prompt::history_message(message).content));
    let counts = texts.done(&model.tokenizer, deadline).await;

    let sum = |places: Range<usize>| counts[places].iter().sum::<usize>();
    let is_askers = question.history.iter().map(|message| message.role == Speaker::User);
    let of_messages = counts[history].iter().rev().map(|tokens| tokens + AROUND_A_MESSAGE);
    Counted {
        system_prompt: AROUND_A_PROMPT + AROUND_A_MESSAGE * instructions.len() + sum(instructions),
        question: AROUND_A_MESSAGE + sum(asking),
        history: is_askers.zip(of_messages).collect(),
        notes: counts[notes].to_vec(),
        best_first: best_first(evidence),
        around_background: sum(around_background),
        background: counts[behind].to_vec(),
    }
}

/// The judge's order where one has read them, else by similarity; ties break by source id. Behind the best of all come those
/// of a kind that was promised a place: the others would crowd them out.
fn best_first(evidence: &[Candidate]) -> Vec<usize> {
    let rank = |place: &usize| {
        let candidate = &evidence[*place];
        (candidate.rerank.map_or_else(|| candidate.similarity(), f64::from), candidate.similarity())
    };
    let mut places: Vec<usize> = (0..evidence.len()).collect();
    places.sort_by(|one, other| {
        let ((judged, similarity), (other_judged, other_similarity)) = (rank(one), rank(other));
        let source = |place: &usize| evidence[*place].passage.passage;
        other_judged
            .total_cmp(&judged)
            .then_with(|| other_similarity.total_cmp(&similarity))
            .then_with(|| source(one).cmp(&source(other)))
    });
    let is_promised = |place: &usize| evidence[*place].promised == Some(Promise::Kind);
    if let Some((_, others)) = places.split_first_mut() {
        others.sort_by_key(|place| !is_promised(place));
    }
    places
}

/// Pure: numbers in, places out.
fn allocate(budget: Budget, limits: ModelLimits, counted: &Counted) -> Result<Allotted, Refusal> {
    let window = (limits.window as usize).saturating_sub(limits.response as usize);
    let rest = window.saturating_sub(counted.system_prompt.max(budget.system_prompt as usize));
    let last_of_asker = counted.history.iter().rposition(|(is_askers, _)| *is_askers);
    let last_message = last_of_asker.map_or(0, |place| counted.history[place].1);
    let needed = counted.question + last_message;
    if needed > rest {
        let what = "Tokens of the question with the last message before it";
        return Err(exceeded(format!("{what} ({needed}) above what the model's window leaves ({rest})")));
    }
    let room_for_notes = (rest - needed).min(budget.context as usize);
    let best = counted.best_first.first().map_or(0, |place| counted.notes[*place]);
    if best > room_for_notes {
        let what = "Tokens of the best passage";
        return Err(exceeded(format!("{what} ({best}) above what is left for passages ({room_for_notes})")));
    }
    // The conversation never takes the place of all evidence.
    let for_history = (rest / 3).min(budget.history as usize).min(rest - counted.question - best);
    let (history, of_history) = newest(&counted.history, last_of_asker, for_history);
    let for_context = (rest - counted.question - of_history).min(budget.context as usize);
    let (mut evidence, of_notes) = first_that_fit(&counted.best_first, &counted.notes, for_context);
    evidence.sort_unstable();
    let for_background = (for_context - of_notes).saturating_sub(counted.around_background);
    let in_order: Vec<usize> = (0..counted.background.len()).collect();
    let (background, of_background) = first_that_fit(&in_order, &counted.background, for_background);
    let around = if background.is_empty() { 0 } else { counted.around_background };
    let tokens = TokensByPart {
        system_prompt: counted.system_prompt,
        history: of_history,
        context: of_notes + around + of_background,
        question: counted.question,
    };
    Ok(Allotted { history, evidence, background: background.len(), tokens, answer: limits.response })
}

/// The newest messages that fit, and in any case the asker's last.
fn newest(history: &[(bool, usize)], last_of_asker: Option<usize>, most: usize) -> (Vec<usize>, usize) {
    let mut kept: Vec<usize> = last_of_asker.into_iter().collect();
    let mut sum = last_of_asker.map_or(0, |place| history[place].1);
    for (place, (_, tokens)) in history.iter().enumerate().rev() {
        if Some(place) == last_of_asker {
            continue;
        }
        if sum + tokens > most {
            break;
        }
        sum += tokens;
        kept.push(place);
    }
    kept.sort_unstable();
    (kept, sum)
}

/// As many as fit, none after the first that does not.
fn first_that_fit(places: &[usize], tokens: &[usize], most: usize) -> (Vec<usize>, usize) {
    let mut sum = 0;
    let fit = places.iter().copied().take_while(|place| {
        let fits = sum + tokens[*place] <= most;
        sum += if fits { tokens[*place] } else { 0 };
        fits
    });
    let kept = fit.collect();
    (kept, sum)
}

fn exceeded(explanation: String) -> Refusal {
    let suggestions = vec!["Ask a shorter question, or begin a new conversation.".to_owned()];
    Refusal { reason: Reason::BudgetExceeded, explanation, suggestions }
}

/// Texts on their way to a tokenizer, all in one go.
struct Counting {
    texts: Vec<String>,
    /// For each place, its tokens where it is not worth counting them.
    known: Vec<Option<usize>>,
    bytes_left: usize,
}

impl Counting {
    fn within(bytes_left: usize) -> Self {
        Self { texts: Vec::new(), known: Vec::new(), bytes_left }
    }

    /// The places these texts have among all.
    fn add(&mut self, texts: impl IntoIterator<Item = String>) -> Range<usize> {
        let start = self.known.len();
        for text in texts {
            let is_worth_it = text.len() <= self.bytes_left;
            self.bytes_left = self.bytes_left.saturating_sub(text.len());
            self.known.push((!is_worth_it).then_some(text.len()));
            self.texts.extend(is_worth_it.then_some(text));
        }
        start..self.known.len()
    }

    /// What the tokenizer does not count in time is estimated, too high rather than too low.
    async fn done(self, tokenizer: &Part<dyn Tokenizer>, deadline: Deadline) -> Vec<usize> {
        let texts = self.texts.clone();
        let count = async |tokenizer: &dyn Tokenizer| Ok::<_, PartError<Infallible>>(tokenizer.count(texts).await);
        let mut counted = match tokenizer.aside(deadline, count).await {
            Ok(counted) => counted,
            Err(_) => Estimate.count(self.texts).await,
        }
        .into_iter();
        // A text that a tokenizer left out does not fit.
        let tokens = |known: Option<usize>| known.or_else(|| counted.next()).unwrap_or(u32::MAX as usize);
        self.known.into_iter().map(tokens).collect()
    }
}

#[cfg(test)]
mod tests;
