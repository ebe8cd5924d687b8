//! `ibidem calibrate`: a bound that is kept, one that is not, and models it is not about.

use std::fmt::Write as _;
use std::path::Path;

use ibidem_adapters::onnx::{OnnxEmbedder, OnnxSettings};
use ibidem_engine::policy::Policy;
use ibidem_ports::embedder::Embedder as _;
use serde_json::json;

use crate::installation::{Installation, with_installation};
use crate::{WITHOUT_A_MODEL, setting};

/// What is so, and how two people ask for it.
const FACTS: [[&str; 3]; 12] = [
    [
        "The gearbox holds 1.8 litres of oil.",
        "How much oil does the gearbox hold?",
        "How many litres of oil are in the gearbox?",
    ],
    [
        "The office opens at eight in the morning.",
        "When does the office open?",
        "At what hour does the office open in the morning?",
    ],
    [
        "Penguins in the southern colony eat krill.",
        "What do the penguins eat?",
        "What does the southern colony of penguins eat?",
    ],
    [
        "The library lends books for four weeks.",
        "For how long does the library lend books?",
        "How many weeks may library books be kept?",
    ],
    [
        "The volcano last erupted in 1783.",
        "When did the volcano last erupt?",
        "In which year was the volcano's last eruption?",
    ],
    ["Violins are tuned in fifths.", "How are violins tuned?", "In which interval is a violin tuned?"],
    [
        "The ferry to the island takes forty minutes.",
        "How long does the ferry to the island take?",
        "How many minutes does the island ferry need?",
    ],
    [
        "Bread dough rests for two hours before baking.",
        "How long does bread dough rest?",
        "How many hours must the dough rest before baking?",
    ],
    ["The museum is closed on Mondays.", "On which day is the museum closed?", "When is the museum closed?"],
    [
        "Tomatoes need six hours of sun a day.",
        "How much sun do tomatoes need?",
        "How many hours of sun a day do tomatoes need?",
    ],
    [
        "The bridge carries trucks of up to twelve tonnes.",
        "Which trucks does the bridge carry?",
        "How heavy may trucks on the bridge be?",
    ],
    [
        "The passport is valid for ten years.",
        "How long is the passport valid?",
        "For how many years is a passport valid?",
    ],
];

const ABOUT_NOTHING: [&str; 3] =
    ["Who composed the wedding march?", "What is the capital of Mongolia?", "How do black holes evaporate?"];

async fn ingest_facts(installation: &Installation, folder: &Path) {
    let lines = FACTS.iter().enumerate().map(|(number, [fact, ..])| {
        json!({ "id": format!("fact{number}"), "title": "Facts", "text": fact }).to_string()
    });
    let file = folder.join("facts.jsonl");
    std::fs::write(&file, lines.collect::<Vec<_>>().join("\n")).unwrap();
    installation.ingest(&file).await;
}

/// Labels of the first so many facts, both ways of asking, and of what no fact is about.
fn write_labels(file: &Path, facts: usize) {
    let mut text = String::new();
    for (number, [_, questions @ ..]) in FACTS.iter().enumerate().take(facts) {
        for (way, query) in questions.iter().enumerate() {
            let id = format!("{number}-{way}");
            let label = json!({ "id": id, "query": query, "answerable": true, "documents": [format!("fact{number}")] });
            writeln!(text, "{label}").unwrap();
        }
    }
    for query in ABOUT_NOTHING {
        writeln!(text, "{}", json!({ "id": query, "query": query, "answerable": false })).unwrap();
    }
    std::fs::write(file, text).unwrap();
}

#[tokio::test]
async fn a_calibrated_policy_holds_with_the_real_embedding_model_and_is_refused_with_another() {
    with_installation(async |installation| {
        let folder = tempfile::tempdir().unwrap();
        let place = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
        ingest_facts(installation, folder.path()).await;
        let (labels, output, svg) = (place("labels.jsonl"), place("policy.yaml"), place("curve.svg"));
        write_labels(labels.as_ref(), FACTS.len());
        let asked = ["calibrate", "--labels", &labels, "--max-hallucination", "0.3", "--confidence", "0.8"];
        let to = ["--policy", "default", "--output", &output, "--svg", &svg, "--test", &labels, "--json"];
        let report = installation.succeed(&[&asked[..], &to[..]].concat()).await.json();
        assert_eq!(report["gate"], "answerability");
        assert_eq!(report["calibration"]["labels"], FACTS.len() * 2 + ABOUT_NOTHING.len());

        // It says what it was chosen by, and with which model.
        let embedder = OnnxEmbedder::load(&OnnxSettings::of(
            setting("IBIDEM__EMBEDDING__MODEL"),
            setting("IBIDEM__EMBEDDING__TOKENIZER"),
            setting("IBIDEM__EMBEDDING__RUNTIME"),
        ))
        .unwrap();
        let hash = embedder.model().hash.to_string();
        let text = std::fs::read_to_string(&output).unwrap();
        let calibration = Policy::parse(&text).unwrap().rules.calibration.unwrap();
        assert_eq!(calibration.models.embedding.sha256.unwrap().to_string(), hash);
        assert!(calibration.answered >= 20 && calibration.wrong <= 3, "{calibration:?}");
        assert!(std::fs::read_to_string(&svg).unwrap().contains("</svg>"));

        // With that model it is applied.
        let question = FACTS[0][1];
        let asked = [&["ask", question, "--policy", &output, "--json"][..], &WITHOUT_A_MODEL].concat();
        let answer = installation.succeed(&asked).await.json();
        assert_eq!(answer["action"], "cite", "{answer}");
        let in_use = format!("policy.use={output}");
        let doctor = installation.run(&["doctor", "--json", "--set", &in_use]).await;
        assert!(doctor.out.contains("calibrated with the models in use"), "{doctor:?}");

        // With another it is not, whoever asks.
        std::fs::write(&output, text.replace(&hash, &"0".repeat(64))).unwrap();
        for command in [
            &["ask", question, "--policy", &output][..],
            &["explain", question, "--policy", &output],
            &["serve", "--listen", "127.0.0.1:0", "--set", &in_use],
            &["doctor", "--json", "--set", &in_use],
        ] {
            let printed = installation.run(command).await;
            let all = format!("{}{}", printed.out, printed.err);
            assert_eq!(printed.code, Some(1), "{command:?}: {all}");
            assert!(all.contains("calibrated with other models") && all.contains("ibidem calibrate"), "{all}");
        }
        // A number that was changed by hand is not the one that was tested.
        let by_hand = text.replace(&format!("- answerability: {}", calibration.threshold), "- answerability: 0.01");
        assert_ne!(by_hand, text);
        std::fs::write(&output, by_hand).unwrap();
        let printed = installation.run(&["ask", question, "--policy", &output]).await;
        assert!(printed.err.contains("is not what the gate has"), "{printed:?}");
    })
    .await;
}

#[tokio::test]
async fn a_bound_that_too_few_labels_cannot_show_writes_nothing_and_says_how_many_more_it_takes() {
    with_installation(async |installation| {
        let folder = tempfile::tempdir().unwrap();
        let place = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
        ingest_facts(installation, folder.path()).await;
        let (labels, output) = (place("labels.jsonl"), place("policy.yaml"));
        write_labels(labels.as_ref(), 3);
        let calibrate = ["calibrate", "--labels", &labels, "--policy", "default", "--output", &output];
        let printed = installation.run(&calibrate).await;
        assert_eq!(printed.code, Some(1), "{printed:?}");
        assert!(printed.err.contains("more labels should do") && printed.err.contains("at most 0.01"), "{printed:?}");
        assert!(!Path::new(&output).exists(), "what was not shown is not written");

        let without = ["calibrate", "--labels", &labels, "--policy", "support", "--set", "reranker.use=none"];
        let printed = installation.run(&without).await;
        assert!(
            printed.err.contains("none of the gates `answerability` (with a reranker), `top1_similarity`"),
            "{printed:?}"
        );
    })
    .await;
}
