//! CONF-01..05 through the API: what a simpler search costs, with an embedding model that fails and is then left alone.

use std::sync::Arc;

use async_trait::async_trait;
use axum::http::StatusCode;
use ibidem_engine::texts::Texts;
use ibidem_ports::degrade::{BreakerSettings, Breakers};
use ibidem_ports::embedder::{EmbedError, Embedder, EmbeddingModel};
use ibidem_testing::fakes::FakeEmbedder;
use ibidem_words::{Fallback, passage_in_context};
use serde_json::{Value, json};

use super::world::{Extras, World, policy};

const ARCHITECTURE: &str = include_str!("../../../../policies/architecture.yaml");
const WORDS: [&str; 20] = [
    "alpha", "bravo", "charlie", "delta", "echo", "foxtrot", "golf", "hotel", "india", "juliet", "kilo", "lima",
    "mike", "november", "oscar", "papa", "quebec", "romeo", "sierra", "tango",
];
/// Of CONF-01, in which the embedding model is well: the other cases go by words.
const SIMILARITY: f32 = 0.85;

/// Twenty words that no other case has.
fn words(case: &str) -> Vec<String> {
    WORDS.iter().map(|word| format!("{case}{word}")).collect()
}

fn passage(case: &str, present: usize) -> String {
    format!("Whatever {} decided.", words(case)[..present].join(" "))
}

/// Puts every question at one distance from the first case's passage.
struct Aimed(Arc<FakeEmbedder>);

#[async_trait]
impl Embedder for Aimed {
    fn model(&self) -> &EmbeddingModel {
        self.0.model()
    }

    async fn embed_passages(&self, texts: Vec<String>) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.0.embed_passages(texts).await
    }

    async fn embed_queries(&self, texts: Vec<String>) -> Result<Vec<Vec<f32>>, EmbedError> {
        let text = passage_in_context("Words", Some("Rules"), &passage("one", 17));
        let target = self.0.embed_passages(vec![text]).await?.remove(0);
        // What is left of another direction when the target's share is taken out of it is at a right angle to it.
        let along = target[0];
        let mut aside: Vec<f32> = target.iter().map(|value| -value * along).collect();
        aside[0] += 1.0;
        let length = aside.iter().map(|value| value * value).sum::<f32>().sqrt();
        let rest = (1.0 - SIMILARITY * SIMILARITY).sqrt() / length;
        let query = target.iter().zip(&aside).map(|(one, other)| one * SIMILARITY + other * rest);
        Ok(vec![query.collect(); texts.len()])
    }
}

async fn ask(world: &World, key: &str, case: &str) -> Value {
    let query = format!("{}?", words(case).join(" "));
    let reply = world.call("POST", "/v1/answers", Some(key), &json!({ "query": query }).to_string()).await;
    assert_eq!(reply.status, StatusCode::OK, "{}", reply.text);
    reply.body
}

fn check(id: &str, answer: &Value, score: f64, flags: &[&str]) {
    let quality = &answer["retrieval_quality"];
    assert_eq!(quality["confidence_score"], score, "{id}: {answer}");
    assert_eq!(quality["fallback_reasons"], json!(flags), "{id}: {answer}");
    assert_eq!(
        (&quality["fallback_active"], &quality["degraded"]),
        (&json!(!flags.is_empty()), &json!(!flags.is_empty()))
    );
    let said = answer["transparency"]["statement"].as_str().unwrap_or_default();
    for flag in flags {
        let flag: Fallback = serde_json::from_value(json!(flag)).unwrap();
        assert!(said.contains(Texts::english().of_flag(flag)), "{id}: the asker is told: {answer}");
    }
}

#[tokio::test]
async fn conf_01_to_05_a_simpler_search_costs_a_fifth_once_and_half_the_words_are_not_enough() {
    let extras = Extras {
        breakers: Some(Breakers::new(BreakerSettings::default())),
        embedder: Some(|inner| Arc::new(Aimed(inner))),
        ..Extras::default()
    };
    // The sources' own sentences: no model's words are of interest here.
    let rules = ARCHITECTURE.replace("mode: model", "mode: extractive");
    let world = World::create_with(policy(&rules), extras).await;
    let key = world.key("asker", &[]).await;
    let cases = [("one", 17), ("two", 17), ("three", 18), ("four", 16), ("five", 10)];
    for (case, present) in cases {
        world.take_in_public(&format!("{case}.md"), "Words", &passage(case, present)).await;
    }
    let answered = async |case: &str| ask(&world, &key, case).await;

    let answer = answered("one").await;
    check("CONF-01", &answer, 0.85, &[]);
    assert_eq!(answer["action"], "cite");

    world.embedder.set_down(true);
    let answer = answered("two").await;
    check("CONF-02", &answer, 0.68, &["bm25_only"]);
    assert_eq!(answer["action"], "cite");
    let answer = answered("five").await;
    check("CONF-05", &answer, 0.4, &["bm25_only"]);
    assert_eq!((&answer["action"], &answer["reason"]), (&json!("refuse"), &json!("low_confidence")), "{answer}");
    assert_eq!(answer["refusal_reason"], "Retrieval confidence (0.4) below threshold (0.5)");

    // By now it has failed twice; after the fifth time it is left alone.
    for _ in 2..BreakerSettings::default().failures_to_open {
        check("before", &answered("two").await, 0.68, &["bm25_only"]);
    }
    for (id, case, score) in [("CONF-03", "three", 0.72), ("CONF-04", "four", 0.64)] {
        let answer = answered(case).await;
        check(id, &answer, score, &["bm25_only", "circuit_open"]);
        assert_eq!(answer["action"], "cite", "{id}: {answer}");
    }
    world.end().await;
}
