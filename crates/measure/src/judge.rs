//! The judge: two answers to the same question side by side, blind, by a model that wrote neither of them.

pub mod answers;
mod prompt;
pub mod report;

use futures::stream::{self, StreamExt as _, TryStreamExt as _};
use ibidem_engine::roles::NamedModel;
use ibidem_ports::degrade::Deadline;
use ibidem_ports::language_model::{ModelError, ReplyForm, is_same_model};
use ibidem_words::Sha256Hash;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use answers::{Answered, Pair};

/// Long enough for eight numbers, and for nothing beside them.
const MOST_TOKENS: u32 = 200;

/// What an answer is given for each of four things, from 1 to 5.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scores {
    /// Says nothing that its sources do not.
    pub faithfulness: u8,
    /// Says all that was asked for and its sources have.
    pub completeness: u8,
    /// Is in good order.
    pub structure: u8,
    /// Gives each side of the matter its due.
    pub balance: u8,
}

impl Scores {
    pub const NAMES: [&str; 4] = ["faithfulness", "completeness", "structure", "balance"];

    pub fn all(&self) -> [u8; 4] {
        [self.faithfulness, self.completeness, self.structure, self.balance]
    }

    pub fn sum(&self) -> u8 {
        self.all().iter().sum()
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Reply {
    first: Scores,
    second: Scores,
}

/// Which answer the judge read first. It is told no names.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    AFirst,
    BFirst,
}

impl Order {
    /// By the question's id: nobody chooses, and it is the same the next time.
    pub fn of(id: &str) -> Self {
        if Sha256Hash::of(id.as_bytes()).as_bytes()[0].is_multiple_of(2) { Self::AFirst } else { Self::BFirst }
    }

    pub fn other(self) -> Self {
        match self {
            Self::AFirst => Self::BFirst,
            Self::BFirst => Self::AFirst,
        }
    }
}

/// What the judge said of a pair in one order.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Verdict {
    pub id: String,
    pub order: Order,
    /// None where the reply could not be read: it is counted, and never guessed.
    pub scores: Option<Sides>,
}

/// Put back where they belong.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Sides {
    pub a: Scores,
    pub b: Scores,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum JudgeError {
    #[error("{judge} wrote answers of {side} itself, and nobody judges their own: name another model")]
    Partial { judge: String, side: &'static str },
    #[error("question {id}: {error}")]
    Model { id: String, error: ModelError },
}

/// Refuses a judge that wrote any of the answers.
pub fn check_impartial(judge: &str, pairs: &[Pair]) -> Result<(), JudgeError> {
    let plain = judge.to_lowercase();
    let wrote =
        |answered: &Answered| answered.model().is_some_and(|model| is_same_model(&model.to_lowercase(), &plain));
    for (side, of) in [("A", (|pair| &pair.a) as fn(&Pair) -> &Answered), ("B", |pair| &pair.b)] {
        if pairs.iter().any(|pair| wrote(of(pair))) {
            return Err(JudgeError::Partial { judge: judge.to_owned(), side });
        }
    }
    Ok(())
}

/// Judges every pair in the order of its id, and `both_orders` of them, every k-th, also the other way round.
pub async fn judge_all(
    judge: &NamedModel,
    pairs: &[Pair],
    both_orders: usize,
    at_once: usize,
    mut done: impl FnMut(),
) -> Result<Vec<Verdict>, JudgeError> {
    check_impartial(&judge.name, pairs)?;
    let step = if both_orders == 0 { usize::MAX } else { pairs.len().div_ceil(both_orders).max(1) };
    let once = pairs.iter().map(|pair| (pair, Order::of(&pair.id)));
    let again = pairs.iter().step_by(step).take(both_orders).map(|pair| (pair, Order::of(&pair.id).other()));
    let asked: Vec<_> = once.chain(again).collect();
    let verdicts = stream::iter(asked).map(|(pair, order)| judge_one(judge, pair, order)).buffered(at_once.max(1));
    let mut verdicts = std::pin::pin!(verdicts);
    let mut all = Vec::new();
    while let Some(verdict) = verdicts.try_next().await? {
        all.push(verdict);
        done();
    }
    Ok(all)
}

async fn judge_one(judge: &NamedModel, pair: &Pair, order: Order) -> Result<Verdict, JudgeError> {
    let reply = judge.fill(form(), prompt::messages(pair, order), MOST_TOKENS, Deadline::NONE).await;
    let reply = reply.map_err(|error| JudgeError::Model { id: pair.id.clone(), error })?;
    let scores = parse(&reply).map(|(first, second)| match order {
        Order::AFirst => Sides { a: first, b: second },
        Order::BFirst => Sides { a: second, b: first },
    });
    Ok(Verdict { id: pair.id.clone(), order, scores })
}

/// The form of a reply, for servers that can bind a model to it.
fn form() -> ReplyForm {
    let object = |names: &[&str], property: Value| {
        let properties: Map<String, Value> = names.iter().map(|name| ((*name).to_owned(), property.clone())).collect();
        json!({ "type": "object", "properties": properties, "required": names, "additionalProperties": false })
    };
    let scores = object(&Scores::NAMES, json!({ "type": "integer", "enum": [1, 2, 3, 4, 5] }));
    ReplyForm { name: "two_verdicts", schema: object(&["first", "second"], scores) }
}

/// Eight whole numbers from 1 to 5 in the form that was asked for, and nothing else. Models like to put JSON into a
/// fence; that changes nothing about what it says.
fn parse(reply: &str) -> Option<(Scores, Scores)> {
    let reply = reply.trim();
    let fenced = reply.strip_prefix("```").and_then(|rest| rest.strip_suffix("```"));
    let reply = fenced.map_or(reply, |inside| inside.strip_prefix("json").unwrap_or(inside));
    let Reply { first, second } = serde_json::from_str(reply).ok()?;
    let in_range = |scores: Scores| scores.all().iter().all(|score| (1..=5).contains(score));
    (in_range(first) && in_range(second)).then_some((first, second))
}

#[cfg(test)]
mod tests;
