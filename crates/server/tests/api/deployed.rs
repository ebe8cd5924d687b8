//! The dashboard and the alerts under `deploy/`: they ask for what is exported, and a real Prometheus reads it.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use ibidem_ports::degrade::{BreakerSettings, BreakerStates, Breakers};
use ibidem_server::metrics::{Kind, METRICS, PartCounts, ToolCalls, VocabularyCounts};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::process::{Child, Command};

use super::world::{Extras, METRICS_TOKEN, POLICY, World, policy};

const DASHBOARD: &str = include_str!("../../../../deploy/grafana/ibidem.json");
const RULES: &str = include_str!("../../../../deploy/prometheus/rules.yml");
const OBJECTIVES: &str = include_str!("../../../../deploy/prometheus/slo.yml");
const CONFIGURATION: &str = include_str!("../../../../deploy/prometheus/prometheus.yml");

/// Nothing here takes longer, unless it hangs.
const PATIENCE: Duration = Duration::from_secs(120);

fn dashboard_queries() -> Vec<String> {
    let dashboard: Value = serde_json::from_str(DASHBOARD).unwrap();
    let panels = dashboard["panels"].as_array().unwrap().iter();
    let targets = panels.flat_map(|panel| panel["targets"].as_array().unwrap());
    targets.map(|target| target["expr"].as_str().unwrap().to_owned()).collect()
}

/// The name and the query of every rule of both files that is an alert, or that records a series.
fn rules(kind: &str) -> Vec<(String, String)> {
    let files = [RULES, OBJECTIVES].map(|file| serde_saphyr::from_str::<Value>(file).unwrap());
    let groups = files.iter().flat_map(|file| file["groups"].as_array().unwrap());
    let rules = groups.flat_map(|group| group["rules"].as_array().unwrap());
    rules
        .filter_map(|rule| Some((rule[kind].as_str()?.to_owned(), rule["expr"].as_str().unwrap().to_owned())))
        .collect()
}

fn alert_queries() -> Vec<(String, String)> {
    rules("alert")
}

/// The series that a query asks for.
fn series_of(query: &str) -> BTreeSet<String> {
    // Labels, ranges and what is grouped by are no series.
    let mut bare = String::new();
    let mut depth = 0_usize;
    for character in query.chars() {
        match character {
            '{' | '[' => depth += 1,
            '}' | ']' => depth -= 1,
            _ if depth == 0 => bare.push(character),
            _ => {}
        }
    }
    while let Some(start) = bare.find(" by (") {
        let end = start + bare[start..].find(')').unwrap();
        bare.replace_range(start..=end, " ");
    }
    let is_word = |character: char| character.is_ascii_alphanumeric() || "_:".contains(character);
    let mut series = BTreeSet::new();
    let mut rest = bare.as_str();
    while let Some(start) = rest.find(is_word) {
        let length = rest[start..].find(|character| !is_word(character)).unwrap_or(rest.len() - start);
        let (word, after) = rest[start..].split_at(length);
        let is_function = after.trim_start().starts_with('(');
        let is_number = word.starts_with(|character: char| character.is_ascii_digit());
        if !is_function && !is_number && !["and", "or", "unless", "sum", "max"].contains(&word) {
            series.insert(word.to_owned());
        }
        rest = after;
    }
    series
}

/// The metric that a series is of.
fn metric_of(series: &str) -> Option<&'static str> {
    let is_of = |name: &str, kind: Kind| match kind {
        Kind::Counter | Kind::Gauge => series == name,
        Kind::Histogram => ["_bucket", "_sum", "_count"].iter().any(|end| series == format!("{name}{end}")),
    };
    METRICS.iter().find(|metric| is_of(metric.name, metric.kind)).map(|metric| metric.name)
}

#[test]
fn the_series_of_a_query_are_found() {
    let query =
        r#"histogram_quantile(0.95, sum by (le, stage) (rate(a_bucket{stage="b"}[5m]))) / sum(c_total) > 0.5 and d"#;
    assert_eq!(series_of(query), ["a_bucket", "c_total", "d"].map(str::to_owned).into());
}

#[test]
fn every_query_asks_for_what_is_exported() {
    let recorded = rules("record");
    let is_recorded = |series: &str| recorded.iter().any(|(name, _)| name == series);
    let of_rules = alert_queries().into_iter().chain(recorded.clone()).map(|(_, query)| query);
    for query in dashboard_queries().into_iter().chain(of_rules) {
        let series = series_of(&query);
        assert!(!series.is_empty() || query.starts_with("vector("), "{query}");
        for series in series {
            // Prometheus' own: whether it could read a target.
            let is_known = series == "up" || metric_of(&series).is_some() || is_recorded(&series);
            assert!(is_known, "{series} is neither exported nor recorded: {query}");
        }
    }
}

#[test]
fn everything_that_is_exported_is_on_the_dashboard() {
    let shown: BTreeSet<&str> =
        dashboard_queries().iter().flat_map(|query| series_of(query)).filter_map(|series| metric_of(&series)).collect();
    let exported: BTreeSet<&str> = METRICS.iter().map(|metric| metric.name).collect();
    assert_eq!(shown, exported);
}

/// The index has failed too often, and a tool has an odd name.
struct OpenIndex(BreakerStates);

impl OpenIndex {
    fn new() -> Self {
        let breakers = Breakers::new(BreakerSettings::default());
        let index = breakers.of("index", PATIENCE);
        for _ in 0..BreakerSettings::default().failures_to_open {
            index.begin().unwrap().failed();
        }
        Self(breakers.states())
    }
}

impl PartCounts for OpenIndex {
    fn vocabulary(&self) -> VocabularyCounts {
        VocabularyCounts::default()
    }

    fn breakers(&self) -> BreakerStates {
        self.0.clone()
    }

    fn tool_calls(&self) -> Vec<ToolCalls> {
        vec![ToolCalls { tool: "price \"now\"\n".to_owned(), outcome: "success", count: 1 }]
    }
}

/// A Prometheus of its own, which ends with this.
struct Prometheus {
    _child: Child,
    url: String,
    client: reqwest::Client,
}

impl Prometheus {
    /// With the configuration and the rules as they are shipped, but for the target and the pace.
    async fn start(folder: &Path, target: &str) -> Self {
        let binary = std::env::var("IBIDEM_STACK_PROMETHEUS");
        let binary = binary.unwrap_or_else(|_| panic!("no Prometheus: run stack/up, then eval \"$(stack/env)\""));
        let configuration = CONFIGURATION.replace("127.0.0.1:8080", target).replace("15s", "200ms");
        assert!(configuration.contains(target) && configuration.contains("200ms"));
        std::fs::write(folder.join("prometheus.yml"), configuration).unwrap();
        std::fs::write(folder.join("rules.yml"), RULES).unwrap();
        std::fs::write(folder.join("slo.yml"), OBJECTIVES).unwrap();
        std::fs::write(folder.join("ibidem.token"), METRICS_TOKEN).unwrap();
        let port = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap().port();
        let child = Command::new(binary)
            .arg(format!("--config.file={}", folder.join("prometheus.yml").display()))
            .arg(format!("--storage.tsdb.path={}", folder.join("data").display()))
            .arg(format!("--web.listen-address=127.0.0.1:{port}"))
            .arg("--log.level=error")
            .stdin(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = reqwest::Client::builder().no_proxy().timeout(PATIENCE).build().unwrap();
        Self { _child: child, url: format!("http://127.0.0.1:{port}"), client }
    }

    async fn get(&self, path: &str) -> Option<Value> {
        let reply = self.client.get(format!("{}{path}", self.url)).send().await.ok()?;
        serde_json::from_str(&reply.text().await.ok()?).ok()
    }

    /// The results of a query.
    async fn query(&self, query: &str) -> Vec<Value> {
        let escaped: String = query.bytes().map(|byte| format!("%{byte:02X}")).collect();
        let reply = self.get(&format!("/api/v1/query?query={escaped}")).await;
        let reply = reply.unwrap_or_else(|| panic!("no answer to {query}"));
        assert_eq!(reply["status"], "success", "{query}: {reply}");
        reply["data"]["result"].as_array().unwrap().clone()
    }

    /// Waits until a query has a result, and gives its first value.
    async fn eventually(&self, query: &str, wanted: impl Fn(f64) -> bool) -> f64 {
        let value = async {
            loop {
                if self.get("/-/ready").await.is_some() || self.get("/api/v1/rules").await.is_some() {
                    let results = self.query(query).await;
                    let value = results.first().and_then(|result| result["value"][1].as_str()?.parse::<f64>().ok());
                    if let Some(value) = value.filter(|value| wanted(*value)) {
                        return value;
                    }
                }
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        };
        tokio::time::timeout(PATIENCE, value).await.unwrap_or_else(|_| panic!("{query} never came true"))
    }
}

#[tokio::test]
async fn a_real_prometheus_reads_the_metrics_and_answers_every_query() {
    if std::env::var_os("IBIDEM_STACK_PROMETHEUS").is_none() {
        eprintln!("did not run: there is no Prometheus here (stack/fetch brings Debian's)");
        return;
    }
    let extras = Extras { counts: std::sync::Arc::new(OpenIndex::new()), ..Extras::default() };
    let world = World::create_with(policy(POLICY), extras).await;
    let admin = world.key("admin", &[]).await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let target = listener.local_addr().unwrap().to_string();
    let router = world.router.clone();
    let serving = tokio::spawn(async move { axum::serve(listener, router).await });
    let folder = tempfile::tempdir().unwrap();
    let prometheus = Prometheus::start(folder.path(), &target).await;

    prometheus.eventually(r#"up{job="ibidem"}"#, |up| up == 1.0).await;
    // A rate needs the value before.
    prometheus.eventually("sum(rag_answer_total)", |count| count == 0.0).await;
    for query in ["How many days of leave may be carried over?", "Quarks, gluons and penguins?"] {
        let body = json!({ "query": query }).to_string();
        world.call("POST", "/v1/answers", Some(&admin), &body).await;
    }
    prometheus.eventually("sum(rag_answer_total)", |count| count == 2.0).await;
    let refused = "sum(rate(rag_abstention_total[5m])) / sum(rate(rag_answer_total[5m]))";
    let refused = prometheus.eventually(refused, f64::is_finite).await;
    assert!((refused - 0.5).abs() < 1e-9, "{refused}");
    let slow = r#"histogram_quantile(0.95, sum by (le) (rate(stage_latency_ms_bucket{stage="turn"}[5m])))"#;
    prometheus.eventually(slow, |milliseconds| milliseconds > 0.0).await;

    for query in dashboard_queries() {
        let query = query.replace("$__rate_interval", "5m");
        if query.starts_with("ibidem:") {
            // Recorded a moment after what it is made of.
            prometheus.eventually(&query, f64::is_finite).await;
        }
        let results = prometheus.query(&query).await;
        let absent_by_nature = query.contains("> 0") || query.contains("tool_call");
        assert!(!results.is_empty() || absent_by_nature, "nothing comes of {query}");
    }
    // The index is left alone, and a third of what the model writes is in no document. Everything else is well.
    let mut firing = Vec::new();
    for (alert, query) in alert_queries() {
        firing.extend(prometheus.query(&query).await.first().map(|_| alert));
    }
    assert_eq!(firing, ["IbidemBreakerOpen", "IbidemSentencesUnsupported"]);
    // Prometheus itself has read the rules and finds nothing wrong with them.
    let read = prometheus.get("/api/v1/rules").await.unwrap();
    let groups = read["data"]["groups"].as_array().unwrap().iter();
    let read: Vec<&Value> = groups.flat_map(|group| group["rules"].as_array().unwrap()).collect();
    assert_eq!(read.len(), alert_queries().len() + rules("record").len());
    for rule in read {
        assert!(rule["health"] == "ok" || rule["health"] == "unknown", "{rule}");
    }
    let tool = prometheus.query("tool_call_total").await;
    assert_eq!(tool[0]["metric"]["tool"], "price \"now\"\n");
    serving.abort();
    world.end().await;
}
