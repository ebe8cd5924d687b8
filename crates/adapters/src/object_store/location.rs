//! Where originals are kept: a folder, or a bucket of S3-compatible storage.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use object_store::aws::{AmazonS3, AmazonS3Builder};
use object_store::{BackoffConfig, ClientOptions, RetryConfig};

/// How a location that is a bucket begins.
const SCHEME: &str = "s3://";

/// How often a request to a bucket is sent again when it failed in a way that may pass.
const RETRIES: usize = 3;

#[derive(Clone, PartialEq, Debug)]
pub enum OriginalsLocation {
    Folder(PathBuf),
    Bucket(BucketSettings),
}

impl fmt::Display for OriginalsLocation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder(folder) => folder.display().fmt(formatter),
            Self::Bucket(bucket) => bucket.address.fmt(formatter),
        }
    }
}

/// `s3://BUCKET` or `s3://BUCKET/PREFIX`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BucketAddress {
    name: String,
    prefix: object_store::path::Path,
}

impl BucketAddress {
    pub(super) fn prefix(&self) -> &object_store::path::Path {
        &self.prefix
    }

    /// None for a folder.
    pub fn parse(location: &str) -> Option<Result<Self, String>> {
        let (name, prefix) = match location.strip_prefix(SCHEME)?.split_once('/') {
            Some((name, prefix)) => (name, prefix),
            None => (&location[SCHEME.len()..], ""),
        };
        Some(Self::checked(name, prefix))
    }

    /// What S3 allows as a name. Anything else would end up in another part of the address.
    fn checked(name: &str, prefix: &str) -> Result<Self, String> {
        let allowed = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || "-.".contains(letter);
        if !(3..=63).contains(&name.len()) || !name.chars().all(allowed) {
            return Err(format!(
                "{name:?} is not the name of a bucket; write {SCHEME}BUCKET/PREFIX, where BUCKET has 3 to 63 lower-case \
                 letters, digits, dots and hyphens"
            ));
        }
        let prefix = object_store::path::Path::parse(prefix).map_err(|error| error.to_string())?;
        Ok(Self { name: name.to_owned(), prefix })
    }
}

impl fmt::Display for BucketAddress {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{SCHEME}{}", self.name)?;
        if self.prefix.as_ref().is_empty() { Ok(()) } else { write!(formatter, "/{}", self.prefix) }
    }
}

#[derive(Clone, PartialEq)]
pub struct BucketSettings {
    pub address: BucketAddress,
    /// None for AWS itself.
    pub endpoint: Option<String>,
    pub region: Option<String>,
    /// None for those of the `AWS_` variables of the environment, or of the role that the machine has.
    pub keys: Option<BucketKeys>,
    /// For one request.
    pub timeout: Duration,
}

#[derive(Clone, PartialEq)]
pub struct BucketKeys {
    pub access_key_id: String,
    pub secret_access_key: String,
}

impl fmt::Debug for BucketSettings {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("BucketSettings").field("address", &self.address).finish_non_exhaustive()
    }
}

pub(super) fn open(settings: &BucketSettings) -> object_store::Result<AmazonS3> {
    let endpoint_is_plain = settings.endpoint.as_deref().is_some_and(|endpoint| endpoint.starts_with("http://"));
    let client = ClientOptions::new().with_timeout(settings.timeout).with_allow_http(endpoint_is_plain);
    let retries =
        RetryConfig { backoff: BackoffConfig::default(), max_retries: RETRIES, retry_timeout: settings.timeout };
    let mut builder = AmazonS3Builder::from_env()
        .with_bucket_name(&settings.address.name)
        .with_client_options(client)
        .with_retry(retries);
    if let Some(endpoint) = &settings.endpoint {
        builder = builder.with_endpoint(endpoint);
    }
    if let Some(region) = &settings.region {
        builder = builder.with_region(region);
    }
    if let Some(keys) = &settings.keys {
        builder = builder.with_access_key_id(&keys.access_key_id).with_secret_access_key(&keys.secret_access_key);
    }
    builder.build()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_location_is_a_bucket_when_it_says_so() {
        for (location, read) in [
            ("originals", None),
            ("/var/lib/ibidem/s3", None),
            ("s3://documents", Some("s3://documents")),
            ("s3://documents/", Some("s3://documents")),
            ("s3://our.documents/ibidem/kept", Some("s3://our.documents/ibidem/kept")),
        ] {
            let address = BucketAddress::parse(location).map(|address| address.unwrap().to_string());
            assert_eq!(address.as_deref(), read, "{location}");
        }
        for wrong in ["s3://", "s3://ab", "s3://Documents", "s3://a b c", "s3:///documents", "s3://documents/../other"]
        {
            assert!(BucketAddress::parse(wrong).unwrap().is_err(), "{wrong}");
        }
    }

    #[test]
    fn keys_are_not_printed() {
        let keys = BucketKeys { access_key_id: "AKIA".to_owned(), secret_access_key: "very secret".to_owned() };
        let settings = BucketSettings {
            address: BucketAddress::parse("s3://documents").unwrap().unwrap(),
            endpoint: None,
            region: None,
            keys: Some(keys),
            timeout: Duration::from_secs(1),
        };
        let printed = format!("{settings:?} {}", OriginalsLocation::Bucket(settings.clone()));
        assert!(!printed.contains("secret ") && !printed.contains("AKIA"), "{printed}");
    }
}
