//! Calls that end, are given up, or come from many threads at once.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use super::*;
use crate::ports::embedder::EmbedError;
use crate::ports::language_model::ModelError;

const PATIENCE: Duration = Duration::from_millis(1_000);

/// Breakers whose time is turned by hand, in milliseconds.
fn by_hand() -> (Breakers, Arc<AtomicU64>) {
    let passed = Arc::new(AtomicU64::new(0));
    let (began, hand) = (Instant::now(), Arc::clone(&passed));
    let clock: Clock = Arc::new(move || began + Duration::from_millis(hand.load(Ordering::SeqCst)));
    (Breakers::with_clock(BreakerSettings::default(), clock), passed)
}

fn state(breakers: &Breakers) -> (u8, u64) {
    let states = breakers.states().states();
    assert_eq!(states.len(), 1);
    (states[0].1, states[0].2)
}

#[test]
fn every_part_is_read_by_name_as_plain_numbers() {
    let (breakers, passed) = by_hand();
    let index = breakers.of("index", PATIENCE);
    let _ = breakers.of("embedding", PATIENCE);
    for _ in 0..5 {
        index.begin().unwrap().failed();
    }
    let read = |index: (u8, u64)| [("embedding".to_owned(), 0, 0), ("index".to_owned(), index.0, index.1)];
    assert_eq!(breakers.states().states(), read((2, 1)));
    assert_eq!(index.begin().err(), Some(Refused { again_in: Duration::from_secs(30) }));
    passed.store(30_000, Ordering::SeqCst);
    let call = index.begin().unwrap();
    assert_eq!(breakers.states().states(), read((1, 1)));
    call.succeeded();
    index.begin().unwrap().succeeded();
    assert_eq!(breakers.states().states(), read((0, 1)));
}

#[test]
fn what_is_the_callers_mistake_counts_for_nothing() {
    let (breakers, _) = by_hand();
    let model = breakers.of("model", PATIENCE);
    for _ in 0..20 {
        model.begin().unwrap().ended::<(), _>(&Err(ModelError::TooLong("9,000 tokens".to_owned())));
        model.begin().unwrap().ended::<(), _>(&Err(EmbedError::Overloaded));
    }
    assert_eq!(state(&breakers), (0, 0));
    for _ in 0..4 {
        model.begin().unwrap().ended::<(), _>(&Err(ModelError::Timeout(30_000)));
        model.begin().unwrap().ended::<(), _>(&Err(ModelError::TooLong("9,000 tokens".to_owned())));
    }
    assert_eq!(state(&breakers), (0, 0), "nor does it begin the count anew");
    model.begin().unwrap().ended::<(), _>(&Err(ModelError::Timeout(30_000)));
    assert_eq!(state(&breakers), (2, 1));
}

#[test]
fn a_call_given_up_after_its_time_is_a_failure_and_one_given_up_before_is_not() {
    let (breakers, passed) = by_hand();
    let model = breakers.of("model", PATIENCE);
    for _ in 0..20 {
        let call = model.begin().unwrap();
        passed.fetch_add(899, Ordering::SeqCst);
        drop(call);
    }
    assert_eq!(state(&breakers), (0, 0));
    for _ in 0..5 {
        let call = model.begin().unwrap();
        passed.fetch_add(1_000, Ordering::SeqCst);
        drop(call);
    }
    assert_eq!(state(&breakers), (2, 1));
}

#[test]
fn a_probe_that_is_dropped_does_not_leave_it_stuck() {
    let (breakers, passed) = by_hand();
    let index = breakers.of("index", PATIENCE);
    for _ in 0..5 {
        index.begin().unwrap().failed();
    }
    passed.store(30_000, Ordering::SeqCst);
    for _ in 0..3 {
        let probe = index.begin().unwrap();
        assert!(index.begin().is_err() && index.check().is_err());
        drop(probe);
        assert_eq!((state(&breakers), index.check()), ((1, 1), Ok(())));
    }
    let late = index.begin().unwrap();
    passed.fetch_add(1_000, Ordering::SeqCst);
    drop(late);
    assert_eq!(state(&breakers), (2, 2), "a probe that hung is a failed one");
}

#[test]
fn a_part_that_was_replaced_is_asked_at_once_and_keeps_its_count() {
    let (breakers, _) = by_hand();
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

#[test]
fn of_many_threads_one_tries_at_a_time() {
    let (breakers, passed) = by_hand();
    let index = breakers.of("index", PATIENCE);
    let (under_way, most, let_through) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
    for _ in 0..5 {
        index.begin().unwrap().failed();
    }
    passed.store(30_000, Ordering::SeqCst);
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
                    call.said_nothing();
                }
            });
        }
    });
    assert_eq!(most.load(Ordering::SeqCst), 1);
    assert!(let_through.load(Ordering::SeqCst) > 1);
    assert_eq!(state(&breakers), (1, 1));
}
