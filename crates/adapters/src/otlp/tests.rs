//! How many spans may wait, and what becomes of those that nobody takes.

use std::net::TcpListener;
use std::sync::{Arc, Mutex};

use ibidem_ports::traces::BegunBy;
use opentelemetry::trace::{Span as _, Tracer as _};
use opentelemetry_sdk::error::{OTelSdkError, OTelSdkResult};
use opentelemetry_sdk::trace::{Span as SdkSpan, SpanData, SpanExporter, SpanProcessor};
use uuid::Uuid;

use super::*;

/// Keeps what it is given until somebody exports it.
#[derive(Clone, Debug, Default)]
struct Held(Arc<Mutex<Vec<SpanData>>>);

impl SpanProcessor for Held {
    fn on_start(&self, _: &mut SdkSpan, _: &opentelemetry::Context) {}

    fn on_end(&self, span: SpanData) {
        self.0.lock().unwrap().push(span);
    }

    fn force_flush(&self) -> OTelSdkResult {
        Ok(())
    }

    fn shutdown_with_timeout(&self, _: Duration) -> OTelSdkResult {
        Ok(())
    }
}

/// Accepts or refuses whatever it is given.
#[derive(Debug)]
struct Takes(bool);

impl SpanExporter for Takes {
    async fn export(&self, _: Vec<SpanData>) -> OTelSdkResult {
        if self.0 { Ok(()) } else { Err(OTelSdkError::InternalFailure("no".to_owned())) }
    }
}

fn lost(counts: &Counts) -> u64 {
    counts.lost().load(Ordering::Relaxed)
}

#[tokio::test]
async fn spans_that_find_the_queue_full_or_that_are_refused_are_counted() {
    let (held, counts) = (Held::default(), Counts::default());
    let bounded = Bounded::new(held.clone(), 3, counts.clone());
    let provider = SdkTracerProvider::builder().with_span_processor(bounded).build();
    let tracer = provider.tracer("test");
    let end = |spans: usize| (0..spans).for_each(|_| tracer.start("span").end());
    let waiting = || std::mem::take(&mut *held.0.lock().unwrap());

    end(5);
    assert_eq!(lost(&counts), 2, "three wait");
    let taken = waiting();
    assert_eq!(taken.len(), 3);
    Counted::new(Takes(true), counts.clone()).export(taken).await.unwrap();
    assert_eq!(lost(&counts), 2);

    end(3);
    assert_eq!(lost(&counts), 2, "there is room again");
    Counted::new(Takes(false), counts.clone()).export(waiting()).await.unwrap_err();
    assert_eq!(lost(&counts), 5);

    end(1);
    provider.shutdown().unwrap();
    assert_eq!(lost(&counts), 6, "it still waits, and nobody takes it any more");
}

/// A collector that accepts connections and never replies, and one that is not there.
#[test]
fn the_end_is_not_waited_for_longer_than_a_moment() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let silent = format!("http://{}", listener.local_addr().unwrap());
    let _ = rustls::crypto::ring::default_provider().install_default();
    for url in [silent.as_str(), "http://127.0.0.1:1/"] {
        let otlp = Otlp::start(url).unwrap();
        let spans_lost = otlp.lost();
        otlp.provider.tracer("test").start("span").end();
        otlp.finish_within(Duration::from_millis(1));
        assert!(spans_lost.load(Ordering::Relaxed) > 0, "{url}");
    }
}

#[test]
fn a_trace_has_the_id_of_the_request_that_begins_it() {
    let provider = SdkTracerProvider::builder().with_id_generator(Ids::default()).build();
    let tracer = provider.tracer("test");
    let trace_of_a_span = || tracer.start("span").span_context().trace_id().to_string();
    let request = Uuid::from_u128(0x1234);
    {
        let _begun = opentelemetry::Context::new().with_value(BegunBy(request)).attach();
        assert_eq!(trace_of_a_span(), request.simple().to_string());
    }
    assert_ne!(trace_of_a_span(), request.simple().to_string());
    // An id of nothing but zeros is none.
    let _begun = opentelemetry::Context::new().with_value(BegunBy(Uuid::nil())).attach();
    assert_ne!(trace_of_a_span(), Uuid::nil().simple().to_string());
}
