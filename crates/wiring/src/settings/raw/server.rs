//! The section `server`.

use std::net::SocketAddr;
use std::time::Duration;

use ibidem_server::{ConnectionLimits, MetricsReaders};
use ibidem_words::Sha256Hash;
use serde::Deserialize;

use super::Problems;
use crate::settings::checked::ServerSettings;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawServer {
    listen: String,
    max_body_bytes: usize,
    max_json_bytes: usize,
    head_timeout_ms: u64,
    body_timeout_ms: u64,
    read_timeout_ms: u64,
    idle_timeout_ms: u64,
    request_timeout_ms: u64,
    max_connections: usize,
    max_in_flight: usize,
    key_share_percent: u8,
    tenant_share_percent: u8,
    metrics: String,
    metrics_token: Option<String>,
    otlp_url: Option<String>,
}

impl RawServer {
    /// Shorter tokens can be guessed.
    const SHORTEST_TOKEN: usize = 16;

    fn metrics_readers(&self, problems: &mut Problems) -> Option<MetricsReaders> {
        // Without a token the operator has nothing to show, and nobody is let in.
        let operator = match self.metrics_token.as_deref() {
            None => MetricsReaders::Nobody,
            Some(token) => MetricsReaders::Operator(Sha256Hash::of(token.as_bytes())),
        };
        if let Some(token) = &self.metrics_token {
            let fits_a_header = token.chars().all(|c| c.is_ascii_graphic());
            if token.len() < Self::SHORTEST_TOKEN || !fits_a_header {
                let problem = "must have at least 16 printable ASCII characters and no spaces";
                problems.note("server.metrics_token", problem);
            }
        }
        if self.metrics == "admin" {
            let problem = "is admin, which let one tenant's admin read the numbers of all tenants; use operator, and set \
                           `server.metrics_token`";
            problems.note("server.metrics", problem);
            return None;
        }
        let readers = [("operator", operator), ("open", MetricsReaders::Everybody), ("off", MetricsReaders::Nobody)];
        problems.one_of("server.metrics", &self.metrics, &readers)
    }

    pub(super) fn check(self, problems: &mut Problems) -> Option<ServerSettings> {
        problems.at_least("server.max_body_bytes", self.max_body_bytes as u64, 1024);
        problems.at_least("server.max_json_bytes", self.max_json_bytes as u64, 1024);
        for (key, value) in [
            ("server.head_timeout_ms", self.head_timeout_ms),
            ("server.body_timeout_ms", self.body_timeout_ms),
            ("server.read_timeout_ms", self.read_timeout_ms),
            ("server.idle_timeout_ms", self.idle_timeout_ms),
            ("server.request_timeout_ms", self.request_timeout_ms),
            ("server.max_connections", self.max_connections as u64),
            ("server.max_in_flight", self.max_in_flight as u64),
        ] {
            problems.at_least(key, value, 1);
        }
        if !(1..=100).contains(&self.key_share_percent) {
            let problem = format!("is {}; it must be from 1 to 100", self.key_share_percent);
            problems.note("server.key_share_percent", &problem);
        }
        if !(1..=100).contains(&self.tenant_share_percent) {
            let problem = format!("is {}; it must be from 1 to 100", self.tenant_share_percent);
            problems.note("server.tenant_share_percent", &problem);
        }
        let metrics = self.metrics_readers(problems);
        if let Some(url) = &self.otlp_url {
            problems.url("server.otlp_url", url, &["http://", "https://"]);
        }
        let Ok(listen) = self.listen.parse::<SocketAddr>() else {
            problems.note(
                "server.listen",
                &format!("is {:?}; it must have the form address:port, for example 127.0.0.1:8080", self.listen),
            );
            return None;
        };
        Some(ServerSettings {
            listen,
            max_body_bytes: self.max_body_bytes,
            max_json_bytes: self.max_json_bytes,
            body_timeout: Duration::from_millis(self.body_timeout_ms),
            request_timeout: Duration::from_millis(self.request_timeout_ms),
            max_in_flight: self.max_in_flight,
            key_share_percent: self.key_share_percent,
            tenant_share_percent: self.tenant_share_percent,
            connections: ConnectionLimits {
                max_connections: self.max_connections,
                head_timeout: Duration::from_millis(self.head_timeout_ms),
                idle_timeout: Duration::from_millis(self.idle_timeout_ms),
                read_timeout: Duration::from_millis(self.read_timeout_ms),
            },
            metrics: metrics?,
            metrics_token: self.metrics_token,
            otlp_url: self.otlp_url,
        })
    }
}
