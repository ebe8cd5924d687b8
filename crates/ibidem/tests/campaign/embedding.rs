//! An embedding model in the server's own process: nothing stands before it that could fail, but it can be given no time.

use serde_json::json;

use crate::checks::{Standard, flags};
use crate::handbook::Kind;
use crate::installation::with_installation;
use crate::servers::{QuickServer, scribe};
use crate::world::{asker, ingest_handbook, sources};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_embedding_model_that_is_always_late_is_left_alone_and_words_are_searched() {
    with_installation(async |installation| {
        ingest_handbook(installation, &[]).await;
        let model = QuickServer::answering(scribe).await;
        let url = format!("http://{}/v1", model.address);
        let settings = [
            ("IBIDEM__LANGUAGE_MODEL__URL", url.as_str()),
            ("IBIDEM__LANGUAGE_MODEL__NAME", "scribe"),
            ("IBIDEM__LANGUAGE_MODEL__TOKENIZER", "estimate"),
            ("IBIDEM__EMBEDDING__TIMEOUT_MS", "1"),
            // The lexical verifier would ask for a sentence's embedding, and a fast machine has that in time.
            ("IBIDEM__ENTAILMENT__USE", "model"),
            ("IBIDEM__BREAKERS__OPEN_MS", "600000"),
            ("IBIDEM__LOG__LEVEL", "off"),
        ];
        let served = installation.serve(&settings).await;
        let asker = asker(installation, &served).await;
        let sources = sources(installation).await;
        // Two windows of the model: in one millisecond on no machine.
        let politely = "please ".repeat(400);
        let mut left_alone = 0;
        for lot in 0..12 {
            let seen = asker.ask(Kind::Handbook, politely.clone() + &Kind::Handbook.query(lot)).await;
            assert_eq!(seen.status, 200, "{seen:?}");
            assert_eq!(Standard::of_evidence(&sources).without_evidence(&seen), None, "{seen:?}");
            let flags = flags(&seen.body);
            assert!(flags.contains(&"bm25_only"), "{flags:?}");
            left_alone += usize::from(flags.contains(&"circuit_open"));
        }
        assert_eq!(left_alone, 7, "of 12, after five that were late");
        let ready = asker.client.get(format!("{}/readyz", asker.url)).send().await.unwrap();
        let ready: serde_json::Value = ready.json().await.unwrap();
        assert_eq!((&ready["status"], &ready["left_alone"]), (&json!("ok"), &json!(["embedding"])));
        served.stop().await;
    })
    .await;
}
