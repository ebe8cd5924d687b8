use std::io;
use std::sync::{Arc, Mutex};

use chrono::DateTime;
use tracing_subscriber::layer::SubscriberExt as _;

use super::*;

#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Vec<u8>>>);

impl io::Write for Kept {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The lines that something logs.
fn lines(log: impl FnOnce()) -> Vec<Value> {
    let kept = Kept::default();
    let writer = kept.clone();
    let subscriber = tracing_subscriber::registry().with(JsonLines::to(move || writer.clone()));
    tracing::subscriber::with_default(subscriber, log);
    let text = String::from_utf8(kept.0.lock().unwrap().clone()).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn every_line_has_every_field_in_a_request_and_outside_of_one() {
    let lines = lines(|| {
        tracing::warn!("outside");
        let span =
            tracing::error_span!("request", request_id = "7", route = "tree", fallback_flags = "a,b", path = "/");
        span.in_scope(|| tracing::info!(target: "ibidem_adapters::qdrant::search", count = 3_u64, "inside\n\"it\""));
    });
    for line in &lines {
        for field in ["timestamp", "level", "component", "event", "request_id", "route", "fallback_flags"] {
            assert!(line.get(field).is_some(), "{field} is not in {line}");
        }
        let timestamp = line["timestamp"].as_str().unwrap();
        assert!(DateTime::parse_from_rfc3339(timestamp).is_ok() && timestamp.len() == 24, "{timestamp}");
    }
    let [outside, inside] = lines.as_slice() else { panic!("{lines:?}") };
    assert_eq!((&outside["request_id"], &outside["fallback_flags"]), (&Value::Null, &Value::Array(Vec::new())));
    assert_eq!((outside["level"].as_str(), outside["event"].as_str()), (Some("WARN"), Some("outside")));
    assert_eq!((inside["request_id"].as_str(), inside["route"].as_str()), (Some("7"), Some("tree")));
    assert_eq!(inside["fallback_flags"], serde_json::json!(["a", "b"]));
    assert_eq!((inside["component"].as_str(), inside["event"].as_str()), (Some("qdrant"), Some("inside\n\"it\"")));
    assert_eq!((inside["count"].as_u64(), inside["path"].as_str()), (Some(3), Some("/")));
}

#[test]
fn what_is_recorded_later_is_in_the_later_lines_and_once() {
    let lines = lines(|| {
        let span = tracing::error_span!("request", request_id = "7", fallback_flags = tracing::field::Empty);
        span.in_scope(|| {
            tracing::info!("before");
            span.record("fallback_flags", "bm25_only");
            span.record("fallback_flags", "bm25_only,circuit_open");
            tracing::info!(request_id = "somebody else's", "after");
        });
    });
    assert_eq!(lines[0]["fallback_flags"], serde_json::json!([]));
    assert_eq!(lines[1]["fallback_flags"], serde_json::json!(["bm25_only", "circuit_open"]));
    assert_eq!(lines[1]["request_id"], "7");
}

#[test]
fn a_component_is_a_crate_or_what_an_adapter_adapts() {
    for (target, name) in [
        ("ibidem_server::api::answers", "server"),
        ("ibidem_adapters::skosmos", "skosmos"),
        ("ibidem_adapters", "adapters"),
        ("ibidem", "ibidem"),
        ("sqlx::query", "sqlx"),
    ] {
        assert_eq!(component(target), name);
    }
}
