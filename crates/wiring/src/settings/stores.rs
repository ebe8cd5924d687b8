//! What is kept: the sections `database`, `index`, `receipts`, `audit` and `conversations`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use ibidem_adapters::hand_over::Secret;
use ibidem_adapters::qdrant::{QdrantSettings, Quantization};
use ibidem_language::bm25::{Analysis, Language};
use ibidem_store::{Retention, StoreSettings};
use ibidem_words::TenantId;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use super::Settings;
use super::read::Problems;
use super::value::{AtLeast, HttpUrl, Millis, SecretSource, Within, Word, checked, has_scheme, parsed};

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DatabaseSettings {
    #[serde(deserialize_with = "postgres_url")]
    pub url: String,
    pub max_connections: AtLeast<u32, 2>,
    pub acquire_timeout_ms: Millis,
    pub timeout_ms: Millis,
}

fn postgres_url<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let url = String::deserialize(deserializer)?;
    has_scheme(&url, &["postgres://", "postgresql://"]).map(|()| url).map_err(D::Error::custom)
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IndexSettings {
    pub url: HttpUrl,
    pub also_at: Vec<HttpUrl>,
    pub api_key: Option<String>,
    #[serde(deserialize_with = "name_of_index")]
    pub name: String,
    pub timeout_ms: Millis,
    /// Fewer than what is shown of a search find too little; with more, comparing every passage is hardly dearer.
    pub search_breadth: Within<u64, 10, 10_000>,
    pub shards: AtLeast<u32, 1>,
    pub own_shards: Vec<String>,
    pub replicas: AtLeast<u32, 1>,
    pub write_consistency: AtLeast<u32, 1>,
    pub on_disk: bool,
    pub quantization: Word<Quantization>,
    #[serde(deserialize_with = "parsed")]
    pub language: Language,
}

fn name_of_index<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_';
    let is_plain = |name: &String| !name.is_empty() && name.chars().all(plain);
    checked(deserializer, is_plain, "must consist of lower-case letters, digits, '-' and '_'")
}

impl IndexSettings {
    pub(super) fn check(&self, problems: &mut Problems) {
        problems.unless(
            self.write_consistency.get() <= self.replicas.get(),
            "index.write_consistency",
            "is more than `index.replicas`: no write could succeed; lower it, or raise `index.replicas`",
        );
    }
}

impl Settings {
    pub fn store(&self) -> StoreSettings {
        StoreSettings {
            url: self.database.url.clone(),
            max_connections: self.database.max_connections.get(),
            acquire_timeout: self.database.acquire_timeout_ms.get(),
            read_timeout: self.database.timeout_ms.get(),
            lease: self.jobs.lease_ms.get(),
            analysis: Analysis::of(self.index.language),
        }
    }

    pub fn qdrant(&self) -> QdrantSettings {
        let index = &self.index;
        QdrantSettings {
            also_at: index.also_at.iter().map(|url| url.to_string()).collect(),
            api_key: index.api_key.clone(),
            alias: index.name.clone(),
            search_timeout: index.timeout_ms.get(),
            search_breadth: index.search_breadth.get(),
            shards: index.shards.get(),
            own_shards: index.own_shards.iter().map(|tenant| TenantId::named(tenant)).collect(),
            replicas: index.replicas.get(),
            write_consistency: index.write_consistency.get(),
            on_disk: index.on_disk,
            quantization: index.quantization.get(),
            analysis: Analysis::of(index.language),
            ..QdrantSettings::at(&*index.url)
        }
    }
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReceiptSettings {
    /// None when the key that signs receipts is in the database.
    pub signing_key_file: Option<PathBuf>,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AuditSettings {
    r#use: Word<Switch>,
    /// None when records are kept for ever.
    retention_days: Option<Days>,
    queries: Word<Queries>,
    hash_key: Option<Secret>,
    hash_key_file: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Switch {
    On,
    Off,
}

type Days = AtLeast<u32, 1>;

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Queries {
    Plain,
    Hashed,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RecordedTexts {
    Plain,
    Hashed(SecretSource),
}

impl AuditSettings {
    pub(super) fn check(&self, problems: &mut Problems) {
        if self.queries.get() == Queries::Plain {
            return;
        }
        let is_one = self.hash_key.is_some() != self.hash_key_file.is_some();
        let needed = "is hashed: exactly one of `audit.hash_key` and `audit.hash_key_file` is needed";
        problems.unless(is_one, "audit.queries", needed);
        let is_long = self.hash_key.as_ref().is_none_or(|key| key.len() >= SecretSource::SHORTEST);
        let problem = format!("must have at least {} characters", SecretSource::SHORTEST);
        problems.unless(!is_one || is_long, "audit.hash_key", &problem);
    }

    /// Whether turns are recorded at all.
    pub fn records(&self) -> bool {
        self.r#use.get() == Switch::On
    }

    pub fn retention_days(&self) -> Option<u32> {
        self.retention_days.map(AtLeast::get)
    }

    pub fn texts(&self) -> RecordedTexts {
        match (self.queries.get(), &self.hash_key) {
            (Queries::Plain, _) => RecordedTexts::Plain,
            (Queries::Hashed, Some(key)) => RecordedTexts::Hashed(SecretSource::Given(key.clone())),
            // The checks made sure that there is one.
            (Queries::Hashed, None) => {
                RecordedTexts::Hashed(SecretSource::File(self.hash_key_file.clone().unwrap_or_default()))
            }
        }
    }
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConversationSettings {
    retention_days: Option<Days>,
    retention_days_of_tenants: BTreeMap<String, Option<Days>>,
}

impl ConversationSettings {
    pub fn retention(&self) -> Retention {
        let of_tenants = &self.retention_days_of_tenants;
        Retention {
            days: self.retention_days.map(AtLeast::get),
            of_tenants: of_tenants.iter().map(|(name, days)| (TenantId::named(name), days.map(AtLeast::get))).collect(),
        }
    }
}
