//! What a chat program is shown of an answer.

use std::sync::{Arc, Mutex};

use axum::http::header::HOST;
use axum::http::{HeaderMap, HeaderValue};
use futures::channel::mpsc;
use ibidem_engine::listener::Listener as _;
use ibidem_words::{Answer, Citation};
use serde_json::{Value, json};

use super::completions::{Pieces, missing};
use super::errors::{ChatError, chat_status, is_for_chat};
use super::reply::{Links, ShownText};
use crate::problem::Problem;

pub(super) fn citation(marker: u32) -> Citation {
    let source = uuid::Uuid::from_u128(u128::from(marker));
    serde_json::from_value(json!({
        "marker": marker, "source_id": format!("{source}:0"), "document_id": source,
        "document_name": format!("Document {marker}"), "version": 1, "updated_at": "2026-01-01T00:00:00Z",
        "chunk_index": 4, "page_number": 2, "section": "Rates", "relevance_score": 0.9, "snippet": "x",
        "snippet_full": "x", "span": {"start": 0, "end": 1}, "document_sha256": "0".repeat(64),
        "link": format!("/v1/documents/{source}/passages/4"),
    }))
    .unwrap()
}

fn answer(text: &str, citations: Vec<Citation>) -> Answer {
    let mut answer: Answer = serde_json::from_value(json!({
        "request_id": uuid::Uuid::nil(), "action": "cite", "answer": text, "refused": false, "refusal_reason": null,
        "reason": null, "citations": [], "confidence": null,
        "retrieval_quality": {"confidence_score": 0.9, "confidence_level": "high", "fallback_active": false,
            "fallback_reasons": [], "degraded": false},
        "transparency": {"statement": null, "show_to_user": false}, "route_to": null, "suggestions": [],
        "warnings": [], "model_used": null, "context_chunks_used": 1, "context_tokens_used": 7,
        "generation_time_ms": 0, "grounded": true, "trace": [], "receipt": null,
    }))
    .unwrap();
    answer.citations = citations;
    answer
}

#[test]
fn an_answer_has_its_markers_its_annotations_and_a_list_of_its_sources() {
    let links = Links { base: "https://answers.example".to_owned() };
    let shown = ShownText::of(&answer("Two.[9] One.[4]", vec![citation(4), citation(9)]), &links);
    assert_eq!(shown.content, "Two.[1] One.[2]\n\nSources:\n[1] Document 9, Rates, p. 2\n[2] Document 4, Rates, p. 2");
    let annotations = serde_json::to_value(&shown.annotations).unwrap();
    assert_eq!(annotations[0]["type"], "url_citation");
    let first = &annotations[0]["url_citation"];
    assert_eq!((&first["start_index"], &first["end_index"]), (&Value::from(4), &Value::from(7)));
    let url = first["url"].as_str().unwrap();
    assert_eq!(url, "https://answers.example/#/passage/00000000-0000-0000-0000-000000000009/0?of=000000000000");
    assert_eq!(annotations.as_array().unwrap().len(), 2);
}

#[test]
fn a_stream_says_what_the_whole_says_to_the_last_space() {
    let citations = vec![citation(4), citation(9)];
    for (sentences, whole) in [
        (vec!["Two.[9] ", "One.[4] "], "Two.[9] One.[4]"),
        (vec!["Two.[9]\n\n", "- One.[4]\n"], "Two.[9]\n\n- One.[4]"),
        (vec!["Two.[9] ", " ", "One.[4]"], "Two.[9]  One.[4]"),
        (vec!["One.[4]"], "One.[4]\n\nIt is not in force."),
        (vec![], "I found no passage that answers this."),
    ] {
        let (sender, mut heard) = mpsc::unbounded();
        let passed_on = Arc::new(Mutex::new(String::new()));
        let mut pieces = Pieces::new(sender, passed_on.clone());
        for sentence in sentences {
            pieces.sentence(sentence, citations.clone());
        }
        drop(pieces);
        let mut streamed = String::new();
        while let Ok(piece) = heard.try_recv() {
            streamed.push_str(&piece);
        }
        assert_eq!(streamed, *passed_on.lock().unwrap());
        let answer = answer(whole, citations.clone());
        let shown = ShownText::of(&answer, &Links { base: String::new() });
        assert_eq!(streamed.clone() + &missing(&shown, &answer, &streamed), shown.content, "{whole:?}");
    }
}

#[test]
fn what_the_asker_should_know_stands_below_the_sources() {
    let links = Links { base: String::new() };
    let warned = |more: Value, text: &str, citations: Vec<Citation>| {
        let mut answer = serde_json::to_value(answer(text, citations)).unwrap();
        answer.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        ShownText::of(&serde_json::from_value(answer).unwrap(), &links).content
    };
    let quality = |flags: Value| {
        json!({"confidence_score": 0.4, "confidence_level": "low", "fallback_active": true, "fallback_reasons": flags,
            "degraded": true})
    };
    let told = json!({"statement": "Curated answers could not be searched.", "show_to_user": true});
    let skipped =
        json!({"retrieval_quality": quality(json!(["no_rerank"])), "transparency": told, "warnings": ["Old."]});
    let shown = warned(skipped, "One.[4]", vec![citation(4)]);
    assert!(
        shown.ends_with("[1] Document 4, Rates, p. 2\n\nNote: Old.\n\nNote: Curated answers could not be searched."),
        "{shown}"
    );
    // That a model did not write is nothing to know where nothing is quoted.
    let untold = json!({"statement": null, "show_to_user": false});
    let idle = json!({"refused": true, "warnings": ["The sources are quoted."], "transparency": untold,
        "retrieval_quality": quality(json!(["extractive"]))});
    assert_eq!(warned(idle, "No document says so.", Vec::new()), "No document says so.");
}

#[test]
fn links_lead_to_where_browsers_reach_the_pages() {
    let headers = HeaderMap::from_iter([(HOST, HeaderValue::from_static("ibidem.internal:8080"))]);
    let base = |public_url| Links::for_caller(&headers, public_url).base;
    assert_eq!(base(None), "http://ibidem.internal:8080");
    assert_eq!(base(Some("https://answers.example")), "https://answers.example");
}

#[test]
fn a_refusal_carries_what_came_nearest_why_whom_to_ask_and_offers() {
    let passage = format!("{}:3", uuid::Uuid::nil());
    let mut refused = serde_json::to_value(answer("I found no passage that answers this.", Vec::new())).unwrap();
    let more = json!({
        "action": "refuse", "refused": true, "grounded": false, "reason": "not_answered", "why": "No passage was good enough.",
        "refusal_reason": "Probability that a passage answers (0.04) below threshold (0.75)",
        "nearest": [{"source_id": passage, "version": 1, "title": "Leave", "section": "Rest", "address": null, "why": "x.",
            "answers": 0.04}],
        "suggestions": ["What does Leave say about Rest?", "Ask about something narrower."],
        "offers": [{"text": "What does Leave say about Rest?", "query": "What does Leave say about Rest?"}],
        "route_to": {"tag": "hr", "owner_user_id": null, "owner_email": "hr@example.org", "fallback": false,
            "reason": "hr@example.org looks after this subject."},
    });
    refused.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let refused: Answer = serde_json::from_value(refused).unwrap();
    let shown = ShownText::of(&refused, &Links { base: "https://answers.example".to_owned() });
    let after = "\n\nNo passage was good enough.\n\nWhom to ask: hr@example.org looks after this subject.\n\nYou could ask \
         instead:\n- What does Leave say about Rest?\n\nWhat you can do:\n- Ask about something narrower.";
    let closest = "I found no passage that answers this. The closest are below:\n- Leave, Rest: ";
    let id = "00000000-0000-0000-0000-000000000000";
    assert_eq!(shown.content, format!("{closest}https://answers.example/#/passage/{id}/3{after}"));
    assert!(shown.annotations.is_empty(), "a refusal cites nothing");
    let for_agent = ShownText::for_agent(&refused).content;
    assert_eq!(for_agent, format!("{closest}{passage}{after}\n- Search the documents with the tool `search`."));
    assert_eq!(missing(&shown, &refused, ""), shown.content, "a stream says the same");
}

#[test]
fn errors_have_openais_form_and_statuses() {
    let error = |problem: Problem| serde_json::to_value(ChatError::from(problem.document(uuid::Uuid::nil()))).unwrap();
    let unknown = error(Problem::no_such_model("gpt-x"));
    assert_eq!(unknown["error"]["code"], "model_not_found");
    assert_eq!(unknown["error"]["type"], "invalid_request_error");
    assert!(unknown["error"]["message"].as_str().unwrap().contains("gpt-x"), "{unknown}");
    assert_eq!(error(Problem::unauthenticated())["error"]["type"], "authentication_error");
    assert_eq!(error(Problem::overloaded())["error"]["type"], "server_error");
    assert_eq!(chat_status(axum::http::StatusCode::UNPROCESSABLE_ENTITY), 400);
    assert_eq!(chat_status(axum::http::StatusCode::NOT_FOUND), 404);
    for path in ["/v1/chat/completions", "/v1/models", "/v1/models/ibidem", "/v1/embeddings"] {
        assert!(is_for_chat(path), "{path}");
    }
    assert!(!is_for_chat("/v1/answers"));
}
