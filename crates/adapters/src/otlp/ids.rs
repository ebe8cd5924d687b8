//! The ids of traces and spans.

use ibidem_ports::traces::BegunBy;
use opentelemetry::Context;
use opentelemetry::trace::{SpanId, TraceId};
use opentelemetry_sdk::trace::{IdGenerator, RandomIdGenerator};

/// A trace that a request begins has the request's id, so that a log line or an error reply leads to it. All other ids
/// are random.
#[derive(Debug, Default)]
pub(super) struct Ids(RandomIdGenerator);

impl IdGenerator for Ids {
    fn new_trace_id(&self) -> TraceId {
        let begun_by = Context::map_current(|context| context.get::<BegunBy>().copied());
        match begun_by {
            Some(BegunBy(request)) if !request.is_nil() => TraceId::from(request.as_u128()),
            _ => self.0.new_trace_id(),
        }
    }

    fn new_span_id(&self) -> SpanId {
        self.0.new_span_id()
    }
}
