//! What holds for an endpoint: whom it is for, what bounds it, and what the audit calls it.

use axum::extract::{MatchedPath, Request, State};
use axum::http::Method;
use axum::middleware::Next;
use axum::response::Response;
use ibidem_store::AuditedAction;
use ibidem_words::Role;

/// Whom an endpoint is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Least {
    /// Whoever reaches the port: it tells nothing of anybody's data, or checks itself what it is shown.
    Anybody,
    /// This role and those above it, in the own tenant.
    Role(Role),
    /// Whoever shows the operator's token, as `server.metrics` says. No tenant's key or person does.
    Operator,
}

/// What bounds the requests of an endpoint.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bounds {
    /// A place among the requests under way, a deadline, and a body of at most `server.max_json_bytes`.
    Ordinary,
    /// The same, with a body that is a file: at most `server.max_body_bytes`.
    Upload,
    /// What must be answered also when the server is full stands outside the limit on requests under way.
    Probe,
    /// Each call of a tool takes a place of its own among the requests, so these do not.
    Agents,
}

/// What the audit has of a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Recorded {
    As(AuditedAction),
    /// The request leaves no record, for this reason.
    Not(&'static str),
}

/// What holds for one endpoint.
#[derive(Debug)]
pub struct Rules {
    pub method: &'static str,
    pub path: String,
    pub least: Least,
    pub bounds: Bounds,
    pub recorded: Recorded,
    /// What it does, in a few words.
    pub what: &'static str,
    /// Whether a key for pages of other sites may call it, which everybody who opens such a page can read.
    pub is_for_foreign_pages: bool,
}

/// Tells whoever stands before the handlers which endpoint is called. Where nobody is told, nobody is let in.
pub(crate) async fn find(State(all): State<&'static [Rules]>, mut request: Request, next: Next) -> Response {
    // Whoever may read something may ask how long it is.
    let method = if request.method() == Method::HEAD { Method::GET.as_str() } else { request.method().as_str() };
    let path = request.extensions().get::<MatchedPath>().map_or("", MatchedPath::as_str);
    if let Some(rules) = all.iter().find(|rules| (rules.method, rules.path.as_str()) == (method, path)) {
        request.extensions_mut().insert(rules);
    }
    next.run(request).await
}
