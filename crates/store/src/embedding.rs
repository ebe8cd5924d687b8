//! Keys for pages of other sites: which pages may use one, and what it is confined to.

use std::fmt;
use std::net::Ipv6Addr;
use std::str::FromStr;

use ibidem_ports::catalogue::CatalogueError;
use ibidem_words::{CollectionName, PolicyTexts, Sha256Hash};

use crate::Store;
use crate::asked::Asked as _;

/// Scheme, host and port of a page, in the form in which browsers send it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct PageOrigin(String);

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} is not the origin of a page: write https:// and its host, and the port where it has one of its own, such as \
     https://intranet.example.org; a name with other than ASCII letters as xn--…"
)]
pub struct InvalidOrigin(pub String);

impl PageOrigin {
    const LONGEST_HOST: usize = 253;

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for PageOrigin {
    type Err = InvalidOrigin;

    fn from_str(written: &str) -> Result<Self, Self::Err> {
        let invalid = || InvalidOrigin(written.to_owned());
        let small = written.trim().to_ascii_lowercase();
        let (scheme, rest) = small.split_once("://").ok_or_else(invalid)?;
        let usual = match scheme {
            "https" => 443,
            "http" => 80,
            _ => return Err(invalid()),
        };
        let rest = rest.strip_suffix('/').unwrap_or(rest);
        let (host, port) = match rest.rsplit_once(':') {
            // Within brackets it is an address of several parts.
            Some((host, port)) if !port.contains(']') => (host, port.parse::<u16>().map_err(|_| invalid())?),
            _ => (rest, usual),
        };
        let host = canonical(host).ok_or_else(invalid)?;
        if port == 0 {
            return Err(invalid());
        }
        Ok(Self(if port == usual { format!("{scheme}://{host}") } else { format!("{scheme}://{host}:{port}") }))
    }
}

/// A host's name or address, or none if it is neither.
fn canonical(host: &str) -> Option<String> {
    if let Some(inner) = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        return inner.parse::<Ipv6Addr>().ok().map(|address| format!("[{address}]"));
    }
    let allowed = |sign: char| sign.is_ascii_alphanumeric() || sign == '-' || sign == '.';
    let fits = !host.is_empty() && host.len() <= PageOrigin::LONGEST_HOST && host.chars().all(allowed);
    (fits && !host.starts_with('.') && !host.contains("..")).then(|| host.to_owned())
}

impl fmt::Display for PageOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What a key for pages of other sites is confined to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KeyEmbedding {
    /// Pages of these origins may use it; at least one.
    pub origins: Vec<PageOrigin>,
    /// Its questions are answered from these collections; empty: from all that its tags show.
    pub collections: Vec<CollectionName>,
    /// Its questions are answered under this policy file; none: the one that is in force otherwise.
    pub policy: Option<Sha256Hash>,
}

/// The same for a key that is to be made, with the policy file's text.
#[derive(Clone, Debug)]
pub struct NewEmbedding {
    pub origins: Vec<PageOrigin>,
    pub collections: Vec<CollectionName>,
    pub policy: Option<(Sha256Hash, PolicyTexts)>,
}

impl Store {
    /// Whether pages of this origin may use any valid key, of whatever tenant.
    pub async fn is_embedded_at(&self, origin: &PageOrigin) -> Result<bool, CatalogueError> {
        sqlx::query_scalar!(
            r#"SELECT EXISTS (SELECT FROM api_keys WHERE origins @> ARRAY[$1::text] AND origins <> '{}'
                   AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())) AS "is_embedded!""#,
            origin.as_str(),
        )
        .one_in_time(self)
        .await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_is_kept_as_browsers_send_it() {
        for (written, origin) in [
            ("https://intranet.example.org", "https://intranet.example.org"),
            (" HTTPS://Intranet.Example.org:443/ ", "https://intranet.example.org"),
            ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
            ("http://localhost:80", "http://localhost"),
            ("https://localhost:80", "https://localhost:80"),
            ("http://[0:0:0:0:0:0:0:1]:3000", "http://[::1]:3000"),
            ("http://[::1]", "http://[::1]"),
        ] {
            assert_eq!(written.parse::<PageOrigin>().map(|origin| origin.to_string()), Ok(origin.to_owned()));
        }
    }

    #[test]
    fn what_is_wider_than_one_origin_or_none_is_refused() {
        for written in [
            "",
            "*",
            "null",
            "https://*",
            "https://*.example.org",
            "intranet.example.org",
            "https://",
            "https://intranet.example.org/help",
            "https://intranet.example.org?x",
            "https://intranet.example.org#x",
            "https://user@intranet.example.org",
            "https://intranet.example.org:0",
            "https://intranet.example.org:99999",
            "https://intranet.example.org:",
            "https://a..b",
            "https://.b",
            "https://grüße.example.org",
            "https://a b",
            "https://a\nb",
            "file:///etc",
            "javascript:alert(1)",
            "http://[::1",
        ] {
            assert!(written.parse::<PageOrigin>().is_err(), "{written:?}");
        }
    }
}
