//! A turn as spans in OTLP's JSON. No question, no answer and no document is in one.

use std::time::Duration;

use ibidem_words::ports::records::TurnRecord;
use serde::Serialize;
use serde_json::{Value, json};

/// OTLP's numbers for a server's span and for one inside it.
const SERVER: u8 = 2;
const INTERNAL: u8 = 1;
const OK: u8 = 1;
const ERROR: u8 = 2;

/// What one request to a collector holds.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Span {
    trace_id: String,
    span_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    parent_span_id: Option<String>,
    name: &'static str,
    kind: u8,
    start_time_unix_nano: String,
    end_time_unix_nano: String,
    attributes: Vec<Value>,
    status: Value,
}

/// The turn, and below it a span for each stage. What a stage took was measured; where it began follows from those
/// before it, one after the other.
pub(super) fn spans(record: &TurnRecord) -> Vec<Span> {
    let request = record.answer.request_id;
    let trace_id = request.simple().to_string();
    let root = request.as_u64_pair().1.max(1);
    let began = u64::try_from(record.asked_at.timestamp_nanos_opt().unwrap_or_default()).unwrap_or_default();
    let span = |number: u64, name, kind, from: Duration, took: Duration| {
        let start = began.saturating_add(nanoseconds(from));
        Span {
            trace_id: trace_id.clone(),
            span_id: format!("{:016x}", root.wrapping_add(number).max(1)),
            parent_span_id: (number > 0).then(|| format!("{root:016x}")),
            name,
            kind,
            start_time_unix_nano: start.to_string(),
            end_time_unix_nano: start.saturating_add(nanoseconds(took)).to_string(),
            attributes: Vec::new(),
            status: json!({ "code": OK }),
        }
    };
    let whole = Duration::from_millis(record.duration_ms);
    let status = if record.failure.is_some() {
        json!({ "code": ERROR, "message": "a part failed" })
    } else {
        json!({ "code": OK })
    };
    let mut spans =
        vec![Span { attributes: attributes(record), status, ..span(0, "turn", SERVER, Duration::ZERO, whole) }];
    let mut so_far = Duration::ZERO;
    for (number, (stage, took)) in (1..).zip(&record.numbers.stages) {
        match *stage {
            "turn" => {}
            // Writing is the end of speaking, and not a stage behind it.
            "generate" => {
                spans.push(span(number, stage, INTERNAL, so_far.saturating_sub(*took), *took));
            }
            stage => {
                spans.push(span(number, stage, INTERNAL, so_far, *took));
                so_far += *took;
            }
        }
    }
    spans
}

fn attributes(record: &TurnRecord) -> Vec<Value> {
    let text = |key: &str, value: &str| json!({ "key": key, "value": { "stringValue": value } });
    let number = |key: &str, value: u64| json!({ "key": key, "value": { "intValue": value.to_string() } });
    let answer = &record.answer;
    let flags = answer.retrieval_quality.fallback_reasons.iter().map(|flag| json!({ "stringValue": flag }));
    let mut attributes = vec![
        text("ibidem.request_id", &answer.request_id.to_string()),
        text("ibidem.tenant", &record.tenant.0.to_string()),
        text("ibidem.action", answer.action.as_str()),
        text("ibidem.policy_sha256", &record.policy_hash.to_string()),
        number("ibidem.citations", answer.citations.len() as u64),
        number("ibidem.markers_dropped", record.markers_dropped.into()),
        number("ibidem.sentences_dropped", record.sentences_dropped.into()),
        json!({ "key": "ibidem.fallback_flags", "value": { "arrayValue": { "values": flags.collect::<Vec<_>>() } } }),
    ];
    attributes.extend(answer.reason.map(|reason| text("ibidem.reason", reason.as_str())));
    attributes.extend(answer.model_used.as_ref().map(|model| text("ibidem.model", model)));
    attributes
}

fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

/// The body of a request to a collector.
pub(super) fn body(spans: &[Span]) -> Value {
    let service = json!({ "key": "service.name", "value": { "stringValue": "ibidem" } });
    let version = json!({ "key": "service.version", "value": { "stringValue": env!("CARGO_PKG_VERSION") } });
    json!({ "resourceSpans": [{
        "resource": { "attributes": [service, version] },
        "scopeSpans": [{ "scope": { "name": "ibidem" }, "spans": spans }],
    }] })
}
