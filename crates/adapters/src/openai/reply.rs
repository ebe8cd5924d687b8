//! Server-sent events as pieces of text, within a deadline.

use eventsource_stream::{EventStreamError, Eventsource as _};
use futures::{Stream, StreamExt as _};
use ibidem_ports::language_model::{Cut, ModelError, ModelFault, Piece, Pieces, Usage};
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::time::Instant;

use super::connection::Protocol;
use super::ollama::{LinesAsEvents, OllamaChunk};
use super::thoughts::{Thoughts, WasThought};
use super::wire::{ChatChunk, Choice};
use super::{broken_off, reason};
use crate::bounded::{self, ReadError};

/// What servers send for a token: its text in JSON, with the model's name and much else around it.
const BYTES_OF_A_TOKEN: usize = 4_096;
/// A token's text; the longest of common vocabularies are runs of 128 spaces.
const TEXT_OF_A_TOKEN: usize = 128;
/// What a server may send beside: comments that keep the connection, counts, a first and a last event.
const BYTES_BESIDE: usize = 1 << 20;
/// An event is one line.
const LONGEST_LINE: usize = 256 * 1024;

/// What an event means.
enum Event {
    Text(String),
    Nothing,
    Done,
}

/// What the events have said so far beside the text.
#[derive(Clone, Copy, Default)]
struct Received {
    usage: Option<Usage>,
    cut: Option<Cut>,
    /// It said why it ends: some servers say no more than that.
    finished: bool,
    /// It thought, in a field that is not text.
    thought: bool,
}

/// The end of a stream, with what its reader learned of the model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Ended {
    /// The model thought, and then said something.
    WithText,
    /// The model thought until its tokens were used up, and said nothing.
    WhileThinking,
    /// It turned out to have begun in the middle of a thought.
    HavingBegunThinking,
}

/// A model that was asked for so many tokens. What it sends beyond what these can take ends the stream in an error, with
/// what arrived: no server decides how much memory its reply takes. Thoughts are taken out; `noticed` is told of a reply
/// that was nothing else.
pub(super) fn pieces(
    (reply, protocol): (reqwest::Response, Protocol),
    tokens: u32,
    deadline: Instant,
    late: ModelError,
    thoughts: Thoughts,
    noticed: impl Fn(Ended) + Send + 'static,
) -> Pieces {
    let most = (tokens as usize).saturating_mul(BYTES_OF_A_TOKEN).saturating_add(BYTES_BESIDE);
    let mut lines = LinesAsEvents::default();
    let bytes = bounded::pieces(reply, most, LONGEST_LINE).map(move |piece| {
        let piece = piece?;
        Ok(match protocol {
            Protocol::OpenAi => piece.as_ref().to_vec(),
            Protocol::Ollama => lines.read(piece.as_ref()),
        })
    });
    let begun = Reading {
        events: Box::pin(bytes.eventsource()),
        protocol,
        received: Received::default(),
        thoughts,
        text_left: (tokens as usize).saturating_mul(TEXT_OF_A_TOKEN),
        tokens,
        ended: false,
        rest: None,
        noticed,
    };
    Box::pin(futures::stream::unfold(begun, move |mut reading| {
        let late = late.clone();
        async move {
            let piece = reading.next(deadline, &late).await?;
            Some((piece, reading))
        }
    }))
}

/// A reply that is being read.
struct Reading<S, N> {
    events: S,
    protocol: Protocol,
    received: Received,
    thoughts: Thoughts,
    text_left: usize,
    tokens: u32,
    ended: bool,
    /// What comes after the last text.
    rest: Option<Piece>,
    noticed: N,
}

impl<S, N> Reading<S, N>
where
    S: Stream<Item = Result<eventsource_stream::Event, EventStreamError<ReadError>>> + Unpin,
    N: Fn(Ended),
{
    async fn next(&mut self, deadline: Instant, late: &ModelError) -> Option<Result<Piece, ModelError>> {
        if let Some(piece) = self.rest.take() {
            return Some(Ok(piece));
        }
        if self.ended {
            return None;
        }
        loop {
            let piece = match tokio::time::timeout_at(deadline, self.events.next()).await {
                Err(_) => Err(late.clone()),
                Ok(None) if self.received.finished => Ok(self.end()),
                Ok(None) => {
                    Err(ModelError::Own(ModelFault::Failed("the connection ended before the model did".to_owned())))
                }
                Ok(Some(Err(EventStreamError::Transport(error)))) => Err(broken_off(error)),
                Ok(Some(Err(error))) => Err(ModelError::Own(ModelFault::Failed(reason(&error)))),
                Ok(Some(Ok(event))) => match understood(&event.data, self.protocol, &mut self.received) {
                    Ok(Event::Nothing) => continue,
                    Ok(Event::Text(text)) if text.len() > self.text_left => Err(too_much(self.tokens)),
                    Ok(Event::Text(text)) => {
                        self.text_left -= text.len();
                        match self.thoughts.read(&text) {
                            Ok(said) if said.is_empty() => continue,
                            Ok(said) => Ok(Piece::Text(said.into_bytes())),
                            Err(WasThought) => {
                                (self.noticed)(Ended::HavingBegunThinking);
                                let what = "it wrote its thoughts into its text, without their beginning; the next reply \
                                            is read accordingly";
                                Err(ModelError::Own(ModelFault::Failed(what.to_owned())))
                            }
                        }
                    }
                    Ok(Event::Done) => Ok(self.end()),
                    Err(error) => Err(error),
                },
            };
            self.ended = !matches!(piece, Ok(Piece::Text(_))) || self.rest.is_some();
            return Some(piece);
        }
    }

    /// The last text that was held back, if there is some, and then the end.
    fn end(&mut self) -> Piece {
        let done = Piece::Done { usage: self.received.usage, cut: self.received.cut };
        let said = self.thoughts.rest();
        if self.thoughts.thought || self.received.thought {
            (self.noticed)(if self.thoughts.said { Ended::WithText } else { Ended::WhileThinking });
        }
        if said.is_empty() {
            return done;
        }
        self.rest = Some(done);
        Piece::Text(said.into_bytes())
    }
}

fn too_much(tokens: u32) -> ModelError {
    ModelError::Own(ModelFault::Failed(format!("it wrote far more than the {tokens} tokens that it was asked for")))
}

fn understood(data: &str, protocol: Protocol, received: &mut Received) -> Result<Event, ModelError> {
    match protocol {
        Protocol::OpenAi if data.trim() == "[DONE]" => Ok(Event::Done),
        Protocol::OpenAi => understood_chunk(parsed(data)?, received),
        Protocol::Ollama => understood_line(parsed(data)?, received),
    }
}

fn parsed<T: DeserializeOwned>(data: &str) -> Result<T, ModelError> {
    serde_json::from_str(data)
        .map_err(|error| ModelError::Own(ModelFault::Failed(format!("an event is not of the protocol: {error}"))))
}

fn failed(error: &Value) -> ModelError {
    ModelError::Own(ModelFault::Failed(error.to_string()))
}

fn understood_line(line: OllamaChunk, received: &mut Received) -> Result<Event, ModelError> {
    if let Some(error) = &line.error {
        return Err(failed(error));
    }
    received.thought |= line.is_thought();
    if line.done {
        received.usage = Some(line.usage());
        received.finished = true;
        received.cut = received.cut.or(line.cut());
    }
    let is_last = line.done;
    Ok(match line.text() {
        Some(text) => Event::Text(text),
        None if is_last => Event::Done,
        None => Event::Nothing,
    })
}

fn understood_chunk(chunk: ChatChunk, received: &mut Received) -> Result<Event, ModelError> {
    if let Some(error) = &chunk.error {
        return Err(failed(error));
    }
    if let Some(counted) = chunk.usage {
        received.usage = Some(counted.into());
    }
    let choice = chunk.choices.and_then(|choices| choices.into_iter().next());
    let finish_reason = choice.as_ref().and_then(|choice| choice.finish_reason.as_deref());
    received.finished |= finish_reason.is_some();
    received.thought |= choice.as_ref().is_some_and(Choice::is_thought);
    received.cut = received.cut.or_else(|| Cut::of(finish_reason?));
    Ok(choice.and_then(Choice::text).map_or(Event::Nothing, Event::Text))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a whole stream of these events comes to.
    fn received(events: &[&str]) -> (String, Received) {
        let mut received = Received::default();
        let text =
            events.iter().filter_map(|event| match understood(event, Protocol::OpenAi, &mut received).unwrap() {
                Event::Text(text) => Some(text),
                Event::Nothing | Event::Done => None,
            });
        (text.collect(), received)
    }

    #[test]
    fn why_a_reply_ends_is_read_wherever_the_server_says_it() {
        let text =
            |reason: &str| format!(r#"{{"choices":[{{"delta":{{"content":"Oil is"}},"finish_reason":{reason}}}]}}"#);
        let end = |reason: &str| format!(r#"{{"choices":[{{"delta":{{}},"finish_reason":{reason}}}]}}"#);
        let usage = r#"{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2}}"#;
        for (reason, cut) in [
            (r#""length""#, Some(Cut::Length)),
            (r#""content_filter""#, Some(Cut::Filter)),
            (r#""stop""#, None),
            ("null", None),
        ] {
            for events in [vec![text("null"), end(reason)], vec![text(reason)], vec![text(reason), end("null")]] {
                let mut events: Vec<&str> = events.iter().map(String::as_str).collect();
                events.extend([usage, "[DONE]"]);
                let (text, received) = received(&events);
                assert_eq!((text.as_str(), received.cut), ("Oil is", cut), "{events:?}");
                assert_eq!(received.usage.map(|usage| usage.completion_tokens), Some(2));
            }
        }
    }
}
