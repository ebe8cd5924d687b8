//! Local vocabularies in the form of a Skosmos: held against what a real one answered, and asked by the real client.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "all of this is tests")]

mod client;
mod conformance;
mod refusals;

use std::path::Path;
use std::sync::Arc;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::Request;
use ibidem_adapters::skos_files::{SkosFiles, SkosFilesSettings};
use serde_json::Value;
use tower::ServiceExt as _;

/// A server of these vocabularies.
fn serving(names: &[&str]) -> Router {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/vocabulary");
    let paths = names.iter().map(|name| folder.join(name)).collect();
    let settings = SkosFilesSettings { paths, language: "en".to_owned(), max_file_bytes: 10_000_000 };
    ibidem_testing::skosmos::router(Arc::new(SkosFiles::load(&settings).unwrap()), "en")
}

fn gridterms() -> Router {
    serving(&["gridterms.ttl", "gridterms2.ttl"])
}

struct Reply {
    status: u16,
    content_type: String,
    vary: Option<String>,
    body: String,
}

impl Reply {
    fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }
}

async fn get(router: &Router, path: &str) -> Reply {
    let request = Request::get(path).header("host", "127.0.0.1:19090").body(Body::empty()).unwrap();
    let response = router.clone().oneshot(request).await.unwrap();
    let header = |name: &str| response.headers().get(name).map(|value| value.to_str().unwrap().to_owned());
    let (status, content_type, vary) = (response.status().as_u16(), header("content-type"), header("vary"));
    let body = to_bytes(response.into_body(), 1_000_000).await.unwrap();
    let body = String::from_utf8(body.to_vec()).unwrap();
    Reply { status, content_type: content_type.unwrap_or_default(), vary, body }
}
