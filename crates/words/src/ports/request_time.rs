//! The time that a request has, shared by everything it does.

use std::time::Instant;

use futures::future::BoxFuture;

pub trait RequestTime: Send + Sync {
    /// Does the work. What it asks of other parts gets no more than what is left until the deadline, and fails as late
    /// beyond it; work that does not end even so is dropped soon after.
    fn within<'a>(&self, deadline: Instant, work: BoxFuture<'a, ()>) -> BoxFuture<'a, ()>;
}
