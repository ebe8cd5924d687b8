//! Which pages in a browser may call this door: our own.
//!
//! A page of a stranger that got its name to point at this machine (DNS rebinding) names itself in `Origin`.

use std::net::IpAddr;

use axum::http::header::{HOST, ORIGIN};
use axum::http::{HeaderMap, Uri};

/// Programs name no origin. A page must be of `public_url`, or come from this very machine under the name it asks for.
pub(super) fn is_admitted(headers: &HeaderMap, public_url: Option<&str>) -> bool {
    let Some(origin) = headers.get(ORIGIN) else { return true };
    let Some(origin) = origin.to_str().ok().and_then(Origin::of) else { return false };
    let is_public = public_url.and_then(Origin::of).is_some_and(|public| public == origin);
    let is_asked =
        headers.get(HOST).is_some_and(|host| host.as_bytes().eq_ignore_ascii_case(origin.authority.as_bytes()));
    is_public || (is_asked && origin.is_this_machine())
}

/// Scheme, host and port of an address, without the port that the scheme has anyway.
#[derive(PartialEq, Eq)]
struct Origin {
    scheme: String,
    host: String,
    /// Host and port as `Host` has them.
    authority: String,
}

impl Origin {
    fn of(address: &str) -> Option<Self> {
        let address: Uri = address.parse().ok()?;
        let (scheme, authority) = (address.scheme_str()?.to_ascii_lowercase(), address.authority()?);
        let host = authority.host().to_ascii_lowercase();
        let usual = if scheme == "https" { 443 } else { 80 };
        let authority = match authority.port_u16().filter(|port| *port != usual) {
            Some(port) => format!("{host}:{port}"),
            None => host.clone(),
        };
        Some(Self { scheme, host, authority })
    }

    fn is_this_machine(&self) -> bool {
        let address = self.host.trim_start_matches('[').trim_end_matches(']');
        self.host == "localhost" || address.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn admitted(origin: &str, host: &str, public_url: Option<&str>) -> bool {
        let headers = [(ORIGIN, origin.parse().unwrap()), (HOST, host.parse().unwrap())];
        is_admitted(&HeaderMap::from_iter(headers), public_url)
    }

    #[test]
    fn only_our_own_pages_and_this_machines_are_admitted() {
        let ours = Some("https://ibidem.example.org");
        assert!(is_admitted(&HeaderMap::new(), None), "programs name no origin");
        assert!(admitted("https://ibidem.example.org", "ibidem.example.org", ours));
        assert!(admitted("https://IBIDEM.example.org:443", "anything", ours));
        assert!(admitted("http://localhost:8080", "localhost:8080", None));
        assert!(admitted("http://127.0.0.1:8080", "127.0.0.1:8080", None));
        assert!(admitted("http://[::1]:8080", "[::1]:8080", None));
        for (origin, host, public_url) in [
            ("https://stranger.example.net", "stranger.example.net", None),
            ("https://stranger.example.net", "ibidem.example.org", ours),
            ("http://ibidem.example.org", "ibidem.example.org", ours),
            ("https://ibidem.example.org:8443", "ibidem.example.org:8443", ours),
            ("https://ibidem.example.org.stranger.example.net", "ibidem.example.org", ours),
            ("http://localhost:3000", "localhost:8080", None),
            ("http://localhost.stranger.example.net", "localhost.stranger.example.net", None),
            ("null", "localhost:8080", None),
        ] {
            assert!(!admitted(origin, host, public_url), "{origin} at {host}");
        }
    }
}
