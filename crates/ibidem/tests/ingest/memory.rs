//! Curated memory: in the index when the command returns, rebuilt and mended with it, and gone when it is removed.

use std::collections::BTreeSet;
use std::path::Path;

use ibidem_language::bm25::Analysis;
use ibidem_ports::index::{Index as _, IndexDocument, IndexQuery, IndexWriter as _, Shelf};
use ibidem_ports::memory::Memory as _;
use ibidem_ports::outbox::{Outbox as _, Wanted};
use ibidem_words::{DocumentId, Identity, MemoryId, PassageKey, Scope, TenantId};
use uuid::Uuid;

use crate::complete::model;
use crate::corpus::write_file;
use crate::installation::{Installation, with_installation};
use crate::state::{State, uuid_of};

fn tenant() -> TenantId {
    TenantId::named("default")
}

fn asker(tags: &[&str]) -> Scope {
    let tags = tags.iter().map(|tag| tag.parse().unwrap()).collect();
    Scope::of(&Identity::for_tests(tenant(), "someone", tags))
}

/// A document about meals, a public pin to it, and a note for the guild.
async fn written(installation: &Installation, folder: &Path) -> [MemoryId; 2] {
    write_file(&folder.join("meals.md"), "# Meals\n\nA traveller spends at most 45 euros a day on meals.\n");
    installation.ingest(folder).await;
    let hits = installation.search("meals", "").await;
    let (passage, document) = (hits[0]["source_id"].as_str().unwrap(), hits[0]["document_id"].as_str().unwrap());
    let question = "What may a traveller spend on dinner?";
    let pin =
        ["memory", "pin", question, "--source", passage, "--source", "ADR-7", "--trigger", "allowance for dinner"];
    let pinned = installation.succeed(&pin).await;
    assert!(pinned.err.contains("ADR-7 is not a document that can be seen by everybody"), "{pinned:?}");
    assert!(pinned.err.contains("the pin is stored for everybody; it is used for any of 2 questions"), "{pinned:?}");

    let note = folder.join("note.txt");
    write_file(&note, "Travel is booked by the desk.\n\nDinner with guests is booked by whoever invites.\n");
    let note = ["memory", "note", note.to_str().unwrap(), "--trigger", "Who books dinner?", "--reference", document];
    let noted = installation.succeed(&[&note[..], &["--tag", "guild"]].concat()).await;
    assert!(noted.err.contains("the note is stored for those with the tag guild"), "{noted:?}");
    [pinned, noted].map(|output| MemoryId(output.out.trim().parse().unwrap()))
}

/// What is found by words on a shelf.
async fn found(installation: &Installation, scope: &Scope, shelf: Shelf) -> BTreeSet<PassageKey> {
    let query = IndexQuery {
        shelf,
        words: Some(Analysis::default().unweighed("dinner")),
        hits_per_lane: 100,
        ..IndexQuery::default()
    };
    let hits = installation.index.search(scope, vec![query]).await.unwrap().remove(0);
    hits.into_iter().map(|hit| hit.passage).collect()
}

fn keys(id: MemoryId, version: u32, chunks: &[u32]) -> BTreeSet<PassageKey> {
    let document = id.as_document();
    chunks.iter().map(|chunk_index| PassageKey { document, version, chunk_index: *chunk_index }).collect()
}

#[tokio::test]
async fn what_a_curator_wrote_is_found_when_the_command_returns_by_those_it_is_for_until_it_is_removed() {
    let folder = tempfile::tempdir().unwrap();
    with_installation(async |installation| {
        let [pin, note] = written(installation, folder.path()).await;
        State::of(installation).await.assert_settled();
        let (public, guild) = (asker(&[]), asker(&["guild"]));
        let pinned = keys(pin, 1, &[0, 1]);
        assert_eq!(found(installation, &public, Shelf::Memory).await, pinned);
        assert_eq!(found(installation, &guild, Shelf::Memory).await, &pinned | &keys(note, 1, &[0, 1]));
        assert_eq!(found(installation, &guild, Shelf::Documents).await, BTreeSet::new(), "no document says so");

        let store = installation.store();
        let recalled = store.recall(&public, &[pin, note]).await.unwrap();
        assert_eq!(recalled.len(), 1);
        assert_eq!((recalled[0].resolved, recalled[0].passages.len()), (1, 1));
        assert!(recalled[0].passages[0].text.contains("45 euros"));
        let listed = installation.succeed(&["memory", "list", "--tags", "guild", "--json"]).await.json();
        let listed: Vec<Uuid> = listed.as_array().unwrap().iter().map(|entry| uuid_of(&entry["id"])).collect();
        assert_eq!(listed, [pin.0, note.0]);
        assert!(!installation.succeed(&["memory", "list"]).await.out.contains(&note.to_string()));

        installation.succeed(&["memory", "remove", &pin.to_string()]).await;
        State::of(installation).await.assert_settled();
        assert_eq!(found(installation, &public, Shelf::Memory).await, BTreeSet::new());
        let again = installation.run(&["memory", "remove", &pin.to_string()]).await;
        assert_eq!(again.code, Some(1), "{again:?}");
        let other = installation.run(&["memory", "remove", "--tenant", "other", &note.to_string()]).await;
        assert_eq!(other.code, Some(1), "{other:?}");
    })
    .await;
}

#[tokio::test]
async fn an_index_that_is_rebuilt_or_mended_holds_what_curators_wrote() {
    let folder = tempfile::tempdir().unwrap();
    with_installation(async |installation| {
        let [pin, note] = written(installation, folder.path()).await;
        let removed = ["memory", "pin", "Who pays?", "--source", "ADR-7"];
        let removed = installation.succeed(&removed).await.out.trim().to_owned();
        installation.succeed(&["memory", "remove", &removed]).await;
        let healthy = State::of(installation).await;
        let report = async |arguments: &[&str]| {
            let report = installation.succeed(&[&["reconcile", "--json"], arguments].concat()).await.json();
            let count = |field: &str| report[field].as_u64().unwrap();
            (count("documents_differing"), count("points_astray"), count("vectors_pruned"))
        };
        // Only the vector of what was removed goes.
        assert_eq!(report(&["--prune-vectors"]).await, (0, 0, 1));
        let healthy_vectors = healthy.count("embeddings") - 1;
        let healthy = State::of(installation).await;
        assert_eq!(healthy.count("embeddings"), healthy_vectors);

        installation.succeed(&["reindex"]).await;
        State::of(installation).await.assert_same(&healthy);

        damage(installation, &healthy, pin, note).await;
        assert_ne!(State::of(installation).await, healthy);
        assert_eq!(report(&["--dry-run"]).await, (2, 1, 0));
        assert_eq!(report(&[]).await, (2, 1, 0));
        State::of(installation).await.assert_same(&healthy);
        assert_eq!(report(&[]).await, (0, 0, 0));
    })
    .await;
}

/// The pin is missing, the note is of an older version, and there is a point of an entry that never was.
async fn damage(installation: &Installation, healthy: &State, pin: MemoryId, note: MemoryId) {
    let wanted = async |id: MemoryId| {
        let asked = [(tenant(), id.as_document())];
        let Wanted { document, missing } = installation.store().wanted(model(healthy), &asked).await.unwrap().remove(0);
        assert!(missing.is_empty() && document.points.len() == 2);
        document
    };
    let missing = IndexDocument { points: Vec::new(), ..wanted(pin).await };
    let mut outdated = wanted(note).await;
    for point in &mut outdated.points {
        point.passage.version = 9;
    }
    let mut stray = wanted(pin).await;
    stray.points.truncate(1);
    stray.document = DocumentId(Uuid::from_u128(7));
    stray.points[0].passage.document = stray.document;
    installation.index.publish(vec![missing, outdated, stray]).await.unwrap();
}
