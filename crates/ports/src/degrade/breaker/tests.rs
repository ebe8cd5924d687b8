//! Every transition, a millisecond before, at and after its time; and random interleavings held against a plain model.

use proptest::prelude::*;

use super::*;

const OPEN: Duration = Duration::from_secs(30);
const HAIR: Duration = Duration::from_millis(1);

fn pass(breaker: &mut Breaker, now: Instant) -> Permit {
    match breaker.admit(now) {
        Admission::Pass(permit) => permit,
        other => panic!("not let through: {other:?}"),
    }
}

fn probe(breaker: &mut Breaker, now: Instant) -> Permit {
    match breaker.admit(now) {
        Admission::Probe(permit) => permit,
        other => panic!("may not try: {other:?}"),
    }
}

fn refused(breaker: &mut Breaker, now: Instant) -> Duration {
    match breaker.admit(now) {
        Admission::Refused { again_in } => again_in,
        other => panic!("not refused: {other:?}"),
    }
}

fn fail(breaker: &mut Breaker, now: Instant) {
    let permit = pass(breaker, now);
    breaker.failed(permit, now);
}

/// Opened at this moment.
fn opened(now: Instant) -> Breaker {
    let mut breaker = Breaker::new(BreakerSettings::default());
    for _ in 0..5 {
        fail(&mut breaker, now);
    }
    assert_eq!((breaker.state(), breaker.trips()), (BreakerState::Open, 1));
    breaker
}

#[test]
fn four_failures_in_a_row_leave_it_closed_and_the_fifth_opens_it() {
    let now = Instant::now();
    let mut breaker = Breaker::new(BreakerSettings::default());
    for failures in 1..=4 {
        fail(&mut breaker, now);
        assert_eq!(breaker.state(), BreakerState::Closed, "after {failures}");
    }
    fail(&mut breaker, now);
    assert_eq!((breaker.state(), breaker.trips()), (BreakerState::Open, 1));
    assert_eq!(refused(&mut breaker, now), OPEN);
}

#[test]
fn a_success_in_between_begins_the_count_anew_and_what_a_caller_abandons_does_not() {
    let now = Instant::now();
    let mut breaker = Breaker::new(BreakerSettings::default());
    for _ in 0..4 {
        fail(&mut breaker, now);
    }
    let permit = pass(&mut breaker, now);
    breaker.succeeded(permit);
    for _ in 0..4 {
        fail(&mut breaker, now);
    }
    assert_eq!(breaker.state(), BreakerState::Closed);
    let permit = pass(&mut breaker, now);
    breaker.abandoned(permit);
    fail(&mut breaker, now);
    assert_eq!(breaker.state(), BreakerState::Open);
}

#[test]
fn after_thirty_seconds_and_not_a_millisecond_sooner_one_may_try() {
    let now = Instant::now();
    for (at, is_tried) in [(OPEN - HAIR, false), (OPEN, true), (OPEN + HAIR, true)] {
        let mut breaker = opened(now);
        assert_eq!(breaker.refuses(now + at).is_none(), is_tried, "{at:?}");
        if is_tried {
            let _tries = probe(&mut breaker, now + at);
            assert_eq!(breaker.state(), BreakerState::HalfOpen);
            assert_eq!(refused(&mut breaker, now + at), Duration::ZERO, "one at a time");
            assert_eq!(breaker.refuses(now + at), Some(Duration::ZERO));
        } else {
            assert_eq!(refused(&mut breaker, now + at), HAIR);
            assert_eq!(breaker.state(), BreakerState::Open);
        }
    }
}

#[test]
fn two_successful_tries_in_a_row_close_it() {
    let now = Instant::now() + OPEN;
    let mut breaker = opened(now - OPEN);
    let first = probe(&mut breaker, now);
    breaker.succeeded(first);
    assert_eq!(breaker.state(), BreakerState::HalfOpen);
    let second = probe(&mut breaker, now);
    breaker.succeeded(second);
    assert_eq!((breaker.state(), breaker.trips()), (BreakerState::Closed, 1));
    for _ in 0..4 {
        fail(&mut breaker, now);
    }
    assert_eq!(breaker.state(), BreakerState::Closed, "it counts from nothing again");
}

#[test]
fn a_failed_try_opens_it_for_another_thirty_seconds_and_success_counts_from_nothing() {
    let began = Instant::now();
    let mut breaker = opened(began);
    let tried = began + OPEN;
    let first = probe(&mut breaker, tried);
    breaker.succeeded(first);
    let second = probe(&mut breaker, tried);
    let failed = tried + Duration::from_secs(2);
    breaker.failed(second, failed);
    assert_eq!((breaker.state(), breaker.trips()), (BreakerState::Open, 2));
    assert_eq!(refused(&mut breaker, failed + OPEN - HAIR), HAIR, "counted from the failure, not from the try");
    let third = probe(&mut breaker, failed + OPEN);
    breaker.succeeded(third);
    assert_eq!(breaker.state(), BreakerState::HalfOpen, "one success is not two");
}

#[test]
fn a_try_that_is_abandoned_lets_the_next_one_try() {
    let now = Instant::now() + OPEN;
    let mut breaker = opened(now - OPEN);
    let gone = probe(&mut breaker, now);
    breaker.abandoned(gone);
    assert_eq!(breaker.state(), BreakerState::HalfOpen);
    let next = probe(&mut breaker, now);
    breaker.succeeded(next);
}

#[test]
fn what_was_asked_before_it_opened_neither_closes_nor_opens_it_again() {
    let now = Instant::now() + OPEN;
    let mut breaker = Breaker::new(BreakerSettings::default());
    let [slow_success, slow_failure, slow_gone] = [0; 3].map(|_| pass(&mut breaker, now - OPEN));
    for _ in 0..5 {
        fail(&mut breaker, now - OPEN);
    }
    let tries = probe(&mut breaker, now);
    breaker.succeeded(slow_success);
    breaker.failed(slow_failure, now);
    breaker.abandoned(slow_gone);
    assert_eq!((breaker.state(), breaker.trips()), (BreakerState::HalfOpen, 1));
    assert_eq!(refused(&mut breaker, now), Duration::ZERO, "the one that tries still does");
    breaker.succeeded(tries);
}

#[test]
fn a_part_that_was_replaced_is_asked_at_once() {
    let now = Instant::now();
    let mut breaker = opened(now);
    breaker.close();
    let permit = pass(&mut breaker, now);
    breaker.succeeded(permit);
    assert_eq!((breaker.state(), breaker.trips()), (BreakerState::Closed, 1), "what was counted stays counted");
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Ask,
    /// What becomes of one of the calls under way.
    Succeed(usize),
    Fail(usize),
    Abandon(usize),
    Wait(u64),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => Just(Step::Ask),
        2 => (0_usize..8).prop_map(Step::Succeed),
        4 => (0_usize..8).prop_map(Step::Fail),
        1 => (0_usize..8).prop_map(Step::Abandon),
        2 => (0_u64..12_000).prop_map(Step::Wait),
    ]
}

/// The rules again, as plainly as they can be said: it knows which call began in which state.
#[derive(Default)]
struct Rules {
    failures: u32,
    successes: u32,
    open_until: Option<Instant>,
    is_half_open: bool,
    changes: u64,
    trips: u64,
}

impl Rules {
    fn state(&self) -> BreakerState {
        match (self.open_until, self.is_half_open) {
            (Some(_), _) => BreakerState::Open,
            (None, true) => BreakerState::HalfOpen,
            (None, false) => BreakerState::Closed,
        }
    }

    fn opens(&mut self, now: Instant) {
        let (changes, trips) = (self.changes + 1, self.trips + 1);
        *self = Self { open_until: Some(now + OPEN), changes, trips, ..Self::default() };
    }

    fn failed(&mut self, now: Instant) {
        self.failures += 1;
        if self.is_half_open || self.failures == 5 {
            self.opens(now);
        }
    }

    fn succeeded(&mut self) {
        self.failures = 0;
        self.successes += u32::from(self.is_half_open);
        if self.successes == 2 {
            *self = Self { changes: self.changes + 1, trips: self.trips, ..Self::default() };
        }
    }
}

struct UnderWay {
    permit: Permit,
    is_probe: bool,
    /// The rules' count of changes when it began.
    since: u64,
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn however_calls_interleave_one_at_most_tries_and_the_state_is_by_the_rules(
        steps in prop::collection::vec(step(), 1..120)
    ) {
        let mut now = Instant::now();
        let mut breaker = Breaker::new(BreakerSettings::default());
        let mut rules = Rules::default();
        let mut under_way: Vec<UnderWay> = Vec::new();
        for step in steps {
            let picked = |place: usize, of: &Vec<UnderWay>| (!of.is_empty()).then(|| place % of.len());
            match step {
                Step::Wait(milliseconds) => now += Duration::from_millis(milliseconds),
                Step::Ask => {
                    let tries = under_way.iter().any(|call| call.is_probe && call.since == rules.changes);
                    let is_due = rules.open_until.is_some_and(|until| now >= until);
                    let (permit, is_probe) = match breaker.admit(now) {
                        Admission::Pass(permit) => (permit, false),
                        Admission::Probe(permit) => (permit, true),
                        Admission::Refused { again_in } => {
                            let still = rules.open_until.map_or(Duration::ZERO, |until| until - now);
                            prop_assert_eq!(again_in, still);
                            prop_assert!(tries || rules.open_until.is_some_and(|until| now < until));
                            continue;
                        }
                    };
                    if is_due {
                        let (changes, trips) = (rules.changes + 1, rules.trips);
                        rules = Rules { is_half_open: true, changes, trips, ..Rules::default() };
                    }
                    prop_assert_eq!(is_probe, rules.is_half_open);
                    prop_assert!(!(is_probe && tries && !is_due), "two try at once");
                    under_way.push(UnderWay { permit, is_probe, since: rules.changes });
                }
                Step::Succeed(place) => if let Some(place) = picked(place, &under_way) {
                    let call = under_way.remove(place);
                    breaker.succeeded(call.permit);
                    if call.since == rules.changes {
                        rules.succeeded();
                    }
                },
                Step::Fail(place) => if let Some(place) = picked(place, &under_way) {
                    let call = under_way.remove(place);
                    breaker.failed(call.permit, now);
                    if call.since == rules.changes {
                        rules.failed(now);
                    }
                },
                Step::Abandon(place) => if let Some(place) = picked(place, &under_way) {
                    let call = under_way.remove(place);
                    breaker.abandoned(call.permit);
                },
            }
            let trying = under_way.iter().filter(|call| call.is_probe && call.since == rules.changes).count();
            prop_assert!(trying <= 1, "{trying} try at once");
            prop_assert_eq!((breaker.state(), breaker.trips()), (rules.state(), rules.trips));
        }
        // However it was left: once nobody is under way and the time is over, somebody is let through.
        for call in under_way {
            breaker.abandoned(call.permit);
        }
        prop_assert!(!matches!(breaker.admit(now + OPEN), Admission::Refused { .. }), "stuck");
    }
}
