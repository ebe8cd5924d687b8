//! Arguments, read from the asker's own words by the policy's patterns.

use ibidem_words::{Question, Speaker};
use serde_json::{Map, Value};

use crate::policy::{ArgumentRules, Letters, ToolRules};

/// How many of the asker's earlier lines are looked at for what the question lacks.
const LINES_BEFORE: usize = 5;

/// A reply to a question back has hardly more words.
const LONGEST_REPLY: usize = 12;

/// The arguments of a tool, each with its value where the asker gave one.
pub(super) struct Given<'a>(Vec<(&'a ArgumentRules, Option<String>)>);

impl<'a> Given<'a> {
    /// Takes the arguments of the question; what it lacks, of what the asker wrote before, the latest first.
    pub(super) fn of(question: &Question, rules: &'a ToolRules) -> Self {
        let messages = question.history.iter().rev().filter(|message| message.role == Speaker::User);
        let lines: Vec<&str> = std::iter::once(question.query.as_str())
            .chain(messages.take(LINES_BEFORE).map(|message| message.content.as_str()))
            .collect();
        let value = |argument: &ArgumentRules| match lines.iter().find_map(|line| found(argument, line))? {
            ArgumentValue::One(value) => Some(value),
            ArgumentValue::Several => None,
        };
        Self(rules.arguments.iter().map(|argument| (argument, value(argument))).collect())
    }

    pub(super) fn count(&self) -> usize {
        self.0.iter().filter(|(_, value)| value.is_some()).count()
    }

    pub(super) fn missing(&self) -> impl Iterator<Item = &'a ArgumentRules> {
        self.0.iter().filter(|(_, value)| value.is_none()).map(|(argument, _)| *argument)
    }

    pub(super) fn named(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().filter_map(|(argument, value)| Some((argument.name.as_str(), value.as_deref()?)))
    }

    pub(super) fn value(&self, name: &str) -> Option<&str> {
        self.named().find(|(own, _)| *own == name).map(|(_, value)| value)
    }

    /// Types the values as the schema of the tool's arguments wants them: a number where it says number.
    pub(super) fn typed(&self, schema: &Value) -> Map<String, Value> {
        let typed = |name: &str, value: &str| {
            let number =
                |value: &str| value.parse::<i64>().map(Value::from).or_else(|_| value.parse::<f64>().map(Value::from));
            match schema["properties"][name]["type"].as_str() {
                Some("integer" | "number") => number(value).unwrap_or_else(|_| Value::from(value)),
                _ => Value::from(value),
            }
        };
        self.named().map(|(name, value)| (name.to_owned(), typed(name, value))).collect()
    }
}

enum ArgumentValue {
    One(String),
    /// Which is meant nobody knows.
    Several,
}

fn found(argument: &ArgumentRules, line: &str) -> Option<ArgumentValue> {
    let mut values = argument.pattern.regex().captures_iter(line).filter_map(|captures| {
        let value = captures.name("value").or_else(|| captures.get(0))?.as_str().trim();
        let value = match argument.letters {
            Letters::AsWritten => value.to_owned(),
            Letters::Upper => value.to_uppercase(),
            Letters::Lower => value.to_lowercase(),
        };
        (!value.is_empty()).then_some(value)
    });
    let first = values.next()?;
    Some(if values.all(|other| other == first) { ArgumentValue::One(first) } else { ArgumentValue::Several })
}

/// What the asker said last before the question.
pub(super) fn previous_question(question: &Question) -> Option<&str> {
    question.history.iter().rev().find(|message| message.role == Speaker::User).map(|message| message.content.as_str())
}

/// Whether a short question gives what the one before lacked.
pub(super) fn completes(question: &Question, before: &str, rules: &ToolRules) -> bool {
    let is_in = |argument: &&ArgumentRules, line: &str| matches!(found(argument, line), Some(ArgumentValue::One(_)));
    let lacking: Vec<&ArgumentRules> = rules.arguments.iter().filter(|argument| !is_in(argument, before)).collect();
    let is_short = question.query.split_whitespace().count() <= LONGEST_REPLY;
    is_short && lacking.iter().any(|argument| is_in(argument, &question.query))
}
