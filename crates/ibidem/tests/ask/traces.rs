//! Traces of real questions, searches and documents, as a collector gets them.

use ibidem_store::NewKey;
use ibidem_words::{HandIn, Role, TenantId};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::asking::{Asker, HANDBOOK, QUESTION, ingest_handbook};
use crate::collector::{CONSUMER, Collector, INTERNAL, SERVER, Span};
use crate::installation::{Installation, with_installation};

/// The model server is away: the sources' own sentences are the answer.
fn sending_to(url: &str) -> [(&str, &str); 3] {
    [
        ("IBIDEM__SERVER__OTLP_URL", url),
        ("IBIDEM__LANGUAGE_MODEL__URL", "http://127.0.0.1:1/v1"),
        ("IBIDEM__LANGUAGE_MODEL__NAME", "scribe"),
    ]
}

/// A trace that somebody before us began: its id, the span that calls us, and whether it is kept.
const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const CALLER: &str = "00f067aa0ba902b7";

/// Somebody with a key, who may send any header.
struct Caller {
    client: reqwest::Client,
    url: String,
    key: String,
}

impl Caller {
    async fn before(installation: &Installation, url: &str) -> Self {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let tenant = TenantId::named("default");
        let key = NewKey {
            tenant,
            name: "caller".to_owned(),
            role: Role::Asker,
            tags: Vec::new(),
            hand_in: HandIn::Everywhere,
            expires_at: None,
        };
        let key = installation.store().create_key(&key).await.unwrap().secret;
        Self { client: reqwest::Client::new(), url: url.to_owned(), key }
    }

    /// The status and the body of the reply.
    async fn post(&self, path: &str, traceparent: Option<&str>, body: &Value) -> (u16, Value) {
        let request = self.client.post(format!("{}{path}", self.url)).bearer_auth(&self.key).json(body);
        let request = traceparent.into_iter().fold(request, |request, it| request.header("traceparent", it));
        let reply = request.send().await.unwrap();
        (reply.status().as_u16(), reply.json().await.unwrap())
    }
}

fn trace_of(reply: &Value) -> String {
    reply["request_id"].as_str().unwrap().replace('-', "")
}

/// The spans of one trace.
fn of_trace<'a>(spans: &'a [Span], trace: &str) -> Vec<&'a Span> {
    spans.iter().filter(|span| span.trace == trace).collect()
}

/// The one span with this name.
fn named<'a>(spans: &[&'a Span], name: &str) -> &'a Span {
    let found: Vec<&&Span> = spans.iter().filter(|span| span.name == name).collect();
    assert_eq!(found.len(), 1, "{name} in {spans:#?}");
    found[0]
}

/// Every one of these stages is there, below its parent and in its time.
fn assert_stages(spans: &[&Span], parent: &Span, stages: &[&str]) {
    for stage in stages {
        let stage = named(spans, stage);
        assert_eq!((&stage.parent, stage.kind), (&parent.id, INTERNAL), "{stage:?}");
        assert!(parent.from <= stage.from && stage.from <= stage.until && stage.until <= parent.until, "{stage:?}");
    }
}

fn assert_no_text(collector: &Collector) {
    let text = collector.text().to_lowercase();
    for (name, of_document) in HANDBOOK {
        assert!(!text.contains(name), "{name} is in {text}");
        for word in of_document.split(|sign: char| !sign.is_alphanumeric()).filter(|word| word.len() > 4) {
            assert!(!text.contains(&word.to_lowercase()), "{word} is in {text}");
        }
    }
    for word in QUESTION.split(' ').filter(|word| word.len() > 3) {
        assert!(!text.contains(&word.to_lowercase()), "{word} is in {text}");
    }
}

#[tokio::test]
async fn a_question_is_a_trace_with_a_span_for_each_stage_and_without_a_word_of_it() {
    with_installation(async |installation| {
        ingest_handbook(installation).await;
        let collector = Collector::start().await;
        let served = installation.serve(&sending_to(&collector.url)).await;
        let answer = Asker::before(installation, &served).await.ask(QUESTION).await;
        // At its end it has sent all.
        served.stop().await;

        let spans = collector.spans();
        let spans = of_trace(&spans, &trace_of(&answer));
        let request = named(&spans, "POST /v1/answers");
        assert_eq!((request.parent.as_str(), request.kind), ("", SERVER), "{request:?}");
        assert_eq!(request.attributes["http.route"], "/v1/answers");
        assert_eq!(request.attributes["http.request.method"], "POST");
        assert_eq!(request.attributes["http.response.status_code"], 200);
        assert_eq!(request.attributes["ibidem.request_id"], answer["request_id"]);
        assert_stages(&spans, request, &["turn"]);
        let turn = named(&spans, "turn");
        assert_stages(
            &spans,
            turn,
            &["route", "embed", "index", "memory", "catalogue", "rerank", "read", "sift", "speak"],
        );
        assert_stages(&spans, named(&spans, "speak"), &["generate"]);
        assert_eq!(spans.len(), 12, "{spans:#?}");
        assert_eq!(turn.attributes["ibidem.request_id"], answer["request_id"]);
        assert_eq!(turn.attributes["ibidem.tenant"], TenantId::named("default").0.to_string());
        assert_eq!(turn.attributes["ibidem.action"], "cite");
        assert_eq!(turn.attributes["ibidem.model"], "extractive");
        assert_eq!(turn.attributes["ibidem.citations"], answer["citations"].as_array().unwrap().len());
        assert_eq!(turn.attributes["ibidem.policy_sha256"].as_str().unwrap().len(), 64);
        assert!(turn.attributes["ibidem.fallback_flags"].is_array(), "{turn:?}");
        assert_eq!(collector.resource()["service.name"], "ibidem");
        assert_no_text(&collector);

        let doctor = installation.run(&["doctor", "--set", &format!("server.otlp_url={}", collector.url)]).await;
        assert!(doctor.out.contains(&format!("taken at {}", collector.url)), "{doctor:?}");
    })
    .await;
}

#[tokio::test]
async fn a_request_goes_on_with_its_callers_trace() {
    with_installation(async |installation| {
        ingest_handbook(installation).await;
        let collector = Collector::start().await;
        let served = installation.serve(&sending_to(&collector.url)).await;
        let caller = Caller::before(installation, &served.url).await;
        let (kept, dropped) = (format!("00-{TRACE}-{CALLER}-01"), format!("00-{TRACE}-{CALLER}-00"));
        let query = json!({ "query": QUESTION });

        let (status, found) = caller.post("/v1/search", Some(&kept), &query).await;
        assert_eq!(status, 200, "{found}");
        // A mistake, a place that is not there, and a probe are traced too where the caller traces them.
        assert_eq!(caller.post("/v1/answers", Some(&kept), &json!({ "query": "" })).await.0, 422);
        assert_eq!(caller.post("/v1/nowhere", Some(&kept), &query).await.0, 404);
        let probe = caller.client.get(format!("{}/healthz", served.url));
        assert!(probe.header("traceparent", &kept).send().await.unwrap().status().is_success());
        assert!(caller.client.get(format!("{}/healthz", served.url)).send().await.unwrap().status().is_success());
        // The caller does not keep this one.
        let (status, unkept) = caller.post("/v1/search", Some(&dropped), &query).await;
        assert_eq!(status, 200, "{unkept}");
        // No trace that could be gone on with.
        let (status, begun) = caller.post("/v1/search", Some("00-not-a-trace"), &query).await;
        assert_eq!(status, 200, "{begun}");
        served.stop().await;

        let spans = collector.spans();
        let of_caller: Vec<&Span> = spans.iter().filter(|span| span.parent == CALLER).collect();
        let mut names: Vec<&str> = of_caller.iter().map(|span| span.name.as_str()).collect();
        names.sort_unstable();
        assert_eq!(names, ["GET /healthz", "POST", "POST /v1/answers", "POST /v1/search"]);
        assert!(of_caller.iter().all(|span| span.trace == TRACE && span.kind == SERVER), "{of_caller:#?}");
        let request = named(&of_caller, "POST /v1/search");
        assert_eq!(request.attributes["ibidem.request_id"], found["request_id"]);
        assert_eq!(named(&of_caller, "POST /v1/answers").attributes["http.response.status_code"], 422);
        let spans_of_caller = of_trace(&spans, TRACE);
        let search = named(&spans_of_caller, "search");
        assert_eq!(search.parent, request.id);
        assert_eq!(search.attributes["ibidem.hits"], found["hits"].as_array().unwrap().len());
        assert_eq!(search.attributes["ibidem.fallback_flags"], json!([]));
        assert_stages(&spans_of_caller, search, &["embed", "index", "catalogue"]);

        let begun = of_trace(&spans, &trace_of(&begun));
        assert_eq!(named(&begun, "POST /v1/search").parent, "");
        assert_stages(&begun, named(&begun, "search"), &["embed", "index", "catalogue"]);
        assert_eq!(spans_of_caller.len() + begun.len(), spans.len(), "nothing else was sent: {spans:#?}");
        assert_no_text(&collector);
    })
    .await;
}

#[tokio::test]
async fn a_document_is_a_trace_from_reading_to_commit_and_publishing_is_another() {
    with_installation(async |installation| {
        let collector = Collector::start().await;
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in HANDBOOK {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        std::fs::write(folder.path().join("broken.pdf"), "no document of this format").unwrap();
        let (path, url) = (folder.path().to_str().unwrap(), format!("server.otlp_url={}", collector.url));
        installation
            .run(&["ingest", path, "--collection", "Handbook", "--tags", "public", "--wait", "--set", &url])
            .await;

        let spans = collector.spans();
        let documents: Vec<&Span> = spans.iter().filter(|span| span.name == "ingest").collect();
        assert_eq!(documents.len(), HANDBOOK.len() + 1, "{spans:#?}");
        let mut failed = 0;
        for document in documents {
            assert_eq!((document.parent.as_str(), document.kind), ("", CONSUMER), "{document:?}");
            let tenant = TenantId::named("default").0.to_string();
            assert_eq!(document.attributes["ibidem.tenant"], tenant);
            assert!(document.attributes["ibidem.document"].is_string(), "{document:?}");
            let spans = of_trace(&spans, &document.trace);
            if document.attributes["ibidem.format"] == "pdf" {
                assert_eq!(document.attributes["ibidem.failure"], "permanent");
                assert_stages(&spans, document, &["read"]);
                failed += 1;
            } else {
                assert_eq!(document.attributes["ibidem.passages"], 1);
                assert_stages(&spans, document, &["read", "split", "embed", "commit"]);
            }
        }
        assert_eq!(failed, 1);
        let rounds: Vec<&Span> = spans.iter().filter(|span| span.name == "publish").collect();
        let published: i64 = rounds.iter().map(|round| round.attributes["ibidem.documents"].as_i64().unwrap()).sum();
        assert_eq!(published, HANDBOOK.len() as i64, "{rounds:#?}");
        for round in rounds {
            assert_eq!((round.parent.as_str(), round.kind), ("", CONSUMER), "{round:?}");
            assert_stages(&of_trace(&spans, &round.trace), round, &["catalogue", "index"]);
        }
        assert_no_text(&collector);
    })
    .await;
}

#[tokio::test]
async fn a_collector_that_is_gone_or_silent_costs_no_answer() {
    with_installation(async |installation| {
        ingest_handbook(installation).await;
        // Takes connections, and never says anything.
        let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let silent = format!("http://{}", silent.local_addr().unwrap());
        for url in ["http://127.0.0.1:1", &silent] {
            let served = installation.serve(&sending_to(url)).await;
            let asker = Asker::before(installation, &served).await;
            for _ in 0..3 {
                assert_eq!(asker.ask(QUESTION).await["action"], "cite");
            }
            served.stop().await;
        }
        let doctor = installation.run(&["doctor", "--json", "--set", "server.otlp_url=http://127.0.0.1:1"]).await;
        let found = doctor.json();
        let traces = found.as_array().unwrap().iter().find(|finding| finding["part"] == "traces").unwrap();
        assert_eq!(traces["state"], "warning", "{traces}");
        assert!(traces["mend"].as_str().unwrap().contains("server.otlp_url"), "{traces}");
    })
    .await;
}
