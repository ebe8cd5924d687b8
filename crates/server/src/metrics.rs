//! What is counted, as Prometheus reads it: once for each turn, from its record, whichever way the question came in.

mod collections;
mod names;
mod parts;

use std::borrow::Cow;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use axum::http::StatusCode;
use ibidem_ports::records::{SearchNumbers, TurnNumbers, TurnRecord};
use ibidem_store::{Feedback, FeedbackReason, HandOverCounts, Thumb};
use ibidem_words::{Action, Reason, SentenceVerdict};
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

use collections::Collections;
pub use names::{Kind, METRICS, Metric};
use parts::RecordedCalls;
pub use parts::{PartCounts, ToolCalls, VocabularyCounts};

/// One label and its value. Values come from code, or from a list that cannot grow without end.
type Label = [(&'static str, Cow<'static, str>); 1];
type Counters = Family<Label, Counter>;
type Gauges = Family<Label, Gauge>;
type Histograms = Family<Label, Histogram, fn() -> Histogram>;

/// From what is in memory to what a person gives up on.
const MILLISECONDS: [f64; 16] = [
    1.0, 2.0, 5.0, 10.0, 25.0, 50.0, 100.0, 250.0, 500.0, 1_000.0, 2_500.0, 5_000.0, 10_000.0, 20_000.0, 30_000.0,
    60_000.0,
];

/// What is counted of a queue of records.
#[derive(Clone, Debug, Default)]
pub(crate) struct AuditCounts {
    /// Records that were made and are not written yet.
    pub(crate) waiting: Gauge,
    pub(crate) written: Counter,
    pub(crate) lost: Counter,
}

impl AuditCounts {
    pub(crate) fn lose(&self, records: usize) {
        self.lost.inc_by(records as u64);
    }
}

/// The counters of one server: a value and not a global, so that two servers in a process do not count for each other.
pub(crate) struct Metrics {
    registry: Registry,
    collections: Collections,
    abstentions: Counters,
    answers: Counters,
    small_talk: Counter,
    feedback: Counters,
    embedding_requests: Counters,
    embedding_failures: Counters,
    embedding_fallbacks: Counters,
    retrievals: Counters,
    retrieval_latency: Histograms,
    markers: Counters,
    sentences: Counters,
    stage_latency: Histograms,
    citations_checked: Counter,
    citations_broken: Counter,
    responses: Counters,
    tool_calls: RecordedCalls,
    hand_overs: Gauges,
    pub(crate) audit: AuditCounts,
}

impl Metrics {
    pub(crate) fn new(parts: Arc<dyn PartCounts>) -> Self {
        let mut registry = Registry::default();
        let mut counters = |metric: &Metric| {
            let family = Counters::default();
            registry.register(metric.registered(), metric.help, family.clone());
            family
        };
        let abstentions = counters(&names::RAG_ABSTENTION);
        let answers = counters(&names::RAG_ANSWER);
        let feedback = counters(&names::ANSWER_FEEDBACK);
        let embedding_requests = counters(&names::EMBEDDING_REQUEST);
        let embedding_failures = counters(&names::EMBEDDING_FAIL);
        let embedding_fallbacks = counters(&names::EMBEDDING_FALLBACK);
        let retrievals = counters(&names::RETRIEVAL_REQUEST);
        let markers = counters(&names::CITATION_MARKER);
        let sentences = counters(&names::SENTENCE);
        let responses = counters(&names::HTTP_RESPONSE);
        let mut histograms = |metric: &Metric| {
            let family = Histograms::new_with_constructor(|| Histogram::new(MILLISECONDS));
            registry.register(metric.registered(), metric.help, family.clone());
            family
        };
        let retrieval_latency = histograms(&names::RETRIEVAL_LATENCY);
        let stage_latency = histograms(&names::STAGE_LATENCY);
        let mut counter = |metric: &Metric| {
            let counter = Counter::default();
            registry.register(metric.registered(), metric.help, counter.clone());
            counter
        };
        let small_talk = counter(&names::RAG_SMALL_TALK);
        let citations_checked = counter(&names::CITATION_CHECKED);
        let citations_broken = counter(&names::CITATION_BROKEN);
        let (written, lost) = (counter(&names::AUDIT_WRITTEN), counter(&names::AUDIT_LOST));
        let audit = AuditCounts { waiting: Gauge::default(), written, lost };
        registry.register(names::AUDIT_WAITING.registered(), names::AUDIT_WAITING.help, audit.waiting.clone());
        let hand_overs = Gauges::default();
        let metric = &names::HAND_OVER_QUESTIONS;
        registry.register(metric.registered(), metric.help, hand_overs.clone());
        let tool_calls = RecordedCalls::default();
        registry.register_collector(Box::new(parts::Read(parts, Arc::clone(&tool_calls))));
        let metrics = Self {
            registry,
            collections: Collections::default(),
            abstentions,
            answers,
            small_talk,
            feedback,
            embedding_requests,
            embedding_failures,
            embedding_fallbacks,
            retrievals,
            retrieval_latency,
            markers,
            sentences,
            stage_latency,
            citations_checked,
            citations_broken,
            responses,
            tool_calls,
            hand_overs,
            audit,
        };
        metrics.begin_at_zero();
        metrics
    }

    /// What never happened yet is 0 and not absent: a rate needs a first value.
    fn begin_at_zero(&self) {
        let zero = |counters: &Counters, name, values: &[&'static str]| {
            for value in values {
                add(counters, name, value, 0);
            }
        };
        zero(&self.abstentions, "reason", &Reason::ALL.map(Reason::as_str));
        zero(&self.answers, "action", &Action::ALL.map(Action::as_str));
        zero(&self.feedback, "verdict", &Thumb::ALL.iter().map(|thumb| thumb.as_str()).collect::<Vec<_>>());
        let reasons = FeedbackReason::ALL.iter().map(|reason| reason.as_str());
        zero(&self.feedback, "verdict", &reasons.collect::<Vec<_>>());
        zero(&self.markers, "outcome", &["expanded", "not_minted", "malformed", "repeated", "internal"]);
        zero(&self.sentences, "verdict", &SentenceVerdict::ALL.map(SentenceVerdict::as_str));
        zero(&self.responses, "status", &["2xx", "4xx", "5xx"]);
        self.hand_overs(&[]);
        for collection in ["all", "several", "other"] {
            for counters in
                [&self.retrievals, &self.embedding_requests, &self.embedding_failures, &self.embedding_fallbacks]
            {
                add(counters, "collection", collection, 0);
            }
            drop(self.retrieval_latency.get_or_create(&[("collection", Cow::Borrowed(collection))]));
        }
        for stage in TurnNumbers::STAGES {
            drop(self.stage_latency.get_or_create(&[("stage", Cow::Borrowed(stage))]));
        }
    }

    /// Counts a turn.
    pub(crate) fn turn(&self, record: &TurnRecord) {
        let (answer, numbers) = (&record.answer, &record.numbers);
        // Counted apart: nothing was asked of the documents.
        if answer.reason == Some(Reason::SmallTalk) {
            self.small_talk.inc();
        } else {
            add(&self.answers, "action", answer.action.as_str(), 1);
        }
        if let Some(reason) = answer.reason.filter(|_| answer.refused) {
            add(&self.abstentions, "reason", reason.as_str(), 1);
        }
        if let Some(search) = &numbers.search {
            self.search(search);
        }
        for call in &record.decision.tool_calls {
            let tool = format!("{}/{}", call.server, call.tool);
            let mut counted = self.tool_calls.lock().unwrap_or_else(PoisonError::into_inner);
            *counted.entry((tool, call.outcome.as_str())).or_default() += 1;
        }
        let markers = &numbers.markers;
        for (outcome, count) in [
            ("expanded", markers.expanded),
            ("not_minted", markers.not_minted),
            ("malformed", markers.malformed),
            ("repeated", markers.repeated),
            ("internal", markers.internal),
        ] {
            add(&self.markers, "outcome", outcome, count);
        }
        for verdict in SentenceVerdict::ALL {
            add(&self.sentences, "verdict", verdict.as_str(), numbers.sentences.of(verdict));
        }
        for (stage, took) in &numbers.stages {
            observe(&self.stage_latency, "stage", Cow::Borrowed(stage), *took);
        }
    }

    /// Counts a search, of a turn or by itself.
    pub(crate) fn search(&self, search: &SearchNumbers) {
        let collection = self.collections.label(search);
        let count = |counters: &Counters, count: u32| {
            counters.get_or_create(&[("collection", collection.clone())]).inc_by(u64::from(count));
        };
        count(&self.retrievals, 1);
        count(&self.embedding_requests, search.embedding_requests);
        count(&self.embedding_failures, search.embedding_failures);
        count(&self.embedding_fallbacks, u32::from(search.by_words_alone));
        observe(&self.retrieval_latency, "collection", collection, search.took);
    }

    /// Counts what an asker said: the reason where there is one, else the thumb.
    pub(crate) fn feedback(&self, feedback: &Feedback) {
        let verdict = feedback.reason.map_or(feedback.thumb.as_str(), FeedbackReason::as_str);
        add(&self.feedback, "verdict", verdict, 1);
    }

    /// What the queue of hand-overs holds at this moment, of all tenants together.
    pub(crate) fn hand_overs(&self, counts: &[HandOverCounts]) {
        let sum = |number: fn(&HandOverCounts) -> u64| counts.iter().map(number).sum::<u64>();
        for (state, count) in
            [("waiting", sum(|of| of.waiting)), ("sent", sum(|of| of.sent)), ("given_up", sum(|of| of.failed))]
        {
            let gauge = self.hand_overs.get_or_create(&[("state", Cow::Borrowed(state))]);
            gauge.set(i64::try_from(count).unwrap_or(i64::MAX));
        }
    }

    /// Counts citations that went out, and those of them that the catalogue does not know.
    pub(crate) fn citations(&self, checked: usize, broken: usize) {
        self.citations_checked.inc_by(checked as u64);
        self.citations_broken.inc_by(broken as u64);
    }

    pub(crate) fn response(&self, status: StatusCode) {
        let class = match status.as_u16() {
            500.. => "5xx",
            400..500 => "4xx",
            _ => "2xx",
        };
        add(&self.responses, "status", class, 1);
    }

    /// All of it, in the OpenMetrics form.
    pub(crate) fn text(&self) -> Result<String, std::fmt::Error> {
        let mut text = String::new();
        encode(&mut text, &self.registry)?;
        Ok(text)
    }
}

fn add(counters: &Counters, label: &'static str, value: &'static str, count: u32) {
    counters.get_or_create(&[(label, Cow::Borrowed(value))]).inc_by(u64::from(count));
}

fn observe(histograms: &Histograms, label: &'static str, value: Cow<'static, str>, took: Duration) {
    histograms.get_or_create(&[(label, value)]).observe(took.as_secs_f64() * 1_000.0);
}
