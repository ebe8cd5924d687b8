//! A record for every answer, also when the server is told to stop in the middle.

use std::sync::Arc;
use std::time::Duration;

use ibidem_store::NewKey;
use ibidem_words::{HandIn, Role, TenantId};
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::asking::{QUESTION, ingest_handbook};
use crate::installation::with_installation;

const QUESTIONS: usize = 200;
const AT_ONCE: usize = 8;
/// So many are answered before the server is told to stop.
const BEFORE_THE_END: usize = 80;

#[tokio::test]
async fn a_server_that_is_stopped_while_200_are_asked_has_a_record_of_every_answer_it_gave() {
    with_installation(async |installation| {
        ingest_handbook(installation).await;
        let served = installation.serve(&[]).await;
        let _ = rustls::crypto::ring::default_provider().install_default();
        let key = NewKey {
            tenant: TenantId::named("default"),
            name: "desk".to_owned(),
            role: Role::Asker,
            tags: Vec::new(),
            hand_in: HandIn::Everywhere,
            expires_at: None,
        };
        let key: Arc<str> = installation.store().create_key(&key).await.unwrap().secret.into();
        let url: Arc<str> = format!("{}/v1/answers", served.url).into();
        let client = reqwest::Client::builder().no_proxy().timeout(Duration::from_secs(120)).build().unwrap();
        let mut askers = JoinSet::new();
        let (sender, mut heard) = tokio::sync::mpsc::unbounded_channel();
        for _ in 0..AT_ONCE {
            let (client, url, key, sender) = (client.clone(), url.clone(), key.clone(), sender.clone());
            askers.spawn(async move {
                for _ in 0..QUESTIONS / AT_ONCE {
                    let request = client.post(&*url).bearer_auth(&key).json(&json!({ "query": QUESTION }));
                    // A server that has stopped takes no more questions.
                    let Ok(reply) = request.send().await else { return };
                    assert_eq!(reply.status().as_u16(), 200);
                    let answer: Value = reply.json().await.expect("an answer that began comes to its end");
                    sender.send(answer["request_id"].as_str().unwrap().to_owned()).unwrap();
                }
            });
        }
        drop(sender);
        let mut answered = Vec::new();
        while answered.len() < BEFORE_THE_END {
            answered.push(heard.recv().await.expect("the server answers"));
        }
        served.stop().await;
        while let Some(id) = heard.recv().await {
            answered.push(id);
        }
        while let Some(asker) = askers.join_next().await {
            asker.unwrap();
        }
        assert!(answered.len() < QUESTIONS, "it was stopped in the middle");
        assert_eq!(installation.store().turn_count().await.unwrap(), answered.len() as u64);
        for id in &answered {
            let records = installation.store().audit(TenantId::named("default"), id.parse().unwrap()).await.unwrap();
            assert_eq!(records.len(), 1, "{id}");
        }
        eprintln!("{} of {QUESTIONS} were answered before the server had stopped; each has its record", answered.len());
    })
    .await;
}

#[tokio::test]
async fn old_months_are_removed_by_hand_and_the_doctor_says_what_is_kept() {
    with_installation(async |installation| {
        let output = installation.run(&["audit", "prune", "--set", "audit.retention_days=null"]).await;
        assert!(output.code == Some(1) && output.err.contains("--older-than DAYS"), "{output:?}");
        let long_ago = "2020-01-15T00:00:00Z".parse().unwrap();
        installation.store().make_audit_months(long_ago).await.unwrap();
        let pruned = installation.succeed(&["audit", "prune"]).await;
        assert_eq!(pruned.out.trim(), "removed: 2020_01, 2020_02; 0 records outside of any month");
        let doctor = installation.run(&["doctor", "--json", "--set", "audit.retention_days=30"]).await.json();
        let audit = doctor.as_array().unwrap().iter().find(|finding| finding["part"] == "audit").unwrap();
        assert_eq!(
            (&audit["state"], &audit["found"]),
            (&json!("ok"), &json!("records, plain, kept 30 days; 2 months"))
        );
    })
    .await;
}
