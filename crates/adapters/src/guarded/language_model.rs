//! A language model behind its breaker, which watches what it writes to the end.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use async_trait::async_trait;
use futures::{FutureExt as _, Stream};
use ibidem_words::degrade::{Call, Fault as _, ServiceBreaker};
use ibidem_words::ports::language_model::{LanguageModel, LikelyToken, ModelError, Piece, Pieces, Prompt};
use tokio::time::Sleep;

use super::{TimeLimit, guarded, refused};

pub struct GuardedModel {
    inner: Arc<dyn LanguageModel>,
    breaker: ServiceBreaker,
}

impl GuardedModel {
    pub fn new(inner: Arc<dyn LanguageModel>, breaker: ServiceBreaker) -> Self {
        Self { inner, breaker }
    }
}

#[async_trait]
impl LanguageModel for GuardedModel {
    fn default_model(&self) -> &str {
        self.inner.default_model()
    }

    fn allowed(&self) -> Vec<String> {
        self.inner.allowed()
    }

    /// A server that names its models may still not write: this says nothing about it. But one that is left alone is
    /// not asked for names either.
    async fn served(&self) -> Result<Vec<String>, ModelError> {
        self.breaker.check().map_err(refused::<ModelError>)?;
        self.inner.served().await
    }

    async fn write(&self, prompt: Prompt) -> Result<Pieces, ModelError> {
        let limit = TimeLimit::now(self.breaker.patience());
        if limit.is_over() {
            return Err(ModelError::late(Duration::ZERO));
        }
        let mut writing = Writing {
            call: Some(self.breaker.begin().map_err(refused::<ModelError>)?),
            pieces: None,
            ends: Box::pin(tokio::time::sleep_until(limit.ends.into())),
            limit,
        };
        match tokio::time::timeout_at(limit.ends.into(), self.inner.write(prompt)).await {
            Ok(Ok(pieces)) => {
                writing.pieces = Some(pieces);
                Ok(Box::pin(writing))
            }
            Ok(Err(error)) => {
                writing.end(&Err(error.clone()));
                Err(error)
            }
            Err(_) => Err(writing.late()),
        }
    }

    async fn first_tokens(&self, prompt: Prompt) -> Result<Vec<LikelyToken>, ModelError> {
        guarded(&self.breaker, self.inner.first_tokens(prompt)).await
    }
}

/// What a model writes, as far as it has come. Whoever drops it before the end has read enough, which says nothing about
/// the model; unless it was waited for as long as it may take.
struct Writing {
    call: Option<Call>,
    pieces: Option<Pieces>,
    ends: Pin<Box<Sleep>>,
    limit: TimeLimit,
}

impl Writing {
    fn end(&mut self, outcome: &Result<(), ModelError>) {
        if let Some(call) = self.call.take() {
            call.ended(outcome);
        }
        self.pieces = None;
    }

    fn late(&mut self) -> ModelError {
        let error = ModelError::late(self.limit.given);
        match self.call.take() {
            Some(call) if self.limit.is_the_requests => call.said_nothing(),
            Some(call) => call.failed(),
            None => {}
        }
        self.pieces = None;
        error
    }
}

impl Stream for Writing {
    type Item = Result<Piece, ModelError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let Some(pieces) = self.pieces.as_mut() else { return Poll::Ready(None) };
        let piece = match pieces.as_mut().poll_next(context) {
            Poll::Ready(piece) => piece,
            Poll::Pending if self.ends.poll_unpin(context).is_ready() => return Poll::Ready(Some(Err(self.late()))),
            Poll::Pending => return Poll::Pending,
        };
        match &piece {
            Some(Ok(Piece::Text(_))) => {}
            Some(Ok(Piece::Done { .. })) => self.end(&Ok(())),
            Some(Err(error)) => {
                let error = error.clone();
                self.end(&Err(error));
            }
            None => self.end(&Err(ModelError::Failed("the stream ended before the model did".to_owned()))),
        }
        Poll::Ready(piece)
    }
}
