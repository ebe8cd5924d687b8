//! What parts count themselves: read when somebody looks.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use ibidem_ports::degrade::BreakerStates;
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeLabelSet, EncodeMetric as _};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;

use super::names::{
    CIRCUIT_BREAKER_STATE, CIRCUIT_BREAKER_TRIP, Metric, SKOSMOS_CACHE_HIT, SKOSMOS_ERROR, SKOSMOS_HIT, SKOSMOS_LOOKUP,
    SKOSMOS_MISS, SKOSMOS_TIMEOUT, TOOL_CALL, TRACE_SPAN_LOST,
};

/// What always has a breaker to look at; a model of another role has one more where it is configured.
const SERVICES: [&str; 6] = ["embedding", "reranker", "entailment", "model", "vocabulary", "index"];

/// Terms looked up so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct VocabularyCounts {
    pub lookup: u64,
    pub hit: u64,
    pub miss: u64,
    pub timeout: u64,
    pub error: u64,
    pub cache_hit: u64,
}

/// Calls of one tool that ended in one way.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ToolCalls {
    pub tool: String,
    pub outcome: &'static str,
    pub count: u64,
}

/// Asked at each reading, so nothing here may wait.
pub trait PartCounts: Send + Sync {
    /// All 0 where there is no vocabulary.
    fn vocabulary(&self) -> VocabularyCounts;

    /// A part that has none has never opened.
    fn breakers(&self) -> BreakerStates;

    /// Calls of tools that are in no record of a turn. Only tools that are configured: their names are labels.
    fn tool_calls(&self) -> Vec<ToolCalls>;

    /// 0 where nobody collects traces.
    fn spans_lost(&self) -> u64 {
        0
    }
}

/// Calls of tools, from the records of turns: by server and tool, and by how they ended. Policies name the tools, so there
/// are never many.
pub(super) type RecordedCalls = Arc<Mutex<BTreeMap<(String, &'static str), u64>>>;

pub(super) struct Read(pub(super) Arc<dyn PartCounts>, pub(super) RecordedCalls);

impl fmt::Debug for Read {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Read").finish_non_exhaustive()
    }
}

impl Collector for Read {
    fn encode(&self, mut encoder: DescriptorEncoder) -> Result<(), fmt::Error> {
        let counts = self.0.vocabulary();
        for (metric, backend, count) in [
            (SKOSMOS_LOOKUP, "skosmos", counts.lookup),
            (SKOSMOS_HIT, "skosmos", counts.hit),
            (SKOSMOS_MISS, "skosmos", counts.miss),
            (SKOSMOS_TIMEOUT, "skosmos", counts.timeout),
            (SKOSMOS_ERROR, "skosmos", counts.error),
            (SKOSMOS_CACHE_HIT, "cache", counts.cache_hit),
        ] {
            counter(&mut encoder, &metric, [([("backend", backend)], count)])?;
        }
        let mut breakers = self.0.breakers().states();
        for service in SERVICES {
            if !breakers.iter().any(|(name, ..)| name == service) {
                breakers.push((service.to_owned(), 0, 0));
            }
        }
        let trips = breakers.iter().map(|(service, _, trips)| ([("service", service.as_str())], *trips));
        counter(&mut encoder, &CIRCUIT_BREAKER_TRIP, trips)?;
        let recorded = self.1.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let recorded = recorded.into_iter().map(|((tool, outcome), count)| ToolCalls { tool, outcome, count });
        let calls: Vec<ToolCalls> = self.0.tool_calls().into_iter().chain(recorded).collect();
        let calls = calls.iter().map(|it| ([("tool", it.tool.as_str()), ("outcome", it.outcome)], it.count));
        counter(&mut encoder, &TOOL_CALL, calls)?;
        let metric = TRACE_SPAN_LOST;
        let lost = encoder.encode_descriptor(metric.registered(), metric.help, None, MetricType::Counter)?;
        ConstCounter::new(self.0.spans_lost()).encode(lost)?;
        let metric = CIRCUIT_BREAKER_STATE;
        let mut states = encoder.encode_descriptor(metric.registered(), metric.help, None, MetricType::Gauge)?;
        for (service, state, _) in &breakers {
            ConstGauge::new(i64::from(*state)).encode(states.encode_family(&[("service", service.as_str())])?)?;
        }
        Ok(())
    }
}

fn counter(
    encoder: &mut DescriptorEncoder,
    metric: &Metric,
    series: impl IntoIterator<Item = (impl EncodeLabelSet, u64)>,
) -> Result<(), fmt::Error> {
    let mut counters = encoder.encode_descriptor(metric.registered(), metric.help, None, MetricType::Counter)?;
    for (labels, count) in series {
        ConstCounter::new(count).encode(counters.encode_family(&labels)?)?;
    }
    Ok(())
}
