//! The cookies of a sign-in and of a session: read, set and taken back.

use std::time::Duration;

use axum::http::header::COOKIE;
use axum::http::{HeaderMap, HeaderValue};

use super::SignIn;
use crate::problem::Problem;

/// What a cookie is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Cookie {
    Session,
    /// Binds a sign-in to the browser that began it.
    SignIn,
}

impl Cookie {
    /// With https a browser takes a `__Host-` cookie only from this host itself, for all of it, and over https. Over http
    /// on loopback there is no such thing.
    fn name(self, sign_in: &SignIn) -> &'static str {
        match (self, sign_in.is_https()) {
            (Self::Session, true) => "__Host-ibidem-session",
            (Self::Session, false) => "ibidem-session",
            (Self::SignIn, true) => "__Host-ibidem-sign-in",
            (Self::SignIn, false) => "ibidem-sign-in",
        }
    }

    /// Of two of one name another site may have set the one: neither counts.
    pub(crate) fn value(self, sign_in: &SignIn, headers: &HeaderMap) -> Option<String> {
        let name = self.name(sign_in);
        let headers = headers.get_all(COOKIE).into_iter().filter_map(|header| header.to_str().ok());
        let pairs = headers.flat_map(|header| header.split(';')).filter_map(|pair| pair.trim().split_once('='));
        let mut values = pairs.filter(|(found, _)| *found == name).map(|(_, value)| value);
        match (values.next(), values.next()) {
            (Some(value), None) if !value.is_empty() => Some(value.to_owned()),
            _ => None,
        }
    }

    /// `value` is one that we made: letters, digits, `-` and `_`.
    pub(crate) fn set(self, sign_in: &SignIn, value: &str, lifetime: Duration) -> Result<HeaderValue, Problem> {
        let secure = if sign_in.is_https() { "; Secure" } else { "" };
        let (name, seconds) = (self.name(sign_in), lifetime.as_secs());
        let written = format!("{name}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}");
        HeaderValue::try_from(written).map_err(|_| Problem::internal())
    }

    pub(crate) fn take_back(self, sign_in: &SignIn) -> Result<HeaderValue, Problem> {
        self.set(sign_in, "", Duration::ZERO)
    }
}
