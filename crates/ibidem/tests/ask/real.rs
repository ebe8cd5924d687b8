//! A real model: it streams, its markers are checked, and everything it says has a source.

use crate::asking::{Asker, QUESTION, decision, ingest_handbook};
use crate::installation::with_installation;
use crate::model_server::{LlamaServer, NAME};
use crate::setting;

/// A real model's answer streams, finishes, and cites only what it was given.
#[tokio::test]
async fn test_generate_full_pipeline() {
    with_installation(async |installation| {
        ingest_handbook(installation).await;
        // The model server of the stack, as the settings name it.
        let served = installation.serve(&[]).await;
        let asker = Asker::before(installation, &served).await;
        let events = asker.listen(QUESTION).await;
        let (last, sentences) = events.split_last().unwrap();
        eprintln!("{last:#?}");
        assert_eq!(last.name, "answer");
        let answer = &last.data;
        // A small model may say nothing that its notes support, or too little: then it is not believed, and that is
        // right too.
        if answer["action"] != "cite" {
            let reason = answer["reason"].as_str().unwrap();
            let reasons = ["unsupported_claims", "low_confidence", "no_results"];
            assert!(reasons.contains(&reason) && sentences.is_empty(), "{answer}");
        } else {
            assert!(sentences.iter().all(|event| event.name == "sentence" && event.after <= last.after));
            assert!(!answer["citations"].as_array().unwrap().is_empty());
            let minted = answer["context_chunks_used"].as_u64().unwrap();
            for citation in answer["citations"].as_array().unwrap() {
                assert!((1..=minted).contains(&citation["marker"].as_u64().unwrap()));
            }
            for sentence in answer["receipt"]["stretches"].as_array().unwrap() {
                let is_claim = sentence["kind"] == "claim";
                assert!(!is_claim || !sentence["sources"].as_array().unwrap().is_empty(), "{sentence}");
            }
        }
        assert!(answer["generation_time_ms"].as_u64().unwrap() > 0);
        // Asked again without a stream, it is the same answer.
        assert_eq!(decision(&asker.ask(QUESTION).await), decision(answer));
        served.stop().await;
    })
    .await;
}

/// `just lab answers` runs it: the model is large, and takes its time.
#[tokio::test]
#[ignore = "needs the usable model: `just lab answers`"]
async fn a_usable_model_answers_from_the_notes_cites_them_and_says_when_they_do_not_answer() {
    with_installation(async |installation| {
        ingest_handbook(installation).await;
        let model = LlamaServer::with(&setting("IBIDEM_STACK_USABLE_MODEL")).await;
        let settings = [
            ("IBIDEM__LANGUAGE_MODEL__URL", model.url.as_str()),
            ("IBIDEM__LANGUAGE_MODEL__NAME", NAME),
            ("IBIDEM__LANGUAGE_MODEL__TIMEOUT_MS", "120000"),
            ("IBIDEM__SERVER__REQUEST_TIMEOUT_MS", "150000"),
        ];
        let served = installation.serve(&settings).await;
        let asker = Asker::before(installation, &served).await;
        let answered = [
            (QUESTION, "ive", "Leave"),
            ("How much is reimbursed for a meal on a journey?", "28", "Meals"),
            ("How often is restoring the backups tested?", "quarter", "Backups"),
        ];
        for (question, word, document) in answered {
            let events = asker.listen(question).await;
            let answer = &events.last().unwrap().data;
            eprintln!("{question} {} {}", answer["answer"], answer["generation_time_ms"]);
            assert_eq!((&answer["action"], &answer["model_used"]), (&"cite".into(), &NAME.into()), "{answer}");
            assert!(answer["answer"].as_str().unwrap().contains(word), "{answer}");
            assert_eq!(answer["citations"][0]["document_name"], document, "{answer}");
            assert!(events.len() >= 2 && events[0].name == "sentence", "it was streamed");
        }
        // Close to the notes, but not in them.
        let answer = asker.ask("What is the name of the person at the front desk who takes lost keys?").await;
        eprintln!("{}", answer["answer"]);
        assert_eq!(answer["action"], "refuse", "{answer}");
        served.stop().await;
    })
    .await;
}
