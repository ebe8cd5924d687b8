//! The one clock: what time it is, waiting, and an end to waiting. Whatever is timed, bounded or left alone for a while
//! in words, language and engine takes its time from here.
//!
//! It is tokio's. So a test that pauses tokio's time turns every deadline, time limit and breaker by hand.
#![expect(clippy::disallowed_methods, reason = "this is the one place that looks at the clock")]

use std::time::Duration;

pub use tokio::time::{Instant, Sleep};

pub fn now() -> Instant {
    Instant::now()
}

pub async fn wait(duration: Duration) {
    tokio::time::sleep(duration).await;
}

/// Is ready at that moment: for what is polled beside something else.
pub fn at(moment: Instant) -> Sleep {
    tokio::time::sleep_until(moment)
}

/// What the work brought; none where it had not ended by then. Work that is late is dropped.
pub async fn by<T>(moment: Instant, work: impl Future<Output = T>) -> Option<T> {
    tokio::time::timeout_at(moment, work).await.ok()
}
