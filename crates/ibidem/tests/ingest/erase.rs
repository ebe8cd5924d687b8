//! Erasing, by the real binary: nothing of a document or a tenant is left in the database, the index or the originals.

use std::fs;
use std::path::Path;

use ibidem_store::{ActionsOf, AuditedAction};
use ibidem_words::TenantId;

use crate::installation::{Installation, with_installation};
use crate::state::State;

/// Only in the document that is erased: in its text, an older version's, its title and its file's name.
const SECRETS: [&str; 4] = ["zyzzyva", "quagga", "thylacine", "okapi"];

fn write(folder: &Path, secret: &str) {
    let text = format!(
        "# The thylacine rule\n\nTravel by night train is paid by the {secret} fund. Meals are not paid.\n\n\
         ## Hotels\n\nA hotel is paid by the {secret} fund for five nights.\n"
    );
    fs::write(folder.join("okapi.md"), text).unwrap();
}

async fn holding(installation: &Installation, words: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for word in words {
        found.extend(installation.columns_with(word).await);
        let points = State::of(installation).await.points;
        found.extend(
            points.iter().filter(|(_, point)| point.payload.to_string().contains(word)).map(|(id, _)| id.to_string()),
        );
        found.extend(originals_with(installation.originals(), word));
    }
    found
}

fn originals_with(folder: &Path, word: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(originals_with(&path, word));
        } else if String::from_utf8_lossy(&fs::read(&path).unwrap()).contains(word) {
            found.push(path.display().to_string());
        }
    }
    found
}

#[tokio::test]
async fn an_erased_document_leaves_nothing_and_the_others_stay() {
    with_installation(async |installation| {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("other.md"), "# Bicycles\n\nBicycles are kept in the cellar.\n").unwrap();
        write(folder.path(), "quagga");
        installation.ingest(folder.path()).await;
        write(folder.path(), "zyzzyva");
        installation.ingest(folder.path()).await;
        // What people type themselves is kept: it is not the document's.
        let hits = installation.search("travel by night train", "").await;
        let secret = hits.iter().find(|hit| hit["text"].as_str().unwrap().contains("zyzzyva")).unwrap();
        let id = secret["document_id"].as_str().unwrap();
        installation.succeed(&["ask", "Who pays for travel by night train?"]).await;
        installation.succeed(&["memory", "pin", "Who pays for hotels?", "--source", id]).await;
        for word in SECRETS {
            assert!(!holding(installation, &[word]).await.is_empty(), "{word}");
        }
        let vectors = State::of(installation).await.count("embeddings");

        assert_ne!(installation.run(&["document", "erase", id]).await.code, Some(0), "without --yes");
        let report = installation.succeed(&["document", "erase", id, "--yes", "--json"]).await.json();
        assert_eq!((report["documents"].as_u64(), report["versions"].as_u64()), (Some(1), Some(2)), "{report}");
        assert_eq!((report["originals"].as_u64(), report["references"].as_u64()), (Some(2), Some(1)), "{report}");
        assert!(report["passages"].as_u64().unwrap() >= 1 && report["vectors"].as_u64().unwrap() >= 1, "{report}");

        assert_eq!(holding(installation, &SECRETS).await, Vec::<String>::new());
        let state = State::of(installation).await;
        assert_eq!(state.wanted_points(), state.point_ids(), "the index has followed");
        assert!(state.count("embeddings") < vectors && state.count("embeddings") > 0);
        assert_eq!(installation.search("Where are bicycles kept?", "").await.len(), 1, "the other is found");
        let reconciled = installation.succeed(&["reconcile", "--json"]).await.json();
        assert_eq!((&reconciled["documents_differing"], &reconciled["points_astray"]), (&0.into(), &0.into()));

        let again = installation.succeed(&["document", "erase", id, "--yes", "--json"]).await.json();
        for count in ["documents", "versions", "passages", "vectors", "originals", "records", "references"] {
            assert_eq!(again[count], 0, "{count}: {again}");
        }
        let nobody = "00000000-0000-0000-0000-000000000007";
        assert_ne!(installation.run(&["document", "erase", nobody, "--yes"]).await.code, Some(0));

        // Handed in again it is there again, and says where it comes from.
        installation.ingest(folder.path()).await;
        assert!(installation.succeed(&["document", "list"]).await.out.contains("okapi.md"));
    })
    .await;
}

#[tokio::test]
async fn an_erased_tenant_leaves_nothing_and_the_others_stay() {
    with_installation(async |installation| {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), "zyzzyva");
        let path = folder.path().to_str().unwrap();
        let ingest = ["ingest", path, "--collection", "Numbat", "--tags", "public,dugong", "--wait"];
        for tenant in ["aardwolf", "default"] {
            installation.succeed(&[&ingest[..], &["--tenant", tenant]].concat()).await;
        }
        let acting = ["--tenant", "aardwolf"];
        installation.succeed(&[&["key", "create", "--name", "echidna"][..], &acting].concat()).await;
        installation.succeed(&[&["tag", "own", "dugong", "binturong@example.org"][..], &acting].concat()).await;
        installation.succeed(&[&["ask", "Who pays for travel?"][..], &acting].concat()).await;
        installation
            .succeed(&[&["memory", "pin", "Is the pangolin paid?", "--source", "P-1"][..], &acting].concat())
            .await;
        let own = ["aardwolf", "echidna", "binturong", "pangolin"];
        for word in own {
            assert!(!holding(installation, &[word]).await.is_empty(), "{word}");
        }
        let tenant = TenantId::named("aardwolf");
        let report = installation.succeed(&["tenant", "erase", "aardwolf", "--yes", "--json"]).await.json();
        for count in
            ["documents", "versions", "passages", "vectors", "originals", "records", "entries", "keys", "actions"]
        {
            assert!(report[count].as_u64().unwrap() >= 1, "{count}: {report}");
        }
        assert_eq!(holding(installation, &own).await, Vec::<String>::new());
        assert!(
            !installation.originals().join(tenant.to_string()).exists()
                || originals_with(installation.originals(), "zyzzyva").len() == 1
        );
        let state = State::of(installation).await;
        assert_eq!(state.wanted_points(), state.point_ids());
        assert!(state.rows("documents").iter().all(|row| row["tenant_id"] != tenant.to_string()));
        assert!(!installation.search("Who pays for travel by night train?", "").await.is_empty(), "the other tenant's");
        let left = installation.store().actions(&ActionsOf::all(Some(tenant), 100)).await.unwrap();
        let left: Vec<_> = left.iter().map(|entry| entry.action.as_str()).collect();
        assert_eq!(left, [AuditedAction::EraseTenant.as_str()], "that it was erased is known");

        let again = installation.succeed(&["tenant", "erase", "aardwolf", "--yes", "--json"]).await.json();
        assert_eq!((&again["documents"], &again["records"]), (&0.into(), &0.into()));
        installation.succeed(&[&ingest[..], &acting].concat()).await;
    })
    .await;
}

#[tokio::test]
async fn what_the_operator_does_is_on_record() {
    with_installation(async |installation| {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), "zyzzyva");
        installation.ingest(folder.path()).await;
        let hit = installation.search("zyzzyva fund", "").await.remove(0);
        let id = hit["document_id"].as_str().unwrap();
        installation.succeed(&["document", "list"]).await;
        installation.succeed(&["document", "retag", id, "finance"]).await;
        installation.succeed(&["explain", "Who pays?"]).await;
        installation.succeed(&["document", "remove", id]).await;
        assert_ne!(installation.run(&["document", "remove", id]).await.code, Some(0));
        installation.succeed(&["reconcile"]).await;
        installation.succeed(&["audit", "prune", "--older-than", "400"]).await;
        let key = installation.succeed(&["key", "create", "--name", "desk"]).await;
        let mut acts =
            installation.store().actions(&ActionsOf::all(Some(TenantId::named("default")), 100)).await.unwrap();
        acts.reverse();
        let told: Vec<_> = acts.iter().map(|act| (act.action.as_str(), act.outcome.as_str())).collect();
        assert_eq!(
            told,
            [
                ("document.submit", "done"),
                ("search", "done"),
                ("document.list", "done"),
                ("document.retag", "done"),
                ("question.explain", "done"),
                ("document.remove", "done"),
                ("document.remove", "failed"),
                ("key.create", "done"),
            ]
        );
        assert!(acts.iter().all(|act| act.subject_id.as_deref() == Some("operator")));
        assert_eq!(acts[0].details["queued"], 1);
        assert_eq!((acts[1].details["query"].as_str(), acts[3].object_id.as_deref()), (Some("zyzzyva fund"), Some(id)));
        let key_id = acts[7].object_id.as_deref().unwrap();
        assert!(key.err.contains(key_id), "{key:?}");
        assert!(installation.columns_with(key.out.trim()).await.is_empty(), "the key itself is nowhere");
        let whole = installation.store().actions(&ActionsOf::all(None, 100)).await.unwrap();
        let mut whole: Vec<_> = whole.iter().map(|act| act.action.as_str()).collect();
        whole.reverse();
        assert_eq!(whole, ["schema.migrate", "index.reconcile", "audit.prune"]);
        let listed =
            installation.succeed(&["audit", "actions", "--action", "document.remove", "--outcome", "failed"]).await;
        assert_eq!(listed.out.matches("document.remove").count(), 1, "{}", listed.out);
    })
    .await;
}
