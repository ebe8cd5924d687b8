//! What every log line says of its request. No question and no document is ever in one.

mod json_lines;

use axum::http::Method;
use ibidem_ports::records::TurnRecord;
use ibidem_words::CollectionName;
use ibidem_words::Fallback;
use opentelemetry::trace::TraceId;
use tracing::Span;
use tracing::field::Empty;
use uuid::Uuid;

pub use json_lines::JsonLines;

/// Around a request. Its level is the highest, so that no filter takes the id from the lines that it lets through.
/// `trace_id` is in the lines of a request whose caller traces it; any other trace has the request's id.
pub(crate) fn request_span(request_id: Uuid, method: &Method, path: &str, trace_id: Option<TraceId>) -> Span {
    let trace_id = trace_id.map(tracing::field::display);
    tracing::error_span!("request", %request_id, %method, path, trace_id, route = Empty, fallback_flags = Empty)
}

/// From here on, the request's lines tell whether it is about one collection or several.
pub(crate) fn route(collections: &[CollectionName]) {
    let route = if collections.len() == 1 { "direct" } else { "tree" };
    Span::current().record("route", route);
}

/// From here on, the log lines of the request tell which parts were skipped.
pub(crate) fn fallback_flags(flags: &[Fallback]) {
    Span::current().record("fallback_flags", Fallback::names(flags).join(","));
}

/// How a turn ended, in numbers and codes.
pub(crate) fn turn(record: &TurnRecord) {
    let (answer, numbers) = (&record.answer, &record.numbers);
    fallback_flags(&answer.retrieval_quality.fallback_reasons);
    if let Some(failure) = &record.failure {
        tracing::warn!(failure, "a part failed during a turn");
    }
    tracing::info!(
        action = answer.action.as_str(),
        reason = answer.reason.map(|reason| reason.as_str()),
        duration_ms = record.duration_ms,
        citations = answer.citations.len(),
        markers_dropped = record.markers_dropped,
        sentences_dropped = record.sentences_dropped,
        marker_score = numbers.marker_score(),
        sentence_score = numbers.sentence_score(),
        policy_sha256 = %record.policy_hash,
        "a turn ended"
    );
}
