//! Keys for pages of other sites: the one place that says to a browser which pages may read a reply.
//!
//! Such a key stands in a page that everybody reads, so it opens nothing but asking (`Rules::is_for_foreign_pages`).

use std::sync::{Arc, OnceLock};

use axum::extract::{Request, State};
use axum::http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_METHOD, ORIGIN, VARY,
};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use ibidem_store::{KeyEmbedding, PageOrigin, Store};
use ibidem_words::{CollectionName, Question};

use crate::problem::Problem;

/// For so many seconds a browser need not ask again whether a page may call.
const ASKED_FOR_SECONDS: &str = "600";

/// Which page may read the reply. Empty until a key says so.
#[derive(Clone, Default)]
struct ReadableBy(Arc<OnceLock<HeaderValue>>);

/// The page that a request names itself to be of. Of two names neither counts.
fn page(headers: &HeaderMap) -> Option<PageOrigin> {
    let mut named = headers.get_all(ORIGIN).into_iter();
    let (Some(origin), None) = (named.next(), named.next()) else { return None };
    let origin = origin.to_str().ok()?;
    // Browsers write it in one way; whoever writes it otherwise is none.
    origin.parse::<PageOrigin>().ok().filter(|page| page.as_str() == origin)
}

/// Confines a request to what its key is for, or turns it away because it comes from another page.
pub(crate) fn confine(parts: &mut Parts, embedding: KeyEmbedding) -> Result<(), Problem> {
    let page = page(&parts.headers).filter(|page| embedding.origins.contains(page));
    let page = page.ok_or_else(Problem::foreign_page)?;
    if let (Some(ReadableBy(by)), Ok(page)) =
        (parts.extensions.get::<ReadableBy>(), HeaderValue::try_from(page.as_str()))
    {
        let _ = by.set(page);
    }
    parts.extensions.insert(embedding);
    Ok(())
}

/// The question as a key for pages may ask it.
pub(crate) fn confined(embedding: &KeyEmbedding, mut question: Question) -> Result<Question, Problem> {
    if question.model.is_some() {
        return Err(Problem::forbidden("model: a key for pages does not choose the model. Leave it out."));
    }
    if embedding.collections.is_empty() {
        return Ok(question);
    }
    let is_same =
        |one: &CollectionName, other: &CollectionName| one.as_str().to_lowercase() == other.as_str().to_lowercase();
    let is_allowed = |wanted: &CollectionName| embedding.collections.iter().any(|of| is_same(of, wanted));
    if !question.collections.iter().all(is_allowed) {
        return Err(Problem::forbidden("collections: this key is for other collections. Leave them out."));
    }
    if question.collections.is_empty() {
        question.collections.clone_from(&embedding.collections);
    }
    Ok(question)
}

/// `OPTIONS /v1/answers`: a browser asks whether a page may call. It sends no key yet, so any key for that page will do;
/// the call itself is held against its own.
pub(crate) async fn preflight(State(store): State<Store>, headers: HeaderMap) -> Result<Response, Problem> {
    let wants_to_ask = headers.get(ACCESS_CONTROL_REQUEST_METHOD).is_some_and(|method| method == "POST");
    let page = page(&headers).filter(|_| wants_to_ask).ok_or_else(Problem::foreign_page)?;
    if !store.is_embedded_at(&page).await? {
        return Err(Problem::foreign_page());
    }
    let mut response = StatusCode::NO_CONTENT.into_response();
    let sent = response.headers_mut();
    sent.insert(ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("POST"));
    sent.insert(ACCESS_CONTROL_ALLOW_HEADERS, HeaderValue::from_static("authorization, content-type"));
    sent.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static(ASKED_FOR_SECONDS));
    if let Ok(page) = HeaderValue::try_from(page.as_str()) {
        let_read(sent, page);
    }
    Ok(response)
}

/// Lets the page read the reply, where the key of the request is for that page.
pub(crate) async fn tell_browsers(mut request: Request, next: Next) -> Response {
    if !request.headers().contains_key(ORIGIN) {
        return next.run(request).await;
    }
    let readable = ReadableBy::default();
    request.extensions_mut().insert(readable.clone());
    let mut response = next.run(request).await;
    if let Some(page) = readable.0.get() {
        let_read(response.headers_mut(), page.clone());
        response.headers_mut().insert(ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static("retry-after"));
    }
    response
}

/// Never for every page, and never with cookies.
fn let_read(sent: &mut HeaderMap, page: HeaderValue) {
    sent.insert(ACCESS_CONTROL_ALLOW_ORIGIN, page);
    sent.append(VARY, HeaderValue::from_static("origin"));
}
