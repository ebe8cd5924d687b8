//! Processor time by stage: what the threads of this process spend within each span of the engine and the server.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};
use tracing::span::Id;
use tracing::{Metadata, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::filter::dynamic_filter_fn;
use tracing_subscriber::layer::Context;
use tracing_subscriber::registry::LookupSpan;

/// Nothing is counted, and no span is made, while this is false.
static COUNTING: AtomicBool = AtomicBool::new(false);
static SPENT: Mutex<BTreeMap<&'static str, Duration>> = Mutex::new(BTreeMap::new());

thread_local! {
    /// The spans that this thread is in, the innermost last, and its clock when that was last looked at.
    static WITHIN: RefCell<(Vec<&'static str>, Duration)> = const { RefCell::new((Vec::new(), Duration::ZERO)) };
}

/// Counts, from when [`counted`] says so.
pub(crate) fn layer<S: Subscriber + for<'span> LookupSpan<'span>>() -> impl Layer<S> {
    let is_ours = |about: &Metadata<'_>| about.is_span() && about.target().starts_with("ibidem");
    let counts = move |about: &Metadata<'_>, _: &Context<'_, S>| is_ours(about) && COUNTING.load(Ordering::Relaxed);
    Stages.with_filter(dynamic_filter_fn(counts))
}

/// What every stage spends while something is done, without the stages within it, the dearest first.
pub(super) async fn counted<T>(doing: impl Future<Output = T>) -> (T, Vec<(&'static str, Duration)>) {
    locked().clear();
    COUNTING.store(true, Ordering::Relaxed);
    let done = doing.await;
    COUNTING.store(false, Ordering::Relaxed);
    let mut spent: Vec<_> = std::mem::take(&mut *locked()).into_iter().collect();
    spent.sort_by_key(|(_, time)| std::cmp::Reverse(*time));
    (done, spent)
}

fn locked() -> std::sync::MutexGuard<'static, BTreeMap<&'static str, Duration>> {
    SPENT.lock().unwrap_or_else(PoisonError::into_inner)
}

struct Stages;

impl Stages {
    /// What the thread spent since its clock was last looked at is the innermost span's.
    fn look(change: impl FnOnce(&mut Vec<&'static str>)) {
        let now = thread_time();
        WITHIN.with_borrow_mut(|(within, before)| {
            if let Some(stage) = within.last() {
                *locked().entry(stage).or_default() += now.saturating_sub(*before);
            }
            *before = now;
            change(within);
        });
    }
}

fn thread_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or(0))
}

impl<S: Subscriber + for<'span> LookupSpan<'span>> Layer<S> for Stages {
    fn on_enter(&self, id: &Id, context: Context<'_, S>) {
        if let Some(name) = context.metadata(id).map(Metadata::name) {
            Self::look(|within| within.push(name));
        }
    }

    fn on_exit(&self, id: &Id, context: Context<'_, S>) {
        if context.metadata(id).is_some() {
            Self::look(|within| {
                within.pop();
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use std::hint::black_box;

    use tracing::trace_span;
    use tracing_subscriber::layer::SubscriberExt as _;

    use super::*;

    fn work() {
        for number in 0..3_000_000_u64 {
            black_box(number);
        }
    }

    #[test]
    fn a_stage_has_the_time_within_it_and_not_that_of_the_stages_inside() {
        let subscriber = tracing_subscriber::registry().with(layer());
        let counting = counted(async {
            let _outer = trace_span!("outer").entered();
            trace_span!("inner").in_scope(work);
        });
        let spent = tracing::subscriber::with_default(subscriber, || {
            trace_span!("before").in_scope(work);
            let ((), spent) = futures::executor::block_on(counting);
            trace_span!("after").in_scope(work);
            spent
        });
        assert_eq!(spent.iter().map(|(name, _)| *name).collect::<Vec<_>>(), ["inner", "outer"]);
        assert!(spent[0].1 > 2 * spent[1].1, "{spent:?}");
    }
}
