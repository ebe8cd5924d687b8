//! A connection's bytes and requests, watched for whose turn it is.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes, HttpBody};
use axum::http::{Request, Response};
use hyper::body::{Frame, Incoming, SizeHint};
use hyper::service::{Service, service_fn};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::Sleep;

use super::activity::{Activity, UnderWay};

/// How every HTTP/2 connection begins, and no request of HTTP/1.
const HTTP2_BEGINS: &[u8; 3] = b"PRI";

/// How much a client may go on sending after our last word, and for how long.
const LAST_BYTES: usize = 4 << 20;
const LAST_SECONDS: Duration = Duration::from_secs(2);

/// The bytes of a connection.
pub(super) struct Io<I> {
    io: I,
    activity: Arc<Activity>,
    /// The first bytes that came, as far as they look like HTTP/2.
    like_http2: Option<usize>,
    /// Set when we have said our last word.
    farewell: Option<Farewell>,
}

/// How long and how far a client is still listened to, without a reply.
struct Farewell {
    ends: Pin<Box<Sleep>>,
    bytes_left: usize,
}

impl<I> Io<I> {
    pub(super) fn new(io: I, activity: Arc<Activity>) -> Self {
        Self { io, activity, like_http2: Some(0), farewell: None }
    }

    fn look_at(&mut self, came: &[u8]) {
        if came.is_empty() {
            return;
        }
        self.activity.came();
        let Some(seen) = self.like_http2 else { return };
        let rest = &HTTP2_BEGINS[seen..];
        let length = rest.len().min(came.len());
        self.like_http2 = match came[..length] == rest[..length] {
            true if length == rest.len() => {
                self.activity.speaks_http2();
                None
            }
            true => Some(seen + length),
            false => None,
        };
    }
}

impl<I: AsyncRead + Unpin> AsyncRead for Io<I> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        let before = into.filled().len();
        let read = Pin::new(&mut self.io).poll_read(context, into);
        self.look_at(&into.filled()[before..]);
        read
    }
}

impl<I: AsyncWrite + Unpin> Io<I> {
    fn wrote(&self, written: Poll<std::io::Result<usize>>) -> Poll<std::io::Result<usize>> {
        if written.is_pending() {
            self.activity.is_behind();
        }
        written
    }
}

impl Farewell {
    fn new() -> Self {
        Self { ends: Box::pin(tokio::time::sleep(LAST_SECONDS)), bytes_left: LAST_BYTES }
    }

    /// Ready when the client has nothing more to say, or has said enough.
    fn poll<I: AsyncRead + Unpin>(&mut self, io: &mut I, context: &mut Context<'_>) -> Poll<()> {
        let mut bytes = [0; 8 * 1024];
        while self.bytes_left > 0 && self.ends.as_mut().poll(context).is_pending() {
            let mut into = ReadBuf::new(&mut bytes);
            let read = ready!(Pin::new(&mut *io).poll_read(context, &mut into));
            if read.is_err() || into.filled().is_empty() {
                break;
            }
            self.bytes_left = self.bytes_left.saturating_sub(into.filled().len());
        }
        Poll::Ready(())
    }
}

impl<I: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Io<I> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<std::io::Result<usize>> {
        let written = Pin::new(&mut self.io).poll_write(context, bytes);
        self.wrote(written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[std::io::IoSlice<'_>],
    ) -> Poll<std::io::Result<usize>> {
        let written = Pin::new(&mut self.io).poll_write_vectored(context, bytes);
        self.wrote(written)
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }

    /// Asked for once everything before it is written.
    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        let flushed = Pin::new(&mut self.io).poll_flush(context);
        if flushed.is_ready() {
            self.activity.has_caught_up();
        }
        flushed
    }

    /// A connection that is closed while bytes of the client wait to be read takes the reply with it, and why a request was
    /// refused before all of it had come is what that client needs to know. So it is listened to a little longer.
    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        let Self { io, farewell, .. } = &mut *self;
        if farewell.is_none() {
            ready!(Pin::new(&mut *io).poll_shutdown(context))?;
        }
        farewell.get_or_insert_with(Farewell::new).poll(io, context).map(Ok)
    }
}

/// The requests of a connection: each is under way until its response is written or nobody wants it any more.
pub(super) fn service(
    router: Router,
    activity: Arc<Activity>,
) -> impl Service<
    Request<Incoming>,
    Response = Response<Reply>,
    Error = Infallible,
    Future = impl Future<Output = Result<Response<Reply>, Infallible>> + Send + 'static,
> {
    let router = TowerToHyperService::new(router);
    service_fn(move |request| {
        let under_way = activity.begin();
        let replied = router.call(request);
        async move { Ok(replied.await?.map(|body| Reply { body, _under_way: under_way })) }
    })
}

/// A response's body.
pub(super) struct Reply {
    body: Body,
    _under_way: UnderWay,
}

impl HttpBody for Reply {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
