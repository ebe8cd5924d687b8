//! A collector of traces, on this machine.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value as Any;
use opentelemetry_proto::tonic::common::v1::{AnyValue, KeyValue};
use prost::Message as _;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

/// OTLP's numbers for a server's span, for one inside it and for one that takes work from a queue.
pub(crate) const SERVER: i32 = 2;
pub(crate) const INTERNAL: i32 = 1;
pub(crate) const CONSUMER: i32 = 5;

/// A span as it was received; ids in hexadecimal digits.
#[derive(Clone, Debug)]
pub(crate) struct Span {
    pub(crate) trace: String,
    pub(crate) id: String,
    /// Empty for the first of a trace.
    pub(crate) parent: String,
    pub(crate) name: String,
    pub(crate) kind: i32,
    pub(crate) from: u64,
    pub(crate) until: u64,
    pub(crate) attributes: BTreeMap<String, Value>,
}

#[derive(Default)]
struct Taken {
    spans: Vec<Span>,
    /// What the sender says of itself.
    resource: BTreeMap<String, Value>,
    /// All that was received, as text, to look for words in.
    text: String,
}

/// Accepts what is posted to it.
pub(crate) struct Collector {
    pub(crate) url: String,
    taken: Arc<Mutex<Taken>>,
}

impl Collector {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let taken = Arc::new(Mutex::new(Taken::default()));
        let into = taken.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(receive(stream, into.clone()));
            }
        });
        Self { url, taken }
    }

    /// What was received so far: all, once the sender has ended.
    pub(crate) fn spans(&self) -> Vec<Span> {
        self.taken.lock().unwrap().spans.clone()
    }

    pub(crate) fn resource(&self) -> BTreeMap<String, Value> {
        self.taken.lock().unwrap().resource.clone()
    }

    pub(crate) fn text(&self) -> String {
        self.taken.lock().unwrap().text.clone()
    }
}

/// Takes requests from a connection until it ends.
async fn receive(mut stream: TcpStream, into: Arc<Mutex<Taken>>) {
    let mut bytes = Vec::new();
    let mut piece = [0; 8192];
    while let Ok(count @ 1..) = stream.read(&mut piece).await {
        bytes.extend_from_slice(&piece[..count]);
        let Some(head_ends) = bytes.windows(4).position(|four| four == b"\r\n\r\n") else { continue };
        let head = String::from_utf8(bytes[..head_ends].to_vec()).unwrap().to_ascii_lowercase();
        let header = |name: &str| head.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
        let length: usize = header("content-length:").map_or(0, |length| length.parse().unwrap());
        let Some(body) = bytes.get(head_ends + 4..head_ends + 4 + length) else { continue };
        assert!(head.starts_with("post /v1/traces "), "{head}");
        assert_eq!(header("content-type:"), Some("application/x-protobuf"), "{head}");
        into.lock().unwrap().take(ExportTraceServiceRequest::decode(body).unwrap());
        stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").await.unwrap();
        bytes.clear();
    }
}

impl Taken {
    fn take(&mut self, request: ExportTraceServiceRequest) {
        self.text.push_str(&format!("{request:?}"));
        for of_resource in request.resource_spans {
            self.resource = attributes(of_resource.resource.unwrap_or_default().attributes);
            let spans = of_resource.scope_spans.into_iter().flat_map(|of_scope| of_scope.spans);
            self.spans.extend(spans.map(|span| {
                assert!(span.events.is_empty(), "what is logged stays in the log: {span:?}");
                Span {
                    trace: hex::encode(span.trace_id),
                    id: hex::encode(span.span_id),
                    parent: hex::encode(span.parent_span_id),
                    name: span.name,
                    kind: span.kind,
                    from: span.start_time_unix_nano,
                    until: span.end_time_unix_nano,
                    attributes: attributes(span.attributes),
                }
            }));
        }
    }
}

fn attributes(pairs: Vec<KeyValue>) -> BTreeMap<String, Value> {
    pairs.into_iter().map(|pair| (pair.key, value(pair.value))).collect()
}

fn value(any: Option<AnyValue>) -> Value {
    match any.and_then(|any| any.value) {
        Some(Any::StringValue(text)) => json!(text),
        Some(Any::IntValue(number)) => json!(number),
        Some(Any::BoolValue(is_so)) => json!(is_so),
        Some(Any::ArrayValue(list)) => list.values.into_iter().map(|each| value(Some(each))).collect(),
        other => panic!("nothing of this sort is sent: {other:?}"),
    }
}
