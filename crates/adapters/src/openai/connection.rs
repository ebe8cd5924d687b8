//! Where a model server is, and what every request to it carries.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use ibidem_ports::language_model::ModelError;
use reqwest::{Certificate, Client, RequestBuilder};
use serde::Deserialize;

use super::PATIENCE;

/// How a server is spoken to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Protocol {
    /// OpenAI's chat completions, which nearly every server has.
    #[default]
    OpenAi,
    /// Ollama's own. Through OpenAI's it loads a model with a window of its own choice, and cuts prompts silently.
    Ollama,
}

/// A server and how one is let in. It has no `Debug`: addresses, keys and headers may be secret.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Connection {
    /// Up to and with `/v1`. What stands in it behind a `?` goes with every request, as Azure's `api-version` must.
    pub url: String,
    pub protocol: Protocol,
    pub api_key: Option<String>,
    /// The header that carries the key as it is, as Azure's `api-key` does; none for `Authorization: Bearer`.
    pub api_key_header: Option<String>,
    /// Further headers of every request.
    pub headers: BTreeMap<String, String>,
    /// Certificates in PEM that are trusted beside those of the system.
    pub ca_file: Option<PathBuf>,
}

impl Connection {
    pub fn to(url: impl Into<String>) -> Self {
        Self { url: url.into(), ..Self::default() }
    }

    /// The address of one of the server's paths.
    pub(crate) fn address(&self, path: &str) -> String {
        let (base, query) =
            self.url.split_once('?').map_or((self.url.as_str(), None), |(base, query)| (base, Some(query)));
        let address = format!("{}{path}", base.trim_end_matches('/'));
        query.map_or_else(|| address.clone(), |query| format!("{address}?{query}"))
    }

    /// The same beside the protocol, where servers have what the protocol does not.
    pub(crate) fn address_beside(&self, path: &str) -> String {
        let base = self.url.split('?').next().unwrap_or_default().trim_end_matches('/');
        format!("{}{path}", base.trim_end_matches("/v1"))
    }

    pub(crate) fn client(&self, timeout: Duration) -> Result<Client, ModelError> {
        let unavailable = |why: String| ModelError::Unavailable(why);
        let mut client = Client::builder()
            .connect_timeout(timeout.min(PATIENCE))
            // Never to another host than the one that was configured.
            .redirect(reqwest::redirect::Policy::none());
        if let Some(path) = &self.ca_file {
            let file = std::fs::read(path).map_err(|error| unavailable(format!("{}: {error}", path.display())))?;
            let certificates = Certificate::from_pem_bundle(&file);
            let certificates = certificates.map_err(|error| unavailable(format!("{}: {error}", path.display())))?;
            for certificate in certificates {
                client = client.add_root_certificate(certificate);
            }
        }
        client.build().map_err(|error| unavailable(error.to_string()))
    }

    /// A request with the key and the headers.
    pub(crate) fn authorised(&self, mut request: RequestBuilder) -> RequestBuilder {
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        match (&self.api_key, &self.api_key_header) {
            (Some(key), Some(header)) => request.header(header, key),
            (Some(key), None) => request.bearer_auth(key),
            (None, _) => request,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_stands_behind_every_path() {
        for (url, address) in [
            ("http://127.0.0.1:1/v1", "http://127.0.0.1:1/v1/models"),
            ("http://127.0.0.1:1/v1/", "http://127.0.0.1:1/v1/models"),
            ("https://a.example/deployments/m?api-version=1", "https://a.example/deployments/m/models?api-version=1"),
        ] {
            assert_eq!(Connection::to(url).address("/models"), address);
        }
        assert_eq!(Connection::to("http://127.0.0.1:1/v1?k=1").address_beside("/props"), "http://127.0.0.1:1/props");
    }

    #[test]
    fn a_file_that_holds_no_certificate_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ca.pem");
        let connection = Connection { ca_file: Some(path.clone()), ..Connection::to("http://127.0.0.1:1/v1") };
        let said = |connection: &Connection| connection.client(PATIENCE).unwrap_err().to_string();
        assert!(said(&connection).contains("ca.pem"));
        std::fs::write(path, "-----BEGIN CERTIFICATE-----\n!\n-----END CERTIFICATE-----\n").unwrap();
        assert!(said(&connection).contains("ca.pem"));
    }
}
