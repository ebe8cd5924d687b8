//! Every name that is exported: dashboards and alerts are held against this list.

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Counter,
    Gauge,
    Histogram,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Metric {
    /// As a query names it; a histogram's with `_bucket`, `_sum` or `_count` behind it.
    pub name: &'static str,
    pub kind: Kind,
    pub labels: &'static [&'static str],
    pub help: &'static str,
}

impl Metric {
    const fn counter(name: &'static str, labels: &'static [&'static str], help: &'static str) -> Self {
        Self { name, kind: Kind::Counter, labels, help }
    }

    const fn histogram(name: &'static str, labels: &'static [&'static str], help: &'static str) -> Self {
        Self { name, kind: Kind::Histogram, labels, help }
    }

    /// The form of the text adds `_total` to a counter's name by itself.
    pub(super) fn registered(&self) -> &'static str {
        match self.kind {
            Kind::Counter => self.name.strip_suffix("_total").unwrap_or(self.name),
            Kind::Gauge | Kind::Histogram => self.name,
        }
    }
}

pub(super) const RAG_ABSTENTION: Metric =
    Metric::counter("rag_abstention_total", &["reason"], "Questions that were not answered");
pub(super) const RAG_ANSWER: Metric = Metric::counter("rag_answer_total", &["action"], "Questions, by what came back");
pub(super) const RAG_SMALL_TALK: Metric =
    Metric::counter("rag_small_talk_total", &[], "Greetings, thanks and questions about the assistant: no questions");
pub(super) const ANSWER_FEEDBACK: Metric =
    Metric::counter("answer_feedback_total", &["verdict"], "What askers said of answers: up, down, or what is wrong");
pub(super) const SKOSMOS_LOOKUP: Metric =
    Metric::counter("skosmos_lookup_total", &["backend"], "Terms looked up: hits, misses, timeouts and errors");
pub(super) const SKOSMOS_HIT: Metric =
    Metric::counter("skosmos_hit_total", &["backend"], "Terms with a definition or several meanings");
pub(super) const SKOSMOS_MISS: Metric =
    Metric::counter("skosmos_miss_total", &["backend"], "Terms that no vocabulary defines");
pub(super) const SKOSMOS_TIMEOUT: Metric =
    Metric::counter("skosmos_timeout_total", &["backend"], "Lookups that took too long");
pub(super) const SKOSMOS_ERROR: Metric = Metric::counter("skosmos_error_total", &["backend"], "Lookups that failed");
pub(super) const SKOSMOS_CACHE_HIT: Metric =
    Metric::counter("skosmos_cache_hit_total", &["backend"], "Terms that were remembered: no lookups");
pub(super) const EMBEDDING_REQUEST: Metric =
    Metric::counter("embedding_request_total", &["collection"], "Calls of the embedding model to search by meaning");
pub(super) const EMBEDDING_FAIL: Metric =
    Metric::counter("embedding_fail_total", &["collection"], "Those of the calls that failed");
pub(super) const EMBEDDING_FALLBACK: Metric =
    Metric::counter("embedding_fallback_total", &["collection"], "Searches that went on by words alone");
pub(super) const RETRIEVAL_REQUEST: Metric =
    Metric::counter("retrieval_request_total", &["collection"], "Searches for passages");
pub(super) const RETRIEVAL_LATENCY: Metric =
    Metric::histogram("retrieval_latency_ms", &["collection"], "Milliseconds of a search, all its rounds together");
pub(super) const CIRCUIT_BREAKER_STATE: Metric = Metric {
    name: "circuit_breaker_state",
    kind: Kind::Gauge,
    labels: &["service"],
    help: "0 closed, 1 half-open, 2 open",
};
pub(super) const CIRCUIT_BREAKER_TRIP: Metric =
    Metric::counter("circuit_breaker_trip_total", &["service"], "How often a breaker opened");
pub(super) const CITATION_MARKER: Metric =
    Metric::counter("citation_marker_total", &["outcome"], "Markers that models wrote, by what became of them");
pub(super) const SENTENCE: Metric =
    Metric::counter("sentence_total", &["verdict"], "Sentences, said or not, by whether their sources support them");
pub(super) const STAGE_LATENCY: Metric =
    Metric::histogram("stage_latency_ms", &["stage"], "Milliseconds of each stage of a turn; turn is the whole");
pub(super) const CITATION_CHECKED: Metric =
    Metric::counter("citation_checked_total", &[], "Citations that went out and were held against the catalogue");
pub(super) const CITATION_BROKEN: Metric =
    Metric::counter("citation_broken_total", &[], "Those of the citations that the catalogue does not know");
pub(super) const HTTP_RESPONSE: Metric =
    Metric::counter("http_response_total", &["status"], "Replies of the API, by class of status");

pub(super) const TOOL_CALL: Metric =
    Metric::counter("tool_call_total", &["tool", "outcome"], "Calls of tools, by how they ended");

pub(super) const HAND_OVER_QUESTIONS: Metric = Metric {
    name: "hand_over_questions",
    kind: Kind::Gauge,
    labels: &["state"],
    help: "Questions for owners of the last 30 days: waiting, sent, or given up; the same on every server",
};

pub(super) const AUDIT_WAITING: Metric =
    Metric { name: "audit_waiting", kind: Kind::Gauge, labels: &[], help: "Records of turns that are not written yet" };
pub(super) const AUDIT_WRITTEN: Metric =
    Metric::counter("audit_written_total", &[], "Records of turns that were written");
pub(super) const AUDIT_LOST: Metric =
    Metric::counter("audit_lost_total", &[], "Records of turns that could not be written");

pub(super) const TRACE_SPAN_LOST: Metric =
    Metric::counter("trace_span_lost_total", &[], "Spans of traces that the collector did not get");

/// All of them.
pub const METRICS: [Metric; 29] = [
    RAG_ABSTENTION,
    RAG_ANSWER,
    RAG_SMALL_TALK,
    ANSWER_FEEDBACK,
    SKOSMOS_LOOKUP,
    SKOSMOS_HIT,
    SKOSMOS_MISS,
    SKOSMOS_TIMEOUT,
    SKOSMOS_ERROR,
    SKOSMOS_CACHE_HIT,
    EMBEDDING_REQUEST,
    EMBEDDING_FAIL,
    EMBEDDING_FALLBACK,
    RETRIEVAL_REQUEST,
    RETRIEVAL_LATENCY,
    CIRCUIT_BREAKER_STATE,
    CIRCUIT_BREAKER_TRIP,
    CITATION_MARKER,
    SENTENCE,
    TOOL_CALL,
    STAGE_LATENCY,
    CITATION_CHECKED,
    CITATION_BROKEN,
    HTTP_RESPONSE,
    HAND_OVER_QUESTIONS,
    AUDIT_WAITING,
    AUDIT_WRITTEN,
    AUDIT_LOST,
    TRACE_SPAN_LOST,
];
