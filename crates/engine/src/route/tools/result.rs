//! A tool's result, before any of it is believed: bounded, held against its schema, and cleaned.

use ibidem_ports::records::ToolOutcome;
use ibidem_words::seen;
use serde_json::{Number, Value};

use super::{Field, Stop};
use crate::policy::ToolRules;
use crate::speak::markup::{sanitize, without_addresses};

/// No fact that is told in a sentence is longer, in characters.
const LONGEST_FIELD: usize = 300;

/// The fields that the policy names, as they may be shown, in its order. A field that is null is left out.
pub(super) fn fields(rules: &ToolRules, schema: Option<&Value>, result: &Value) -> Result<Vec<Field>, Stop> {
    let invalid = |failure: String| {
        Stop::new(ToolOutcome::InvalidResult, "Results that fit the tool's schema (0 of 1)").because(failure)
    };
    let bytes = result.to_string().len();
    if bytes > rules.most_bytes {
        let explanation =
            format!("The tool's result ({bytes} bytes) is larger than it may be ({} bytes)", rules.most_bytes);
        return Err(Stop::new(ToolOutcome::TooLarge, explanation));
    }
    let schema = schema.ok_or_else(|| invalid(format!("{} has no schema of its result", rules.tool)))?;
    if let Some(problem) = problem(schema, result) {
        return Err(invalid(problem));
    }
    let mut fields = Vec::new();
    for name in rules.fields() {
        let value = name.split('.').try_fold(result, |value, part| value.get(part));
        let text = match value {
            None | Some(Value::Null) => continue,
            Some(Value::String(text)) => cleaned(text),
            Some(Value::Number(number)) => written(number),
            Some(Value::Bool(is_so)) => is_so.to_string(),
            Some(Value::Array(_) | Value::Object(_)) => return Err(invalid(format!("{name} is no single value"))),
        };
        if text.chars().count() > LONGEST_FIELD {
            return Err(invalid(format!("{name} has more than {LONGEST_FIELD} characters")));
        }
        fields.push((name.to_owned(), text));
    }
    Ok(fields)
}

/// What is wrong with a value by its schema; none when nothing is. What the value says is not repeated.
pub(super) fn problem(schema: &Value, value: &Value) -> Option<String> {
    match jsonschema::validator_for(schema) {
        Err(error) => Some(format!("the schema cannot be used: {}", error.masked())),
        Ok(validator) => validator.validate(value).err().map(|error| {
            let place = error.instance_path().to_string();
            let place = if place.is_empty() { "the whole".to_owned() } else { place };
            format!("{place}: {}", error.masked())
        }),
    }
}

/// One line, without markup, addresses, or signs that would pass for a citation.
fn cleaned(text: &str) -> String {
    let text = seen(text).replace('[', "(").replace(']', ")");
    let text = without_addresses(&sanitize(&text, &[]));
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whole numbers without a fraction, others as short as they are exact.
fn written(number: &Number) -> String {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    match number.as_f64() {
        Some(float) if number.is_f64() && float.fract() == 0.0 && float.abs() < EXACT => format!("{float:.0}"),
        _ => number.to_string(),
    }
}
