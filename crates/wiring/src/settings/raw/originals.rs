//! Where originals are kept, as written.

use std::path::Path;
use std::time::Duration;

use ibidem_adapters::object_store::{BucketAddress, BucketKeys, BucketSettings, OriginalsLocation};
use serde::Deserialize;

use super::{Problems, Sources};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawOriginals {
    location: String,
    bucket: RawBucket,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawBucket {
    endpoint: Option<String>,
    region: Option<String>,
    access_key_id: Option<String>,
    secret_access_key: Option<String>,
    timeout_ms: u64,
}

impl RawOriginals {
    pub(super) fn check(self, sources: &Sources, problems: &mut Problems) -> Option<OriginalsLocation> {
        match BucketAddress::parse(&self.location) {
            None => Some(OriginalsLocation::Folder(sources.data(Path::new(&self.location)))),
            Some(Ok(address)) => self.bucket.check(address, problems).map(OriginalsLocation::Bucket),
            Some(Err(problem)) => {
                problems.note("originals.location", &problem);
                None
            }
        }
    }
}

impl RawBucket {
    fn check(self, address: BucketAddress, problems: &mut Problems) -> Option<BucketSettings> {
        let is_url = |endpoint: &String| endpoint.starts_with("https://") || endpoint.starts_with("http://");
        if self.endpoint.as_ref().is_some_and(|endpoint| !is_url(endpoint)) {
            problems.note("originals.bucket.endpoint", "must begin with https:// or http://");
            return None;
        }
        if self.timeout_ms == 0 {
            problems.note("originals.bucket.timeout_ms", "must be at least 1");
            return None;
        }
        let keys = match (self.access_key_id, self.secret_access_key) {
            (Some(access_key_id), Some(secret_access_key)) => Some(BucketKeys { access_key_id, secret_access_key }),
            (None, None) => None,
            _ => {
                let problem = "must be set together with the other of `access_key_id` and `secret_access_key`";
                problems.note("originals.bucket", problem);
                return None;
            }
        };
        let timeout = Duration::from_millis(self.timeout_ms);
        Some(BucketSettings { address, endpoint: self.endpoint, region: self.region, keys, timeout })
    }
}
