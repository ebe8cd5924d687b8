//! What operators see of requests: OBS-01 to OBS-06, through the router, with parts that fail.

use std::io;
use std::sync::{Arc, Mutex};

use axum::http::StatusCode;
use ibidem_adapters::watched_vocabulary::{WatchedSettings, WatchedVocabulary};
use ibidem_ports::degrade::{BreakerSettings, BreakerStates, Breakers};
use ibidem_ports::reranker::{RerankError, RerankFault};
use ibidem_ports::vocabulary::VocabularyError;
use ibidem_server::logs::JsonLines;
use ibidem_server::metrics::{PartCounts, ToolCalls, VocabularyCounts};
use ibidem_testing::fakes::{FakeReranker, FakeVocabulary};
use ibidem_testing::suites::vocabulary::gridterms;
use serde_json::{Value, json};
use tracing::subscriber::DefaultGuard;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::layer::SubscriberExt as _;

use super::metrics::Scrape;
use super::world::{Extras, POLICY, Reply, World, policy};

const QUESTION: &str = "How many days of leave may be carried over?";
const REQUEST_ID: &str = "0190163d-8694-739b-aea5-966c26f8ad91";

/// Everything that is logged on this thread, down to the last detail, until it is dropped.
struct Log {
    written: Written,
    _guard: DefaultGuard,
}

#[derive(Clone, Default)]
struct Written(Arc<Mutex<Vec<u8>>>);

impl io::Write for Written {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Log {
    fn begin(filter: &str) -> Self {
        let written = Written::default();
        let writer = written.clone();
        let filter: EnvFilter = filter.parse().unwrap();
        let lines = JsonLines::to(move || writer.clone());
        let subscriber = tracing_subscriber::registry().with(filter).with(lines);
        Self { written, _guard: tracing::subscriber::set_default(subscriber) }
    }

    fn text(&self) -> String {
        String::from_utf8(self.written.0.lock().unwrap().clone()).unwrap()
    }

    /// The lines of a request, each a JSON document with every field.
    fn of(&self, request_id: &str) -> Vec<Value> {
        let lines = self.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect::<Vec<Value>>();
        for line in &lines {
            for field in ["request_id", "route", "fallback_flags", "timestamp", "level", "component", "event"] {
                assert!(line.get(field).is_some(), "{field} is not in {line}");
            }
        }
        lines.into_iter().filter(|line| line["request_id"] == request_id).collect()
    }
}

fn line<'a>(lines: &'a [Value], event: &str) -> &'a Value {
    lines.iter().find(|line| line["event"] == event).unwrap_or_else(|| panic!("no line {event:?} in {lines:#?}"))
}

async fn ask(world: &World, key: &str, body: &Value) -> Reply {
    let headers = [("content-type", "application/json"), ("authorization", key), ("x-request-id", REQUEST_ID)];
    let reply = world.call_with("POST", "/v1/answers", &headers, &body.to_string()).await;
    assert_eq!(reply.status, StatusCode::OK, "{}", reply.text);
    reply
}

/// Terms are looked up, and a reranker reads: both can fail. It counts words, so similarity decides what is answered.
fn policy_with_everything() -> String {
    let architecture = include_str!("../../../../policies/architecture.yaml");
    let terminology = architecture.split("  terminology:\n").nth(1).unwrap().split("  addresses:\n").next().unwrap();
    let policy = POLICY.replace("gather:\n", &format!("gather:\n  terminology:\n{terminology}"));
    let line = "    - answerability: 0.75\n";
    assert!(policy.contains(line), "the policy has no line {line}");
    policy.replace(line, "")
}

/// A world with a vocabulary and a reranker, and what counts for them.
struct Everything {
    world: World,
    vocabulary: Arc<FakeVocabulary>,
    reranker: Arc<FakeReranker>,
}

struct Counted(WatchedVocabulary, BreakerStates);

impl PartCounts for Counted {
    fn vocabulary(&self) -> VocabularyCounts {
        let counts = self.0.counts();
        VocabularyCounts {
            lookup: counts.lookup,
            hit: counts.hit,
            miss: counts.miss,
            timeout: counts.timeout,
            error: counts.error,
            cache_hit: counts.cache_hit,
        }
    }

    fn breakers(&self) -> BreakerStates {
        self.1.clone()
    }

    fn tool_calls(&self) -> Vec<ToolCalls> {
        vec![ToolCalls { tool: "price".to_owned(), outcome: "success", count: 4 }]
    }
}

impl Everything {
    async fn create() -> Self {
        let vocabulary = Arc::new(FakeVocabulary::of(gridterms()));
        let watched = WatchedVocabulary::new(vocabulary.clone(), WatchedSettings::default());
        let reranker = Arc::new(FakeReranker::default());
        let breakers = Breakers::new(BreakerSettings::default());
        let extras = Extras {
            vocabulary: Some(Arc::new(watched.clone())),
            reranker: Some(reranker.clone()),
            counts: Arc::new(Counted(watched, breakers.states())),
            breakers: Some(breakers),
            ..Extras::default()
        };
        let world = World::create_with(policy(&policy_with_everything()), extras).await;
        Self { world, vocabulary, reranker }
    }
}

#[tokio::test]
async fn obs_01_every_line_of_a_request_has_its_id_and_no_flags() {
    let world = World::create().await;
    let key = world.key("asker", &[]).await;
    world.take_in_to("ADR", world.tenant, "queues.md", "public", ["Queues", "Services talk by queues."]).await;
    let log = Log::begin("info");
    for (collections, route) in [(json!([]), "tree"), (json!(["Policy"]), "direct"), (json!(["Policy", "ADR"]), "tree")]
    {
        log.written.0.lock().unwrap().clear();
        let reply = ask(&world, &key, &json!({ "query": QUESTION, "collections": collections })).await;
        assert_eq!(reply.header("x-request-id"), Some(REQUEST_ID));
        let lines = log.of(REQUEST_ID);
        for event in ["a question came in", "a turn ended", "a request was replied to"] {
            let line = line(&lines, event);
            assert_eq!((line["route"].as_str(), line["level"].as_str()), (Some(route), Some("INFO")), "{line}");
            assert_eq!((line["component"].as_str(), &line["fallback_flags"]), (Some("server"), &json!([])), "{line}");
        }
        assert_eq!(log.text().lines().count(), lines.len(), "some lines are of no request: {}", log.text());
    }
    world.end().await;
}

#[tokio::test]
async fn the_trace_that_a_caller_began_is_in_every_line_of_the_request() {
    const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
    let traceparent = format!("00-{TRACE}-00f067aa0ba902b7-01");
    let world = World::create().await;
    let key = world.key("asker", &[]).await;
    let log = Log::begin("trace");
    let body = json!({ "query": QUESTION }).to_string();
    let other_id = "0190163d-8694-739b-aea5-966c26f8ad92";
    for (request_id, given, trace) in
        [(REQUEST_ID, traceparent.as_str(), json!(TRACE)), (other_id, "00-not-a-trace", Value::Null)]
    {
        let headers = [
            ("content-type", "application/json"),
            ("authorization", key.as_str()),
            ("x-request-id", request_id),
            ("traceparent", given),
        ];
        let reply = world.call_with("POST", "/v1/answers", &headers, &body).await;
        assert_eq!(reply.body["request_id"], request_id);
        let lines = log.of(request_id);
        assert!(lines.len() > 3, "{lines:#?}");
        for line in lines {
            assert_eq!(line["trace_id"], trace, "{line}");
            assert!(!line.to_string().contains("otel."), "what the exporter is told is in a line: {line}");
        }
    }
    world.end().await;
}

#[tokio::test]
async fn obs_02_a_vocabulary_that_is_late_is_a_flag() {
    let everything = Everything::create().await;
    let key = everything.world.key("asker", &[]).await;
    let log = Log::begin("info");
    everything.vocabulary.fail(VocabularyError::Timeout(300));
    let reply = ask(&everything.world, &key, &json!({ "query": "What is a busbar section?" })).await;
    assert_eq!(reply.body["reason"], "terminology_timeout");
    let lines = log.of(REQUEST_ID);
    assert_eq!(line(&lines, "a turn ended")["fallback_flags"], json!(["skosmos_timeout"]));
    assert_eq!(line(&lines, "a part failed during a turn")["level"], "WARN");
    everything.world.end().await;
}

#[tokio::test]
async fn obs_03_a_breaker_that_is_open_is_a_flag_and_a_gauge() {
    let everything = Everything::create().await;
    let world = &everything.world;
    let key = world.key("asker", &[]).await;
    world.embedder.set_down(true);
    let failures = BreakerSettings::default().failures_to_open;
    let log = Log::begin("info");
    for _ in 0..failures {
        ask(world, &key, &json!({ "query": QUESTION })).await;
    }
    for line in log.of(REQUEST_ID) {
        assert!(!line["fallback_flags"].as_array().unwrap().contains(&json!("circuit_open")), "{line}");
    }
    ask(world, &key, &json!({ "query": QUESTION })).await;
    let lines = log.of(REQUEST_ID);
    for flag in ["bm25_only", "circuit_open"] {
        let last = lines.iter().rfind(|line| line["event"] == "a turn ended").unwrap();
        assert!(last["fallback_flags"].as_array().unwrap().contains(&json!(flag)), "{last}");
    }
    let scrape = Scrape::of(world).await;
    let of_embedding = |name: &str| scrape.value(name, &[("service", "embedding")]);
    assert_eq!((of_embedding("circuit_breaker_state"), of_embedding("circuit_breaker_trip_total")), (2.0, 1.0));
    let of_all = |name: &str| scrape.value(name, &[("collection", "all")]);
    // What was not asked is no request and no failure, but a fallback.
    let counts = ["embedding_request_total", "embedding_fail_total", "embedding_fallback_total"].map(of_all);
    assert_eq!(counts, [f64::from(failures), f64::from(failures), f64::from(failures) + 1.0]);
    everything.world.end().await;
}

#[tokio::test]
async fn obs_04_a_search_by_words_alone_is_a_flag() {
    let world = World::create().await;
    let key = world.key("asker", &[]).await;
    world.embedder.set_down(true);
    let log = Log::begin("warn");
    ask(&world, &key, &json!({ "query": QUESTION })).await;
    // Whatever the filter, a line that passes it has its request's id and flags.
    let lines = log.of(REQUEST_ID);
    let failed = line(&lines, "a part failed during a turn");
    assert_eq!((&failed["fallback_flags"][0], &failed["route"]), (&json!("bm25_only"), &json!("tree")));
    drop(log);

    let log = Log::begin("info");
    let headers = [("content-type", "application/json"), ("authorization", &key), ("x-request-id", REQUEST_ID)];
    let reply = world.call_with("POST", "/v1/search", &headers, r#"{"query": "leave"}"#).await;
    assert_eq!(reply.status, StatusCode::OK);
    assert_eq!(line(&log.of(REQUEST_ID), "a request was replied to")["fallback_flags"], json!(["bm25_only"]));
    world.end().await;
}

#[tokio::test]
async fn obs_05_several_flags_are_there_together_and_once_each() {
    let everything = Everything::create().await;
    let key = everything.world.key("asker", &[]).await;
    everything.world.embedder.set_down(true);
    everything.reranker.set_trouble(Some(RerankError::Own(RerankFault::Failed("told to".to_owned()))));
    for _ in 0..BreakerSettings::default().failures_to_open {
        ask(&everything.world, &key, &json!({ "query": QUESTION })).await;
    }
    let log = Log::begin("info");
    ask(&everything.world, &key, &json!({ "query": QUESTION })).await;
    let lines = log.of(REQUEST_ID);
    for event in ["a turn ended", "a request was replied to"] {
        let line = line(&lines, event);
        let flags: Vec<&str> = line["fallback_flags"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        for flag in ["bm25_only", "circuit_open", "no_rerank"] {
            assert_eq!(flags.iter().filter(|other| **other == flag).count(), 1, "{flags:?}");
        }
    }
    everything.world.end().await;
}

#[tokio::test]
async fn obs_06_counters_are_what_so_many_requests_must_give() {
    const ANSWERED: f64 = 3.0;
    let everything = Everything::create().await;
    let Everything { world, vocabulary, reranker } = &everything;
    let key = world.key("asker", &[]).await;
    for collection in ["Made", "Up", "Nonsense"] {
        let location = format!("{collection}.md");
        world.take_in_to(collection, world.tenant, &location, "public", ["Queues", "Services talk by queues."]).await;
    }
    let before = Scrape::of(world).await;
    for stream in [false, true, false] {
        ask(world, &key, &json!({ "query": QUESTION, "stream": stream })).await;
    }
    ask(world, &key, &json!({ "query": "Quarks, gluons and penguins?", "collections": ["Made", "Up"] })).await;
    for _ in 0..2 {
        ask(world, &key, &json!({ "query": "What is a busbar section?" })).await;
    }
    ask(world, &key, &json!({ "query": "What is a foobarbaz?" })).await;
    vocabulary.fail(VocabularyError::Timeout(300));
    ask(world, &key, &json!({ "query": "What is a tap?" })).await;
    world.embedder.set_down(true);
    reranker.set_trouble(Some(RerankError::Timeout(1)));
    ask(world, &key, &json!({ "query": QUESTION, "collections": ["Policy"] })).await;
    ask(world, &key, &json!({ "query": QUESTION, "collections": ["Nonsense"] })).await;
    let after = Scrape::of(world).await;
    let grown = |name: &str, labels: &[(&str, &str)]| after.value(name, labels) - before.value(name, labels);
    let actions = ["cite", "route", "refuse", "clarify"].map(|action| grown("rag_answer_total", &[("action", action)]));
    assert_eq!(actions.iter().sum::<f64>(), 10.0, "{actions:?}");
    let reason = |reason| grown("rag_abstention_total", &[("reason", reason)]);
    assert_eq!((reason("terminology_not_found"), reason("terminology_timeout")), (1.0, 1.0));
    let refused: f64 = ["refuse", "route"].map(|action| grown("rag_answer_total", &[("action", action)])).iter().sum();
    let abstentions = after.all("rag_abstention_total").iter().sum::<f64>();
    assert_eq!(refused, abstentions);

    let skosmos = |what: &str| grown(&format!("skosmos_{what}_total"), &[("backend", "skosmos")]);
    let lookups = ["lookup", "hit", "miss", "timeout", "error"].map(skosmos);
    assert_eq!(lookups, [3.0, 1.0, 1.0, 1.0, 0.0]);
    assert_eq!(grown("skosmos_cache_hit_total", &[("backend", "cache")]), 1.0);

    let of = |name: &str, collection: &str| grown(name, &[("collection", collection)]);
    for (collection, searches, failures) in [("all", ANSWERED, 0.0), ("several", 1.0, 0.0), ("other", 1.0, 1.0)] {
        assert_eq!(of("retrieval_request_total", collection), searches, "{collection}");
        assert_eq!(of("retrieval_latency_ms_count", collection), searches, "{collection}");
        assert_eq!(of("embedding_request_total", collection), searches, "{collection}");
        assert_eq!(of("embedding_fail_total", collection), failures, "{collection}");
        assert_eq!(of("embedding_fallback_total", collection), failures, "{collection}");
    }
    assert_eq!(of("retrieval_request_total", "Policy"), 1.0);
    assert_eq!(of("embedding_fail_total", "Policy"), 1.0);
    let stages = |scrape: &Scrape| scrape.all("stage_latency_ms_count").len();
    assert_eq!(stages(&before), stages(&after), "a stage is not in the list of those that begin at 0");
    assert_eq!(grown("stage_latency_ms_count", &[("stage", "turn")]), 10.0);
    assert_eq!(grown("stage_latency_ms_count", &[("stage", "route")]), 10.0);
    assert_eq!(grown("stage_latency_ms_count", &[("stage", "sift")]), 6.0);

    // The model wrote each time two markers and three sentences, one of them in no document; the vocabulary was quoted.
    let written = ANSWERED + 1.0;
    assert_eq!(grown("stage_latency_ms_count", &[("stage", "generate")]), written);
    assert_eq!(grown("citation_marker_total", &[("outcome", "expanded")]), 2.0 * written);
    assert_eq!(grown("sentence_total", &[("verdict", "supported")]), 2.0 * written + 2.0);
    assert_eq!(grown("sentence_total", &[("verdict", "unsupported")]), written);
    assert_eq!(grown("http_response_total", &[("status", "2xx")]), 10.0);
    assert_eq!(after.value("tool_call_total", &[("tool", "price"), ("outcome", "success")]), 4.0);
    everything.world.end().await;
}

#[tokio::test]
async fn no_question_and_no_document_is_ever_logged() {
    const SECRET: &str = "zanzibar";
    let everything = Everything::create().await;
    let Everything { world, vocabulary, reranker } = &everything;
    let key = world.key("asker", &[]).await;
    // Everything that this project's own code can say, at the finest level.
    let filter = "off,ibidem_server=trace,ibidem_engine=trace,ibidem_adapters=trace,ibidem_store=trace";
    let log = Log::begin(filter);
    let ask_all = async || {
        for query in [format!("{QUESTION} {SECRET}"), format!("What is {SECRET}?"), format!("list {SECRET}")] {
            ask(world, &key, &json!({ "query": query, "history": [{"role": "user", "content": SECRET}] })).await;
            let body = json!({ "query": query }).to_string();
            world.call("POST", "/v1/search", Some(&key), &body).await;
        }
    };
    ask_all().await;
    world.embedder.set_down(true);
    vocabulary.fail(VocabularyError::Unavailable("told to".to_owned()));
    reranker.set_trouble(Some(RerankError::Own(RerankFault::Failed("told to".to_owned()))));
    ask_all().await;
    world.index.set_down(true);
    ask_all().await;
    world.call("GET", &format!("/v1/search?q={SECRET}"), Some(&key), "").await;
    let text = log.text();
    assert!(text.lines().count() > 20, "{text}");
    for secret in [SECRET, "carried over", "Five days"] {
        assert!(!text.contains(secret), "{secret:?} is in {text}");
    }
    everything.world.end().await;
}
