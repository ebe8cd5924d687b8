//! Who puts a question, and from what.

use std::sync::Arc;

use ibidem_testing::fakes::{FakeModel, Script};
use ibidem_words::Message;

use super::*;
use crate::policy::FollowUpRules;
use crate::roles::{NamedModel, Planner};
use ibidem_ports::degrade::Deadline;

fn message(role: Speaker, content: &str) -> Message {
    Message { role, content: content.to_owned(), timestamp: None }
}

#[test]
fn only_questions_that_got_a_reply_are_gone_on_with() {
    let history = vec![
        message(Speaker::System, "Be kind."),
        message(Speaker::User, "How long are logs kept?"),
        message(Speaker::Assistant, "Thirteen months."),
        message(Speaker::User, "Who wins the cup?"),
        message(Speaker::User, "Who reads them?"),
        message(Speaker::Assistant, "The security team."),
        message(Speaker::User, "And?"),
    ];
    let question = Question::new("Why?").after(history);
    assert_eq!(answered_questions(&question), ["How long are logs kept?", "Who reads them?"]);
}

async fn planned(script: Script, query: &str) -> (Option<Option<String>>, usize) {
    let model = Arc::new(FakeModel::new(script));
    let planner = Planner::new(NamedModel::unknown(model.clone()));
    let answered = ["How long are security logs kept?".to_owned()];
    let rewritten = planned::rewritten(&planner, &FollowUpRules::default(), &answered, query, Deadline::NONE).await;
    (rewritten, model.prompts().len())
}

#[tokio::test]
async fn a_planner_may_use_the_words_of_the_questions_and_no_others() {
    let says = |text: &str| Script::Says(vec![text.to_owned()]);
    let query = "And who reads them?";
    for (written, expected) in [
        ("\"Who reads security logs?\"\nBecause", Some(Some("Who reads security logs?".to_owned()))),
        ("And who reads them?", Some(None)),
        ("Who reads the secret merger contract?", None),
        ("  \n", None),
    ] {
        assert_eq!(planned(says(written), query).await, (expected, 1), "{written:?}");
    }
    assert_eq!(planned(Script::CannotBeReached, query).await.0, None);
}
