//! Whose work it is that the parts are asked for: parts that many share give each tenant its turn by it.
//!
//! It decides when work is done and never what comes of it, so it travels beside the calls and not in them. Work that
//! nobody names is a tenant of its own.

use std::cell::Cell;
use std::future::poll_fn;

use ibidem_words::TenantId;

thread_local! {
    /// Whose work this thread does at the moment. A future is on one thread from the beginning of a poll to its end.
    static TENANT: Cell<Option<TenantId>> = const { Cell::new(None) };
}

/// Does the work as that tenant's. What comes here is the whole of a question: it is kept beside the stack.
pub async fn of<T>(tenant: TenantId, work: impl Future<Output = T>) -> T {
    let mut work = Box::pin(work);
    poll_fn(move |context| {
        let _before = Before(TENANT.replace(Some(tenant)));
        work.as_mut().poll(context)
    })
    .await
}

/// Whose work is done here; none where nobody has said so.
pub fn tenant() -> Option<TenantId> {
    TENANT.get()
}

/// Whose work the thread did before: it does so again when the poll has ended, in whatever way.
struct Before(Option<TenantId>);

impl Drop for Before {
    fn drop(&mut self) {
        TENANT.set(self.0);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::clock;

    #[tokio::test(start_paused = true)]
    async fn work_is_its_tenants_as_long_as_it_lasts() {
        let (one, other) = (TenantId::named("one"), TenantId::named("other"));
        assert_eq!(tenant(), None);
        let later = async || {
            clock::wait(Duration::from_secs(1)).await;
            tenant()
        };
        let beside = async { futures::join!(of(other, later()), later()) };
        assert_eq!(of(one, beside).await, (Some(other), Some(one)));
        assert_eq!(tenant(), None);
    }
}
