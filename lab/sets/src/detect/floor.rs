//! What needs no verifier at all: the least that a verifier must beat.

use std::collections::BTreeSet;

use ibidem_language::sentences::sentences_of;
use ibidem_language::{same_word, significant_terms};
use serde::Serialize;

use super::ragtruth::MarkedAnswer;
use super::score::{Agreement, share};

#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Floor {
    pub what: String,
    pub of_answers: Agreement,
}

/// Every answer flagged; and answers flagged for the share of words that their worst sentence has in common with the
/// passages, at the share that does best on these very answers, which flatters the rule.
pub fn floors(answers: &[&MarkedAnswer]) -> Vec<Floor> {
    let always = Agreement::over(answers.iter().map(|answer| (true, !answer.spans.is_empty())));
    let worst: Vec<(f64, bool)> =
        answers.iter().map(|answer| (worst_overlap(answer), !answer.spans.is_empty())).collect();
    let at = |twentieths: u32| {
        let least = f64::from(twentieths) / 20.0;
        (least, Agreement::over(worst.iter().map(|(overlap, marked)| (*overlap < least, *marked))))
    };
    let best = (1..=20).map(at).max_by(|one, other| one.1.f1.total_cmp(&other.1.f1));
    let mut floors = vec![Floor { what: "always hallucinated".to_owned(), of_answers: always }];
    floors.extend(best.map(|(least, of_answers)| Floor {
        what: format!("words in common, worst sentence below {least:.2}, chosen on these answers"),
        of_answers,
    }));
    floors
}

fn worst_overlap(answer: &MarkedAnswer) -> f64 {
    let known = significant_terms(&answer.passages.join("\n"));
    let overlaps =
        sentences_of(&answer.answer).into_iter().map(|sentence| overlap(&significant_terms(sentence), &known));
    overlaps.fold(1.0, f64::min)
}

fn overlap(claimed: &BTreeSet<String>, known: &BTreeSet<String>) -> f64 {
    if claimed.is_empty() {
        return 1.0;
    }
    let found = claimed.iter().filter(|word| known.contains(*word) || known.iter().any(|other| same_word(word, other)));
    share(found.count(), claimed.len())
}
