//! The same question gets the same decision and citations, alone and among others, and in every way of asking.

use std::sync::Arc;

use serde_json::Value;
use tokio::task::JoinSet;

use crate::asking::{Asker, QUESTION, decision, ingest_handbook};
use crate::installation::with_installation;
use crate::model_server::{FixedServer, NAME};

const TIMES: usize = 200;
const ASKERS: usize = 16;
const OTHER_QUESTIONS: [&str; 3] =
    ["How much is reimbursed for a meal?", "Who is told of a lost key?", "How often is restoring backups tested?"];

#[tokio::test]
async fn the_same_question_gets_the_same_decision_200_times_alone_and_with_16_askers_at_once() {
    with_installation(async |installation| {
        ingest_handbook(installation).await;
        let model =
            FixedServer::saying(&["Five days may be carried over.[", "^1] They lapse.[^1] See also.[^2]"]).await;
        let settings = [
            ("IBIDEM__LANGUAGE_MODEL__URL", model.url.as_str()),
            ("IBIDEM__LANGUAGE_MODEL__NAME", NAME),
            // Sixteen at once on a busy machine: nobody's reader is late.
            ("IBIDEM__RERANKER__TIMEOUT_MS", "40000"),
            ("IBIDEM__SERVER__REQUEST_TIMEOUT_MS", "120000"),
        ];
        let served = installation.serve(&settings).await;
        let asker = Arc::new(Asker::before(installation, &served).await);
        let first = decision(&asker.ask(QUESTION).await);
        assert_eq!(first["action"], "cite", "{first}");
        assert!(!first["citations"].as_array().unwrap().is_empty());
        for _ in 0..TIMES {
            assert_eq!(decision(&asker.ask(QUESTION).await), first);
        }
        let mut askers = JoinSet::new();
        for number in 0..ASKERS {
            let (asker, first) = (asker.clone(), first.clone());
            askers.spawn(async move {
                for turn in 0..TIMES.div_ceil(ASKERS) {
                    // Others ask other things meanwhile.
                    let other = OTHER_QUESTIONS[(number + turn) % OTHER_QUESTIONS.len()];
                    let (same, _) = tokio::join!(asker.ask(QUESTION), asker.ask(other));
                    assert_eq!(decision(&same), first, "asker {number}, turn {turn}");
                }
            });
        }
        askers.join_all().await;
        served.stop().await;
        // An orderly stop loses no record.
        let asked = 1 + TIMES + 2 * ASKERS * TIMES.div_ceil(ASKERS);
        assert_eq!(installation.store().turn_count().await.unwrap(), asked as u64);
    })
    .await;
}

/// Headings, a list, a table and prose; some of it cited, some not.
const WRITTEN: [&str; 9] = [
    "# Leave\n\nFive da",
    "ys of leave may be carried over into the next year.[^1",
    "] Nobody said this. They lapse at the end of March, e.g. on",
    " its last day.[^1]\n\n## Mea",
    "ls\nNothing of this is said.\n\n## Keys\nThe rules are:\n- A lost key is reported to the front de",
    "sk.[^2]\n- Not this.\n- The lock is changed within a week.[^2]\n\n| What | Who |\n|-",
    "--|---|\n| key[^2] | front desk |\n| lamp | nobody |\n\n```\nfront desk. Same day\n",
    "```\n[^2]\nSee `a. B` too.[^3] It is kept in two reg",
    "ions.[^4]",
];

#[tokio::test]
async fn stream_whole_command_and_record_say_the_same_word_for_word_with_the_same_citations_and_verdicts() {
    with_installation(async |installation| {
        ingest_handbook(installation).await;
        let model = FixedServer::saying(&WRITTEN).await;
        let settings = [
            ("IBIDEM__LANGUAGE_MODEL__URL", model.url.as_str()),
            ("IBIDEM__LANGUAGE_MODEL__NAME", NAME),
            // Sixteen at once on a busy machine: nobody's reader is late.
            ("IBIDEM__RERANKER__TIMEOUT_MS", "40000"),
            ("IBIDEM__SERVER__REQUEST_TIMEOUT_MS", "120000"),
        ];
        let served = installation.serve(&settings).await;
        let asker = Asker::before(installation, &served).await;
        let whole = asker.ask(QUESTION).await;
        assert_eq!(whole["action"], "cite", "{whole}");
        assert!(whole["receipt"]["stretches"].as_array().unwrap().len() >= 2, "{whole}");

        let stretches = whole["receipt"]["stretches"].as_array().unwrap().iter();
        let text: String = stretches.map(|stretch| stretch["text"].as_str().unwrap()).collect();
        assert_eq!(text, whole["answer"], "the receipt is the answer");

        let events = asker.listen(QUESTION).await;
        let (last, sentences) = events.split_last().unwrap();
        let streamed = &last.data;
        assert_eq!(decision(streamed), decision(&whole));
        let text: String = sentences.iter().map(|sentence| sentence.data["text"].as_str().unwrap()).collect();
        assert_eq!(text.trim(), whole["answer"]);
        // What was cited on the way is what the answer cites.
        let on_the_way: Vec<&Value> =
            sentences.iter().flat_map(|sentence| sentence.data["citations"].as_array().unwrap()).collect();
        for citation in whole["citations"].as_array().unwrap() {
            assert!(on_the_way.contains(&citation), "{citation}");
        }
        assert!(on_the_way.iter().all(|citation| whole["citations"].as_array().unwrap().contains(citation)));

        for answer in [&whole, streamed] {
            let read = asker.read_again(answer["request_id"].as_str().unwrap()).await;
            assert_eq!(&read, answer, "the record, field by field");
        }
        let set: Vec<String> = [("language_model.url", model.url.as_str()), ("language_model.name", NAME)]
            .map(|(name, value)| format!("{name}={value}"))
            .into();
        let arguments = ["ask", QUESTION, "--json", "--set", &set[0], "--set", &set[1]];
        let command = installation.succeed(&arguments).await.json();
        assert_eq!(decision(&command), decision(&whole));
        served.stop().await;
    })
    .await;
}
