//! The real client on this server, over HTTP: local files behave the same at both ends.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::middleware::map_response;
use axum::response::Response;
use ibidem_adapters::skosmos::{Skosmos, SkosmosSettings};
use ibidem_adapters::watched_vocabulary::{WatchedSettings, WatchedVocabulary};
use ibidem_testing::suites;
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::gridterms;

async fn client(router: Router, vocabularies: &[&str]) -> Skosmos {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/rest/v1/", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, router).await });
    let vocabularies = vocabularies.iter().map(|id| (*id).to_owned()).collect();
    let timeout = Duration::from_secs(10);
    Skosmos::new(SkosmosSettings { url, vocabularies, language: "en".to_owned(), timeout }).unwrap()
}

#[tokio::test]
async fn the_client_behaves_as_a_vocabulary_on_named_vocabularies_and_on_all() {
    for vocabularies in [vec!["gridterms", "gridterms2"], vec![]] {
        suites::vocabulary::check(&client(gridterms(), &vocabularies).await).await;
    }
}

#[tokio::test]
async fn the_client_behaves_as_a_vocabulary_when_the_server_breaks_definitions_as_a_skosmos_does() {
    let broken = gridterms().layer(map_response(breaking_lines));
    let client = client(broken, &["gridterms", "gridterms2"]).await;
    let settings = WatchedSettings { timeout: Duration::from_secs(10), ..WatchedSettings::default() };
    suites::vocabulary::check(&WatchedVocabulary::new(Arc::new(client), settings)).await;
}

/// A Skosmos writes the fields of a row as lines of three cells, and takes every line of a text for a row of its own.
async fn breaking_lines(response: Response) -> Response {
    let (parts, body) = response.into_parts();
    let bytes = to_bytes(body, 1_000_000).await.unwrap();
    let Ok(mut body) = serde_json::from_slice::<Value>(&bytes) else {
        return Response::from_parts(parts, Body::from(bytes));
    };
    for row in body["results"].as_array_mut().into_iter().flatten() {
        if let Some(definitions) = row.get_mut("definition").and_then(Value::as_array_mut) {
            *definitions = definitions.drain(..).flat_map(broken).collect();
        }
    }
    let mut response = Response::from_parts(parts, Body::from(body.to_string()));
    response.headers_mut().remove("content-length");
    response
}

fn broken(definition: Value) -> Vec<Value> {
    let Some(text) = definition.as_str() else { return vec![definition] };
    let mut lines = text.split('\n');
    let first: Value = lines.next().unwrap().into();
    let others = lines.map(|line| {
        let cells: Vec<&str> = line.split(',').collect();
        cells.get(2).map_or_else(|| json!({ "uri": cells[0] }), |third| (*third).into())
    });
    [first].into_iter().chain(others).collect()
}
