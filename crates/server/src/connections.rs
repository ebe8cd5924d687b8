//! Connections: how many there may be, and how long a client may take over its part of one.
//!
//! A client costs a connection for as long as it likes to send, to read or to do neither. Each of these has a limit here,
//! and when no connection is free the one that has kept the server waiting longest makes room for a new client.

mod activity;
mod watched;

use std::collections::HashMap;
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::serve::Listener;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::{Notify, Semaphore};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use self::activity::Activity;

/// What is read ahead and written ahead for one connection; a request's head must fit into it.
const BUFFER_BYTES: usize = 64 * 1024;

/// Requests at the same time on one HTTP/2 connection.
const STREAMS_OF_A_CONNECTION: u32 = 100;

/// How often an HTTP/2 client is asked whether it is still there, and how long it has to say so.
const HTTP2_PING: Duration = Duration::from_secs(20);

/// Limits on what a client may take of a connection.
#[derive(Clone, Copy, Debug)]
pub struct ConnectionLimits {
    pub max_connections: usize,
    /// For the head of a request, from its first byte; on a new connection from the beginning.
    pub head_timeout: Duration,
    /// Between two requests.
    pub idle_timeout: Duration,
    /// How long a client may lag behind with reading what was written for it.
    pub read_timeout: Duration,
}

/// The limits, with the longest that a request itself may take.
#[derive(Clone, Copy, Debug)]
struct Patience {
    limits: ConnectionLimits,
    /// From a request's head to the last byte of its response.
    longest_request: Duration,
}

/// Serves until `stop` resolves; requests under way are finished first.
pub(crate) async fn serve<L: Listener>(
    mut listener: L,
    router: Router,
    limits: ConnectionLimits,
    longest_reply: Duration,
    stop: impl Future<Output = ()>,
) {
    let patience = Patience { limits, longest_request: longest_reply + limits.read_timeout };
    let open = Open::new(limits.max_connections);
    let (stopping, connections) = (CancellationToken::new(), TaskTracker::new());
    let mut stop = pin!(stop);
    loop {
        let accepted = async {
            let (io, _) = listener.accept().await;
            (open.enter().await, io)
        };
        let (entered, io) = tokio::select! {
            () = &mut stop => break,
            accepted = accepted => accepted,
        };
        let (router, stopping) = (router.clone(), stopping.clone());
        connections.spawn(async move { connection(io, router, &entered.activity, patience, &stopping).await });
    }
    drop(listener);
    stopping.cancel();
    connections.close();
    connections.wait().await;
}

/// Serves one connection, until it ends or its client took too long over something.
async fn connection<I>(
    io: I,
    router: Router,
    activity: &Arc<Activity>,
    patience: Patience,
    stopping: &CancellationToken,
) where
    I: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let builder = builder();
    let io = TokioIo::new(watched::Io::new(io, activity.clone()));
    let mut served = pin!(builder.serve_connection(io, watched::service(router, activity.clone())));
    let mut is_stopping = false;
    loop {
        let (too_late, why) = activity.too_late(&patience);
        tokio::select! {
            ended = served.as_mut() => {
                if let Err(error) = ended {
                    tracing::debug!(error, "a connection ended early");
                }
                return;
            }
            () = stopping.cancelled(), if !is_stopping => {
                is_stopping = true;
                served.as_mut().graceful_shutdown();
            }
            () = activity.changed() => {}
            () = activity.must_leave() => {
                tracing::debug!("a connection made room for another");
                return;
            }
            () = tokio::time::sleep_until(too_late) => {
                if activity.too_late(&patience).0 <= Instant::now() {
                    tracing::debug!(why, "a connection was ended");
                    return;
                }
            }
        }
    }
}

fn builder() -> auto::Builder<TokioExecutor> {
    let mut builder = auto::Builder::new(TokioExecutor::new());
    // The head's time limit is kept here, from its first byte and not from the end of the request before it.
    builder.http1().max_buf_size(BUFFER_BYTES).header_read_timeout(None);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(STREAMS_OF_A_CONNECTION)
        .max_header_list_size(u32::try_from(BUFFER_BYTES).unwrap_or(u32::MAX))
        .keep_alive_interval(HTTP2_PING)
        .keep_alive_timeout(HTTP2_PING);
    builder
}

/// The connections that are open.
struct Open {
    places: Arc<Semaphore>,
    activities: Arc<Activities>,
}

#[derive(Default)]
struct Activities {
    by_number: Mutex<HashMap<u64, Arc<Activity>>>,
    /// Some connection waits for its client now.
    some_wait: Arc<Notify>,
}

/// A connection's place among the open ones, given back when dropped.
struct Entered {
    activity: Arc<Activity>,
    number: u64,
    activities: Arc<Activities>,
    _place: tokio::sync::OwnedSemaphorePermit,
}

impl Open {
    fn new(most: usize) -> Self {
        Self { places: Arc::new(Semaphore::new(most)), activities: Arc::default() }
    }

    /// A place for one more. When there is none, whoever has kept us waiting longest leaves.
    async fn enter(&self) -> Entered {
        let place = loop {
            if let Ok(place) = self.places.clone().try_acquire_owned() {
                break place;
            }
            self.activities.make_room();
            tokio::select! {
                place = self.places.clone().acquire_owned() => match place {
                    Ok(place) => break place,
                    // It is never closed.
                    Err(_) => std::future::pending().await,
                },
                () = self.activities.some_wait.notified() => {}
            }
        };
        let activity = Arc::new(Activity::new(self.activities.some_wait.clone()));
        let number = self.activities.enter(&activity);
        Entered { activity, number, activities: self.activities.clone(), _place: place }
    }
}

impl Activities {
    fn enter(&self, activity: &Arc<Activity>) -> u64 {
        let mut by_number = self.by_number.lock().unwrap_or_else(PoisonError::into_inner);
        let number = activity.number();
        by_number.insert(number, activity.clone());
        number
    }

    fn make_room(&self) {
        let mut by_number = self.by_number.lock().unwrap_or_else(PoisonError::into_inner);
        let waiting = by_number.iter().filter_map(|(number, activity)| Some((activity.kept_waiting()?, *number)));
        if let Some((_, number)) = waiting.min()
            && let Some(activity) = by_number.remove(&number)
        {
            activity.leave();
        }
    }
}

impl Drop for Entered {
    fn drop(&mut self) {
        self.activities.by_number.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.number);
    }
}

#[cfg(test)]
mod tests;
