//! Documents that change while questions about them are asked: the real binary, database, index and models.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "all of this is tests"
)]

#[path = "../common/mod.rs"]
mod common;

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use common::installation::{Installation, NO_MODEL, Served, with_installation};
use ibidem_store::NewKey;
use ibidem_words::{DocumentId, HandIn, Role, TenantId};
use serde_json::{Value, json};
use tokio::sync::Semaphore;
use tokio::time::MissedTickBehavior;

const QUESTION: &str = "How many days of leave may be carried over?";
/// Questions under way at the same time, at most.
const AT_ONCE: usize = 4;
/// The number in the first version of the document; each change raises it by one.
const FIRST: u64 = 100;
/// No change takes longer to be answered from, unless it never is.
const PATIENCE: Duration = Duration::from_secs(120);

fn document_at(name: &str) -> DocumentId {
    DocumentId::at(TenantId::named("default"), &"Handbook".parse().unwrap(), name)
}

fn number(variable: &str, usual: u64) -> u64 {
    std::env::var(variable).map_or(usual, |written| written.parse().expect(variable))
}

async fn key(installation: &Installation, role: Role, tags: &[&str]) -> String {
    // As the binary does at its start.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let tags = tags.iter().map(|tag| tag.parse().unwrap()).collect();
    let name = format!("{role:?} {tags:?}");
    let key =
        NewKey { tenant: TenantId::named("default"), name, role, tags, hand_in: HandIn::Everywhere, expires_at: None };
    installation.store().create_key(&key).await.unwrap().secret
}

/// The document that is asked about, with this number in it, and more around it.
fn leave(days: u64) -> String {
    let sections =
        ["Notice", "Sickness", "Parents", "Public holidays", "Half days", "Study", "Moving house", "Weddings"];
    let around = sections.map(|name| {
        let topic = name.to_lowercase();
        format!("## {name}\n\nWho asks about {topic} writes to the front desk, and gets a reply within two weeks.\n\n")
    });
    let (before, after) = around.split_at(4);
    let carried = format!("## Carrying over\n\n{days} days of leave may be carried over into the next year.\n\n");
    format!("# Leave\n\n{}{carried}{}", before.concat(), after.concat())
}

/// Beside the document, one that is about nearly the same and must not answer in its place.
fn write_handbook(folder: &Path) {
    let contractors = "# Contractors\n\nContractors may carry over 9 days of leave, if the client agrees.\n";
    std::fs::write(folder.join("leave.md"), leave(FIRST)).unwrap();
    std::fs::write(folder.join("contractors.md"), contractors).unwrap();
    std::fs::write(folder.join("keys.md"), "# Keys\n\nA lost key is reported on the same day.\n").unwrap();
}

/// What was asked and answered while the document changed.
#[derive(Default)]
struct Observed {
    questions: AtomicU64,
    /// The newest version that was answered from, by its number.
    answered: AtomicU64,
    /// The newest version that was handed in.
    handed_in: AtomicU64,
    wrong: Mutex<Vec<String>>,
    slowest_ms: AtomicU64,
}

struct Asker {
    client: reqwest::Client,
    url: String,
    key: String,
}

impl Asker {
    /// Asks once. The answer is of a version that was handed in, and of none before one that was answered from when the
    /// question was asked.
    async fn ask(&self, heard: &Observed) {
        let (began, oldest) = (Instant::now(), heard.answered.load(Ordering::SeqCst));
        let body = json!({ "query": QUESTION });
        let reply = self.client.post(&self.url).bearer_auth(&self.key).json(&body).send().await.unwrap();
        let status = reply.status();
        let answer: Value = reply.json().await.unwrap();
        let newest = heard.handed_in.load(Ordering::SeqCst);
        heard.questions.fetch_add(1, Ordering::SeqCst);
        heard.slowest_ms.fetch_max(u64::try_from(began.elapsed().as_millis()).unwrap(), Ordering::SeqCst);
        let text = answer["answer"].as_str().unwrap_or_default();
        let days = text.split_whitespace().filter_map(|word| word.parse().ok()).find(|days| *days >= FIRST);
        let cites = answer["citations"][0]["document_id"] == document_at("leave.md").to_string();
        match days {
            Some(days) if status.is_success() && cites && (oldest..=newest).contains(&days) => {
                heard.answered.fetch_max(days, Ordering::SeqCst);
            }
            _ => {
                let shown = (status.as_u16(), &answer["action"], &answer["reason"], &answer["answer"]);
                heard.wrong.lock().unwrap().push(format!("between {oldest} and {newest}: {shown:?}"));
            }
        }
    }
}

/// Asks so many times a second, as far as the machine can answer, until it is told to stop.
async fn keep_asking(asker: Arc<Asker>, heard: Arc<Observed>, stop: Arc<AtomicBool>, rate: u64) {
    let mut ticks = tokio::time::interval(Duration::from_secs(1) / u32::try_from(rate).unwrap());
    ticks.set_missed_tick_behavior(MissedTickBehavior::Burst);
    let places = Arc::new(Semaphore::new(AT_ONCE));
    while !stop.load(Ordering::SeqCst) {
        ticks.tick().await;
        let place = Arc::clone(&places).acquire_owned().await.unwrap();
        let (asker, heard) = (Arc::clone(&asker), Arc::clone(&heard));
        tokio::spawn(async move {
            asker.ask(&heard).await;
            drop(place);
        });
    }
    let _all = places.acquire_many(u32::try_from(AT_ONCE).unwrap()).await.unwrap();
}

/// A slice of the campaign; `just lab updates` runs all of it.
#[tokio::test(flavor = "multi_thread")]
async fn while_a_document_changes_its_old_version_answers_or_its_new_one() {
    let (changes, rate) = (number("IBIDEM_UPDATE_CHANGES", 3), number("IBIDEM_UPDATE_RATE", 10));
    let folder = tempfile::tempdir().unwrap();
    write_handbook(folder.path());
    with_installation(async |installation| {
        installation.ingest(folder.path()).await;
        let served = installation.serve(&NO_MODEL).await;
        let _worker = installation.start(&["worker"]);
        let key = key(installation, Role::Asker, &[]).await;
        let asker =
            Arc::new(Asker { client: reqwest::Client::new(), url: format!("{}/v1/answers", served.url), key });
        let heard = Arc::new(Observed::default());
        heard.handed_in.store(FIRST, Ordering::SeqCst);
        asker.ask(&heard).await;
        assert_eq!(*heard.wrong.lock().unwrap(), Vec::<String>::new(), "before anything changes");

        let (began, stop) = (Instant::now(), Arc::new(AtomicBool::new(false)));
        let asking = keep_asking(Arc::clone(&asker), Arc::clone(&heard), Arc::clone(&stop), rate);
        let asking = tokio::spawn(asking);
        for days in FIRST + 1..=FIRST + changes {
            std::fs::write(folder.path().join("leave.md"), leave(days)).unwrap();
            heard.handed_in.store(days, Ordering::SeqCst);
            installation.hand_in(folder.path()).await;
            let answered = async {
                while heard.answered.load(Ordering::SeqCst) < days {
                    tokio::time::sleep(Duration::from_millis(20)).await;
                }
            };
            let in_time = tokio::time::timeout(PATIENCE, answered).await.is_ok();
            assert!(in_time, "{days} was never answered: {:?}", heard.wrong.lock().unwrap());
        }
        stop.store(true, Ordering::SeqCst);
        asking.await.unwrap();
        let (questions, seconds) = (heard.questions.load(Ordering::SeqCst), began.elapsed().as_secs_f64());
        let wrong = heard.wrong.lock().unwrap();
        eprintln!(
            "{changes} changes in {seconds:.0} s, {questions} questions ({:.1} a second), the slowest {} ms: {} refused or \
             answered from something else",
            questions as f64 / seconds,
            heard.slowest_ms.load(Ordering::SeqCst),
            wrong.len(),
        );
        assert!(wrong.is_empty(), "{} of {questions}: {:#?}", wrong.len(), &wrong[..wrong.len().min(20)]);
    })
    .await;
}

async fn retag(served: &Served, key: &str, document: DocumentId, tags: &[&str]) {
    let url = format!("{}/v1/documents/{document}", served.url);
    let request = reqwest::Client::new().patch(url).bearer_auth(key).json(&json!({ "tags": tags }));
    assert_eq!(request.send().await.unwrap().status(), 204);
}

#[tokio::test]
async fn who_may_see_a_document_counts_at_once_without_a_worker() {
    let folder = tempfile::tempdir().unwrap();
    write_handbook(folder.path());
    with_installation(async |installation| {
        let path = folder.path().to_str().unwrap();
        let ingest = ["ingest", path, "--collection", "Handbook", "--tags"];
        installation.succeed(&[&ingest[..], &["board", "--wait"]].concat()).await;
        let keys = document_at("keys.md");
        let finds = async |tags: &str| {
            let hits = installation.search("Who reports a lost key?", tags).await;
            hits.iter().any(|hit| hit["document_id"] == keys.to_string())
        };
        assert!(finds("board").await && !finds("staff").await && !finds("").await);

        let served = installation.serve(&NO_MODEL).await;
        let admin = key(installation, Role::Admin, &[]).await;
        retag(&served, &admin, keys, &["staff", "board"]).await;
        assert!(finds("board").await && finds("staff").await && !finds("").await, "wider, through the API");
        retag(&served, &admin, keys, &["staff"]).await;
        assert!(!finds("board").await && finds("staff").await, "narrower");
        installation.succeed(&["document", "retag", &keys.to_string(), "--tags", "public"]).await;
        assert!(finds("board").await && finds("").await, "wider, on the command line");
        installation.succeed(&["document", "retag", &keys.to_string(), "--tags", "board"]).await;
        assert!(!finds("").await, "narrower");
        installation.succeed(&[&ingest[..], &["public"]].concat()).await;
        assert!(finds("").await && finds("staff").await, "wider, handed in again");
        assert_eq!(installation.rows_of(&["outbox"]).await[0].1, 0, "nothing waits for a worker");
    })
    .await;
}
