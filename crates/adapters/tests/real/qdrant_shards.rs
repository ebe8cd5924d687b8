//! Large tenants on shards of their own, on a server that runs as a cluster of one node.

use std::collections::BTreeMap;
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use ibidem_adapters::qdrant::{QdrantIndex, QdrantSettings};
use ibidem_ports::index::{IndexDocument, IndexWriter as _};
use ibidem_testing::suites::index::index_suite;
use ibidem_words::TenantId;
use qdrant_client::Qdrant;
use qdrant_client::qdrant::shard_key::Key;
use tempfile::TempDir;

use crate::qdrant::{document, model, search, settings};
use crate::setting;

/// A Qdrant that was started as a cluster. It ends when this is dropped.
struct Clustered {
    server: Child,
    url: String,
    _folder: TempDir,
}

impl Drop for Clustered {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

impl Clustered {
    async fn start() -> Self {
        let folder = TempDir::new().unwrap();
        // All are free at once, and so no two are the same.
        let free = [0; 3].map(|_| TcpListener::bind("127.0.0.1:0").unwrap());
        let [grpc, http, between] = free.each_ref().map(|free| free.local_addr().unwrap().port().to_string());
        drop(free);
        let server = Command::new(setting("IBIDEM_STACK_QDRANT_BIN"))
            .args(["--disable-telemetry", "--uri", &format!("http://127.0.0.1:{between}")])
            .current_dir(folder.path())
            .env("QDRANT__LOG_LEVEL", "OFF")
            .env("QDRANT__CLUSTER__ENABLED", "true")
            .env("QDRANT__CLUSTER__P2P__PORT", between)
            .env("QDRANT__SERVICE__HOST", "127.0.0.1")
            .env("QDRANT__SERVICE__HTTP_PORT", http)
            .env("QDRANT__SERVICE__GRPC_PORT", &grpc)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let url = format!("http://127.0.0.1:{grpc}");
        let clustered = Self { server, url, _folder: folder };
        let client = clustered.client();
        let ready = async {
            while client.health_check().await.is_err() {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(60), ready).await.expect("the server answers");
        clustered
    }

    fn client(&self) -> Qdrant {
        Qdrant::from_url(&self.url).skip_compatibility_check().build().unwrap()
    }

    fn settings(&self) -> QdrantSettings {
        QdrantSettings { url: self.url.clone(), ..settings() }
    }

    /// How many points there are under each key.
    async fn points(&self, index: &QdrantIndex) -> BTreeMap<String, u64> {
        let info = self.client().collection_cluster_info(index.target()).await.unwrap();
        let shards = info.local_shards.into_iter().map(|shard| match shard.shard_key.and_then(|key| key.key) {
            Some(Key::Keyword(word)) => (word, shard.points_count),
            _ => (String::new(), shard.points_count),
        });
        shards.fold(BTreeMap::new(), |mut sums, (key, points)| {
            *sums.entry(key).or_default() += points;
            sums
        })
    }
}

fn index(settings: QdrantSettings, own_shards: &[&str]) -> QdrantIndex {
    let own_shards = own_shards.iter().map(|tenant| TenantId::named(tenant)).collect();
    QdrantIndex::new(QdrantSettings { own_shards, ..settings }, model("one")).unwrap()
}

fn document_of(tenant: &str, number: u128) -> IndexDocument {
    IndexDocument { tenant: TenantId::named(tenant), ..document(number) }
}

#[tokio::test]
async fn tenants_on_shards_of_their_own_are_found_as_others_are() {
    let server = Clustered::start().await;
    // Two of the suite's own tenants; the others share.
    let index = index(server.settings(), &["both lanes", "scope one"]);
    index.ensure_collection().await.unwrap();
    index_suite(&index, &index).await;
}

#[tokio::test]
async fn a_tenants_points_are_on_its_own_shards_and_an_index_that_is_divided_anew_goes_on() {
    let server = Clustered::start().await;
    let settings = server.settings();
    let index = index(settings.clone(), &[]);
    index.ensure_collection().await.unwrap();
    index.publish(vec![document_of("here", 1), document_of("elsewhere", 2)]).await.unwrap();
    assert_eq!(search(&index).await.unwrap(), 1);

    // Divided by tenant from now on. The first handle does not know, as another process would not.
    let large = self::index(settings, &["here"]);
    let rebuilt = large.begin_rebuild().await.unwrap();
    rebuilt.publish(vec![document_of("here", 1), document_of("elsewhere", 2)]).await.unwrap();
    large.finish_rebuild(&rebuilt, false).await.unwrap();
    let here = TenantId::named("here").0.to_string();
    assert_eq!(server.points(&index).await, BTreeMap::from([(here.clone(), 1), ("shared".to_owned(), 1)]));
    assert_eq!(search(&index).await.unwrap(), 1);
    index.publish(vec![document_of("here", 3), document_of("elsewhere", 4)]).await.unwrap();
    assert_eq!(search(&index).await.unwrap(), 2);
    assert_eq!(server.points(&index).await, BTreeMap::from([(here, 2), ("shared".to_owned(), 2)]));
    let all = index.scan(None, 10).await.unwrap().points;
    assert_eq!(all.len(), 4);
    index.remove_points(all).await.unwrap();
    assert_eq!(search(&large).await.unwrap(), 0);

    // And back.
    let rebuilt = index.begin_rebuild().await.unwrap();
    rebuilt.publish(vec![document_of("here", 1)]).await.unwrap();
    index.finish_rebuild(&rebuilt, false).await.unwrap();
    assert_eq!(search(&large).await.unwrap(), 1);
    large.publish(vec![document_of("here", 5)]).await.unwrap();
    assert_eq!(search(&index).await.unwrap(), 2);
}

#[tokio::test]
async fn a_server_that_is_no_cluster_says_so() {
    let settings = settings();
    let refused = index(settings.clone(), &["here"]).ensure_collection().await.unwrap_err().to_string();
    // And nothing is left of it that would be in the way of another setting.
    let usual = index(settings, &[]);
    usual.ensure_collection().await.unwrap();
    usual.publish(vec![document_of("here", 1)]).await.unwrap();
    let found = search(&usual).await.unwrap();
    usual.drop_all().await.unwrap();
    assert_eq!(found, 1);
    assert!(refused.contains("istributed") && refused.contains("`index.own_shards`"), "{refused}");
}
