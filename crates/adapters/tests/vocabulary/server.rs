//! A real HTTP server on loopback that answers as it is told.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Body;
use axum::extract::Query;
use axum::http::{Response, Uri};
use tokio::net::TcpListener;

use crate::loopback::{self, fixed_bytes};

/// What a client asked for.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    /// After `/rest/v1`.
    pub(crate) path: String,
    pub(crate) query: HashMap<String, String>,
}

impl Asked {
    pub(crate) fn term(&self) -> &str {
        self.query.get("query").map_or("", String::as_str)
    }

    pub(crate) fn is_search(&self) -> bool {
        self.path.ends_with("/search")
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) content_type: String,
    pub(crate) body: String,
}

impl Reply {
    pub(crate) fn new(status: u16, content_type: &str, body: &str) -> Self {
        let (content_type, body) = (content_type.to_owned(), body.to_owned());
        Self { status, content_type, body }
    }

    pub(crate) fn json(body: &str) -> Self {
        Self::new(200, "application/json; charset=utf-8", body)
    }

    /// A search that found these rows.
    pub(crate) fn rows(rows: &str) -> Self {
        Self::json(&format!("{{\"uri\":\"\",\"results\":[{rows}]}}"))
    }
}

pub(crate) struct Server {
    pub(crate) url: String,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Server {
    pub(crate) async fn start(answer: impl Fn(&Asked) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/rest/v1", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (log, answer) = (Arc::clone(&asked), Arc::new(answer));
        let router = Router::new().fallback(move |uri: Uri, Query(query): Query<HashMap<String, String>>| {
            let path = uri.path().strip_prefix("/rest/v1").unwrap_or_default().to_owned();
            let request = Asked { path, query };
            let reply = answer(&request);
            log.lock().unwrap().push(request);
            async move {
                let response = Response::builder().status(reply.status).header("content-type", reply.content_type);
                response.body(Body::from(reply.body)).unwrap()
            }
        });
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { url, asked }
    }

    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }
}

/// A server that sends these bytes to whoever connects, and then hangs or hangs up.
pub(crate) async fn raw(reply: &'static str, hangs: bool) -> String {
    format!("{}/rest/v1", fixed_bytes(reply, hangs).await)
}

/// The address of a server that is not there.
pub(crate) async fn nobody() -> String {
    format!("{}/rest/v1", loopback::nobody().await)
}
