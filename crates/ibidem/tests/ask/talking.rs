//! Conversations in the terminal: `ibidem ask --conversation`.

use serde_json::Value;

use crate::asking::{QUESTION, ingest_handbook};
use crate::installation::{Installation, with_installation};

/// No model writes, and none is late: what is answered does not depend on the machine.
const NO_MODELS: [&str; 8] = [
    "--set",
    "language_model.url=http://127.0.0.1:1/v1",
    "--set",
    "language_model.name=nobody",
    "--set",
    "language_model.tokenizer=estimate",
    "--set",
    "reranker.use=none",
];

/// The answer, and the conversation that it is in.
async fn asked(installation: &Installation, conversation: &str, query: &str) -> (Value, String) {
    let arguments = ["ask", query, "--json", "--conversation", conversation];
    let output = installation.succeed(&[&arguments, NO_MODELS.as_slice()].concat()).await;
    let named = output.err.lines().find_map(|line| line.strip_prefix("conversation "));
    (output.json(), named.unwrap_or_else(|| panic!("{output:?}")).to_owned())
}

#[tokio::test]
async fn a_question_in_the_terminal_goes_on_with_the_one_before_it() {
    with_installation(async |installation| {
        ingest_handbook(installation).await;
        let (first, conversation) = asked(installation, "new", QUESTION).await;
        assert_eq!((&first["refused"], &first["rewritten_question"]), (&Value::Bool(false), &Value::Null), "{first}");

        let follow_up = "And for part-timers?";
        let (second, same) = asked(installation, &conversation, follow_up).await;
        assert_eq!(same, conversation);
        let rewritten = second["rewritten_question"].as_str().unwrap_or_else(|| panic!("{second}"));
        assert!(rewritten.contains("leave") && rewritten.contains("part-timers"), "{rewritten}");

        let (alone, another) = asked(installation, "new", follow_up).await;
        assert_eq!(alone["rewritten_question"], Value::Null, "a new conversation knows nothing of others: {alone}");
        assert_ne!(another, conversation);

        let nowhere = "00000000-0000-0000-0000-000000000007";
        let refused = installation.run(&["ask", QUESTION, "--conversation", nowhere]).await;
        assert!(refused.code == Some(1) && refused.err.contains("there is no conversation"), "{refused:?}");
    })
    .await;
}
