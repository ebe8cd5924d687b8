//! Who may come in: credentials, sign-in and logout. Which check failed is for the log.

use axum::http::StatusCode;
use ibidem_ports::identity_provider::ProviderError;

use super::Problem;

impl Problem {
    pub(crate) fn unauthenticated() -> Self {
        Self::new(
            StatusCode::UNAUTHORIZED,
            "unauthenticated",
            "A valid API key is needed",
            "Send `Authorization: Bearer <key>`; an operator creates keys with `ibidem key create`.",
        )
    }

    /// Somebody is known, and may do nothing here.
    pub(crate) fn not_admitted() -> Self {
        Self::new(
            StatusCode::FORBIDDEN,
            "not_admitted",
            "You have no access here yet",
            "You are signed in, but nobody has given one of your groups access, or you were blocked. Ask your administrator.",
        )
    }

    /// A key for pages of other sites, and a page that is none of them.
    pub(crate) fn foreign_page() -> Self {
        Self::new(
            StatusCode::FORBIDDEN,
            "foreign_page",
            "This page may not ask here",
            "The key is for pages of other addresses. Ask your administrator for a key with the address of this page \
             (`ibidem key create --origins`).",
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

    /// Whether there was such a link, and why it is good no longer, is nobody's matter.
    pub(crate) fn no_such_link() -> Self {
        Self::new(
            StatusCode::NOT_FOUND,
            "no_such_link",
            "The link is good no longer",
            "A link signs in one browser, once, within 15 minutes. Press Enter where `ibidem try` runs for another one.",
        )
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
            "Sign in again, in the same browser and within ten minutes.",
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
}
