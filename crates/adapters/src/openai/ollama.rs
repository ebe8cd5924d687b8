//! Ollama's own protocol: what OpenAI's cannot say there is how much a model holds.

use ibidem_ports::language_model::{Cut, Usage};
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::wire::{ChatMessage, ChatRequest, Likelihoods, Thinking};

#[derive(Serialize)]
pub(super) struct OllamaRequest<'a> {
    model: &'a str,
    messages: &'a [ChatMessage<'a>],
    stream: bool,
    options: Options,
    /// The form of the reply.
    #[serde(skip_serializing_if = "Option::is_none")]
    format: Option<&'a Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    think: Option<Think>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    likelihoods: Option<Likelihoods>,
}

#[derive(Serialize)]
struct Options {
    #[serde(skip_serializing_if = "Option::is_none")]
    num_ctx: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    num_predict: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<u32>,
}

/// Most models know on and off, some know how much.
#[derive(Serialize)]
#[serde(untagged)]
enum Think {
    Off(bool),
    Much(Thinking),
}

impl<'a> OllamaRequest<'a> {
    pub(super) fn of(request: &'a ChatRequest<'a>, window: Option<u32>) -> Self {
        let options = Options {
            num_ctx: window,
            num_predict: request.max_tokens,
            temperature: request.temperature,
            seed: request.seed,
        };
        Self {
            model: request.model,
            messages: &request.messages,
            stream: request.stream,
            options,
            format: request.form.map(|form| &form.schema),
            think: request.thinking.map(|thinking| match thinking {
                Thinking::Off => Think::Off(false),
                much => Think::Much(much),
            }),
            likelihoods: request.likelihoods,
        }
    }
}

/// One line of the stream.
#[derive(Deserialize)]
pub(super) struct OllamaChunk {
    #[serde(default)]
    message: Option<OllamaMessage>,
    #[serde(default)]
    pub(super) done: bool,
    #[serde(default)]
    done_reason: Option<String>,
    #[serde(default)]
    prompt_eval_count: u32,
    #[serde(default)]
    eval_count: u32,
    #[serde(default)]
    pub(super) error: Option<Value>,
}

#[derive(Deserialize)]
struct OllamaMessage {
    #[serde(default)]
    content: String,
    /// What is in it is not read.
    #[serde(default)]
    thinking: Option<IgnoredAny>,
}

impl OllamaChunk {
    pub(super) fn is_thought(&self) -> bool {
        self.message.as_ref().is_some_and(|message| message.thinking.is_some())
    }

    pub(super) fn usage(&self) -> Usage {
        Usage { prompt_tokens: self.prompt_eval_count, completion_tokens: self.eval_count }
    }

    pub(super) fn cut(&self) -> Option<Cut> {
        Cut::of(self.done_reason.as_deref()?)
    }

    pub(super) fn text(self) -> Option<String> {
        Some(self.message?.content).filter(|text| !text.is_empty())
    }
}

/// Lines of JSON as server-sent events, wherever they are cut.
#[derive(Default)]
pub(super) struct LinesAsEvents {
    is_inside: bool,
}

impl LinesAsEvents {
    pub(super) fn read(&mut self, piece: &[u8]) -> Vec<u8> {
        let mut events = Vec::with_capacity(piece.len() + 16);
        for byte in piece {
            if !self.is_inside && *byte != b'\n' {
                events.extend_from_slice(b"data: ");
                self.is_inside = true;
            }
            events.push(*byte);
            if *byte == b'\n' {
                events.push(b'\n');
                self.is_inside = false;
            }
        }
        events
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_events_wherever_they_are_cut() {
        let lines = b"{\"a\":1}\n{\"b\":2}\n";
        for size in 1..lines.len() {
            let mut reader = LinesAsEvents::default();
            let events: Vec<u8> = lines.chunks(size).flat_map(|piece| reader.read(piece)).collect();
            assert_eq!(events, b"data: {\"a\":1}\n\ndata: {\"b\":2}\n\n", "by {size}");
        }
    }
}
