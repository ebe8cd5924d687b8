//! Calls that end, are given up, or come from many threads at once.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use crate::embedder::{EmbedError, EmbedFault};
use crate::language_model::{ModelError, ModelFault};

const PATIENCE: Duration = Duration::from_millis(1_000);

fn breakers() -> Breakers {
    Breakers::new(BreakerSettings::default())
}

/// Tokio's time is paused, and turned by hand.
async fn pass(milliseconds: u64) {
    tokio::time::advance(Duration::from_millis(milliseconds)).await;
}

fn state(breakers: &Breakers) -> (u8, u64) {
    let states = breakers.states().states();
    assert_eq!(states.len(), 1);
    (states[0].1, states[0].2)
}

#[tokio::test(start_paused = true)]
async fn every_part_is_read_by_name_as_plain_numbers() {
    let breakers = breakers();
    let index = breakers.of("index", PATIENCE);
    let _ = breakers.of("embedding", PATIENCE);
    for _ in 0..5 {
        index.begin().unwrap().failed();
    }
    let read = |index: (u8, u64)| [("embedding".to_owned(), 0, 0), ("index".to_owned(), index.0, index.1)];
    assert_eq!(breakers.states().states(), read((2, 1)));
    assert_eq!(index.begin().err(), Some(Refused { again_in: Duration::from_secs(30) }));
    pass(30_000).await;
    let call = index.begin().unwrap();
    assert_eq!(breakers.states().states(), read((1, 1)));
    call.succeeded();
    index.begin().unwrap().succeeded();
    assert_eq!(breakers.states().states(), read((0, 1)));
}

#[test]
fn what_is_the_callers_mistake_counts_for_nothing() {
    let breakers = breakers();
    let model = breakers.of("model", PATIENCE);
    for _ in 0..20 {
        model.begin().unwrap().ended::<(), _>(&Err(ModelError::Own(ModelFault::TooLong("9,000 tokens".to_owned()))));
        model.begin().unwrap().ended::<(), _>(&Err(EmbedError::Own(EmbedFault::Overloaded)));
    }
    assert_eq!(state(&breakers), (0, 0));
    for _ in 0..4 {
        model.begin().unwrap().ended::<(), _>(&Err(ModelError::Timeout(30_000)));
        model.begin().unwrap().ended::<(), _>(&Err(ModelError::Own(ModelFault::TooLong("9,000 tokens".to_owned()))));
    }
    assert_eq!(state(&breakers), (0, 0), "nor does it begin the count anew");
    model.begin().unwrap().ended::<(), _>(&Err(ModelError::Timeout(30_000)));
    assert_eq!(state(&breakers), (2, 1));
}

#[tokio::test(start_paused = true)]
async fn a_call_given_up_after_its_time_is_a_failure_and_one_given_up_before_is_not() {
    let breakers = breakers();
    let model = breakers.of("model", PATIENCE);
    for _ in 0..20 {
        let call = model.begin().unwrap();
        pass(899).await;
        drop(call);
    }
    assert_eq!(state(&breakers), (0, 0));
    for _ in 0..5 {
        let call = model.begin().unwrap();
        pass(1_000).await;
        drop(call);
    }
    assert_eq!(state(&breakers), (2, 1));
}

#[tokio::test(start_paused = true)]
async fn a_probe_that_is_dropped_does_not_leave_it_stuck() {
    let breakers = breakers();
    let index = breakers.of("index", PATIENCE);
    for _ in 0..5 {
        index.begin().unwrap().failed();
    }
    pass(30_000).await;
    for _ in 0..3 {
        let probe = index.begin().unwrap();
        assert!(index.begin().is_err() && index.check().is_err());
        drop(probe);
        assert_eq!((state(&breakers), index.check()), ((1, 1), Ok(())));
    }
    let late = index.begin().unwrap();
    pass(1_000).await;
    drop(late);
    assert_eq!(state(&breakers), (2, 2), "a probe that hung is a failed one");
}

#[test]
fn a_part_that_was_replaced_is_asked_at_once_and_keeps_its_count() {
    let breakers = breakers();
    let old = breakers.of("model", PATIENCE);
    let under_way = old.begin().unwrap();
    for _ in 0..5 {
        old.begin().unwrap().failed();
    }
    let new = breakers.of("model", PATIENCE);
    under_way.failed();
    assert_eq!(state(&breakers), (0, 1));
    new.begin().unwrap().succeeded();
}

#[tokio::test(start_paused = true)]
async fn of_many_threads_one_tries_at_a_time() {
    let breakers = breakers();
    let index = breakers.of("index", PATIENCE);
    let (under_way, most, let_through) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
    for _ in 0..5 {
        index.begin().unwrap().failed();
    }
    pass(30_000).await;
    // Half-open from here on: other threads have no part in the paused time.
    index.begin().unwrap().inconclusive();
    std::thread::scope(|threads| {
        for _ in 0..8 {
            threads.spawn(|| {
                for _ in 0..2_000 {
                    let Ok(call) = index.begin() else { continue };
                    most.fetch_max(under_way.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    let_through.fetch_add(1, Ordering::SeqCst);
                    std::thread::yield_now();
                    under_way.fetch_sub(1, Ordering::SeqCst);
                    // Never a success: it stays half-open, and one after the other tries.
                    call.inconclusive();
                }
            });
        }
    });
    assert_eq!(most.load(Ordering::SeqCst), 1);
    assert!(let_through.load(Ordering::SeqCst) > 1);
    assert_eq!(state(&breakers), (1, 1));
}
