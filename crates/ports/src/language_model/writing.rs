//! A language model writes piece by piece: its part watches what it writes to the end.

use std::pin::Pin;
use std::task::{Context, Poll};

use futures::{FutureExt as _, Stream};

use super::{LanguageModel, ModelError, ModelFault, Piece, Pieces, Prompt};
use crate::clock::{self, Sleep};
use crate::degrade::{Call, Deadline, Limit, Part};

impl Part<dyn LanguageModel> {
    /// Begins to write. One call lasts from here to the last piece: it has one time limit, and its breaker hears of it
    /// once.
    pub async fn write(&self, deadline: Deadline, prompt: Prompt) -> Result<Pieces, ModelError> {
        let limit = self.limit::<ModelFault>(deadline)?;
        let call = self.begin::<ModelFault>()?;
        match limit.keep(self.port().write(prompt)).await {
            Some(Ok(pieces)) => {
                let ends = limit.ends.map(|ends| Box::pin(clock::at(ends)));
                Ok(Box::pin(Writing { call, pieces: Some(pieces), ends, limit }))
            }
            Some(Err(error)) => {
                if let Some(call) = call {
                    call.ended::<(), _>(&Err(error.clone()));
                }
                Err(error)
            }
            None => Err(limit.late(call)),
        }
    }
}

/// What a model writes, as far as it has come. Whoever drops it before the end has read enough, which says nothing about
/// the model; unless it was waited for as long as it may take.
struct Writing {
    call: Option<Call>,
    pieces: Option<Pieces>,
    ends: Option<Pin<Box<Sleep>>>,
    limit: Limit,
}

impl Writing {
    fn end(&mut self, outcome: &Result<(), ModelError>) {
        if let Some(call) = self.call.take() {
            call.ended(outcome);
        }
        self.pieces = None;
    }

    fn is_late(&mut self, context: &mut Context<'_>) -> bool {
        self.ends.as_mut().is_some_and(|ends| ends.poll_unpin(context).is_ready())
    }
}

impl Stream for Writing {
    type Item = Result<Piece, ModelError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let Some(pieces) = self.pieces.as_mut() else { return Poll::Ready(None) };
        let piece = match pieces.as_mut().poll_next(context) {
            Poll::Ready(piece) => piece,
            Poll::Pending if self.is_late(context) => {
                self.pieces = None;
                let call = self.call.take();
                return Poll::Ready(Some(Err(self.limit.late(call))));
            }
            Poll::Pending => return Poll::Pending,
        };
        match &piece {
            Some(Ok(Piece::Text(_))) => {}
            Some(Ok(Piece::Done { .. })) => self.end(&Ok(())),
            Some(Err(error)) => {
                let error = error.clone();
                self.end(&Err(error));
            }
            None => self.end(&Err(ModelFault::broke_off().into())),
        }
        Poll::Ready(piece)
    }
}
