//! The same questions put to the server.

use ibidem_store::NewKey;
use ibidem_words::{HandIn, Role, TenantId};
use serde_json::{Value, json};

use crate::common::installation::Installation;
use crate::{TENANT, repository};

/// Asks the server every question of a run: the decision, its numbers and its sources are those of the run.
pub(crate) async fn gives_the_same_outcomes(installation: &Installation, results: &Value) {
    // As the binary does at its start.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let place = |place: &str| repository(place).to_str().unwrap().to_owned();
    let (policy, vocabulary) = (place("demo/architecture/policy.yaml"), place("demo/architecture/vocabulary"));
    let settings = [
        ("IBIDEM__POLICY__USE", policy.as_str()),
        ("IBIDEM__TERMINOLOGY__FILES", vocabulary.as_str()),
        ("IBIDEM__TERMINOLOGY__TEST_TRIGGERS", "true"),
        // As `.ci/golden` has them.
        ("IBIDEM__RERANKER__TIMEOUT_MS", "20000"),
        ("IBIDEM__SERVER__REQUEST_TIMEOUT_MS", "90000"),
    ];
    let served = installation.serve(&settings).await;
    let key = NewKey {
        tenant: TenantId::named(TENANT),
        name: "golden".to_owned(),
        role: Role::Asker,
        tags: Vec::new(),
        hand_in: HandIn::Everywhere,
        expires_at: None,
    };
    let key = installation.store().create_key(&key).await.unwrap().secret;
    let client = reqwest::Client::new();
    for question in results["questions"].as_array().unwrap() {
        let request = client.post(format!("{}/v1/answers", served.url)).bearer_auth(&key);
        let reply = request.json(&json!({ "query": question["query"] })).send().await.unwrap();
        let answer: Value = reply.json().await.unwrap();
        let (id, actual) = (&question["id"], &question["actual"]);
        assert_eq!(answer["action"], actual["action"], "{id}: {answer}");
        assert_eq!(answer["reason"], actual["reason"], "{id}");
        assert_eq!(answer["refusal_reason"], actual["refusal"], "{id}");
        assert_eq!(gates(&answer["trace"]), gates(&question["trace"]), "{id}");
        assert_eq!(documents(&answer), actual["doc_ids"].as_array().unwrap().len(), "{id}: {answer}");
        if let Some(confidence) = question["confidence"].as_f64() {
            let shown = answer["confidence"]["overall"].as_f64().unwrap();
            assert!((shown - confidence).abs() < 1e-3, "{id}: {shown} and {confidence}");
        }
    }
    served.stop().await;
}

/// Each gate with its verdict and its numbers, as they are shown.
fn gates(trace: &Value) -> Vec<String> {
    let shown = |gate: &Value| {
        let number = |name: &str| gate[name].as_f64().unwrap();
        format!("{} {} {:.3} {:.3}", gate["gate"], gate["verdict"], number("observed"), number("threshold"))
    };
    trace.as_array().unwrap().iter().map(shown).collect()
}

/// How many documents and concepts an answer cites.
fn documents(answer: &Value) -> usize {
    let citations = answer["citations"].as_array().unwrap();
    let mut cited: Vec<&str> = citations.iter().map(|citation| citation["document_id"].as_str().unwrap()).collect();
    cited.sort_unstable();
    cited.dedup();
    cited.len()
}
