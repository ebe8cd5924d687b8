//! Documents on their way in: the sections `originals`, `jobs` and `reading`.

use std::path::{Path, PathBuf};

use ibidem_adapters::object_store::{BucketAddress, BucketKeys, BucketSettings, OriginalsLocation};
use ibidem_ingest::read::child::ReadingLimits;
use serde::Deserialize;

use super::Settings;
use super::read::Problems;
use super::value::{AtLeast, Millis};

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OriginalsSettings {
    pub location: String,
    bucket: Bucket,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Bucket {
    endpoint: Option<String>,
    region: Option<String>,
    access_key_id: Option<String>,
    secret_access_key: Option<String>,
    timeout_ms: Millis<0>,
}

impl OriginalsSettings {
    pub(super) fn check(&self, problems: &mut Problems) {
        let Some(address) = BucketAddress::parse(&self.location) else { return };
        if let Err(problem) = address {
            return problems.note("originals.location", &problem);
        }
        let bucket = &self.bucket;
        let is_url = |url: &String| url.starts_with("https://") || url.starts_with("http://");
        let is_right = bucket.endpoint.as_ref().is_none_or(is_url);
        problems.unless(is_right, "originals.bucket.endpoint", "must begin with https:// or http://");
        let has_time = !bucket.timeout_ms.get().is_zero();
        problems.unless(has_time, "originals.bucket.timeout_ms", "must be at least 1");
        problems.unless(
            bucket.access_key_id.is_some() == bucket.secret_access_key.is_some(),
            "originals.bucket",
            "must be set together with the other of `access_key_id` and `secret_access_key`",
        );
    }
}

impl Settings {
    pub fn originals(&self) -> OriginalsLocation {
        let Some(Ok(address)) = BucketAddress::parse(&self.originals.location) else {
            return OriginalsLocation::Folder(self.sources.data(Path::new(&self.originals.location)));
        };
        let Bucket { endpoint, region, access_key_id, secret_access_key, timeout_ms } = self.originals.bucket.clone();
        let keys = access_key_id.zip(secret_access_key);
        let keys = keys.map(|(access_key_id, secret_access_key)| BucketKeys { access_key_id, secret_access_key });
        OriginalsLocation::Bucket(BucketSettings { address, endpoint, region, keys, timeout: timeout_ms.get() })
    }
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JobSettings {
    pub lease_ms: Millis<500>,
}

/// The processes that originals are read in.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReadingSettings {
    timeout_ms: Millis<1_000>,
    /// The program itself takes some.
    memory_bytes: AtLeast<u64, { 128 << 20 }>,
    output_bytes: AtLeast<u64, { 1 << 20 }>,
    pub at_once: AtLeast<usize, 1>,
    /// Another program than this one, with the same command.
    pub program: Option<PathBuf>,
}

impl ReadingSettings {
    pub fn limits(&self) -> ReadingLimits {
        ReadingLimits {
            memory_bytes: self.memory_bytes.get(),
            processor_time: self.timeout_ms.get(),
            output_bytes: self.output_bytes.get(),
        }
    }
}
