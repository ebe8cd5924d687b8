//! The desk's own tools, on standard input and output and over HTTP.

use std::process::Stdio;
use std::time::Duration;

use ibidem_adapters::mcp::Reached;
use ibidem_ports::tools::Tools as _;
use ibidem_testing::database::TestDatabase;
use ibidem_testing::suites;
use ibidem_words::{Action, Message, Question, Reason, Speaker};

use crate::world::{World, program};

const DESK: &str = env!("CARGO_BIN_EXE_ibidem-support-desk");
const DATABASE: &str = "SUPPORT_DESK_DATABASE_URL";
const PATIENCE: Duration = Duration::from_secs(60);

fn desk(database: &TestDatabase) -> World {
    World::of(program(DESK, &[], &[(DATABASE, &database.url)]), PATIENCE)
}

#[tokio::test]
async fn the_desk_does_what_every_tool_server_must() {
    let database = TestDatabase::create().await;
    suites::tools::check(desk(&database).tools.as_ref()).await;
}

#[tokio::test]
async fn over_http_it_does_the_same() {
    let database = TestDatabase::create().await;
    // A port that is free now; nobody else takes ports of this test's own address.
    let listen = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let mut child = tokio::process::Command::new(DESK)
        .args(["--listen", &listen.to_string()])
        .env(DATABASE, &database.url)
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let world = World::of(Reached::Url { url: format!("http://{listen}/mcp"), token: None }, PATIENCE);
    let mut tries = 0;
    while let Err(error) = world.tools.list().await {
        tries += 1;
        assert!(tries < 200 && child.try_wait().unwrap().is_none(), "the desk does not serve: {error}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    suites::tools::check(world.tools.as_ref()).await;
    let answer = world.ask("What does plan S cost?").await.answer;
    assert_eq!(answer.answer, "The plan Mobile S (S) costs PLN 29.99 a month. Its status is: offered.[1]");
    // It goes, and that is said; it is not taken for an answer.
    child.kill().await.unwrap();
    let answer = world.ask("What does plan S cost?").await.answer;
    assert_eq!(answer.reason, Some(Reason::ToolUnavailable), "{answer:#?}");
}

#[tokio::test]
async fn price_subscription_and_case_are_answered_from_the_database_or_asked_back() {
    let database = TestDatabase::create().await;
    let world = desk(&database);
    for (question, action, reason, text) in [
        (
            "What's my plan cost?",
            Action::Clarify,
            Some(Reason::ToolArgumentsMissing),
            "To look that up I need:\n- the customer number, for example u123",
        ),
        (
            "What's my plan cost? My number is u123",
            Action::Cite,
            None,
            "Customer u123 has the plan Mobile M (M) at PLN 45.00 a month since 2024-03-01. Its status is: active.[1]",
        ),
        (
            "What does plan L cost?",
            Action::Cite,
            None,
            "The plan Mobile L (L) costs PLN 65.50 a month. Its status is: offered.[1]",
        ),
        (
            "How far is my refund case R10001?",
            Action::Cite,
            None,
            "Case R10001 (Overcharge, PLN 150.00, invoice INV-20251001) has the status: opened. It is reviewed within 5 \
             working days.[1]",
        ),
        (
            "Where is my order ord-1001?",
            Action::Cite,
            None,
            "Order ORD-1001 (Fibre router FR-2) has the status: shipped.[1]",
        ),
        ("Status of case R99999?", Action::Refuse, Some(Reason::EntityNotFound), "There is no case R99999."),
        (
            "I was overcharged by PLN 150, invoice INV-20251001, customer u123. Can you fix it?",
            Action::Refuse,
            Some(Reason::ToolNotAllowed),
            "I look things up and change nothing. The service desk can open a refund case for you.",
        ),
    ] {
        let answer = world.ask(question).await.answer;
        assert_eq!((answer.action, answer.reason, answer.answer.as_str()), (action, reason, text), "{answer:#?}");
    }
    let message = |role, content: &str| Message { role, content: content.to_owned(), timestamp: None };
    let before = vec![
        message(Speaker::User, "What's my plan cost?"),
        message(Speaker::Assistant, "To look that up I need:\n- the customer number, for example u123"),
    ];
    let answer = world.put(Question::new("u124").after(before)).await.answer;
    assert!(answer.answer.starts_with("Customer u124 has the plan Mobile S (S) at PLN 29.99"), "{answer:#?}");
}
