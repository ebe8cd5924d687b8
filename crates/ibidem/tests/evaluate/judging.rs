//! `ibidem eval judge` with a judge that always says the same.

use serde_json::json;

use crate::common::installation::with_installation;
use crate::model_server::FixedServer;

#[tokio::test]
async fn a_judge_is_asked_blind_and_what_it_says_is_read_strictly() {
    with_installation(async |installation| {
        let folder = tempfile::tempdir().unwrap();
        let place = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
        let (a, b) = (place("a.jsonl"), place("b.jsonl"));
        for (file, model) in [(&a, "one"), (&b, "two")] {
            let line = |id: usize| {
                let answer = json!({ "text": format!("by {model}"), "sources": ["s"], "model": model });
                json!({ "id": id.to_string(), "query": "Why?", "answer": answer }).to_string()
            };
            std::fs::write(file, (0..12).map(line).collect::<Vec<_>>().join("\n")).unwrap();
        }
        let scores =
            |each: u8| json!({ "faithfulness": each, "completeness": each, "structure": each, "balance": each });
        let reply = json!({ "first": scores(4), "second": scores(2) }).to_string();
        let judge = FixedServer::saying(&[&reply[..20], &reply[20..]]).await;
        let ask = |url: &str, model: &str| {
            ["eval", "judge", &a, &b, "--judge-url", url, "--judge-model", model, "--both-orders", "4", "--json"]
                .map(str::to_owned)
        };
        let run = async |arguments: [String; 11]| installation.run(&arguments.each_ref().map(String::as_str)).await;
        let output = run(ask(&judge.url, "three")).await;
        assert_eq!(output.code, Some(0), "{output:?}");
        let report = output.json();
        let comparison = &report["comparison"];
        assert_eq!((&comparison["judged"], &comparison["unreadable"]), (&json!(12), &json!(0)), "{comparison}");
        assert_eq!((&comparison["position"]["pairs"], &comparison["position"]["turned"]), (&json!(4), &json!(4)));
        assert_eq!(report["verdicts"].as_array().unwrap().len(), 16);

        let output = run(ask(&judge.url, "two")).await;
        assert!(output.code == Some(1) && output.err.contains("wrote answers of B itself"), "{output:?}");
        let chatty = FixedServer::saying(&["Both are fine: ", &reply]).await;
        let report = run(ask(&chatty.url, "three")).await.json();
        assert_eq!((&report["comparison"]["judged"], &report["comparison"]["unreadable"]), (&json!(0), &json!(16)));
    })
    .await;
}
