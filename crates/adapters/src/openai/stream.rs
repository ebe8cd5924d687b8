//! Server-sent events as pieces of text, within a deadline.

use eventsource_stream::Eventsource as _;
use futures::StreamExt as _;
use ibidem_words::ports::language_model::{ModelError, ModelFault, Piece, Pieces, Usage};
use tokio::time::Instant;

use super::wire::ChatChunk;
use super::{connection, reason};

/// What an event means.
enum Event {
    Text(String),
    Nothing,
    Done,
}

pub(super) fn pieces(reply: reqwest::Response, deadline: Instant, late: ModelError) -> Pieces {
    let bytes = reply.bytes_stream();
    let events = Box::pin(bytes.eventsource());
    let begun = (events, None::<Usage>, false);
    let stream = futures::stream::unfold(begun, move |(mut events, mut usage, ended)| {
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
                    Ok(Some(Err(eventsource_stream::EventStreamError::Transport(error)))) => Err(connection(&error)),
                    Ok(Some(Err(error))) => Err(ModelError::Own(ModelFault::Failed(reason(&error)))),
                    Ok(Some(Ok(event))) => match understood(&event.data, &mut usage) {
                        Ok(Event::Nothing) => continue,
                        Ok(Event::Text(text)) => Ok(Piece::Text(text.into_bytes())),
                        Ok(Event::Done) => Ok(Piece::Done { usage }),
                        Err(error) => Err(error),
                    },
                };
                let ended = !matches!(piece, Ok(Piece::Text(_)));
                return Some((piece, (events, usage, ended)));
            }
        }
    });
    Box::pin(stream)
}

fn understood(data: &str, usage: &mut Option<Usage>) -> Result<Event, ModelError> {
    if data.trim() == "[DONE]" {
        return Ok(Event::Done);
    }
    let chunk: ChatChunk = serde_json::from_str(data)
        .map_err(|error| ModelError::Own(ModelFault::Failed(format!("an event is not of the protocol: {error}"))))?;
    if let Some(error) = chunk.error {
        return Err(ModelError::Own(ModelFault::Failed(error.to_string())));
    }
    if let Some(counted) = chunk.usage {
        *usage = Some(counted.into());
    }
    let text = chunk.choices.into_iter().next().and_then(|choice| choice.delta.content);
    Ok(text.filter(|text| !text.is_empty()).map_or(Event::Nothing, Event::Text))
}
