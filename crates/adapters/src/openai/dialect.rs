//! What a model's server has taught us about how it wants to be asked: it refused a request once, and says why.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use serde::Serialize;

/// A parameter of a request that a server may not know, or not allow for a model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Parameter {
    MaxTokens,
    Temperature,
    Seed,
    StreamOptions,
    /// How much a model may think.
    Effort,
    /// Whether it may, as an argument of its prompt's template.
    Template,
    /// A grammar of the form.
    Grammar,
    /// The form that a reply must have.
    ReplyForm,
}

impl Parameter {
    /// Each with the names that servers refuse it by.
    const NAMED: [(Self, &'static [&'static str]); 8] = [
        (Self::MaxTokens, &["max_tokens"]),
        (Self::Temperature, &["temperature"]),
        (Self::Seed, &["seed"]),
        (Self::StreamOptions, &["stream_options", "include_usage"]),
        (Self::Effort, &["reasoning_effort"]),
        (Self::Template, &["chat_template_kwargs", "enable_thinking"]),
        (Self::Grammar, &["grammar"]),
        (Self::ReplyForm, &["response_format", "json_schema", "json_object", "guided_json", "structured output"]),
    ];
}

/// How servers say that they do not take a parameter.
const REFUSALS: [&str; 15] = [
    "unsupported",
    "unavailable",
    "input should be",
    "must be",
    "not supported",
    "not support",
    "not permitted",
    "not allowed",
    "unrecognized",
    "unknown",
    "extra_forbidden",
    "extra inputs",
    "unexpected",
    "deprecated",
    "is not valid",
];

/// How far a server can bind a model to the form of a reply.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Binding {
    /// To a schema.
    #[default]
    Schema,
    /// To a grammar. A server that does not know those mostly says nothing: the reply shows it.
    Grammar,
    /// To some JSON object.
    Object,
    /// Not at all.
    None,
}

impl Binding {
    pub(super) fn weaker(self) -> Self {
        match self {
            Self::Schema => Self::Grammar,
            Self::Grammar => Self::Object,
            Self::Object | Self::None => Self::None,
        }
    }
}

/// How a model of a server is asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Dialect {
    /// The bound on tokens is called `max_completion_tokens`.
    pub(super) completion_tokens: bool,
    pub(super) no_temperature: bool,
    pub(super) no_seed: bool,
    pub(super) no_stream_options: bool,
    pub(super) no_effort: bool,
    pub(super) no_template: bool,
    pub(super) binding: Binding,
    /// Its replies begin inside a thought: its prompt opens it, and the reply only closes it.
    pub(super) begins_thinking: bool,
    /// It was seen to think.
    pub(super) thinks: bool,
}

impl Dialect {
    /// What a refusal teaches; none where it is about something else, or about what is not sent any more.
    pub(super) fn after(self, refusal: &str) -> Option<Self> {
        let refusal = refusal.to_lowercase();
        if !REFUSALS.iter().any(|words| refusal.contains(words)) {
            return None;
        }
        let named = |names: &[&str]| names.iter().any(|name| refusal.contains(name));
        let mut learned = self;
        for (parameter, names) in Parameter::NAMED {
            if self.sends(parameter) && named(names) {
                learned.leave_out(parameter);
            }
        }
        (learned != self).then_some(learned)
    }

    /// Whether it is sent at all: of what binds a reply to its form, one goes out.
    fn sends(self, parameter: Parameter) -> bool {
        match parameter {
            Parameter::Grammar => self.binding == Binding::Grammar,
            Parameter::ReplyForm => matches!(self.binding, Binding::Schema | Binding::Object),
            _ => true,
        }
    }

    fn leave_out(&mut self, parameter: Parameter) {
        match parameter {
            Parameter::MaxTokens => self.completion_tokens = true,
            Parameter::Temperature => self.no_temperature = true,
            Parameter::Seed => self.no_seed = true,
            Parameter::StreamOptions => self.no_stream_options = true,
            Parameter::Effort => self.no_effort = true,
            Parameter::Template => self.no_template = true,
            Parameter::Grammar | Parameter::ReplyForm => self.binding = self.binding.weaker(),
        }
    }
}

/// The dialects of a server's models, as long as this process runs.
#[derive(Clone, Default)]
pub(super) struct Dialects(Arc<Mutex<HashMap<String, Dialect>>>);

impl Dialects {
    /// Models are named by settings and by askers, of whom only those that are allowed get this far.
    pub(super) fn of(&self, model: &str) -> Dialect {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(model).copied().unwrap_or_default()
    }

    pub(super) fn learn(&self, model: &str, change: impl FnOnce(&mut Dialect)) {
        change(self.0.lock().unwrap_or_else(PoisonError::into_inner).entry(model.to_owned()).or_default());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_of_a_parameter_is_learned_from_and_no_other() {
        let plain = Dialect::default();
        let gpt5 = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' \
                    instead.";
        assert_eq!(plain.after(gpt5), Some(Dialect { completion_tokens: true, ..plain }));
        let fixed = "Unsupported value: 'temperature' does not support 0.1 with this model. Only the default (1) value \
                     is supported.";
        assert_eq!(plain.after(fixed), Some(Dialect { no_temperature: true, ..plain }));
        let strict =
            r#"{"detail":[{"type":"extra_forbidden","loc":["body","seed"],"msg":"Extra inputs are not permitted"}]}"#;
        assert_eq!(plain.after(strict), Some(Dialect { no_seed: true, ..plain }));
        let both = "litellm.UnsupportedParamsError: x does not support parameters: ['seed', 'temperature']";
        assert_eq!(plain.after(both), Some(Dialect { no_seed: true, no_temperature: true, ..plain }));
        let by_grammar = Dialect { binding: Binding::Grammar, ..plain };
        for no_schema in [
            "This response_format type is unavailable now",
            r#"{"detail":[{"loc":["body","response_format","type"],"msg":"Input should be 'text' or 'json_object'"}]}"#,
            "json_schema is not supported; use a grammar",
        ] {
            assert_eq!(plain.after(no_schema), Some(by_grammar), "{no_schema}");
        }
        let by_object = Dialect { binding: Binding::Object, ..plain };
        let no_form = "'response_format' of type 'json_object' is not supported with this model";
        assert_eq!(by_object.after(no_form), Some(Dialect { binding: Binding::None, ..plain }));
        let no_grammar = r#"{"error":{"message":"Unrecognized request argument supplied: grammar"}}"#;
        assert_eq!(by_grammar.after(no_grammar), Some(by_object));
        assert_eq!(plain.after(no_grammar), None, "it was not sent");
        let no_template = "Unrecognized request argument supplied: chat_template_kwargs";
        assert_eq!(plain.after(no_template), Some(Dialect { no_template: true, ..plain }));
        // About the length of the prompt, or about something that is no parameter of ours.
        for other in [
            "This model's maximum context length is 8192 tokens, however you requested 9000 tokens (8000 in the messages, \
             1000 in max_tokens)",
            "model not found",
            "Unsupported content type",
        ] {
            assert_eq!(plain.after(other), None, "{other}");
        }
        // Once it is not sent any more, the refusal teaches nothing: nobody asks for ever.
        assert_eq!(Dialect { completion_tokens: true, ..plain }.after(gpt5), None);
    }
}
