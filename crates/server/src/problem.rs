//! Errors as RFC 9457 problem documents, made in one place.

use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use ibidem_engine::ask::AskError;
use ibidem_engine::search::{SearchError, UnknownCollections};
use ibidem_store::EraseError;
use ibidem_words::InvalidQuestion;
use ibidem_words::ports::catalogue::CatalogueError;
use ibidem_words::ports::embedder::{EmbedError, EmbedFault};
use ibidem_words::ports::identity_provider::ProviderError;
use ibidem_words::ports::index::{IndexError, IndexFault};
use ibidem_words::ports::language_model::{ModelError, ModelFault};
use ibidem_words::ports::originals::OriginalsError;
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::limits::{OverLimit, QuotaError};
use crate::openai::errors::{ChatError, chat_status, is_for_chat};
use crate::policy_places::PlaceError;
use crate::request_id::RequestId;

/// What went wrong, for the caller. `type` is a stable name; `detail` says what to do.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct ProblemDocument {
    /// A stable name for this sort of problem.
    #[serde(rename = "type")]
    pub(crate) kind: &'static str,
    pub(crate) title: &'static str,
    pub(crate) status: u16,
    pub(crate) detail: String,
    /// The request this is about, as in the logs.
    pub(crate) request_id: Uuid,
}

/// What `Retry-After` says when requests of the usual length are in the way, in seconds.
const SOON: u64 = 1;

/// A problem on its way out; it becomes a document when the request's id is known.
#[derive(Clone, Debug)]
pub(crate) struct Problem {
    status: StatusCode,
    kind: &'static str,
    title: &'static str,
    detail: String,
    /// After how many seconds it may be worth trying again.
    retry_after: Option<u64>,
}

impl Problem {
    fn new(status: StatusCode, kind: &'static str, title: &'static str, detail: impl Into<String>) -> Self {
        Self { status, kind, title, detail: detail.into(), retry_after: None }
    }

    pub(crate) fn invalid(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, "invalid_request", "The request is not valid", detail)
    }

    pub(crate) fn malformed(status: StatusCode, detail: impl Into<String>) -> Self {
        Self::new(status, "malformed_request", "The request cannot be read", detail)
    }

    pub(crate) fn unauthenticated() -> Self {
        Self::new(
            StatusCode::UNAUTHORIZED,
            "unauthenticated",
            "A valid API key is needed",
            "Send `Authorization: Bearer <key>`; an operator creates keys with `ibidem key create`.",
        )
    }

    pub(crate) fn forbidden(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::FORBIDDEN, "forbidden", "You may not do that", detail)
    }

    pub(crate) fn not_found() -> Self {
        Self::new(
            StatusCode::NOT_FOUND,
            "not_found",
            "There is no such endpoint",
            "The API is described at /openapi.json.",
        )
    }

    /// What a path names is not there, or not the caller's to know of: both read the same.
    pub(crate) fn no_such(title: &'static str, where_to_look: &'static str) -> Self {
        Self::new(StatusCode::NOT_FOUND, "not_found", title, where_to_look)
    }

    /// Somebody is known, and may do nothing here.
    pub(crate) fn not_admitted() -> Self {
        Self::new(
            StatusCode::FORBIDDEN,
            "not_admitted",
            "You are not admitted here",
            "None of your groups gives anything here, or you were disabled. An admin can change it: `PUT /v1/groups`, \
             `PUT /v1/people/{id}`.",
        )
    }

    pub(crate) fn may_not_speak() -> Self {
        Self::new(
            StatusCode::FORBIDDEN,
            "may_not_speak",
            "This key may not speak for people",
            "An operator makes a key that may with `ibidem key create --speaks-for-people`; without the header \
             `X-OpenWebUI-User-Jwt` this key speaks for itself.",
        )
    }

    /// Why not is for the log.
    pub(crate) fn not_spoken_for() -> Self {
        Self::new(
            StatusCode::FORBIDDEN,
            "not_spoken_for",
            "The key does not prove for whom it speaks",
            "Sign `email`, `iat` and `exp` with the key's speaking secret by HS256, for at most ten minutes, and send it \
             once as `X-OpenWebUI-User-Jwt`.",
        )
    }

    /// A token that does not stand is no credential at all; why not is for the log.
    pub(crate) fn of_token(error: &ProviderError) -> Self {
        match error {
            ProviderError::Refused(reason) => {
                tracing::info!(reason, "an access token was refused");
                Self::unauthenticated()
            }
            ProviderError::Unavailable(reason) => Self::no_provider(reason),
        }
    }

    pub(crate) fn no_sign_in() -> Self {
        Self::new(
            StatusCode::NOT_FOUND,
            "no_sign_in",
            "Nobody signs in here",
            "No identity provider is configured; the operator can set `sign_in.issuer`. API keys work.",
        )
    }

    /// Which of its checks a sign-in failed is for the log.
    pub(crate) fn sign_in_failed() -> Self {
        Self::new(
            StatusCode::UNAUTHORIZED,
            "sign_in_failed",
            "The sign-in failed",
            "Begin again at /auth/login, in the same browser and within ten minutes.",
        )
    }

    pub(crate) fn of_sign_in(error: &ProviderError) -> Self {
        match error {
            ProviderError::Refused(reason) => {
                tracing::warn!(reason, "a sign-in failed");
                Self::sign_in_failed()
            }
            ProviderError::Unavailable(reason) => Self::no_provider(reason),
        }
    }

    pub(crate) fn cross_site() -> Self {
        Self::new(
            StatusCode::FORBIDDEN,
            "cross_site",
            "The request may come from another site",
            "A request that changes something with a session's cookie needs the header `X-Ibidem-Request: 1`.",
        )
    }

    pub(crate) fn logout_refused() -> Self {
        Self::new(
            StatusCode::BAD_REQUEST,
            "logout_refused",
            "The logout token is not valid",
            "Send a logout token of the configured identity provider as the form field `logout_token`.",
        )
    }

    pub(crate) fn of_logout(error: &ProviderError) -> Self {
        match error {
            ProviderError::Refused(reason) => {
                tracing::warn!(reason, "a logout token was refused");
                Self::logout_refused()
            }
            ProviderError::Unavailable(reason) => Self::no_provider(reason),
        }
    }

    fn no_provider(reason: &str) -> Self {
        Self::unavailable("provider_unavailable", "The identity provider does not answer", reason)
    }

    pub(crate) fn no_such_entry() -> Self {
        Self::new(
            StatusCode::NOT_FOUND,
            "not_found",
            "There is no such entry",
            "`GET /v1/memory` lists the entries that this key may see.",
        )
    }

    pub(crate) fn no_such_answer() -> Self {
        Self::new(
            StatusCode::NOT_FOUND,
            "not_found",
            "There is no such answer",
            "An answer can be read again only with the key that asked, by the request id that came with it.",
        )
    }

    pub(crate) fn no_such_conversation() -> Self {
        Self::new(
            StatusCode::NOT_FOUND,
            "not_found",
            "There is no such conversation",
            "`GET /v1/conversations` lists the conversations of this key; nobody else reads them.",
        )
    }

    /// A model that a chat program asked for.
    pub(crate) fn no_such_model(name: &str) -> Self {
        Self::new(
            StatusCode::NOT_FOUND,
            "model_not_found",
            "There is no such model",
            format!("{name:?} is none of those that `GET /v1/models` lists for this caller."),
        )
    }

    pub(crate) fn no_such_document() -> Self {
        Self::new(
            StatusCode::NOT_FOUND,
            "not_found",
            "There is no such document",
            "`POST /v1/search` and `ibidem document list` show the ids of documents.",
        )
    }

    pub(crate) fn no_such_record() -> Self {
        Self::new(
            StatusCode::NOT_FOUND,
            "not_found",
            "There is no such record",
            "A record has the request id of its answer. It appears a moment after the answer; try again then.",
        )
    }

    pub(crate) fn method_not_allowed() -> Self {
        Self::new(
            StatusCode::METHOD_NOT_ALLOWED,
            "method_not_allowed",
            "This endpoint does not support that method",
            "The API is described at /openapi.json.",
        )
    }

    pub(crate) fn overloaded() -> Self {
        let detail = "Try again in a moment.";
        let problem =
            Self::new(StatusCode::SERVICE_UNAVAILABLE, "overloaded", "Too many requests are under way", detail);
        Self { retry_after: Some(SOON), ..problem }
    }

    /// One key has as many requests under way as it may.
    pub(crate) fn key_overloaded(share: usize, all: usize) -> Self {
        let detail = format!(
            "This key has {share} requests under way, which is its share of the server's {all}. Try again when one of \
             them has ended; an operator can raise `server.key_share_percent`."
        );
        let title = "Too many requests of this key are under way";
        let problem = Self::new(StatusCode::TOO_MANY_REQUESTS, "key_overloaded", title, detail);
        Self { retry_after: Some(SOON), ..problem }
    }

    /// One tenant has as many requests under way as it may.
    pub(crate) fn tenant_overloaded(share: usize, all: usize) -> Self {
        let detail = format!(
            "This tenant has {share} requests under way, which is its share of the server's {all}. Try again when one of \
             them has ended; an operator can raise `server.tenant_share_percent`."
        );
        let title = "Too many requests of this tenant are under way";
        let problem = Self::new(StatusCode::TOO_MANY_REQUESTS, "tenant_overloaded", title, detail);
        Self { retry_after: Some(SOON), ..problem }
    }

    /// A limit on what somebody may use is reached.
    pub(crate) fn over_limit(over: &OverLimit) -> Self {
        let OverLimit { who, what, most, wait } = over;
        // Whole seconds, and never too early.
        let seconds = u64::try_from(wait.num_milliseconds()).unwrap_or_default().div_ceil(1_000).max(SOON);
        let detail = format!(
            "The limit `{what}` of this {who} is {most}. Try again in {seconds} s; an operator can raise `limits.{who}.{what}`."
        );
        let problem = Self::new(StatusCode::TOO_MANY_REQUESTS, "over_limit", "A limit is reached", detail);
        Self { retry_after: Some(seconds), ..problem }
    }

    pub(crate) fn body_too_large(most: usize) -> Self {
        Self::malformed(
            StatusCode::PAYLOAD_TOO_LARGE,
            format!("The body is larger than {most} bytes, the limit. Send less, or ask the operator to raise it."),
        )
    }

    pub(crate) fn body_too_slow(seconds: f64) -> Self {
        Self::new(
            StatusCode::REQUEST_TIMEOUT,
            "body_too_slow",
            "The request's body did not arrive in time",
            format!("It must arrive within {seconds} s; an operator can raise `server.body_timeout_ms`."),
        )
    }

    pub(crate) fn deadline(seconds: f64) -> Self {
        Self::new(
            StatusCode::GATEWAY_TIMEOUT,
            "deadline",
            "The request took too long",
            format!("It was ended after {seconds} s. Try again; an operator can raise `server.request_timeout_ms`."),
        )
    }

    pub(crate) fn internal() -> Self {
        Self::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "internal",
            "The server has an internal error",
            "The operator can find the reason in the server's log, under this request id.",
        )
    }

    /// The stable name of this sort of problem.
    pub(crate) fn kind(&self) -> &'static str {
        self.kind
    }

    /// The problem as the caller reads it.
    pub(crate) fn document(self, request_id: Uuid) -> ProblemDocument {
        ProblemDocument {
            kind: self.kind,
            title: self.title,
            status: self.status.as_u16(),
            detail: self.detail,
            request_id,
        }
    }

    /// The reason goes to the log, not to the caller: it may name hosts, files or other tenants' business.
    fn unavailable(kind: &'static str, title: &'static str, reason: &str) -> Self {
        tracing::error!(kind, reason, "a part is unavailable");
        Self::new(
            StatusCode::SERVICE_UNAVAILABLE,
            kind,
            title,
            "Try again in a moment; the operator can run `ibidem doctor`.",
        )
    }
}

impl From<QuotaError> for Problem {
    fn from(error: QuotaError) -> Self {
        match error {
            QuotaError::Over(over) => Self::over_limit(&over),
            QuotaError::Store(error) => error.into(),
        }
    }
}

impl From<InvalidQuestion> for Problem {
    fn from(error: InvalidQuestion) -> Self {
        Self::invalid(error.to_string())
    }
}

impl From<CatalogueError> for Problem {
    fn from(error: CatalogueError) -> Self {
        if let CatalogueError::Refused(reason) = &error {
            tracing::warn!(reason, "the catalogue refused what was handed in");
            return Self::invalid(
                "Part of the request cannot be stored, for example a text with a NUL character or a name that is too long.",
            );
        }
        Self::unavailable("catalogue_unavailable", "The database does not answer", &error.to_string())
    }
}

impl From<PlaceError> for Problem {
    fn from(error: PlaceError) -> Self {
        match error {
            PlaceError::Store(error) => error.into(),
            PlaceError::Unusable { .. } => Self::unavailable(
                "policy_unusable",
                "The policy file that is set here cannot be used by this server",
                &error.to_string(),
            ),
        }
    }
}

impl From<OriginalsError> for Problem {
    fn from(error: OriginalsError) -> Self {
        Self::unavailable("originals_unavailable", "The store of original files does not answer", &error.to_string())
    }
}

impl From<EraseError> for Problem {
    fn from(error: EraseError) -> Self {
        match error {
            EraseError::Catalogue(error) => error.into(),
            EraseError::Originals(error) => error.into(),
        }
    }
}

impl From<SearchError> for Problem {
    fn from(error: SearchError) -> Self {
        match error {
            SearchError::Catalogue(error) => error.into(),
            SearchError::Embed(EmbedError::Own(EmbedFault::Overloaded)) => Self::overloaded(),
            SearchError::Embed(error) => {
                Self::unavailable("embedding_unavailable", "The embedding model does not answer", &error.to_string())
            }
            SearchError::Index(IndexError::Own(IndexFault::Rejected(reason))) => {
                tracing::error!(reason, "the index rejected a search");
                Self::internal()
            }
            SearchError::Index(error) => {
                Self::unavailable("retrieval_unavailable", "The index does not answer", &error.to_string())
            }
        }
    }
}

impl From<UnknownCollections> for Problem {
    fn from(unknown: UnknownCollections) -> Self {
        let detail = unknown.to_string();
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, "unknown_collection", "There is no such collection", detail)
    }
}

impl From<AskError> for Problem {
    fn from(error: AskError) -> Self {
        Self::of(&error)
    }
}

impl Problem {
    /// What becomes of a question that cannot be asked.
    pub(crate) fn of(error: &AskError) -> Self {
        let detail = error.to_string();
        let error = match error {
            AskError::Model(error) => error,
            AskError::Collections(unknown) => return unknown.clone().into(),
        };
        match error {
            ModelError::Own(ModelFault::NotAllowed { .. }) => {
                Self::new(StatusCode::UNPROCESSABLE_ENTITY, "model_not_allowed", "This model is not allowed", detail)
            }
            ModelError::Own(ModelFault::NotServed { .. }) => {
                Self::new(StatusCode::SERVICE_UNAVAILABLE, "model_not_served", "This model is not loaded", detail)
            }
            other => Self::unavailable("model_unavailable", "The language model does not answer", &other.to_string()),
        }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = self.status.into_response();
        response.extensions_mut().insert(self);
        response
    }
}

/// Writes every problem, and every bare error status, as a document with the request's id.
pub(crate) async fn write_problems(request: Request, next: Next) -> Response {
    let request_id = request.extensions().get::<RequestId>().copied();
    let is_for_chat = is_for_chat(request.uri().path());
    let mut response = next.run(request).await;
    let problem = match response.extensions_mut().remove::<Problem>() {
        Some(problem) => problem,
        None if response.status() == StatusCode::METHOD_NOT_ALLOWED => Problem::method_not_allowed(),
        None => return response,
    };
    let status = problem.status;
    let retry_after = problem.retry_after;
    let document = problem.document(request_id.map_or_else(Uuid::nil, |id| id.0));
    let headers = response.headers_mut();
    let written = if is_for_chat { "application/json" } else { "application/problem+json" };
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(written));
    headers.remove(header::CONTENT_LENGTH);
    if let Some(seconds) = retry_after {
        headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    if status == StatusCode::UNAUTHORIZED {
        // Whoever knows where tokens are to be had has said so already.
        headers.entry(header::WWW_AUTHENTICATE).or_insert(HeaderValue::from_static("Bearer"));
    }
    // Serialising plain strings and numbers cannot fail; an empty body would still carry the status.
    let body = if is_for_chat {
        *response.status_mut() = chat_status(status);
        serde_json::to_vec(&ChatError::from(document))
    } else {
        serde_json::to_vec(&document)
    };
    *response.body_mut() = Body::from(body.unwrap_or_default());
    response
}
