//! Originals in a bucket: whoever takes a document in and whoever works on it need no folder in common.

use std::fs;

use crate::installation::with_installation;

/// The address of the storage, where it was started; CI always has it.
fn storage() -> Option<String> {
    let url = std::env::var("IBIDEM_STACK_S3").ok();
    if url.is_none() {
        eprintln!("did not run: there is no S3-compatible storage here (`stack/up --with s3` starts it)");
    }
    url
}

/// How many objects a bucket has.
async fn objects(bucket: &str) -> usize {
    let listed = reqwest::get(format!("{bucket}?list-type=2")).await.unwrap().text().await.unwrap();
    listed.matches("<Key>").count()
}

#[tokio::test]
async fn a_document_is_taken_in_read_and_erased_by_way_of_a_bucket() {
    let Some(storage) = storage() else { return };
    let _ = rustls::crypto::ring::default_provider().install_default();
    let name = format!("documents-{}", uuid::Uuid::now_v7().simple());
    let bucket = format!("{storage}/{name}");
    assert!(reqwest::Client::new().put(&bucket).send().await.unwrap().status().is_success());
    let settings = [
        format!("originals.location=s3://{name}/kept"),
        format!("originals.bucket.endpoint={storage}"),
        "originals.bucket.access_key_id=one".to_owned(),
        "originals.bucket.secret_access_key=two".to_owned(),
    ];
    with_installation(async |installation| {
        let with_bucket = |arguments: &[&str]| -> Vec<String> {
            let set = settings.iter().flat_map(|setting| ["--set".to_owned(), setting.clone()]);
            arguments.iter().map(|argument| (*argument).to_owned()).chain(set).collect()
        };
        let succeed = async |arguments: &[&str]| {
            let arguments = with_bucket(arguments);
            installation.succeed(&arguments.iter().map(String::as_str).collect::<Vec<_>>()).await
        };
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("bicycles.md"), "# Bicycles\n\nBicycles are kept in the cellar.\n").unwrap();
        let path = folder.path().to_str().unwrap();

        assert!(succeed(&["doctor"]).await.out.contains(&format!("s3://{name}/kept")));
        succeed(&["ingest", path, "--collection", "Handbook", "--tags", "public"]).await;
        assert_eq!(objects(&bucket).await, 1, "it is kept when it was taken in");
        // Read where it is gone from by now, by another program.
        fs::remove_file(folder.path().join("bicycles.md")).unwrap();
        succeed(&["worker", "--until-idle"]).await;
        let hits = installation.search("Where are bicycles kept?", "").await;
        assert!(hits[0]["text"].as_str().unwrap().contains("cellar"), "{hits:?}");
        assert!(fs::read_dir(installation.originals()).map_or(true, |mut kept| kept.next().is_none()), "no folder");

        let id = hits[0]["document_id"].as_str().unwrap();
        let report = succeed(&["document", "erase", id, "--yes", "--json"]).await.json();
        assert_eq!(report["originals"].as_u64(), Some(1), "{report}");
        assert_eq!(objects(&bucket).await, 0, "nothing of an erased document stays");
    })
    .await;
}
