//! `ibidem-workbench eval answer-or-refuse` on a set of one article.

use serde_json::json;

use crate::installation::with_installation;
use crate::{measure, measured};

#[tokio::test]
async fn false_answers_and_false_refusals_come_together_for_each_policy() {
    with_installation(async |installation| {
        let folder = tempfile::tempdir().unwrap();
        let place = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
        let context = "The gearbox holds 1.8 litres of oil. It is changed every two years.";
        let ask = |id: &str, question: &str, answer: Option<&str>| {
            let answers = answer.map(|text| json!({ "text": text, "answer_start": 0 }));
            json!({ "id": id, "question": question, "is_impossible": answer.is_none(),
                    "answers": answers.into_iter().collect::<Vec<_>>() })
        };
        let set = json!({ "data": [{ "title": "Gearbox", "paragraphs": [{ "context": context, "qas": [
            ask("1", "How much oil does the gearbox hold?", Some("1.8 litres")),
            ask("2", "Who invented the violin in Cremona?", Some("nobody knows")),
            ask("3", "How much oil does the gearbox of the truck hold?", None),
            ask("4", "What is the capital of Mongolia?", None),
        ]}]}]});
        let (file, corpus, answers) = (place("set.json"), place("corpus.jsonl"), place("answers.jsonl"));
        std::fs::write(&file, set.to_string()).unwrap();
        let paragraph = json!({ "id": "Gearbox#p0", "title": "Gearbox", "text": context });
        std::fs::write(&corpus, paragraph.to_string()).unwrap();
        installation.ingest(corpus.as_ref()).await;
        let evaluate = ["eval", "answer-or-refuse", &file, "--collection", "Handbook", "--json"];
        let policies = ["--policy", "default", "--policy", "handbook"];
        let report = measured(installation, &[&evaluate[..], &policies[..]].concat()).await.json();
        let rows = report["policies"].as_array().unwrap();
        assert_eq!(rows.len(), 2);
        assert_eq!((&report["writer"], &rows[0]["policy"]), (&json!("extractive"), &json!("default")));
        let all = &rows[0]["all"];
        // One of two that nothing answers looks as if it were answered; one of two that are answered is not found.
        for (figure, count, of) in [("false_answers", 1, 2), ("false_refusals", 1, 2), ("cites_the_paragraph", 1, 1)] {
            assert_eq!((all[figure]["count"].as_u64(), all[figure]["of"].as_u64()), (Some(count), Some(of)), "{all}");
        }
        assert_eq!(all["says_the_answer"]["count"], 1, "{all}");
        // Every answer, to be judged.
        let written = ["--policy", "default", "--answers", &answers];
        measured(installation, &[&evaluate[..], &written[..]].concat()).await;
        assert_eq!(std::fs::read_to_string(&answers).unwrap().lines().count(), 4);
        let nothing = ["eval", "answer-or-refuse", &file, "--collection", "Nothing", "--policy", "default"];
        let output = measure(installation, &nothing).await;
        assert!(output.code == Some(1) && output.err.contains("ingest the paragraphs first"), "{output:?}");
    })
    .await;
}
