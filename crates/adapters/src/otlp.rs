//! Traces for an OpenTelemetry collector: our `tracing` spans, as OTLP over HTTP.
//!
//! Spans wait in a bounded queue and go out in batches, on a thread of their own. A collector that is slow or away loses
//! spans, which are counted; no request waits for one.

mod counted;
mod ids;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use opentelemetry::trace::TracerProvider as _;
use opentelemetry_otlp::{ExporterBuildError, Protocol, SpanExporter, WithExportConfig as _};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::{BatchConfigBuilder, BatchSpanProcessor, Sampler, SdkTracerProvider};
use tracing::{Level, Metadata, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::registry::LookupSpan;

use counted::{Bounded, Counted, Counts};
use ids::Ids;

/// Spans that may wait. A question makes about fifteen.
const QUEUE: usize = 8_192;
/// Spans that go out together, at most.
const BATCH: usize = 512;
/// How long spans wait for others to go out with.
const LINGER: Duration = Duration::from_millis(500);
/// How long the collector has to accept a batch.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long the process waits at its end for the collector to accept what is left.
const LAST_WAIT: Duration = Duration::from_secs(5);

/// Sends spans until it is finished.
pub struct Otlp {
    provider: SdkTracerProvider,
    counts: Counts,
}

impl Otlp {
    /// `url` is the collector's, without `/v1/traces`. Starts the thread that sends.
    pub fn start(url: &str) -> Result<Self, ExporterBuildError> {
        let exporter = SpanExporter::builder()
            .with_http()
            .with_endpoint(address(url))
            .with_protocol(Protocol::HttpBinary)
            .with_timeout(PATIENCE)
            .build()?;
        let counts = Counts::default();
        let batches = BatchConfigBuilder::default()
            .with_max_queue_size(QUEUE)
            .with_max_export_batch_size(BATCH)
            .with_scheduled_delay(LINGER)
            .build();
        let processor =
            BatchSpanProcessor::builder(Counted::new(exporter, counts.clone())).with_batch_config(batches).build();
        let resource = Resource::builder_empty()
            .with_service_name("ibidem")
            .with_attribute(opentelemetry::KeyValue::new("service.version", env!("CARGO_PKG_VERSION")))
            .build();
        let provider = SdkTracerProvider::builder()
            .with_resource(resource)
            // A caller who traces and does not keep this trace makes us not keep our part of it either.
            .with_sampler(Sampler::ParentBased(Box::new(Sampler::AlwaysOn)))
            .with_id_generator(Ids::default())
            .with_span_processor(Bounded::new(processor, QUEUE, counts.clone()))
            .build();
        Ok(Self { provider, counts })
    }

    /// Turns our spans for traces into the collector's. Log events stay out: they may quote what a part replied.
    pub fn layer<S>(&self) -> impl Layer<S> + Send + Sync + 'static
    where
        S: Subscriber + for<'span> LookupSpan<'span> + Send + Sync,
    {
        tracing_opentelemetry::layer()
            .with_tracer(self.provider.tracer("ibidem"))
            .with_context_activation(false)
            .with_location(false)
            .with_threads(false)
            .with_target(false)
            .with_tracked_inactivity(false)
            .with_filter(filter_fn(is_for_traces))
    }

    /// Spans that no collector got, so far.
    pub fn lost(&self) -> Arc<AtomicU64> {
        self.counts.lost()
    }

    /// Sends what waits, for a few seconds at most. Spans that end after this are not sent.
    pub fn finish(self) {
        self.finish_within(LAST_WAIT);
    }

    fn finish_within(self, wait: Duration) {
        if let Err(error) = self.provider.shutdown_with_timeout(wait) {
            tracing::warn!(%error, "the collector did not accept the last traces");
        }
        let spans_lost = self.counts.lost().load(Ordering::Relaxed);
        if spans_lost > 0 {
            tracing::warn!(spans_lost, "the collector did not get all traces");
        }
    }
}

/// Spans for traces are of the lowest level, so that log lines of the usual levels do not name them.
fn is_for_traces(metadata: &Metadata<'_>) -> bool {
    metadata.is_span() && *metadata.level() == Level::TRACE && metadata.target().starts_with("ibidem")
}

/// Whether a collector takes traces at this address: it is sent none, which it must accept. What is wrong, if anything.
pub async fn refused_by(url: &str) -> Option<String> {
    let client = reqwest::Client::builder().timeout(PATIENCE).build();
    // In protocol buffers, a request without spans has no bytes.
    let asked = async {
        let request = client?.post(address(url)).header("content-type", "application/x-protobuf");
        request.body(Vec::new()).send().await?.error_for_status()
    };
    asked.await.err().map(|error| error.to_string())
}

/// Where a collector takes traces.
fn address(url: &str) -> String {
    format!("{}/v1/traces", url.trim_end_matches('/'))
}

#[cfg(test)]
mod tests;
