//! Too much, too large or too slow.

use axum::http::StatusCode;

use super::Problem;
use crate::quotas::{OverLimit, QuotaError};

/// What `Retry-After` says when requests of the usual length are in the way, in seconds.
const SOON: u64 = 1;

impl Problem {
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
}

impl From<QuotaError> for Problem {
    fn from(error: QuotaError) -> Self {
        match error {
            QuotaError::Over(over) => Self::over_limit(&over),
            QuotaError::Store(error) => error.into(),
        }
    }
}
