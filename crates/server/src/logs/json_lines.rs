//! Log lines as JSON, each with the same fields: whose request, which route, what it goes without, when, how grave,
//! where, and what happened.

use std::fmt;

use chrono::{SecondsFormat, Utc};
use ibidem_words::escaped_json;
use serde::Serialize;
use serde_json::{Map, Value};
use tracing::{Event, Subscriber};
use tracing_subscriber::fmt::format::{JsonFields, Writer};
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields, FormattedFields, Layer, MakeWriter};
use tracing_subscriber::registry::LookupSpan;

const REQUEST_ID: &str = "request_id";
const ROUTE: &str = "route";
const FALLBACK_FLAGS: &str = "fallback_flags";
/// What a record of the `log` crate calls the place it comes from.
const LOG_TARGET: &str = "log.target";

/// Writes every event as one line. tracing-subscriber keeps the fields of the spans; which of them a line has, and what they
/// are called, is said here, as its own form nests them and has names of its own.
pub struct JsonLines;

impl JsonLines {
    pub fn to<S, W>(writer: W) -> Layer<S, JsonFields, Self, W>
    where
        S: Subscriber + for<'a> LookupSpan<'a>,
        W: for<'w> MakeWriter<'w> + 'static,
    {
        Layer::default().with_ansi(false).fmt_fields(JsonFields::new()).event_format(Self).with_writer(writer)
    }
}

/// Outside a request there is no id and no route.
#[derive(Serialize)]
struct Line<'a> {
    timestamp: String,
    level: &'static str,
    component: &'a str,
    event: &'a str,
    request_id: Value,
    route: Value,
    fallback_flags: Vec<&'a str>,
    #[serde(flatten)]
    fields: Map<String, Value>,
}

impl<S> FormatEvent<S, JsonFields> for JsonLines
where
    S: Subscriber + for<'a> LookupSpan<'a>,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, JsonFields>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let mut fields = Map::new();
        for span in context.event_scope().into_iter().flat_map(|scope| scope.from_root()) {
            if let Some(of_span) = span.extensions().get::<FormattedFields<JsonFields>>() {
                fields.extend(parsed(of_span));
            }
        }
        let [request_id, route, flags] =
            [REQUEST_ID, ROUTE, FALLBACK_FLAGS].map(|name| fields.remove(name).unwrap_or_default());
        let mut of_event = String::new();
        context.format_fields(Writer::new(&mut of_event), event)?;
        let mut of_event = parsed(&of_event);
        let [text, target] = ["message", LOG_TARGET].map(|name| of_event.remove(name).unwrap_or_default());
        // What the line says of its request is said once, and not by an event of the same words.
        of_event.retain(|name, _| !is_of_every_line(name) && !name.starts_with("log."));
        fields.extend(of_event);
        // What a span for traces tells the exporter is nothing to a reader of logs.
        fields.retain(|name, _| !name.starts_with("otel."));
        let metadata = event.metadata();
        let line = Line {
            timestamp: Utc::now().to_rfc3339_opts(SecondsFormat::Millis, true),
            level: metadata.level().as_str(),
            component: component(target.as_str().unwrap_or_else(|| metadata.target())),
            event: text.as_str().unwrap_or(metadata.name()),
            request_id,
            route,
            fallback_flags: flags.as_str().unwrap_or_default().split(',').filter(|flag| !flag.is_empty()).collect(),
            fields,
        };
        let line = serde_json::to_string(&line).map_err(|_| fmt::Error)?;
        writeln!(writer, "{}", escaped_json(&line))
    }
}

/// The fields of a span or an event.
fn parsed(written: &str) -> Map<String, Value> {
    // tracing-subscriber wrote them.
    serde_json::from_str(written).unwrap_or_default()
}

fn is_of_every_line(name: &str) -> bool {
    ["timestamp", "level", "component", "event", REQUEST_ID, ROUTE, FALLBACK_FLAGS].contains(&name)
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
