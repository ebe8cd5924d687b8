//! Counts the spans that are lost: those that find the queue full, and those that the collector does not accept.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use opentelemetry::Context;
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::error::OTelSdkResult;
use opentelemetry_sdk::trace::{Span, SpanData, SpanExporter, SpanProcessor};

/// What the queue and the exporter count together.
#[derive(Clone, Debug, Default)]
pub(super) struct Counts {
    waiting: Arc<AtomicUsize>,
    lost: Arc<AtomicU64>,
}

impl Counts {
    pub(super) fn lost(&self) -> Arc<AtomicU64> {
        self.lost.clone()
    }
}

/// Lets at most so many spans wait. The processor inside drops spans too when its queue is full, but tells nobody.
#[derive(Debug)]
pub(super) struct Bounded<P> {
    processor: P,
    most: usize,
    counts: Counts,
}

impl<P> Bounded<P> {
    pub(super) fn new(processor: P, most: usize, counts: Counts) -> Self {
        Self { processor, most, counts }
    }
}

impl<P: SpanProcessor> SpanProcessor for Bounded<P> {
    fn on_start(&self, span: &mut Span, context: &Context) {
        self.processor.on_start(span, context);
    }

    fn on_end(&self, span: SpanData) {
        if self.counts.waiting.fetch_add(1, Ordering::Relaxed) < self.most {
            self.processor.on_end(span);
        } else {
            self.counts.waiting.fetch_sub(1, Ordering::Relaxed);
            self.counts.lost.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn force_flush(&self) -> OTelSdkResult {
        self.processor.force_flush()
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        let ended = self.processor.shutdown_with_timeout(timeout);
        // What still waits is never sent.
        self.counts.lost.fetch_add(self.counts.waiting.load(Ordering::Relaxed) as u64, Ordering::Relaxed);
        ended
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.processor.set_resource(resource);
    }
}

/// Sends, and says when the collector stops or begins again to accept spans.
#[derive(Debug)]
pub(super) struct Counted<E> {
    exporter: E,
    counts: Counts,
    is_failing: AtomicBool,
}

impl<E> Counted<E> {
    pub(super) fn new(exporter: E, counts: Counts) -> Self {
        Self { exporter, counts, is_failing: AtomicBool::new(false) }
    }
}

impl<E: SpanExporter> SpanExporter for Counted<E> {
    async fn export(&self, batch: Vec<SpanData>) -> OTelSdkResult {
        let spans = batch.len();
        let sent = self.exporter.export(batch).await;
        self.counts.waiting.fetch_sub(spans, Ordering::Relaxed);
        if sent.is_err() {
            self.counts.lost.fetch_add(spans as u64, Ordering::Relaxed);
        }
        let was_failing = self.is_failing.swap(sent.is_err(), Ordering::Relaxed);
        match &sent {
            // Once: a collector that is away for a day is one piece of news.
            Err(error) if !was_failing => {
                let error = error.to_string();
                tracing::warn!(error, spans, "the collector does not accept traces; they are lost until it does");
            }
            Ok(()) if was_failing => {
                let spans_lost = self.counts.lost.load(Ordering::Relaxed);
                tracing::info!(spans_lost, "the collector accepts traces again");
            }
            _ => {}
        }
        sent
    }

    fn shutdown(&self) -> OTelSdkResult {
        self.exporter.shutdown()
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.exporter.shutdown_with_timeout(timeout)
    }

    fn force_flush(&self) -> OTelSdkResult {
        self.exporter.force_flush()
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.exporter.set_resource(resource);
    }
}
