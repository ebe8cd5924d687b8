//! A request's body, with a time limit for all of it.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use hyper::body::{Frame, SizeHint};
use tokio::time::Sleep;

/// Ends with an error when it has not arrived in time, whoever reads it.
pub(super) struct BodyInTime {
    body: Body,
    limit: Pin<Box<Sleep>>,
    was_late: WasLate,
}

/// Whether the body did not arrive in time.
#[derive(Clone, Default)]
pub(super) struct WasLate(Arc<AtomicBool>);

impl WasLate {
    pub(super) fn is_late(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

impl BodyInTime {
    pub(super) fn new(body: Body, limit: Duration) -> (Self, WasLate) {
        let was_late = WasLate::default();
        (Self { body, limit: Box::pin(tokio::time::sleep(limit)), was_late: was_late.clone() }, was_late)
    }
}

impl HttpBody for BodyInTime {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        if let Poll::Ready(frame) = Pin::new(&mut self.body).poll_frame(context) {
            return Poll::Ready(frame);
        }
        if self.limit.as_mut().poll(context).is_pending() {
            return Poll::Pending;
        }
        self.was_late.0.store(true, Ordering::Relaxed);
        Poll::Ready(Some(Err(axum::Error::new(std::io::Error::from(std::io::ErrorKind::TimedOut)))))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
