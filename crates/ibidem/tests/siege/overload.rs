//! Overload: one key has its share, others are still answered, and probes always.

use ibidem_words::Role;

use crate::installation::with_installation;
use crate::model::Model;
use crate::wire::{PATIENCE, Reply, call};
use crate::world::{key, take_in_public};

const QUESTION: &str = r#"{"query": "How many days of leave may be carried over?"}"#;

#[tokio::test(flavor = "multi_thread")]
async fn one_key_takes_its_share_and_another_is_still_answered() {
    with_installation(async |installation| {
        take_in_public(installation).await;
        let model = Model::start().await;
        let mut settings = vec![("IBIDEM__SERVER__MAX_IN_FLIGHT", "8".to_owned())];
        // Of one tenant: what a key may take is what this is about.
        settings.push(("IBIDEM__SERVER__TENANT_SHARE_PERCENT", "100".to_owned()));
        settings.push(("IBIDEM__SERVER__KEY_SHARE_PERCENT", "50".to_owned()));
        settings.extend(model.settings());
        let settings: Vec<(&str, &str)> = settings.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let served = installation.serve(&settings).await;
        let greedy = key(installation, "default", Role::Asker, &[]).await;
        let honest = key(installation, "default", Role::Asker, &[]).await;
        let admin = key(installation, "default", Role::Admin, &[]).await;

        let asking = |key: &str, times: usize| {
            let (url, key) = (served.url.clone(), key.to_owned());
            let asked = (0..times).map(move |_| {
                let (url, key) = (url.clone(), key.clone());
                tokio::spawn(async move { call(&url, "POST", "/v1/answers", Some(&key), QUESTION).await })
            });
            asked.collect::<Vec<_>>()
        };
        let mut under_way = asking(&greedy, 4);
        model.was_asked(4).await;
        let turned_away = call(&served.url, "POST", "/v1/answers", Some(&greedy), QUESTION).await;
        assert_eq!((turned_away.status, turned_away.header("retry-after")), (Some(429), Some("1")), "{turned_away:?}");
        let problem = turned_away.json();
        assert_eq!((problem["type"].as_str(), problem["status"].as_u64()), (Some("key_overloaded"), Some(429)));
        assert!(problem["detail"].as_str().unwrap().contains("4 requests under way"), "{problem}");
        let searched = call(&served.url, "POST", "/v1/search", Some(&honest), QUESTION).await;
        assert_eq!(searched.status, Some(200), "{searched:?}");

        under_way.extend(asking(&honest, 4));
        model.was_asked(8).await;
        let full = call(&served.url, "POST", "/v1/search", Some(&admin), QUESTION).await;
        assert_eq!((full.status, full.header("retry-after")), (Some(503), Some("1")), "{full:?}");
        for (path, key) in [("/healthz", None), ("/readyz", None), ("/metrics", Some(admin.as_str()))] {
            let probe = call(&served.url, "GET", path, key, "").await;
            // No key opens the metrics: they are the operator's.
            let expected = if path == "/metrics" { 404 } else { 200 };
            assert_eq!(probe.status, Some(expected), "{path}: {probe:?}");
        }

        model.may_write.add_permits(8);
        for asked in under_way {
            let reply: Reply = tokio::time::timeout(PATIENCE, asked).await.expect("it is answered").unwrap();
            assert_eq!(reply.status, Some(200), "{reply:?}");
        }
        let again = call(&served.url, "POST", "/v1/search", Some(&greedy), QUESTION).await;
        assert_eq!(again.status, Some(200), "its places are its own again");
        eprintln!("siege: overload: 8 places, 4 for a key: 1 turned away with 429, 1 with 503, 3 probes and all others answered");
        served.stop().await;
    })
    .await;
}
