//! The least and the most of every number of a policy file, and how long its lists may be: one table, held against the
//! text, so that no tenant's policy can take the machine.

use std::fmt;

use ibidem_words::Question;
use serde_json::{Map, Value};

use super::PolicyError;

/// What a number may be.
#[derive(Clone, Copy, Debug)]
struct Bound {
    /// `[]` stands for each item of a list, `*` for a name that the policy chooses.
    key: &'static str,
    least: f64,
    most: f64,
}

impl Bound {
    fn allows(&self, value: f64) -> bool {
        (self.least..=self.most).contains(&value)
    }
}

const fn bound(key: &'static str, least: f64, most: f64) -> Bound {
    Bound { key, least, most }
}

/// The most hits of one lane: as many as the largest question may want passages, ten times.
pub(crate) const MOST_HITS_PER_LANE: usize = 200;
/// The most passages that a reranker reads of one round, and that are kept.
pub(crate) const MOST_RERANKED: usize = 100;
const MOST_HITS_FOR_EACH: usize = MOST_HITS_PER_LANE / Question::MOST_CONTEXT_CHUNKS;
/// The most tokens that a model may write for an answer.
const MOST_ANSWER_TOKENS: f64 = 16_384.0;
/// A confirmation that waits longer is not what its asker remembers.
const LONGEST_CONFIRMATION_S: f64 = 3_600.0;
/// A window larger than any that models are served with.
const MOST_PROMPT_TOKENS: f64 = 131_072.0;
const MOST_COUNTED: f64 = 1e9;

/// Every number but the shares of the gates: what these may be is said with each gate. `.ci/reference` reads this table,
/// and fails where a number is in neither.
const BOUNDS: &[Bound] = &[
    bound("gather.hits_per_lane", 1.0, MOST_HITS_PER_LANE as f64),
    bound("gather.hits_for_each_asked", 0.0, MOST_HITS_FOR_EACH as f64),
    bound("gather.forced_lexical", 0.0, 50.0),
    bound("gather.keyword_weight", 0.0, 1_000.0),
    bound("gather.terminology.longest_term_words", 0.0, 100.0),
    bound("gather.terminology.suggestions", 0.0, 20.0),
    bound("gather.addresses.longest_range", 0.0, 100.0),
    bound("gather.addresses.suggestions", 0.0, 20.0),
    bound("gather.addresses.quoted_passages", 0.0, 100.0),
    bound("gather.addresses.quoted_of_several", 0.0, 100.0),
    bound("gather.lists.most", 0.0, 200.0),
    bound("gather.figures.most_rows", 1.0, 200.0),
    bound("gather.parts.most", 2.0, 8.0),
    bound("gather.parts.pool", 0.0, 20.0),
    bound("gather.rewrites.most", 0.0, 8.0),
    bound("gather.rewrites.max_tokens", 1.0, 2_048.0),
    bound("gather.curated.pin", 0.0, 1.0),
    bound("gather.curated.pin_reranked", 0.0, 1.0),
    bound("gather.curated.pin_judged", 0.0, 1.0),
    bound("gather.curated.reranked", 0.0, 1.0),
    bound("gather.curated.judge", 0.0, 1.0),
    bound("gather.curated.note", 0.0, 1.0),
    bound("gather.curated.references", 0.0, 1.0),
    bound("gather.curated.sufficient_note", 0.0, 1.0),
    bound("gather.curated.sufficient_references", 0.0, 100.0),
    bound("gather.rerank.pool", 1.0, MOST_RERANKED as f64),
    bound("gather.rerank.keep", 1.0, MOST_RERANKED as f64),
    bound("gather.rerank.rows", 0.0, 10.0),
    bound("gather.rerank.score_weight", 1e-6, 1_000.0),
    bound("gather.rerank.kind_boost", -1.0, 1.0),
    bound("gather.rerank.kind_minimum", 0.0, MOST_RERANKED as f64),
    bound("gather.rerank.reserves.*", 0.0, MOST_RERANKED as f64),
    bound("gather.topics.least_confidence", 0.0, 1.0),
    bound("gather.topics.least_similarity", 0.0, 1.0),
    bound("gather.topics.step", 1e-6, 10.0),
    bound("gather.tools[].confirm_within_s", 1.0, LONGEST_CONFIRMATION_S),
    bound("gather.tools[].most_bytes", 1.0, 1_048_576.0),
    bound("sift.named_share", 0.0, 1.0),
    bound("sift.per_document", 1.0, MOST_RERANKED as f64),
    bound("sift.keep_best.at_least", 1.0, Question::MOST_CONTEXT_CHUNKS as f64),
    bound("sift.keep_best.diverse.at_least", 1.0, Question::MOST_CONTEXT_CHUNKS as f64),
    bound("sift.no_context.least_hits", 0.0, 1_000.0),
    bound("sift.no_context.of_best", 1.0, 1_000.0),
    bound("sift.coverage.least_of_kind", 0.0, 1_000.0),
    bound("speak.extractive_sentences", 1.0, 20.0),
    bound("speak.temperature", 0.0, 2.0),
    bound("speak.max_answer_tokens", 1.0, MOST_ANSWER_TOKENS),
    bound("speak.budget.system_prompt", 0.0, MOST_PROMPT_TOKENS),
    bound("speak.budget.history", 0.0, MOST_PROMPT_TOKENS),
    bound("speak.budget.context", 1.0, MOST_PROMPT_TOKENS),
    bound("speak.verification.least_support", 0.0, 1.0),
    bound("speak.least_answering", 0.0, 1.0),
    bound("speak.confidence.cite_from", 0.0, 100.0),
    bound("speak.confidence.weights.retrieval", 0.0, 1_000.0),
    bound("speak.confidence.weights.coverage", 0.0, 1_000.0),
    bound("speak.confidence.weights.judge", 0.0, 1_000.0),
    bound("speak.confidence.doubtful_share", 0.0, 1.0),
    bound("speak.confidence.unread_share", 0.0, 1.0),
    bound("speak.confidence.best_passages", 1.0, MOST_RERANKED as f64),
    bound("speak.stale_after_days", 0.0, 36_500.0),
    bound("refusals.nearest", 0.0, 20.0),
    bound("refusals.suggestions", 0.0, 3.0),
    bound("conversations.follow_up.most_questions", 0.0, 20.0),
    bound("conversations.follow_up.max_tokens", 1.0, 2_048.0),
    bound("conversations.title.max_tokens", 1.0, 2_048.0),
    bound("calibration.threshold", 0.0, 1.0),
    bound("calibration.max_hallucination", 0.0, 1.0),
    bound("calibration.confidence", 0.0, 1.0),
    bound("calibration.labels", 0.0, MOST_COUNTED),
    bound("calibration.answered", 0.0, MOST_COUNTED),
    bound("calibration.wrong", 0.0, MOST_COUNTED),
    bound("calibration.observed_risk", 0.0, 1.0),
];

/// How many entries a list may have.
const LISTS: &[(&str, usize)] = &[
    ("gather.document_classes", 200),
    ("gather.addresses.series", 32),
    ("gather.rerank.kinds.*", 100),
    ("gather.topics.topics", 64),
    ("gather.topics.topics[].exemplars", 64),
    ("gather.topics.topics[].collections", Question::MOST_COLLECTIONS),
    ("gather.topics.topics[].patterns", 32),
    ("gather.tools", 32),
    ("gather.tools[].tags", 100),
    ("gather.tools[].arguments", 16),
    ("sift.gates", 24),
    ("sift.left_to_reader", 24),
    ("sift.no_context.ask_for", 20),
    ("speak.examples", 16),
    ("speak.examples[].notes", 20),
    ("wording.next_steps", 20),
    ("in_other_languages.*.next_steps", 20),
];

/// Every list that is not named above.
const MOST_OF_ANY: usize = 100;

/// What a policy file says that is less or more than may be said.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct OutOfBounds {
    key: String,
    path: Vec<String>,
    found: Violation,
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Violation {
    Number { value: f64, least: f64, most: f64 },
    Word { least: f64, most: f64 },
    Entries { count: usize, most: usize },
}

impl fmt::Display for OutOfBounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let key = &self.key;
        match self.found {
            Violation::Number { value, least, most } => {
                write!(f, "{key} is {value}; it must be from {least} to {most}")
            }
            Violation::Word { least, most } => {
                write!(f, "{key} is not written as a number; it must be one from {least} to {most}")
            }
            Violation::Entries { count, most } => write!(f, "{key} has {count} entries; it must have at most {most}"),
        }
    }
}

/// A policy's text as a tree. Only `true` and `false` are no text: `mode: off` is a word. A number that is none, or has no
/// end, cannot be read.
pub(super) fn tree(text: &str) -> Result<Value, PolicyError> {
    let options = serde_saphyr::options! { strict_booleans: true };
    serde_saphyr::from_str_with_options(text, options).map_err(|error| PolicyError::Unreadable(error.to_string()))
}

/// What is out of bounds in the text of a policy, with all that it inherits.
pub(super) fn out_of_bounds(tree: &Value) -> Vec<OutOfBounds> {
    let mut found = Vec::new();
    look_at(tree, &Place::default(), &mut found);
    found
}

/// Puts every number that is out of bounds at its nearest bound, and says what was changed. What is no number, and a list
/// that is too long, have no nearest bound: they stay.
pub(super) fn bring_within(tree: &mut Value) -> Vec<OutOfBounds> {
    let mut changed = out_of_bounds(tree);
    changed.retain(|one| matches!(one.found, Violation::Number { .. }));
    for OutOfBounds { path, found, .. } in &changed {
        if let Violation::Number { value, least, most } = *found {
            put(tree, path, number(value.clamp(least, most)));
        }
    }
    changed
}

/// A whole number is written as one: a policy's counts are.
pub(super) fn number(value: f64) -> Value {
    #[expect(clippy::cast_possible_truncation, reason = "bounds are far below 2^53")]
    let whole = value as i64;
    if value.fract() == 0.0 { Value::from(whole) } else { Value::from(value) }
}

/// Sets a value of a policy's text. Sections that the text leaves out are made: their other keys have defaults.
pub(super) fn put(tree: &mut Value, path: &[String], to: Value) {
    let Some((name, rest)) = path.split_first() else {
        *tree = to;
        return;
    };
    if let Value::Array(items) = tree {
        if let Some(item) = name.parse::<usize>().ok().and_then(|place| items.get_mut(place)) {
            put(item, rest, to);
        }
        return;
    }
    if !tree.is_object() {
        *tree = Value::Object(Map::new());
    }
    if let Value::Object(section) = tree {
        put(section.entry(name.clone()).or_insert(Value::Null), rest, to);
    }
}

/// A place in a policy's text.
#[derive(Clone, Default)]
struct Place {
    path: Vec<String>,
    /// As the table has it.
    key: String,
    /// As people are told, with the places in lists.
    shown: String,
}

impl Place {
    fn below(&self, name: &str) -> Self {
        let mut below = self.clone();
        below.path.push(name.to_owned());
        for text in [&mut below.key, &mut below.shown] {
            if !text.is_empty() {
                text.push('.');
            }
            text.push_str(name);
        }
        below
    }

    fn item(&self, place: usize) -> Self {
        let mut item = self.clone();
        item.path.push(place.to_string());
        if self.key == "sift.gates" {
            // A gate is called by its name, wherever it stands.
            return Self { key: "sift".to_owned(), shown: "sift".to_owned(), ..item };
        }
        item.key.push_str("[]");
        item.shown.push_str(&format!("[{place}]"));
        item
    }

    fn is(&self, key: &str) -> bool {
        match key.strip_suffix('*') {
            Some(section) => self.key.starts_with(section),
            None => self.key == key,
        }
    }
}

fn look_at(written: &Value, at: &Place, found: &mut Vec<OutOfBounds>) {
    let mut note = |what| found.push(OutOfBounds { key: at.shown.clone(), path: at.path.clone(), found: what });
    let bound = || BOUNDS.iter().find(|bound| at.is(bound.key)).copied();
    match written {
        Value::Null => {}
        Value::Number(number) => {
            let value = number.as_f64().unwrap_or(f64::INFINITY);
            if let Some(Bound { least, most, .. }) = bound().filter(|bound| !bound.allows(value)) {
                note(Violation::Number { value, least, most });
            }
        }
        // A number in quotes would be read as one, and nothing would have held it against its bounds.
        Value::String(_) | Value::Bool(_) => {
            if let Some(Bound { least, most, .. }) = bound() {
                note(Violation::Word { least, most });
            }
        }
        Value::Object(entries) => {
            for (name, value) in entries {
                look_at(value, &at.below(name), found);
            }
        }
        Value::Array(items) => {
            let most = LISTS.iter().find(|(key, _)| at.is(key)).map_or(MOST_OF_ANY, |(_, most)| *most);
            if items.len() > most {
                note(Violation::Entries { count: items.len(), most });
            }
            for (place, item) in items.iter().enumerate().take(most) {
                look_at(item, &at.item(place), found);
            }
        }
    }
}

#[cfg(test)]
mod tests;
