//! One budget of time for a request, which every guarded call within it keeps to.

use std::time::{Duration, Instant};

use futures::future::BoxFuture;
use ibidem_words::ports::request_time::RequestTime as Port;

tokio::task_local! {
    static DEADLINE: Instant;
}

/// What the request under way has left; none where nobody set it an end.
pub(super) fn left() -> Option<Duration> {
    DEADLINE.try_with(|deadline| deadline.saturating_duration_since(Instant::now())).ok()
}

/// Parts that are not guarded, such as the catalogue, get so much of the budget more before they are left behind: the
/// guarded ones all end with it, and what they brought is to be said.
const GRACE_PARTS: u32 = 20;

/// Time as the runtime has it.
pub struct RequestTime;

impl Port for RequestTime {
    fn within<'a>(&self, deadline: Instant, work: BoxFuture<'a, ()>) -> BoxFuture<'a, ()> {
        let budget = deadline.saturating_duration_since(Instant::now());
        let cut_off = deadline + budget / GRACE_PARTS;
        Box::pin(async move {
            // Whoever waits sees from what is missing that it was cut off.
            let _ = tokio::time::timeout_at(cut_off.into(), DEADLINE.scope(deadline, work)).await;
        })
    }
}
