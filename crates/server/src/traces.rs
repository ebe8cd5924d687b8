//! Spans for traces: a request, and in it a turn or a search. The stages inside are the engine's own.
//!
//! They carry ids, codes and counts, and never a question or a text.

use axum::extract::{MatchedPath, Request};
use axum::http::{Method, StatusCode};
use ibidem_engine::search::SearchOutcome;
use ibidem_ports::records::TurnRecord;
use ibidem_ports::traces::BegunBy;
use ibidem_words::Fallback;
use ibidem_words::TenantId;
use opentelemetry::propagation::TextMapPropagator as _;
use opentelemetry::trace::{Status, TraceContextExt as _, TraceId};
use opentelemetry::{Array, Context, StringValue, Value};
use opentelemetry_http::HeaderExtractor;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use tracing::Span;
use tracing_opentelemetry::OpenTelemetrySpanExt as _;
use uuid::Uuid;

/// Asked all day long by machines that trace nothing.
const PROBES: [&str; 3] = ["/healthz", "/readyz", "/metrics"];

/// A request, as a collector sees it.
pub(crate) struct TracedRequest {
    pub(crate) span: Span,
    /// The trace that the caller began, where one did.
    pub(crate) caller: Option<TraceId>,
}

impl TracedRequest {
    /// Goes on with the trace of the request's `traceparent` (W3C Trace Context), or begins one with the request's id.
    /// A probe is traced only where its caller traces it.
    pub(crate) fn of(request_id: Uuid, request: &Request) -> Self {
        let headers = HeaderExtractor(request.headers());
        let parent = TraceContextPropagator::new().extract_with_context(&Context::new(), &headers);
        let caller = parent.span().span_context().clone();
        let caller = caller.is_valid().then(|| caller.trace_id());
        let path = request.extensions().get::<MatchedPath>().map(MatchedPath::as_str);
        if caller.is_none() && path.is_some_and(|path| PROBES.contains(&path)) {
            return Self { span: Span::none(), caller };
        }
        let method = known(request.method());
        let name = path.map_or_else(|| method.to_owned(), |path| format!("{method} {path}"));
        let span = tracing::trace_span!("http", otel.kind = "server", otel.name = name);
        if caller.is_some() {
            // Fails where nobody collects traces.
            let _ = span.set_parent(parent);
        } else {
            let _begun = Context::new().with_value(BegunBy(request_id)).attach();
            // Starts the span, which is when it is given its trace.
            let _ = span.context();
        }
        span.set_attribute("http.request.method", method);
        span.set_attribute("ibidem.request_id", request_id.to_string());
        if let Some(path) = path {
            span.set_attribute("http.route", path.to_owned());
        }
        Self { span, caller }
    }

    pub(crate) fn replied(&self, status: StatusCode) {
        self.span.set_attribute("http.response.status_code", i64::from(status.as_u16()));
        if status.is_server_error() {
            self.span.set_status(Status::error(""));
        }
    }
}

/// A method that callers made up is not worth a name of its own.
fn known(method: &Method) -> &'static str {
    const KNOWN: [&str; 7] = ["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS"];
    KNOWN.into_iter().find(|known| *known == method.as_str()).unwrap_or("_OTHER")
}

/// A question on its way.
pub(crate) fn turn() -> Span {
    tracing::trace_span!("turn")
}

pub(crate) fn turn_ended(span: &Span, record: &TurnRecord) {
    let answer = &record.answer;
    span.set_attribute("ibidem.request_id", answer.request_id.to_string());
    span.set_attribute("ibidem.tenant", record.tenant.0.to_string());
    span.set_attribute("ibidem.action", answer.action.as_str());
    span.set_attribute("ibidem.policy_sha256", record.policy_hash.to_string());
    span.set_attribute("ibidem.citations", count(answer.citations.len()));
    span.set_attribute("ibidem.markers_dropped", i64::from(record.markers_dropped));
    span.set_attribute("ibidem.sentences_dropped", i64::from(record.sentences_dropped));
    span.set_attribute("ibidem.fallback_flags", listed(&answer.retrieval_quality.fallback_reasons));
    if let Some(reason) = answer.reason {
        span.set_attribute("ibidem.reason", reason.as_str());
    }
    if let Some(model) = &answer.model_used {
        span.set_attribute("ibidem.model", model.clone());
    }
    span.set_status(if record.failure.is_some() { Status::error("a part failed") } else { Status::Ok });
}

/// A search by itself, without an answer.
pub(crate) fn search(tenant: TenantId) -> Span {
    let span = tracing::trace_span!("search");
    span.set_attribute("ibidem.tenant", tenant.0.to_string());
    span
}

/// None where it failed.
pub(crate) fn search_ended(span: &Span, outcome: Option<&SearchOutcome>) {
    let Some(outcome) = outcome else {
        span.set_status(Status::error("a part failed"));
        return;
    };
    span.set_attribute("ibidem.hits", count(outcome.hits.len()));
    span.set_attribute("ibidem.fallback_flags", listed(&outcome.fallback_reasons));
    span.set_status(Status::Ok);
}

fn count(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

fn listed(flags: &[Fallback]) -> Value {
    Value::Array(Array::String(Fallback::names(flags).into_iter().map(StringValue::from).collect()))
}
