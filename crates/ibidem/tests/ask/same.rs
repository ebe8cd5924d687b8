//! The same question gets the same decision and citations, alone and among others.

use std::sync::Arc;

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
        let settings = [("IBIDEM__LANGUAGE_MODEL__URL", model.url.as_str()), ("IBIDEM__LANGUAGE_MODEL__NAME", NAME)];
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
