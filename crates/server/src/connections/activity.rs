//! What one connection is doing, and since when: whose turn it is, the client's or ours.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;
use tokio::time::Instant;

use super::Patience;

static NUMBERS: AtomicU64 = AtomicU64::new(0);

/// Shared by the connection's two ends: the bytes, and the requests that are made of them.
pub(super) struct Activity {
    number: u64,
    now: Mutex<Now>,
    changed: Notify,
    must_leave: Notify,
    /// Told when the client keeps us waiting.
    some_wait: Arc<Notify>,
}

struct Now {
    /// Requests whose response is not wholly written for the client yet, by number, with when they began.
    under_way: BTreeMap<u64, Instant>,
    requests: u64,
    /// Since when no request is under way.
    waiting_since: Instant,
    /// When the first byte of a request's head came, if the head is not complete.
    head_since: Option<Instant>,
    /// Since when bytes could not be written, because the client has not read those before them.
    behind_since: Option<Instant>,
    /// HTTP/2 sends more than heads: what comes between requests may be no request.
    is_http2: bool,
}

/// A request under way: until this is dropped.
pub(super) struct UnderWay {
    activity: Arc<Activity>,
    request: u64,
}

impl Activity {
    pub(super) fn new(some_wait: Arc<Notify>) -> Self {
        let now = Now {
            under_way: BTreeMap::new(),
            requests: 0,
            waiting_since: Instant::now(),
            head_since: None,
            behind_since: None,
            is_http2: false,
        };
        let number = NUMBERS.fetch_add(1, Ordering::Relaxed);
        Self { number, now: Mutex::new(now), changed: Notify::new(), must_leave: Notify::new(), some_wait }
    }

    pub(super) fn number(&self) -> u64 {
        self.number
    }

    fn now(&self) -> MutexGuard<'_, Now> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// When the client has taken too long over what it is doing, if nothing changes; and over what.
    pub(super) fn too_late(&self, patience: &Patience) -> (Instant, &'static str) {
        let (now, limits) = (self.now(), &patience.limits);
        let head = match (now.under_way.values().next(), now.head_since, now.requests) {
            (Some(oldest), ..) => (*oldest + patience.longest_request, "a response was not read to its end"),
            (None, Some(began), _) => (began + limits.head_timeout, "a request's head was not complete"),
            (None, None, 0) => (now.waiting_since + limits.head_timeout, "no request came"),
            (None, None, _) => (now.waiting_since + limits.idle_timeout, "no further request came"),
        };
        match now.behind_since {
            Some(since) => head.min((since + limits.read_timeout, "the client does not read")),
            None => head,
        }
    }

    /// Since when the client keeps us waiting, with those first who may be asked to leave first: clients without a
    /// request, then clients that do not read.
    pub(super) fn kept_waiting(&self) -> Option<(bool, Instant)> {
        let now = self.now();
        match now.behind_since {
            None if now.under_way.is_empty() => Some((false, now.head_since.unwrap_or(now.waiting_since))),
            None => None,
            Some(since) => Some((true, since)),
        }
    }

    /// Bytes came in.
    pub(super) fn came(&self) {
        let mut now = self.now();
        if now.under_way.is_empty() && !now.is_http2 && now.head_since.is_none() {
            now.head_since = Some(Instant::now());
            self.changed.notify_one();
        }
    }

    pub(super) fn speaks_http2(&self) {
        let mut now = self.now();
        now.is_http2 = true;
        now.head_since = None;
    }

    /// Bytes could not be written: the client has not read those before them.
    pub(super) fn is_behind(&self) {
        let mut now = self.now();
        if now.behind_since.is_none() {
            now.behind_since = Some(Instant::now());
            self.changed.notify_one();
            self.some_wait.notify_one();
        }
    }

    /// Everything that was to be written is.
    pub(super) fn has_caught_up(&self) {
        self.now().behind_since = None;
    }

    pub(super) fn begin(self: &Arc<Self>) -> UnderWay {
        let mut now = self.now();
        now.requests += 1;
        now.head_since = None;
        let request = now.requests;
        now.under_way.insert(request, Instant::now());
        UnderWay { activity: self.clone(), request }
    }

    pub(super) async fn changed(&self) {
        self.changed.notified().await;
    }

    pub(super) fn leave(&self) {
        self.must_leave.notify_one();
    }

    pub(super) async fn must_leave(&self) {
        self.must_leave.notified().await;
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        let mut now = self.activity.now();
        now.under_way.remove(&self.request);
        if now.under_way.is_empty() {
            now.waiting_since = Instant::now();
            self.activity.changed.notify_one();
            self.activity.some_wait.notify_one();
        }
    }
}
