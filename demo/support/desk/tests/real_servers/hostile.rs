//! A server that misbehaves: each way ends in an outcome of its own, in bounded time, and nothing of it goes out.

use std::time::{Duration, Instant};

use ibidem_engine::ask::Spoken;
use ibidem_ports::records::ToolOutcome;
use ibidem_words::Action;

use crate::world::{World, program};

const HOSTILE: &str = env!("CARGO_BIN_EXE_hostile_desk");

fn hostile(way: &str, patience: Duration) -> World {
    World::of(program(HOSTILE, &[way], &[]), patience)
}

#[tokio::test]
async fn each_way_to_misbehave_has_its_outcome() {
    const PATIENCE: Duration = Duration::from_secs(20);
    for (way, outcome) in [
        ("", ToolOutcome::Answered),
        ("wrong_types", ToolOutcome::InvalidResult),
        ("huge", ToolOutcome::TooLarge),
        ("endless_line", ToolOutcome::TooLarge),
        ("dies", ToolOutcome::Unavailable),
        ("dies_listing", ToolOutcome::Unavailable),
        ("garbage", ToolOutcome::Unavailable),
        ("text_only", ToolOutcome::InvalidResult),
        ("fails", ToolOutcome::Failed),
        ("refuses", ToolOutcome::Failed),
        ("changed", ToolOutcome::Changed),
        ("gone", ToolOutcome::Changed),
        ("no_schema", ToolOutcome::Changed),
        ("endless", ToolOutcome::Changed),
        ("listed_wrong", ToolOutcome::Unavailable),
    ] {
        let world = hostile(way, PATIENCE);
        let Spoken { answer, tool_calls, failure, .. } = world.ask("What does plan M cost?").await;
        assert_eq!(tool_calls[0].outcome, outcome, "{way}: {failure:?}");
        assert_eq!(answer.reason, outcome.reason(), "{way}");
        let is_answered = outcome == ToolOutcome::Answered;
        assert_eq!(answer.action == Action::Cite, is_answered, "{way}");
        let out = serde_json::to_string(&answer).unwrap();
        assert!(is_answered || (!answer.answer.contains("45") && !out.contains("SECRET")), "{way}: {out}");
    }
}

#[tokio::test]
async fn a_slow_server_is_not_waited_for_and_its_program_is_ended() {
    for way in ["slow", "slow_list", "other_id"] {
        let began = Instant::now();
        let world = hostile(way, Duration::from_secs(2));
        let Spoken { answer, tool_calls, .. } = world.ask("What does plan M cost?").await;
        assert_eq!((tool_calls[0].outcome, answer.action), (ToolOutcome::Timeout, Action::Refuse), "{way}");
        assert!(began.elapsed() < Duration::from_secs(30), "{way}: {:?}", began.elapsed());
    }
}

#[tokio::test]
async fn a_tool_that_changes_between_two_questions_is_called_once() {
    let world = hostile("changed_later", Duration::from_secs(20));
    let first = world.ask("What does plan M cost?").await;
    assert_eq!(first.tool_calls[0].outcome, ToolOutcome::Answered, "{:?}", first.failure);
    let second = world.ask("What does plan M cost?").await;
    assert_eq!(
        second.tool_calls[0].outcome,
        ToolOutcome::Changed,
        "what it said of how long its list holds counts not"
    );
}

#[tokio::test]
async fn a_server_that_dies_is_started_again_for_the_next_question_until_its_breaker_opens() {
    let world = hostile("dies", Duration::from_secs(20));
    let mut outcomes = Vec::new();
    for _ in 0..8 {
        outcomes.push(world.ask("What does plan M cost?").await.tool_calls[0].outcome);
    }
    let (asked, left_alone) = outcomes.split_at(5);
    assert_eq!(asked, [ToolOutcome::Unavailable; 5]);
    assert!(left_alone.iter().all(|one| *one == ToolOutcome::CircuitOpen), "{outcomes:?}");
}

#[tokio::test]
async fn instructions_in_a_result_and_in_what_a_server_says_of_itself_call_nothing() {
    let mark = std::env::temp_dir().join(format!("hostile-{}", uuid::Uuid::new_v4()));
    let reached = program(HOSTILE, &["instructions"], &[("HOSTILE_MARK", mark.to_str().unwrap())]);
    let world = World::of(reached, Duration::from_secs(20));
    let Spoken { answer, tool_calls, failure, .. } = world.ask("What does plan M cost?").await;
    assert_eq!(tool_calls.len(), 1);
    assert_eq!(tool_calls[0].outcome, ToolOutcome::Answered, "{failure:?}");
    let told = answer.answer.strip_suffix("[1]").unwrap();
    assert!(!told.contains(['[', '<']), "{told}");
    assert!(!mark.exists(), "a tool that writes was called");
}
