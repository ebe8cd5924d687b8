//! Log lines as JSON, each with the same fields: whose request, which route, what it goes without, when, how grave,
//! where, and what happened.

use std::fmt;
use std::io::Write as _;

use chrono::{SecondsFormat, Utc};
use ibidem_words::escaped_json;
use serde::Serialize;
use serde_json::{Map, Value};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::Context;
use tracing_subscriber::registry::LookupSpan;

const REQUEST_ID: &str = "request_id";
const ROUTE: &str = "route";
const FALLBACK_FLAGS: &str = "fallback_flags";
/// What a record of the `log` crate calls the place it comes from.
const LOG_TARGET: &str = "log.target";

/// Writes every event as one line.
pub struct JsonLines<W>(W);

impl<W> JsonLines<W> {
    pub fn to(writer: W) -> Self {
        Self(writer)
    }
}

/// Outside a request there is no id and no route.
#[derive(Serialize)]
struct Line<'a> {
    timestamp: String,
    level: &'static str,
    component: &'a str,
    event: String,
    request_id: Value,
    route: Value,
    fallback_flags: Vec<String>,
    #[serde(flatten)]
    fields: Map<String, Value>,
}

/// Fields by name, of a span or of an event.
#[derive(Default)]
struct Fields(Map<String, Value>);

impl Visit for Fields {
    fn record_f64(&mut self, field: &Field, value: f64) {
        self.put(field, value.into());
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.put(field, value.into());
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.put(field, value.into());
    }

    fn record_u128(&mut self, field: &Field, value: u128) {
        self.put(field, u64::try_from(value).unwrap_or(u64::MAX).into());
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.put(field, value.into());
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.put(field, value.into());
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.put(field, format!("{value:?}").into());
    }
}

impl Fields {
    fn put(&mut self, field: &Field, value: Value) {
        // What a span for traces tells the exporter is nothing to a reader of logs.
        if !field.name().starts_with("otel.") {
            self.0.insert(field.name().to_owned(), value);
        }
    }
}

impl<S, W> Layer<S> for JsonLines<W>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    W: for<'w> MakeWriter<'w> + 'static,
{
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        let mut fields = Fields::default();
        attributes.record(&mut fields);
        span.extensions_mut().insert(fields);
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        if let Some(fields) = span.extensions_mut().get_mut::<Fields>() {
            values.record(fields);
        }
    }

    fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
        let mut said = Fields::default();
        event.record(&mut said);
        let mut fields = Map::new();
        for span in context.event_scope(event).into_iter().flat_map(|scope| scope.from_root()) {
            if let Some(of_span) = span.extensions().get::<Fields>() {
                fields.extend(of_span.0.clone());
            }
        }
        let request_id = fields.remove(REQUEST_ID).unwrap_or_default();
        let route = fields.remove(ROUTE).unwrap_or_default();
        let flags = fields.remove(FALLBACK_FLAGS);
        let event_text = said.0.remove("message");
        let target = said.0.remove(LOG_TARGET);
        // What the line says of its request is said once, and not by an event of the same words.
        said.0.retain(|name, _| !is_of_every_line(name) && !name.starts_with("log."));
        fields.extend(said.0);
        let metadata = event.metadata();
        let line = Line {
            timestamp: Utc::now().to_rfc3339_opts(SecondsFormat::Millis, true),
            level: metadata.level().as_str(),
            component: component(target.as_ref().and_then(Value::as_str).unwrap_or_else(|| metadata.target())),
            event: event_text.as_ref().and_then(Value::as_str).unwrap_or(metadata.name()).to_owned(),
            request_id,
            route,
            fallback_flags: flags.as_ref().and_then(Value::as_str).map_or_else(Vec::new, listed),
            fields,
        };
        // Numbers and strings: serialising them cannot fail. A log that cannot be written must not stop anybody.
        if let Ok(text) = serde_json::to_string(&line) {
            let text = format!("{}\n", escaped_json(&text));
            let _ = self.0.make_writer_for(metadata).write_all(text.as_bytes());
        }
    }
}

fn is_of_every_line(name: &str) -> bool {
    ["timestamp", "level", "component", "event", REQUEST_ID, ROUTE, FALLBACK_FLAGS].contains(&name)
}

fn listed(flags: &str) -> Vec<String> {
    flags.split(',').filter(|flag| !flag.is_empty()).map(str::to_owned).collect()
}

/// The crate that speaks, without our name before it; of the adapters, the system that is adapted.
fn component(target: &str) -> &str {
    let mut parts = target.split("::");
    let first = parts.next().unwrap_or(target);
    match first.strip_prefix("ibidem_") {
        Some("adapters") => parts.next().unwrap_or("adapters"),
        Some(own) => own,
        None => first,
    }
}

#[cfg(test)]
mod tests;
