//! A slice of a corpus: complete in catalogue and index, cheap to take in again, withdrawn at once, and mended.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use ibidem_adapters::qdrant::IndexState;
use ibidem_ports::index::{IndexDocument, IndexWriter, StoredPoint};
use ibidem_ports::outbox::{Outbox as _, Wanted};
use ibidem_words::{CollectionName, DocumentId, ModelHash, Sha256Hash, TenantId};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::corpus::{SLICE_DOCUMENTS, Writer, slice, write_file};
use crate::installation::{Installation, Tally, with_installation};
use crate::state::{State, uuid_of};

fn tenant() -> TenantId {
    TenantId::named("default")
}

fn document_at(source_location: &str) -> DocumentId {
    let collection: CollectionName = "Handbook".parse().unwrap();
    DocumentId::at(tenant(), &collection, source_location)
}

fn documents_of(hits: &[Value]) -> BTreeSet<Uuid> {
    hits.iter().map(|hit| uuid_of(&hit["document_id"])).collect()
}

/// The folder with a few documents, for tests that are not about how many there are.
fn few_documents(folder: &Path, seed: u64) {
    let mut writer = Writer::new(seed);
    for number in 0..5 {
        let text = writer.markdown(&format!("Guideline {number}"), 2);
        write_file(&folder.join(format!("guideline-{number}.md")), &text);
    }
    writer.json_lines(&folder.join("notices.jsonl"), 12);
}

#[tokio::test]
async fn a_slice_of_a_corpus_is_completely_in_the_catalogue_and_in_the_index_and_a_second_run_embeds_nothing() {
    let folder = tempfile::tempdir().unwrap();
    slice(folder.path(), 1);
    with_installation(async |installation| {
        let tally = installation.ingest(folder.path()).await;
        let state = State::of(installation).await;
        state.assert_settled();
        assert_eq!(state.count("documents"), SLICE_DOCUMENTS);
        assert_eq!(scanned(installation).await, state.point_ids());
        assert_no_text_is_missing(&state);
        let expected = Tally {
            read: SLICE_DOCUMENTS as u64,
            retagged: 0,
            unchanged: 0,
            failed: 0,
            passages: state.count("chunks") as u64,
            embedded: state.count("embeddings") as u64,
        };
        assert_eq!(tally, expected);
        assert!(tally.passages > SLICE_DOCUMENTS as u64, "most documents should have several passages: {tally:?}");

        let again = installation.ingest(folder.path()).await;
        let nothing =
            Tally { read: 0, retagged: 0, unchanged: SLICE_DOCUMENTS as u64, failed: 0, passages: 0, embedded: 0 };
        assert_eq!(again, nothing);
        State::of(installation).await.assert_same(&state);
    })
    .await;
}

/// Point ids as the port tells them.
async fn scanned(installation: &Installation) -> BTreeSet<Uuid> {
    let mut ids = BTreeSet::new();
    let mut from = None;
    loop {
        let page = installation.index.scan(from, 100).await.unwrap();
        for point in page.points {
            assert!(ids.insert(point.passage.point_id(point.tenant)), "{point:?} came twice");
        }
        from = page.next;
        if from.is_none() {
            return ids;
        }
    }
}

/// Every letter and digit of every document is in its passages, once and in order, and spans point at what they say.
fn assert_no_text_is_missing(state: &State) {
    let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<String>();
    let mut chunks: BTreeMap<Uuid, BTreeMap<u64, Value>> = BTreeMap::new();
    for chunk in state.rows("chunks") {
        let of_document = chunks.entry(uuid_of(&chunk["document_id"])).or_default();
        of_document.insert(chunk["chunk_index"].as_u64().unwrap(), chunk);
    }
    for version in state.rows("document_versions") {
        let text: Vec<char> = version["text"].as_str().unwrap().chars().collect();
        let chunks = &chunks[&uuid_of(&version["document_id"])];
        let mut joined = String::new();
        for chunk in chunks.values() {
            let place = |field: &str| usize::try_from(chunk[field].as_u64().unwrap()).unwrap();
            let passage = chunk["text"].as_str().unwrap();
            let at_span: String = text[place("span_start")..place("span_end")].iter().collect();
            assert_eq!(passage, at_span);
            joined.push_str(&letters(passage));
        }
        assert_eq!(joined, letters(&text.iter().collect::<String>()));
    }
}

#[tokio::test]
async fn a_changed_paragraph_re_embeds_only_the_passages_it_touches_and_replaces_the_old_version() {
    let folder = tempfile::tempdir().unwrap();
    few_documents(folder.path(), 2);
    let long = folder.path().join("long.md");
    let text = Writer::new(3).markdown("Handbook of everything", 24);
    write_file(&long, &text);
    with_installation(async |installation| {
        let first = installation.ingest(folder.path()).await;
        let paragraphs: Vec<&str> = text.split("\n\n").collect();
        let changed = paragraphs[paragraphs.len() / 2];
        assert_eq!(text.matches(changed).count(), 1);
        write_file(&long, &text.replace(changed, &Writer::new(4).paragraph(4)));
        let tally = installation.ingest(folder.path()).await;

        assert_eq!((tally.read, tally.unchanged, tally.failed), (1, first.read - 1, 0));
        assert!(tally.passages >= 24, "{tally:?}");
        assert!((1..=2).contains(&tally.embedded), "{tally:?}");

        let state = State::of(installation).await;
        state.assert_settled();
        let document = document_at("long.md").to_string();
        let rows = state.rows("documents");
        let versions: BTreeMap<&str, &Value> =
            rows.iter().map(|row| (row["source_location"].as_str().unwrap(), &row["current_version"])).collect();
        assert_eq!(*versions["long.md"], 2);
        assert_eq!(versions.values().filter(|version| **version == 1).count() as u64, first.read - 1);
        let points = state.points_of(&document);
        assert_eq!(points.len() as u64, tally.passages);
        assert!(points.iter().all(|point| point.payload["version"] == 2), "points of the old version are left");
    })
    .await;
}

#[tokio::test]
async fn a_retagged_or_removed_document_is_gone_at_once_and_from_the_index_once_a_worker_has_run() {
    let folder = tempfile::tempdir().unwrap();
    few_documents(folder.path(), 5);
    for (name, word) in [("retagged.md", "quixotry"), ("removed.md", "zymurgy"), ("kept.md", "syzygy")] {
        let text = format!("# About {word}\n\nNobody may practise {word} near the reactor without a permit.\n");
        write_file(&folder.path().join(name), &text);
    }
    let [retagged, removed, kept] = ["retagged.md", "removed.md", "kept.md"].map(|name| document_at(name).0);
    with_installation(async |installation| {
        installation.ingest(folder.path()).await;
        let finds = async |query: &str, tags: &str, document: Uuid| {
            documents_of(&installation.search(query, tags).await).contains(&document)
        };
        for (query, document) in [("quixotry", retagged), ("zymurgy", removed), ("syzygy", kept)] {
            assert!(finds(query, "", document).await, "{query}");
        }

        let of_guild = ["guild".parse().unwrap()];
        installation.store().retag(tenant(), DocumentId(retagged), &of_guild).await.unwrap();
        installation.succeed(&["document", "remove", &removed.to_string()]).await;
        // The index has not caught up: it would still show both.
        let stale = State::of(installation).await;
        assert_eq!(stale.count("outbox"), 2);
        let public = json!([format!("{}/public", tenant())]);
        assert!(stale.points_of(&retagged.to_string()).iter().all(|point| point.payload["tags"] == public));
        assert!(!stale.points_of(&removed.to_string()).is_empty());
        assert!(!finds("quixotry", "", retagged).await, "a retagged document is still shown");
        assert!(!finds("zymurgy", "", removed).await, "a removed document is still shown");
        assert!(!finds("zymurgy", "guild", removed).await, "a removed document is still shown");
        assert!(finds("syzygy", "", kept).await);

        installation.succeed(&["worker", "--until-idle"]).await;
        let state = State::of(installation).await;
        state.assert_settled();
        let guild = json!([format!("{}/guild", tenant())]);
        let points = state.points_of(&retagged.to_string());
        assert!(!points.is_empty() && points.iter().all(|point| point.payload["tags"] == guild));
        assert_eq!(state.points_of(&removed.to_string()).len(), 0);
        assert!(!finds("quixotry", "", retagged).await);
        assert!(finds("quixotry", "guild", retagged).await, "those who share its new tag do not find it");
        assert!(!finds("zymurgy", "guild", removed).await);

        let unknown = installation.run(&["document", "remove", &removed.to_string()]).await;
        assert_eq!(unknown.code, Some(1), "{unknown:?}");
    })
    .await;
}

#[tokio::test]
async fn a_rebuilt_index_finds_the_same_with_the_same_scores() {
    let folder = tempfile::tempdir().unwrap();
    few_documents(folder.path(), 6);
    with_installation(async |installation| {
        installation.ingest(folder.path()).await;
        let answers = reindexed(installation).await;
        for (before, after) in answers {
            assert_eq!(as_shown(before), as_shown(after));
        }

        // After something was replaced and something removed, BM25 scores may differ: the server weighs words by
        // how many points have them, and counts points that are gone until it tidies up. All else is the same.
        write_file(&folder.path().join("guideline-0.md"), &Writer::new(7).markdown("Guideline 0", 3));
        installation.ingest(folder.path()).await;
        installation.succeed(&["document", "remove", &document_at("guideline-1.md").to_string()]).await;
        installation.succeed(&["worker", "--until-idle"]).await;
        let found = |hits: &[Value]| {
            let hit = |hit: &Value| (hit["source_id"].to_string(), hit["scores"]["cosine"].to_string());
            hits.iter().map(hit).collect::<BTreeSet<_>>()
        };
        for (before, after) in reindexed(installation).await {
            assert_eq!(found(&before), found(&after));
        }
    })
    .await;
}

/// With BM25 scores to four places: their last digits depend on the order in which the server adds them up.
fn as_shown(mut hits: Vec<Value>) -> Vec<Value> {
    for hit in &mut hits {
        let bm25 = hit["scores"]["bm25"].as_f64().unwrap();
        hit["scores"]["bm25"] = ((bm25 * 1e4).round() / 1e4).into();
    }
    hits
}

/// What some queries find before and after reindexing.
async fn reindexed(installation: &Installation) -> Vec<(Vec<Value>, Vec<Value>)> {
    let ask = async || {
        let mut answers = Vec::new();
        for query in ["Who approves travel claims above 400 euros?", "retention schedule"] {
            let hits = installation.search(query, "").await;
            let lexical = hits.iter().filter(|hit| hit["scores"]["bm25"].as_f64().unwrap() > 0.0);
            assert!(lexical.count() > 0, "{query}");
            answers.push(hits);
        }
        answers
    };
    let (state, collection_before, before) =
        (State::of(installation).await, collection(installation).await, ask().await);
    installation.succeed(&["reindex"]).await;
    assert_ne!(collection(installation).await, collection_before, "nothing was rebuilt");
    State::of(installation).await.assert_same(&state);
    before.into_iter().zip(ask().await).collect()
}

async fn collection(installation: &Installation) -> String {
    match installation.index.check().await.unwrap() {
        IndexState::Ready { collection, .. } => collection,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn another_embedding_model_is_brought_in_beside_the_old_one_while_questions_are_asked() {
    const QUERY: &str = "Who approves travel claims above 400 euros?";
    // With prefixes the same files are another model: other vectors, another hash, a Qdrant collection of its own. Its
    // window has room for the prefix beside the longest passage.
    const OTHER: [&str; 6] = [
        "--set",
        "embedding.query_prefix=query:",
        "--set",
        "embedding.passage_prefix=passage:",
        "--set",
        "embedding.max_tokens=272",
    ];
    let folder = tempfile::tempdir().unwrap();
    few_documents(folder.path(), 8);
    with_installation(async |installation| {
        installation.ingest(folder.path()).await;
        let (state, before) = (State::of(installation).await, installation.search(QUERY, "").await);
        let unready = installation.run(&[&["search", QUERY, "--json"], &OTHER[..]].concat()).await;
        assert_ne!(unready.code, Some(0), "the other model has no collection yet");

        let mut reindexing = installation.start(&[&["reindex"], &OTHER[..]].concat());
        loop {
            assert_eq!(installation.search(QUERY, "").await, before, "whoever uses the old model sees no difference");
            if let Some(ended) = reindexing.try_wait().unwrap() {
                assert!(ended.success(), "{ended}");
                break;
            }
        }
        let after = State::of(installation).await;
        assert_eq!(after.points, state.points, "the old collection was touched");
        assert_eq!(after.count("embeddings"), 2 * state.count("embeddings"));

        let arguments = [&["search", QUERY, "--json", "--limit", "100"], &OTHER[..]].concat();
        let found = installation.succeed(&arguments).await.json();
        assert_eq!(found["fallback_reasons"], serde_json::json!([]));
        let found = found["hits"].as_array().unwrap();
        let passages = |hits: &[Value]| hits.iter().map(|hit| hit["source_id"].to_string()).collect::<BTreeSet<_>>();
        assert_eq!(passages(found), passages(&before), "every passage has a vector of the other model");
        assert_ne!(found[0]["scores"]["cosine"], before[0]["scores"]["cosine"]);

        // Back to the old one alone.
        let dropped = installation.succeed(&["reindex", "--drop-other-models"]).await;
        assert!(format!("{dropped:?}").contains("dropped"), "{dropped:?}");
        assert_ne!(installation.run(&arguments).await.code, Some(0));
        assert_eq!(installation.search(QUERY, "").await, before);
    })
    .await;
}

#[tokio::test]
async fn reconciling_finds_nothing_where_nothing_is_wrong_and_mends_what_is() {
    let folder = tempfile::tempdir().unwrap();
    few_documents(folder.path(), 8);
    with_installation(async |installation| {
        installation.ingest(folder.path()).await;
        let healthy = State::of(installation).await;
        let report = async |arguments: &[&str]| {
            let arguments = [&["reconcile", "--json"], arguments].concat();
            let report = installation.succeed(&arguments).await.json();
            let count = |field: &str| report[field].as_u64().unwrap();
            (count("documents_differing"), count("points_astray"), report["mended"].as_bool().unwrap())
        };
        assert_eq!(report(&[]).await, (0, 0, false));
        State::of(installation).await.assert_same(&healthy);

        damage(installation, &healthy).await;
        let damaged = State::of(installation).await;
        assert_ne!(damaged, healthy);
        assert_eq!(report(&["--dry-run"]).await, (4, 2, false));
        State::of(installation).await.assert_same(&damaged);
        assert_eq!(report(&[]).await, (4, 2, true));
        State::of(installation).await.assert_same(&healthy);
        assert_eq!(report(&[]).await, (0, 0, false));
    })
    .await;
}

/// Four documents differ in four ways, and there are points of two documents that do not exist.
async fn damage(installation: &Installation, healthy: &State) {
    let index = &installation.index;
    let wanted = async |name: &str| {
        let document = document_at(name);
        let mut wanted = installation.store().wanted(model(healthy), &[(tenant(), document)]).await.unwrap();
        let Wanted { document, missing } = wanted.remove(0);
        assert!(missing.is_empty() && document.points.len() > 1, "{name}");
        document
    };
    let stored = |document: &IndexDocument, chunk: usize| StoredPoint {
        tenant: document.tenant,
        passage: document.points[chunk].passage,
        stamp: document.stamp().to_string(),
    };

    let incomplete = wanted("guideline-0.md").await;
    index.remove_points(vec![stored(&incomplete, 0)]).await.unwrap();

    let gone = wanted("guideline-1.md").await;
    index.publish(vec![IndexDocument { points: Vec::new(), ..gone }]).await.unwrap();

    let stale = wanted("guideline-2.md").await;
    index.publish(vec![IndexDocument { tags: vec!["former".parse().unwrap()], ..stale }]).await.unwrap();

    // As many points as it should have, but not the right ones.
    let mut miscounted = wanted("guideline-3.md").await;
    miscounted.points[0].passage.chunk_index = 999;
    index.publish(vec![miscounted]).await.unwrap();

    let mut unknown = wanted("guideline-4.md").await;
    unknown.points.truncate(1);
    unknown.document = DocumentId(Uuid::from_u128(7));
    unknown.points[0].passage.document = unknown.document;
    let foreign = IndexDocument { tenant: TenantId::named("dissolved"), ..unknown.clone() };
    index.publish(vec![unknown, foreign]).await.unwrap();
}

pub(crate) fn model(state: &State) -> ModelHash {
    let embeddings = state.rows("embeddings");
    let hash = embeddings[0]["model_hash"].as_str().unwrap().strip_prefix("\\x").unwrap();
    let hash: Sha256Hash = serde_json::from_value(json!(hash)).unwrap();
    ModelHash(hash)
}

#[tokio::test]
async fn a_damaged_document_fails_with_its_reason_and_the_others_are_read() {
    let folder = tempfile::tempdir().unwrap();
    few_documents(folder.path(), 9);
    write_file(&folder.path().join("damaged.pdf"), "%PDF-1.7\nthis was cut off on its way");
    write_file(&folder.path().join("damaged.docx"), "PK\u{3}\u{4} and nothing more");
    write_file(&folder.path().join("blank.txt"), " \n\n");
    with_installation(async |installation| {
        let path = folder.path().to_str().unwrap();
        let ingest = ["ingest", path, "--collection", "Handbook", "--tags", "public", "--wait"];
        let output = installation.run(&ingest).await;
        assert_eq!(output.code, Some(1), "{output:?}");
        assert_eq!((output.tally().read, output.tally().failed), (17, 3), "{output:?}");
        for (name, reason) in [
            ("damaged.pdf", "this pdf file cannot be read"),
            ("damaged.docx", "this docx file cannot be read"),
            ("blank.txt", "this plain file holds no text"),
        ] {
            let line = output.err.lines().find(|line| line.starts_with(&format!("failed: {name}: ")));
            assert!(line.is_some_and(|line| line.contains(reason)), "{name}: {}", output.err);
        }
        let state = State::of(installation).await;
        assert_eq!((state.count("documents"), state.count("jobs"), state.count("outbox")), (17, 3, 0));
        assert_eq!(state.point_ids(), state.wanted_points());

        // Handed in again as they are, they fail again and nothing else is done again.
        let output = installation.run(&ingest).await;
        assert_eq!((output.code, output.tally().unchanged, output.tally().failed), (Some(1), 17, 3));

        // Mended, they are read.
        for name in ["damaged.pdf", "damaged.docx", "blank.txt"] {
            std::fs::remove_file(folder.path().join(name)).unwrap();
        }
        write_file(&folder.path().join("blank.txt"), "Not blank any more.\n");
        assert_eq!(installation.ingest(folder.path()).await.read, 1);
        assert_eq!(State::of(installation).await.count("documents"), 18);
    })
    .await;
}
