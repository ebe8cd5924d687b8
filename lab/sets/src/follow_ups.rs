//! Chains of questions that go on with one another: each must be understood as it is meant.

use std::collections::BTreeMap;

use ibidem_words::{Action, Answer};
use serde::{Deserialize, Serialize};

/// A conversation, written down with what its answers must have.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Chain {
    pub id: String,
    /// The documents that it is about.
    pub corpus: String,
    /// By what its last question shows that it goes on.
    pub kind: String,
    pub turns: Vec<ChainTurn>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChainTurn {
    pub ask: String,
    /// What must stand in the answer, each of them, in any case.
    #[serde(default)]
    pub has: Vec<String>,
    /// Nothing answers it.
    #[serde(default)]
    pub refused: bool,
    /// It stands by itself, and must be searched for as it is.
    #[serde(default)]
    pub stands: bool,
}

/// What became of one question of a chain.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct AskedTurn {
    pub ask: String,
    pub rewritten: Option<String>,
    pub answer: String,
    /// What is wrong with it; none where it is right.
    pub wrong: Option<String>,
}

/// A chain is right when each of its questions is.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct AskedChain {
    pub id: String,
    pub kind: String,
    pub turns: Vec<AskedTurn>,
}

impl AskedChain {
    pub fn is_right(&self) -> bool {
        self.turns.iter().all(|turn| turn.wrong.is_none())
    }
}

/// The chains of a file, one on each line.
pub fn parse(text: &str) -> Result<Vec<Chain>, String> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let chains = lines.map(|(place, line)| {
        let chain: Chain = serde_json::from_str(line).map_err(|error| format!("line {}: {error}", place + 1))?;
        let says_nothing = |turn: &ChainTurn| turn.has.is_empty() && !turn.refused;
        if !(2..=4).contains(&chain.turns.len()) || chain.turns.iter().any(says_nothing) {
            return Err(format!(
                "line {}: a chain has two to four questions, and each says what its answer must have",
                place + 1
            ));
        }
        Ok(chain)
    });
    chains.collect()
}

/// Compares an answer with what it must have.
pub fn judged(turn: &ChainTurn, answer: &Answer) -> AskedTurn {
    let text = answer.answer.to_lowercase();
    let missing: Vec<&str> =
        turn.has.iter().map(String::as_str).filter(|part| !text.contains(&part.to_lowercase())).collect();
    let is_answered = answer.action == Action::Cite;
    let wrong = match (turn.refused, is_answered) {
        (true, true) => Some("it is answered, and nothing answers it".to_owned()),
        (false, false) => Some(format!("it is not answered: {}", answer.action.as_str())),
        _ if turn.stands && answer.rewritten_question.is_some() => Some("it stands by itself".to_owned()),
        _ if !missing.is_empty() => Some(format!("it lacks {}", missing.join(", "))),
        _ => None,
    };
    AskedTurn {
        ask: turn.ask.clone(),
        rewritten: answer.rewritten_question.clone(),
        answer: answer.answer.clone(),
        wrong,
    }
}

/// How many chains of each kind are right: (right, all).
pub fn by_kind(chains: &[AskedChain]) -> BTreeMap<&str, (usize, usize)> {
    let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for chain in chains {
        let (right, all) = counts.entry(&chain.kind).or_default();
        *right += usize::from(chain.is_right());
        *all += 1;
    }
    counts
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_chains_of_the_repository_are_forty_and_each_says_what_it_expects() {
        let written = include_str!("../../data/follow_ups.jsonl");
        let known = include_str!("../../data/follow_ups_known.jsonl");
        for chains in [written, known].map(|text| parse(text).unwrap()) {
            assert_eq!(chains.len(), 40);
            let ids: BTreeSet<&str> = chains.iter().map(|chain| chain.id.as_str()).collect();
            assert_eq!(ids.len(), 40);
        }
    }

    #[test]
    fn a_chain_that_expects_nothing_is_refused() {
        for wrong in [
            r#"{"id": "x", "corpus": "c", "kind": "k", "turns": [{"ask": "one?", "has": ["1"]}]}"#,
            r#"{"id": "x", "corpus": "c", "kind": "k", "turns": [{"ask": "one?", "has": ["1"]}, {"ask": "two?"}]}"#,
            r#"{"id": "x"}"#,
        ] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_chain_with_one_wrong_turn_is_wrong() {
        let turn = |wrong: Option<&str>| AskedTurn {
            ask: "?".to_owned(),
            rewritten: None,
            answer: String::new(),
            wrong: wrong.map(str::to_owned),
        };
        let chain = |turns| AskedChain { id: "x".to_owned(), kind: "k".to_owned(), turns };
        let chains = [chain(vec![turn(None), turn(None)]), chain(vec![turn(None), turn(Some("it lacks 1"))])];
        assert_eq!(by_kind(&chains), BTreeMap::from([("k", (1, 2))]));
    }
}
