//! Originals in a bucket of real S3-compatible storage.

use std::time::Duration;

use ibidem_adapters::object_store::{BucketAddress, BucketKeys, BucketSettings, OriginalsLocation, StoredOriginals};
use ibidem_ports::originals::{Originals as _, OriginalsError};
use ibidem_testing::suites::originals::originals_suite;
use ibidem_words::TenantId;

/// The address of the storage, where it was started; CI always has it.
#[expect(clippy::print_stderr, reason = "whoever runs the tests must see what did not run")]
fn storage() -> Option<String> {
    let url = std::env::var("IBIDEM_STACK_S3").ok();
    if url.is_none() {
        eprintln!("did not run: there is no S3-compatible storage here (`stack/up --with s3` starts it)");
    }
    url
}

fn location(endpoint: &str, address: &str) -> OriginalsLocation {
    OriginalsLocation::Bucket(BucketSettings {
        address: BucketAddress::parse(address).unwrap().unwrap(),
        endpoint: Some(endpoint.to_owned()),
        region: Some("eu-central-1".to_owned()),
        keys: Some(BucketKeys { access_key_id: "one".to_owned(), secret_access_key: "two".to_owned() }),
        timeout: Duration::from_secs(30),
    })
}

async fn make_bucket(storage: &str, name: &str) {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let made = reqwest::Client::new().put(format!("{storage}/{name}")).send().await.unwrap();
    assert!(made.status().is_success(), "{}", made.status());
}

#[tokio::test]
async fn a_bucket_keeps_originals() {
    let Some(storage) = storage() else { return };
    let name = format!("suite-{}", uuid::Uuid::now_v7().simple());
    make_bucket(&storage, &name).await;
    for address in [format!("s3://{name}"), format!("s3://{name}/one/two")] {
        let originals = StoredOriginals::at(&location(&storage, &address)).unwrap();
        originals.check().await.unwrap();
        originals_suite(&originals).await;
    }
}

#[tokio::test]
async fn two_prefixes_of_a_bucket_do_not_see_each_other() {
    let Some(storage) = storage() else { return };
    let name = format!("prefixes-{}", uuid::Uuid::now_v7().simple());
    make_bucket(&storage, &name).await;
    let open = |prefix: &str| StoredOriginals::at(&location(&storage, &format!("s3://{name}/{prefix}"))).unwrap();
    let (one, other) = (open("one"), open("other"));
    let tenant = TenantId::named("tenant");
    let digest = one.keep(tenant, b"text".to_vec()).await.unwrap();
    assert!(matches!(other.fetch(tenant, digest).await, Err(OriginalsError::Lost(_))));
    assert!(other.list(tenant).await.unwrap().is_empty());
    assert_eq!(one.list(tenant).await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_bucket_that_is_not_there_or_cannot_be_reached_says_so_and_keeps_nothing() {
    let Some(storage) = storage() else { return };
    let _ = rustls::crypto::ring::default_provider().install_default();
    let absent = StoredOriginals::at(&location(&storage, "s3://nobody-made-this")).unwrap();
    let refused = absent.check().await.unwrap_err().to_string();
    assert!(refused.contains("nobody-made-this"), "{refused}");

    let mut gone = location("http://127.0.0.1:1", "s3://documents");
    if let OriginalsLocation::Bucket(settings) = &mut gone {
        settings.timeout = Duration::from_secs(2);
    }
    let kept = StoredOriginals::at(&gone).unwrap().keep(TenantId::named("tenant"), b"text".to_vec()).await;
    let Err(OriginalsError::Unavailable(reason)) = kept else { panic!("{kept:?}") };
    assert!(!reason.contains("two"), "no key in an error: {reason}");
}
