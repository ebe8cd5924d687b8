//! A case is opened in the real database, with its asker's word in another: once, whichever server takes it.

use std::time::Duration;

use ibidem_testing::database::TestDatabase;
use ibidem_words::{Action, Reason};

use crate::world::{World, program};

const DESK: &str = env!("CARGO_BIN_EXE_ibidem-support-desk");
const REQUEST: &str = "I was overcharged by PLN 150, invoice INV-20251001, customer u124. Can you fix it?";

#[tokio::test]
async fn a_case_is_opened_once_after_it_was_confirmed() {
    let database = TestDatabase::create().await;
    let environment = [("SUPPORT_DESK_DATABASE_URL", database.url.as_str())];
    // Two servers of one installation: what one proposes the other can be told to do.
    let [one, other] = [(); 2].map(|()| {
        World::of(program(DESK, &[], &environment), Duration::from_secs(60)).confirming(database.store.clone())
    });
    one.prepare(&database.store).await;
    let asked = one.turn(REQUEST).await;
    assert_eq!((asked.action, asked.reason), (Action::Clarify, Some(Reason::ToolConfirmationNeeded)), "{asked:#?}");
    let sentence = asked.confirmation.unwrap().sentence().unwrap();
    let case = one.turn("How far is case R10003?").await;
    assert_eq!(case.reason, Some(Reason::EntityNotFound), "nothing was opened yet: {case:#?}");

    let (first, second) = tokio::join!(one.turn(&sentence), other.turn(&sentence));
    let mut reasons = [first.reason, second.reason];
    reasons.sort();
    assert_eq!(reasons, [None, Some(Reason::ToolConfirmationUsed)], "{first:#?} {second:#?}");
    let done = if first.reason.is_none() { first } else { second };
    assert_eq!(done.answer, "Case R10003 is opened. It is reviewed within 5 working days.[1]");

    let case = one.turn("How far is case R10003?").await;
    assert!(case.answer.starts_with("Case R10003 (Refund, PLN 150.00, invoice INV-20251001)"), "{case:#?}");
    assert_eq!(other.turn("How far is case R10004?").await.reason, Some(Reason::EntityNotFound), "and no second one");
    let token = sentence.rsplit(' ').next().unwrap();
    assert_eq!(database.columns_with(token).await, Vec::<String>::new(), "the token is kept nowhere");
}
