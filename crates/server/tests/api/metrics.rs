//! `GET /metrics`: who may read it, what it holds, and that dashboards and alerts ask for what is there.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use axum::http::StatusCode;
use ibidem_server::MetricsReaders;
use ibidem_server::metrics::{Kind, METRICS};
use ibidem_words::Scope;
use serde_json::json;

use super::world::{Extras, METRICS_TOKEN, POLICY, World, policy};

/// What was read, by name and labels.
pub(crate) struct Scrape {
    pub(crate) text: String,
    series: BTreeMap<(String, BTreeSet<(String, String)>), f64>,
}

impl Scrape {
    pub(crate) async fn of(world: &World) -> Self {
        let reply = world.call("GET", "/metrics", Some(&format!("Bearer {METRICS_TOKEN}")), "").await;
        assert_eq!(reply.status, StatusCode::OK, "{}", reply.text);
        let form = "application/openmetrics-text; version=1.0.0; charset=utf-8";
        assert_eq!(reply.header("content-type"), Some(form));
        Self::read(reply.text)
    }

    fn read(text: String) -> Self {
        let mut series = BTreeMap::new();
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let (name, value) = line.rsplit_once(' ').unwrap();
            let (name, labels) = name.split_once('{').unwrap_or((name, ""));
            let labels = labels.trim_end_matches('}').split(',').filter_map(|label| label.split_once('='));
            let labels = labels.map(|(label, value)| (label.to_owned(), value.trim_matches('"').to_owned()));
            let known = series.insert((name.to_owned(), labels.collect()), value.parse().unwrap());
            assert_eq!(known, None, "{line} is there twice");
        }
        Self { text, series }
    }

    /// 0 where there is no such series.
    pub(crate) fn value(&self, name: &str, labels: &[(&str, &str)]) -> f64 {
        let labels = labels.iter().map(|(label, value)| ((*label).to_owned(), (*value).to_owned())).collect();
        self.series.get(&(name.to_owned(), labels)).copied().unwrap_or(0.0)
    }

    pub(crate) fn all(&self, name: &str) -> Vec<f64> {
        self.series.iter().filter(|((of, _), _)| of == name).map(|(_, value)| *value).collect()
    }
}

#[tokio::test]
async fn the_operators_token_reads_the_metrics_and_no_tenants_key_does() {
    let world = World::create().await;
    let token = format!("Bearer {METRICS_TOKEN}");
    for (given, status) in [
        (token.as_str(), StatusCode::OK),
        (&token[..token.len() - 1], StatusCode::UNAUTHORIZED),
        (&format!("{token}x"), StatusCode::UNAUTHORIZED),
        ("Bearer ", StatusCode::UNAUTHORIZED),
        (METRICS_TOKEN, StatusCode::UNAUTHORIZED),
    ] {
        assert_eq!(world.call("GET", "/metrics", Some(given), "").await.status, status, "{given}");
    }
    for role in ["asker", "curator", "admin"] {
        let key = world.key(role, &[]).await;
        let reply = world.call("GET", "/metrics", Some(&key), "").await;
        assert_eq!(reply.status, StatusCode::UNAUTHORIZED, "{role}");
    }
    world.end().await;
}

#[tokio::test]
async fn where_they_are_open_nobody_needs_a_key_and_where_they_are_off_none_helps() {
    for (metrics_readers, status) in
        [(MetricsReaders::Everybody, StatusCode::OK), (MetricsReaders::Nobody, StatusCode::NOT_FOUND)]
    {
        let extras = Extras { metrics_readers, ..Extras::default() };
        let world = World::create_with(policy(POLICY), extras).await;
        let admin = world.key("admin", &[]).await;
        for key in [None, Some(admin.as_str())] {
            assert_eq!(world.call("GET", "/metrics", key, "").await.status, status, "{metrics_readers:?}");
        }
        world.end().await;
    }
}

#[tokio::test]
async fn what_is_exported_is_what_the_list_says_with_the_labels_it_says() {
    let world = World::create().await;
    let key = world.key("admin", &[]).await;
    let body = json!({ "query": "How many days of leave may be carried over?" }).to_string();
    assert_eq!(world.call("POST", "/v1/answers", Some(&key), &body).await.status, StatusCode::OK);
    let scrape = Scrape::of(&world).await;
    let types = scrape.text.lines().filter_map(|line| line.strip_prefix("# TYPE "));
    let exported: BTreeSet<String> = types
        .map(|line| match line.split_once(' ').unwrap() {
            (name, "counter") => format!("{name}_total"),
            (name, _) => name.to_owned(),
        })
        .collect();
    assert_eq!(exported, METRICS.iter().map(|metric| metric.name.to_owned()).collect());
    for (name, labels) in scrape.series.keys() {
        let metric = METRICS.iter().find(|metric| is_of(name, metric.name, metric.kind));
        let metric = metric.unwrap_or_else(|| panic!("{name} is not in the list"));
        let labels: BTreeSet<&str> =
            labels.iter().map(|(label, _)| label.as_str()).filter(|name| *name != "le").collect();
        assert_eq!(labels, metric.labels.iter().copied().collect(), "{name}");
    }
    // So that a rate has a first value.
    assert_eq!(scrape.all("rag_abstention_total").len(), ibidem_words::Reason::ALL.len());
    assert_eq!(scrape.all("circuit_breaker_state"), [0.0; 6]);
    world.end().await;
}

/// Whether a series is of a metric.
fn is_of(series: &str, name: &str, kind: Kind) -> bool {
    match kind {
        Kind::Counter | Kind::Gauge => series == name,
        Kind::Histogram => ["_bucket", "_sum", "_count"].iter().any(|end| series == format!("{name}{end}")),
    }
}

/// Waits until so many citations were checked: that happens when nobody waits for it.
async fn checked(world: &World, citations: f64) -> Scrape {
    let checked = async {
        loop {
            let scrape = Scrape::of(world).await;
            if scrape.value("citation_checked_total", &[]) >= citations {
                return scrape;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), checked).await.unwrap_or_else(|_| panic!("citations are not checked"))
}

#[tokio::test]
async fn citations_that_went_out_are_held_against_the_catalogue_and_broken_ones_are_counted() {
    let world = World::create().await;
    let key = world.key("admin", &[]).await;
    let ask = async || {
        let body = json!({ "query": "How many days of leave may be carried over?" }).to_string();
        let reply = world.call("POST", "/v1/answers", Some(&key), &body).await;
        assert_eq!(reply.body["action"], "cite", "{}", reply.text);
        reply.body["citations"].as_array().unwrap().len() as f64
    };
    let cited = ask().await;
    let scrape = checked(&world, cited).await;
    assert_eq!(scrape.value("citation_checked_total", &[]), cited);
    assert_eq!(scrape.value("citation_broken_total", &[]), 0.0);

    // A document that goes while the model writes from it.
    let identity = world.store().authenticate(&key["Bearer ".len()..]).await.unwrap().identity;
    let documents = world.store().list_documents(&Scope::of(&identity), None, 10).await.unwrap();
    let withdraw = async {
        let attention = world.thoughtful.attention.acquire_many(8).await.unwrap();
        world.thoughtful.asked.notified().await;
        for document in &documents {
            world.store().remove(world.tenant, document.id).await.unwrap();
        }
        drop(attention);
    };
    // The first question has been heard already.
    world.thoughtful.asked.notified().await;
    let (gone, ()) = tokio::join!(ask(), withdraw);
    let scrape = checked(&world, cited + gone).await;
    assert_eq!(scrape.value("citation_broken_total", &[]), gone);
    assert!(gone > 0.0);
    world.end().await;
}
