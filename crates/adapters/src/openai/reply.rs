//! Server-sent events as pieces of text, within a deadline.

use eventsource_stream::Eventsource as _;
use futures::StreamExt as _;
use ibidem_ports::language_model::{Cut, ModelError, ModelFault, Piece, Pieces, Usage};
use tokio::time::Instant;

use super::wire::ChatChunk;
use super::{broken_off, reason};
use crate::bounded;

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
struct Told {
    usage: Option<Usage>,
    cut: Option<Cut>,
}

/// A model that was asked for so many tokens. What it sends beyond what these can take ends the stream in an error, with
/// what arrived: no server decides how much memory its reply takes.
pub(super) fn pieces(reply: reqwest::Response, tokens: u32, deadline: Instant, late: ModelError) -> Pieces {
    let tokens = tokens as usize;
    let most = tokens.saturating_mul(BYTES_OF_A_TOKEN).saturating_add(BYTES_BESIDE);
    let events = Box::pin(bounded::pieces(reply, most, LONGEST_LINE).eventsource());
    let begun = (events, Told::default(), tokens.saturating_mul(TEXT_OF_A_TOKEN), false);
    let stream = futures::stream::unfold(begun, move |(mut events, mut told, mut text_left, ended)| {
        let late = late.clone();
        async move {
            if ended {
                return None;
            }
            loop {
                let piece = match tokio::time::timeout_at(deadline, events.next()).await {
                    Err(_) => Err(late),
                    Ok(None) => {
                        Err(ModelError::Own(ModelFault::Failed("the connection ended before the model did".to_owned())))
                    }
                    Ok(Some(Err(eventsource_stream::EventStreamError::Transport(error)))) => Err(broken_off(error)),
                    Ok(Some(Err(error))) => Err(ModelError::Own(ModelFault::Failed(reason(&error)))),
                    Ok(Some(Ok(event))) => match understood(&event.data, &mut told) {
                        Ok(Event::Nothing) => continue,
                        Ok(Event::Text(text)) if text.len() > text_left => Err(too_much(tokens)),
                        Ok(Event::Text(text)) => {
                            text_left -= text.len();
                            Ok(Piece::Text(text.into_bytes()))
                        }
                        Ok(Event::Done) => Ok(Piece::Done { usage: told.usage, cut: told.cut }),
                        Err(error) => Err(error),
                    },
                };
                let ended = !matches!(piece, Ok(Piece::Text(_)));
                return Some((piece, (events, told, text_left, ended)));
            }
        }
    });
    Box::pin(stream)
}

fn too_much(tokens: usize) -> ModelError {
    ModelError::Own(ModelFault::Failed(format!("it wrote far more than the {tokens} tokens that it was asked for")))
}

fn understood(data: &str, told: &mut Told) -> Result<Event, ModelError> {
    if data.trim() == "[DONE]" {
        return Ok(Event::Done);
    }
    let chunk: ChatChunk = serde_json::from_str(data)
        .map_err(|error| ModelError::Own(ModelFault::Failed(format!("an event is not of the protocol: {error}"))))?;
    if let Some(error) = chunk.error {
        return Err(ModelError::Own(ModelFault::Failed(error.to_string())));
    }
    if let Some(counted) = chunk.usage {
        told.usage = Some(counted.into());
    }
    let choice = chunk.choices.into_iter().next();
    told.cut = told.cut.or_else(|| Cut::of(choice.as_ref()?.finish_reason.as_deref()?));
    let text = choice.and_then(|choice| choice.delta.content);
    Ok(text.filter(|text| !text.is_empty()).map_or(Event::Nothing, Event::Text))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a whole stream of these events comes to.
    fn told(events: &[&str]) -> (String, Told) {
        let mut told = Told::default();
        let text = events.iter().filter_map(|event| match understood(event, &mut told).unwrap() {
            Event::Text(text) => Some(text),
            Event::Nothing | Event::Done => None,
        });
        (text.collect(), told)
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
                let (said, told) = told(&events);
                assert_eq!((said.as_str(), told.cut), ("Oil is", cut), "{events:?}");
                assert_eq!(told.usage.map(|usage| usage.completion_tokens), Some(2));
            }
        }
    }
}
