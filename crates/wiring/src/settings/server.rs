//! The sections `server`, `limits` and `log`.

use std::collections::BTreeMap;
use std::net::SocketAddr;

use ibidem_server::{ConnectionLimits, MetricsReaders, QuotaSettings, ServerLimits, UseLimits};
use ibidem_words::{Sha256Hash, TenantId};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use tracing_subscriber::filter::{EnvFilter, LevelFilter};

use super::value::{AtLeast, HttpUrl, Millis, Within, Word, checked};

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServerSettings {
    #[serde(deserialize_with = "listen")]
    pub listen: SocketAddr,
    max_body_bytes: AtLeast<usize, 1024>,
    max_json_bytes: AtLeast<usize, 1024>,
    head_timeout_ms: Millis,
    body_timeout_ms: Millis,
    read_timeout_ms: Millis,
    idle_timeout_ms: Millis,
    pub request_timeout_ms: Millis,
    max_connections: AtLeast<usize, 1>,
    max_in_flight: AtLeast<usize, 1>,
    key_share_percent: Within<u8, 1, 100>,
    tenant_share_percent: Within<u8, 1, 100>,
    #[serde(deserialize_with = "metrics")]
    metrics: Word<Metrics>,
    /// What `ibidem metrics` shows the server.
    #[serde(deserialize_with = "metrics_token")]
    pub metrics_token: Option<String>,
    /// Where traces go; none when nobody collects them.
    pub otlp_url: Option<HttpUrl>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Metrics {
    Operator,
    Open,
    Off,
}

fn listen<'de, D: Deserializer<'de>>(deserializer: D) -> Result<SocketAddr, D::Error> {
    let written = String::deserialize(deserializer)?;
    let form = "it must have the form address:port, for example 127.0.0.1:8080";
    written.parse().map_err(|_| D::Error::custom(format!("is {written:?}; {form}")))
}

fn metrics<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Word<Metrics>, D::Error> {
    let problem = "is admin, which let one tenant's admin read the numbers of all tenants; use operator, and set \
                   `server.metrics_token`";
    let written = checked(deserializer, |written: &serde_json::Value| written != "admin", problem)?;
    serde_json::from_value(written).map_err(D::Error::custom)
}

fn metrics_token<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    // Shorter ones can be guessed.
    let is_token = |token: &String| token.len() >= 16 && token.chars().all(|c| c.is_ascii_graphic());
    let problem = "must have at least 16 printable ASCII characters and no spaces";
    checked(deserializer, |token: &Option<String>| token.as_ref().is_none_or(is_token), problem)
}

impl ServerSettings {
    /// Who may read what is counted.
    pub fn metrics_readers(&self) -> MetricsReaders {
        match (self.metrics.get(), &self.metrics_token) {
            (Metrics::Open, _) => MetricsReaders::Everybody,
            (Metrics::Operator, Some(token)) => MetricsReaders::Operator(Sha256Hash::of(token.as_bytes())),
            // Without a token the operator has nothing to show, and nobody is let in.
            (Metrics::Operator, None) | (Metrics::Off, _) => MetricsReaders::Nobody,
        }
    }

    pub fn limits(&self) -> ServerLimits {
        ServerLimits {
            max_body_bytes: self.max_body_bytes.get(),
            max_json_bytes: self.max_json_bytes.get(),
            body_timeout: self.body_timeout_ms.get(),
            request_timeout: self.request_timeout_ms.get(),
            max_in_flight: self.max_in_flight.get(),
            key_share_percent: self.key_share_percent.get(),
            tenant_share_percent: self.tenant_share_percent.get(),
            connections: ConnectionLimits {
                max_connections: self.max_connections.get(),
                head_timeout: self.head_timeout_ms.get(),
                idle_timeout: self.idle_timeout_ms.get(),
                read_timeout: self.read_timeout_ms.get(),
            },
        }
    }
}

#[derive(Deserialize)]
#[serde(remote = "QuotaSettings", deny_unknown_fields)]
pub(super) struct Limits {
    #[serde(with = "Use")]
    key: UseLimits,
    #[serde(with = "Use")]
    person: UseLimits,
    #[serde(with = "Use")]
    tenant: UseLimits,
    #[serde(rename = "tenants", deserialize_with = "of_tenants")]
    of_tenants: BTreeMap<TenantId, UseLimits>,
}

/// 0, or nothing, is no limit.
#[derive(Default, Deserialize)]
#[serde(remote = "UseLimits", default, deny_unknown_fields)]
struct Use {
    requests_per_minute: u32,
    turns_at_once: u32,
    model_tokens_per_day: u64,
    documents_per_day: u64,
    bytes_per_day: u64,
}

fn of_tenants<'de, D: Deserializer<'de>>(deserializer: D) -> Result<BTreeMap<TenantId, UseLimits>, D::Error> {
    #[derive(Deserialize)]
    struct OfTenant(#[serde(with = "Use")] UseLimits);
    let limits = BTreeMap::<String, OfTenant>::deserialize(deserializer)?;
    Ok(limits.into_iter().map(|(name, OfTenant(limits))| (TenantId::named(&name), limits)).collect())
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LogSettings {
    #[serde(deserialize_with = "level")]
    pub level: String,
    pub format: Word<LogFormat>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    Text,
    Json,
}

fn level<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let filter = String::deserialize(deserializer)?;
    let wrong = |problem: String| Err(D::Error::custom(format!("is {filter:?}: {problem}")));
    if let Err(error) = filter.parse::<EnvFilter>() {
        return wrong(error.to_string());
    }
    // A lone word that is no level would be taken for the name of a module, and nothing would be logged.
    let is_level = |word: &str| word.is_empty() || word.parse::<LevelFilter>().is_ok();
    let mut lone = filter.split(',').map(str::trim).filter(|directive| !directive.contains(['=', '[']));
    match lone.find(|word| !is_level(word)) {
        Some(word) => {
            wrong(format!("{word:?} is no level; use off, error, warn, info, debug or trace, or module=level"))
        }
        None => Ok(filter),
    }
}
