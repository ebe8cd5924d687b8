//! Which model answers, from how much, and whether it is there.

use std::path::Path;
use std::time::Duration;

use ibidem_ports::language_model::Estimate;
use serde_json::{Value, json};

use crate::asking::{Asker, QUESTION, ingest_handbook};
use crate::installation::with_installation;
use crate::recording_server::RecordingServer;
use crate::setting;

/// A change is noticed within seconds; this is for a machine that has other things to do.
const PATIENCE: Duration = Duration::from_secs(120);
const WINDOW: usize = 2_048;
const RESPONSE: usize = 256;

fn settings<'a>(url: &'a str, more: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
    let settings = [
        ("IBIDEM__LANGUAGE_MODEL__URL", url),
        ("IBIDEM__LANGUAGE_MODEL__NAME", "small"),
        ("IBIDEM__LANGUAGE_MODEL__TOKENIZER", "estimate"),
        ("IBIDEM__LANGUAGE_MODEL__WINDOW", "2048"),
        ("IBIDEM__LANGUAGE_MODEL__RESPONSE", "256"),
    ];
    settings.into_iter().chain(more.iter().copied()).collect()
}

fn contents(prompt: &Value) -> Vec<&str> {
    prompt["messages"].as_array().unwrap().iter().map(|message| message["content"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn test_generate_token_budget() {
    with_installation(async |installation| {
        ingest_handbook(installation).await;
        let model = RecordingServer::with(&["small"]).await;
        let served = installation.serve(&settings(&model.url, &[])).await;
        let asker = Asker::before(installation, &served).await;
        let reply_to = |number: usize| {
            let role = if number.is_multiple_of(2) { "user" } else { "assistant" };
            json!({ "role": role, "content": format!("Message {number}. {}", "And so on and on. ".repeat(8)) })
        };
        let history: Vec<Value> = (0..40).map(reply_to).collect();
        let (status, answer) = asker.put(&json!({ "query": QUESTION, "history": history })).await;
        assert_eq!((status, &answer["action"], &answer["model_used"]), (200, &"cite".into(), &"small".into()));

        let asked = model.asked();
        let prompt = asked.last().unwrap();
        let contents = contents(prompt);
        let tokens: usize = contents.iter().map(|content| Estimate::count(content)).sum();
        eprintln!("{tokens} tokens by the estimate in {} messages", contents.len());
        assert!(tokens <= WINDOW - RESPONSE && prompt["max_tokens"].as_u64().unwrap() <= RESPONSE as u64);
        let shows = |number: usize| contents.iter().any(|content| content.contains(&format!("Message {number}. ")));
        let shown: Vec<usize> = (0..40).filter(|number| shows(*number)).collect();
        assert!(shown.len() >= 2 && shown.len() < 40, "{shown:?}");
        assert!(shown.iter().copied().eq(40 - shown.len()..40), "the newest: {shown:?}");
        assert!(contents.last().unwrap().contains("Five days of leave may be carried over"), "the evidence is there");

        // What the asker said last cannot be left out, and does not fit.
        let history = [json!({ "role": "user", "content": "and so on ".repeat(1_500) })];
        let (status, answer) = asker.put(&json!({ "query": QUESTION, "history": history })).await;
        assert_eq!((status, &answer["action"], &answer["reason"]), (200, &"refuse".into(), &"budget_exceeded".into()));
        let reason = answer["refusal_reason"].as_str().unwrap();
        assert!(reason.starts_with("Tokens of the question") && reason.contains(") above "), "{reason}");
        assert_eq!(model.asked(), [Value::Null; 0], "no model was asked");
        served.stop().await;
    })
    .await;
}

#[tokio::test]
async fn test_model_override() {
    with_installation(async |installation| {
        ingest_handbook(installation).await;
        // As servers do that keep several versions of a model.
        let model = RecordingServer::with(&["small:latest", "large:8b"]).await;
        let allowed = [("IBIDEM__LANGUAGE_MODEL__ALSO_ALLOWED", "large:8b, absent")];
        let served = installation.serve(&settings(&model.url, &allowed)).await;
        let asker = Asker::before(installation, &served).await;
        let named = async |name: &str| asker.put(&json!({ "query": QUESTION, "model": name })).await;
        for name in ["small", "large:8b"] {
            let (status, answer) = named(name).await;
            assert_eq!((status, &answer["model_used"]), (200, &name.into()), "{answer}");
            assert_eq!(model.asked().last().unwrap()["model"], name);
        }
        let (status, problem) = named("other").await;
        assert_eq!((status, &problem["type"]), (422, &"model_not_allowed".into()), "{problem}");
        let detail = problem["detail"].as_str().unwrap();
        assert!(detail.ends_with("allowed are: small, large:8b, absent"), "{detail}");
        let (status, problem) = named("absent").await;
        assert_eq!((status, &problem["type"]), (503, &"model_not_served".into()), "{problem}");
        let detail = problem["detail"].as_str().unwrap();
        assert!(detail.contains("`ollama pull absent`") && detail.contains("small:latest, large:8b"), "{detail}");
        assert_eq!(model.asked(), [Value::Null; 0], "no model was asked");
        served.stop().await;
    })
    .await;
}

#[tokio::test]
async fn test_health_check() {
    with_installation(async |installation| {
        let findings = async |flags: &[&str]| {
            let set: Vec<&str> = flags.iter().flat_map(|flag| ["--set", flag]).collect();
            let output = installation.run(&[&["doctor", "--json"], set.as_slice()].concat()).await;
            let of_models = |finding: &Value| ["language model", "tokens"].contains(&finding["part"].as_str().unwrap());
            output.json().as_array().unwrap().iter().filter(|finding| of_models(finding)).cloned().collect::<Vec<_>>()
        };
        // The model server of the stack, as its settings name it.
        let name = setting("IBIDEM__LANGUAGE_MODEL__NAME");
        let healthy = findings(&[]).await;
        assert!(healthy.iter().all(|finding| finding["state"] == "ok"), "{healthy:#?}");
        let found = healthy[0]["found"].as_str().unwrap();
        assert!(found.starts_with(&format!("answer: {name}, window 4096")), "{found}");
        let advice = healthy[1]["found"].as_str().unwrap();
        assert!(advice.contains("0.135 billion parameters") && advice.contains("config/models/none.yaml"), "{advice}");
        assert_eq!(healthy[2]["found"], "counted as the models count them");

        let cases: [(&[&str], &str, &str); 4] = [
            (&["language_model.url=http://127.0.0.1:9/v1"], "cannot be reached", "start the model server"),
            (&["language_model.roles.judge=absent"], "judge: absent is not served", "`language_model.roles.judge`"),
            (&["language_model.window=8192"], "is served with a window of 4096", "`language_model.window`"),
            (&["language_model.also_allowed=absent"], "also_allowed: absent is not served", "ollama pull absent"),
        ];
        for (flags, found, mend) in cases {
            let findings = findings(flags).await;
            let broken = findings.iter().find(|finding| finding["state"] == "broken").unwrap();
            assert!(broken["found"].as_str().unwrap().contains(found), "{broken}");
            assert!(broken["mend"].as_str().unwrap().contains(mend), "{broken}");
        }
        let estimated = findings(&["language_model.tokenizer=estimate"]).await;
        let tokens = estimated.last().unwrap();
        assert_eq!(tokens["state"], "warning");
        assert!(tokens["found"].as_str().unwrap().starts_with("estimated for answer"), "{tokens}");
    })
    .await;
}

/// Asks until this model answers.
async fn until_answered_by(asker: &Asker, model: &str) {
    let answered = async {
        while asker.ask(QUESTION).await["model_used"] != model {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    };
    tokio::time::timeout(PATIENCE, answered).await.expect("a changed settings file is noticed");
}

#[tokio::test]
async fn a_running_server_takes_changed_roles_and_keeps_the_old_when_they_cannot_be_used() {
    with_installation(async |installation| {
        ingest_handbook(installation).await;
        let model = RecordingServer::with(&["small", "large"]).await;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ibidem.yaml");
        let write = |path: &Path, answer: &str| {
            std::fs::write(path, format!("language_model:\n  roles:\n    answer: {answer}\n")).unwrap();
        };
        write(&path, "small");
        let file = path.to_str().unwrap();
        let more = [("IBIDEM_CONFIG", file), ("IBIDEM__LANGUAGE_MODEL__NAME", "")];
        let served = installation.serve(&settings(&model.url, &more)).await;
        let asker = Asker::before(installation, &served).await;
        assert_eq!(asker.ask(QUESTION).await["model_used"], "small");
        write(&path, "large");
        until_answered_by(&asker, "large").await;
        for (times, wrong) in [(1, "absent"), (2, "[half")] {
            write(&path, wrong);
            served.says("the old models are kept", times).await;
            assert_eq!(asker.ask(QUESTION).await["model_used"], "large", "{wrong}");
        }
        write(&path, "small");
        until_answered_by(&asker, "small").await;
        served.stop().await;
    })
    .await;
}
