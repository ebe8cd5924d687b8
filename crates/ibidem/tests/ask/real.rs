//! A real model: it streams, its markers are checked, and everything it says has a source.

use crate::asking::{Asker, QUESTION, decision, ingest_handbook};
use crate::installation::with_installation;

#[tokio::test]
async fn a_real_models_answer_streams_finishes_and_cites_only_what_it_was_given() {
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
        // A small model may cite nothing that it was given: then it is not believed, and that is right too.
        if answer["action"] == "refuse" {
            assert_eq!((answer["reason"].as_str(), sentences.len()), (Some("unsupported_claims"), 0));
        } else {
            assert!(sentences.iter().all(|event| event.name == "sentence" && event.after <= last.after));
            assert!(!answer["citations"].as_array().unwrap().is_empty());
            let minted = answer["context_chunks_used"].as_u64().unwrap();
            for citation in answer["citations"].as_array().unwrap() {
                assert!((1..=minted).contains(&citation["marker"].as_u64().unwrap()));
            }
            for sentence in answer["receipt"]["sentences"].as_array().unwrap() {
                assert!(!sentence["sources"].as_array().unwrap().is_empty(), "{sentence}");
            }
        }
        assert!(answer["generation_time_ms"].as_u64().unwrap() > 0);
        // Asked again without a stream, it is the same answer.
        assert_eq!(decision(&asker.ask(QUESTION).await), decision(answer));
        served.stop().await;
    })
    .await;
}
