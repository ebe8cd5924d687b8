//! Where it goes wrong: classes of errors, with their counts and examples.

use std::collections::BTreeMap;

use ibidem_language::{same_word, significant_terms};
use serde::Serialize;

use super::check::{CheckedAnswer, CheckedSentence};
use super::ragtruth::MarkedAnswer;
use super::score::share;

/// Examples of each class.
const EXAMPLES: usize = 2;
/// From here on a sentence is said in the passages' own words.
const OWN_WORDS: f64 = 0.8;
const SUMS_UP: [&str; 9] =
    ["additionally", "finally", "in conclusion", "in summary", "it is", "overall", "remember", "therefore", "thus"];

#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ErrorClass {
    pub what: String,
    pub sentences: usize,
    pub examples: Vec<String>,
}

/// Flagged sentences that nobody marked, and marked ones that were not flagged, the largest class first.
pub fn error_classes(answers: &[(MarkedAnswer, CheckedAnswer)], least_support: f64) -> Vec<ErrorClass> {
    let mut classes: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for (given, checked) in answers {
        for sentence in &checked.sentences {
            let overlaps = |place: &std::ops::Range<usize>| {
                place.start < sentence.characters.end && sentence.characters.start < place.end
            };
            let marked = given.spans.iter().find(|span| overlaps(&span.characters));
            let what = match (sentence.is_flagged(least_support), marked) {
                (true, None) => format!("false alarm: {}", alarm(sentence)),
                (false, Some(span)) => format!("missed: {}, {}", span.kind.to_lowercase(), miss(sentence, given)),
                _ => continue,
            };
            classes.entry(what).or_default().push(&sentence.text);
        }
    }
    let named = classes.into_iter().map(|(what, sentences)| ErrorClass {
        what,
        sentences: sentences.len(),
        examples: spread(&sentences).into_iter().map(str::to_owned).collect(),
    });
    let mut named: Vec<ErrorClass> = named.collect();
    named.sort_by(|one, other| other.sentences.cmp(&one.sentences).then_with(|| one.what.cmp(&other.what)));
    named
}

/// One of the first third and one of the second: neighbours are of the same question.
fn spread<'a>(sentences: &[&'a str]) -> Vec<&'a str> {
    let mut chosen: Vec<&str> =
        (1..=EXAMPLES).map(|part| sentences[(part * sentences.len() / 3).min(sentences.len() - 1)]).collect();
    chosen.dedup();
    chosen
}

fn alarm(sentence: &CheckedSentence) -> String {
    if let Some(finding) = sentence.findings.first() {
        let kind = format!("{:?}", finding.kind).to_lowercase();
        return format!("{kind} that the passages do not bear out");
    }
    let lower = sentence.text.to_lowercase();
    let what = if sentence.contradicted {
        "taken for the opposite"
    } else if SUMS_UP.iter().any(|opening| lower.starts_with(opening)) {
        "sums up or advises"
    } else {
        "other words than the passages'"
    };
    what.to_owned()
}

fn miss(sentence: &CheckedSentence, given: &MarkedAnswer) -> &'static str {
    if sentence.aside.is_some() {
        return "in what was taken for an aside";
    }
    let terms = significant_terms(&sentence.text);
    let known = significant_terms(&given.passages.join("\n"));
    let found = terms.iter().filter(|word| known.iter().any(|other| same_word(word, other))).count();
    if share(found, terms.len()) >= OWN_WORDS { "in the passages' own words" } else { "with words of its own" }
}
