//! What is gone from a folder is gone from search and answers: by `ibidem ingest --sync`, on the real parts.

use std::fs;
use std::path::Path;

use crate::installation::{CommandOutput, Installation, with_installation};

/// A rule of its own for each name, that a question with the name finds.
fn write(folder: &Path, name: &str) {
    fs::write(folder.join(format!("{name}.md")), format!("# The {name} rule\n\nThe {name} is kept in room {name}.\n"))
        .unwrap();
}

async fn ingest(installation: &Installation, folder: &Path, options: &[&str]) -> CommandOutput {
    let always = ["ingest", folder.to_str().unwrap(), "--collection", "Rules", "--tags", "public"];
    installation.run(&[&always, options].concat()).await
}

/// The files of what is found for a name, whoever else is found.
async fn is_found(installation: &Installation, name: &str) -> bool {
    let hits = installation.search(&format!("Where is the {name} kept?"), "").await;
    let found = hits.iter().any(|hit| hit["text"].as_str().unwrap().contains(&format!("room {name}")));
    let answer = installation.run(&["ask", &format!("Where is the {name} kept?")]).await.out;
    assert!(found || !answer.contains(&format!("room {name}")), "{answer}");
    found
}

const NAMES: [&str; 11] =
    ["anvil", "bellows", "chisel", "drill", "easel", "file", "gauge", "hammer", "inkwell", "jigsaw", "kiln"];

#[tokio::test]
async fn what_is_no_longer_in_a_folder_is_named_and_with_sync_removed_at_once() {
    with_installation(async |installation| {
        let (folder, beside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        NAMES.iter().for_each(|name| write(folder.path(), name));
        write(beside.path(), "lathe");
        for from in [&folder, &beside] {
            let output = ingest(installation, from.path(), &["--wait", "--sync"]).await;
            assert_eq!(output.code, Some(0), "{output:?}");
        }
        fs::remove_file(folder.path().join("anvil.md")).unwrap();
        fs::rename(folder.path().join("bellows.md"), folder.path().join("pump.md")).unwrap();

        let named = ingest(installation, folder.path(), &["--wait"]).await;
        assert_eq!(named.code, Some(0), "{named:?}");
        assert!(named.err.contains("2 documents came from") && named.err.contains("anvil.md, bellows.md"), "{named:?}");
        assert!(!named.err.contains("lathe"), "another folder of the same collection is another's: {named:?}");
        assert!(is_found(installation, "anvil").await, "without --sync nothing goes");

        let removed = ingest(installation, folder.path(), &["--sync"]).await;
        assert_eq!(removed.code, Some(0), "{removed:?}");
        assert!(removed.err.contains("removed 2 documents"), "{removed:?}");
        assert!(!is_found(installation, "anvil").await);
        assert!(is_found(installation, "bellows").await, "it is there under its new name");
        for name in ["chisel", "lathe"] {
            assert!(is_found(installation, name).await, "{name}");
        }
        let again = ingest(installation, folder.path(), &["--sync"]).await;
        assert!(again.code == Some(0) && !again.err.contains("no longer"), "{again:?}");

        // What comes back is found again.
        write(folder.path(), "anvil");
        ingest(installation, folder.path(), &["--wait", "--sync"]).await;
        assert!(is_found(installation, "anvil").await);
    })
    .await;
}

#[tokio::test]
async fn what_cannot_be_listed_removes_nothing_and_much_needs_a_yes() {
    with_installation(async |installation| {
        let folder = tempfile::tempdir().unwrap();
        NAMES.iter().for_each(|name| write(folder.path(), name));
        let lines = "{\"id\": \"1\", \"text\": \"The mallet is kept in room mallet.\"}\n";
        fs::write(folder.path().join("more.jsonl"), lines).unwrap();
        assert_eq!(ingest(installation, folder.path(), &["--wait"]).await.code, Some(0));

        // As when nothing is mounted there.
        let away = folder.path().with_extension("away");
        fs::rename(folder.path(), &away).unwrap();
        let output = ingest(installation, folder.path(), &["--sync", "--yes"]).await;
        assert_ne!(output.code, Some(0), "{output:?}");
        fs::create_dir(folder.path()).unwrap();
        let empty = ingest(installation, folder.path(), &["--sync"]).await;
        assert!(empty.code != Some(0) && empty.err.contains("12 documents of 12"), "{empty:?}");
        assert!(is_found(installation, "anvil").await);
        fs::remove_dir(folder.path()).unwrap();
        fs::rename(&away, folder.path()).unwrap();

        // A file that cannot be read is there, with everything that came from it.
        fs::write(folder.path().join("more.jsonl"), "{\"id\": \n").unwrap();
        let unread = ingest(installation, folder.path(), &["--sync"]).await;
        assert!(unread.code != Some(0) && !unread.err.contains("removed"), "{unread:?}");
        assert!(is_found(installation, "mallet").await);
        fs::write(folder.path().join("more.jsonl"), lines).unwrap();

        NAMES[..3].iter().for_each(|name| fs::remove_file(folder.path().join(format!("{name}.md"))).unwrap());
        let asked = ingest(installation, folder.path(), &["--sync"]).await;
        assert!(asked.code != Some(0) && asked.err.contains("--yes"), "3 of 12 in a script: {asked:?}");
        assert!(is_found(installation, "anvil").await);
        let sure = ingest(installation, folder.path(), &["--sync", "--yes"]).await;
        assert_eq!(sure.code, Some(0), "{sure:?}");
        assert!(!is_found(installation, "anvil").await && is_found(installation, "drill").await);
        let file = ingest(installation, &folder.path().join("drill.md"), &["--sync"]).await;
        assert!(file.code != Some(0) && file.err.contains("name its folder"), "{file:?}");
    })
    .await;
}

#[tokio::test]
async fn what_moved_stays_until_it_is_read_under_its_new_name() {
    with_installation(async |installation| {
        let folder = tempfile::tempdir().unwrap();
        NAMES.iter().for_each(|name| write(folder.path(), name));
        ingest(installation, folder.path(), &["--wait"]).await;
        fs::rename(folder.path().join("anvil.md"), folder.path().join("block.md")).unwrap();
        let queued = ingest(installation, folder.path(), &["--sync"]).await;
        assert_eq!(queued.code, Some(0), "{queued:?}");
        assert!(queued.err.contains("1 document moved"), "{queued:?}");
        assert!(is_found(installation, "anvil").await, "nobody has read the new one yet");
        let read = ingest(installation, folder.path(), &["--sync", "--wait"]).await;
        assert!(read.code == Some(0) && read.err.contains("removed 1 document"), "{read:?}");
        assert!(is_found(installation, "anvil").await);
    })
    .await;
}
