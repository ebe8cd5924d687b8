//! Questions about terms, through the engine, over real HTTP to a vocabulary that is there, slow, wrong or gone.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use chrono::DateTime;
use ibidem_adapters::skos_files::{SkosFiles, SkosFilesSettings};
use ibidem_adapters::skosmos::{Skosmos, SkosmosSettings};
use ibidem_adapters::watched_vocabulary::{VocabularyCounts, WatchedSettings, WatchedVocabulary};
use ibidem_engine::ask::Engine;
use ibidem_engine::listener::Nobody;
use ibidem_engine::policy::Policy;
use ibidem_engine::roles::{NamedModel, Roles};
use ibidem_engine::search::Searcher;
use ibidem_engine::turn::Asked;
use ibidem_ports::degrade::{Deadline, Part};
use ibidem_testing::fakes::{FakeCatalogue, FakeEmbedder, FakeIndex, FakeModel};
use ibidem_words::{Action, Answer, Identity, Question, Reason, Scope, TenantId};
use tokio::net::TcpListener;
use uuid::Uuid;

use crate::model_server::FixedServer;

/// It asks nobody but the vocabulary about a term (`vocabulary_only`).
const POLICY: &str = include_str!("../../../../policies/architecture.yaml");
/// The forms of docs/specification/04_routing.md.
const FORMS: [&str; 6] =
    ["What is {}?", "Define {}", "Meaning of {}", "CIM term {}", "Explain the term {}", "What does {} mean?"];

const DEMO: &str = "../../../../../demo/architecture/vocabulary/halvern.ttl";

/// Files of the folder of vocabularies for tests, or paths from there.
fn files(names: &[&str]) -> SkosFiles {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../adapters/tests/data/vocabulary");
    let paths = names.iter().map(|name| folder.join(name)).collect();
    SkosFiles::load(&SkosFilesSettings { paths, language: "en".to_owned(), max_file_bytes: 10_000_000 }).unwrap()
}

fn skosmos(url: &str, timeout: Duration) -> Skosmos {
    // As the binary does at its start.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let (url, language) = (url.to_owned(), "en".to_owned());
    Skosmos::new(SkosmosSettings { url, vocabularies: Vec::new(), language, timeout }).unwrap()
}

/// An engine that could search and write, but must do neither for a term.
struct World {
    engine: Engine,
    model: Arc<FakeModel>,
    index: Arc<FakeIndex>,
    vocabulary: WatchedVocabulary,
}

impl World {
    fn on(vocabulary: Arc<dyn ibidem_ports::vocabulary::Vocabulary>, settings: WatchedSettings) -> Self {
        let vocabulary = WatchedVocabulary::new(vocabulary, settings);
        let model = Arc::new(FakeModel::saying(&["It is whatever you like.[^1]"]));
        let index = Arc::new(FakeIndex::new(64));
        // Whoever searches for a term finds out that it cannot.
        index.set_down(true);
        let searcher = Searcher {
            embedder: Part::bare(Arc::new(FakeEmbedder::new(64, 256))),
            index: Part::bare(index.clone()),
            catalogue: Arc::new(FakeCatalogue::default()),
            words: Arc::new(FakeCatalogue::default()),
        };
        let engine = Engine::new(searcher).with(|parts| {
            parts.roles = Arc::new(Roles::answering(NamedModel::unknown(model.clone())));
            parts.vocabulary = Some(Part::bare(Arc::new(vocabulary.clone())));
        });
        Self { engine, model, index, vocabulary }
    }

    fn on_skosmos(url: &str) -> Self {
        // Patient enough for a busy machine; the slow server is slower.
        let timeout = Duration::from_secs(2);
        Self::on(Arc::new(skosmos(url, timeout)), WatchedSettings { timeout, ..WatchedSettings::default() })
    }

    async fn ask(&self, query: &str) -> Answer {
        let tags = [].into();
        let tenant = TenantId::named("default");
        let identity = Identity::for_tests(tenant, "s", tags);
        let asked = Asked {
            request_id: Uuid::from_u128(1),
            at: DateTime::UNIX_EPOCH,
            scope: Scope::of(&identity),
            question: Question::new(query),
            policy: Arc::new(Policy::parse(POLICY).unwrap()),
            deadline: Deadline::NONE,
        };
        self.engine.ask(asked, &mut Nobody).await.unwrap().answer
    }
}

/// Vocabularies served as Skosmos does, by a runtime whose end closes every connection.
fn served(vocabularies: SkosFiles) -> (String, tokio::runtime::Runtime) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let url = format!("http://{}/rest/v1", listener.local_addr().unwrap());
    runtime.spawn(async move {
        let listener = TcpListener::from_std(listener).unwrap();
        ibidem_testing::skosmos::serve(listener, Arc::new(vocabularies), "en").await.unwrap();
    });
    (url, runtime)
}

#[tokio::test]
async fn skos_01_to_05_over_http_with_their_counters() {
    let (url, serving) = served(files(&["gridterms.ttl", "gridterms2.ttl"]));
    let world = World::on_skosmos(&url);
    // SKOS-01, known: quoted, with the concept's address.
    let known = world.ask("What is a busbar section?").await;
    assert_eq!(known.action, Action::Cite, "{known:?}");
    assert!(known.answer.contains("“A rigid conductor in a substation"), "{}", known.answer);
    assert_eq!(String::from(known.citations[0].source_id.clone()), "http://example.org/gridterms/busbar");
    // A definition of several lines is quoted whole.
    let lines = world.ask("Define islanding").await;
    assert!(
        lines.answer.contains("with \"quotes\".\nSecond line, of the same definition.\n\nFourth line."),
        "{lines:?}"
    );
    // SKOS-02, unknown.
    assert_eq!(world.ask("What is a blorf?").await.reason, Some(Reason::TerminologyNotFound));
    // SKOS-04, several meanings.
    let several = world.ask("What does tap mean?").await;
    assert_eq!((several.action, several.citations.len()), (Action::Clarify, 3), "{several:?}");
    // Two of the closest terms were looked up to see whether they can be offered, and the meanings that are.
    let counts = VocabularyCounts { lookup: 6, hit: 3, miss: 3, cache_hit: 4, ..VocabularyCounts::default() };
    assert_eq!(world.vocabulary.counts(), counts);
    // SKOS-05, from the cache: the same answer, and no lookup. Its receipt has the question as it was asked.
    let without_receipt = |answer: Answer| Answer { receipt: None, ..answer };
    let again = world.ask("WHAT IS  a Busbar   Section").await;
    assert_eq!(without_receipt(again), without_receipt(known));
    assert_eq!(world.vocabulary.counts(), VocabularyCounts { cache_hit: 5, ..counts });
    // What is remembered is known even when the server is gone; the rest is refused as an error.
    serving.shutdown_background();
    assert_eq!(world.ask("Define islanding").await.action, Action::Cite);
    let gone = world.ask("What is a shunt?").await;
    assert_eq!((gone.reason, gone.refused), (Some(Reason::TerminologyError), true));
    assert_eq!(world.vocabulary.counts(), VocabularyCounts { lookup: 7, error: 1, cache_hit: 6, ..counts });
    assert!(world.model.prompts().is_empty(), "no model was asked");
}

#[tokio::test]
async fn skos_03_a_vocabulary_that_is_really_slow_verifies_nothing() {
    let silent = FixedServer::replying(String::new(), true).await;
    let timeout = Duration::from_millis(300);
    let world = World::on(Arc::new(skosmos(&silent.url, timeout)), WatchedSettings::default());
    let began = std::time::Instant::now();
    let late = world.ask("What is a busbar section?").await;
    assert!(began.elapsed() < Duration::from_secs(60), "{:?}", began.elapsed());
    assert_eq!((late.reason, late.refused), (Some(Reason::TerminologyTimeout), true), "{late:?}");
    assert_eq!(late.retrieval_quality.fallback_reasons, ["skosmos_timeout"]);
    assert_eq!(world.vocabulary.counts(), VocabularyCounts { lookup: 1, timeout: 1, ..VocabularyCounts::default() });
    assert!(world.model.prompts().is_empty());
}

#[tokio::test]
async fn two_hundred_unknown_terms_in_all_six_forms_get_no_definition_and_no_model() {
    let world = World::on(
        Arc::new(files(&["gridterms.ttl", DEMO])),
        WatchedSettings {
            // Reading is done already; a busy machine may still pause.
            timeout: Duration::from_secs(5),
            ..WatchedSettings::default()
        },
    );
    let refused = AtomicUsize::new(0);
    for number in 0..200 {
        // Made of syllables that no vocabulary here has, some close to real terms, some of several words.
        let syllables = ["zor", "quib", "vex", "plon", "drax"];
        let word =
            |seed: usize| format!("{}{}{}", syllables[seed % 5], syllables[seed / 5 % 5], syllables[seed / 25 % 5]);
        let term = match number % 4 {
            0 => word(number),
            1 => format!("busbar {}", word(number)),
            2 => format!("{} power plant", word(number)),
            _ => format!("{} {number}", word(number)),
        };
        for form in FORMS {
            let answer = world.ask(&form.replace("{}", &term)).await;
            assert_eq!(answer.reason, Some(Reason::TerminologyNotFound), "{form} {term}: {answer:?}");
            assert!(answer.refused && answer.citations.is_empty() && !answer.answer.contains('“'), "{answer:?}");
            refused.fetch_add(1, Ordering::Relaxed);
        }
    }
    assert_eq!(refused.load(Ordering::Relaxed), 1_200);
    assert!(world.model.prompts().is_empty(), "no model was asked");
    world.index.set_down(false);
}

#[tokio::test]
async fn the_evaluation_trigger_is_a_timeout_and_off_by_default() {
    let vocabulary = Arc::new(files(&["gridterms.ttl"]));
    let term = "What is __TEST_SKOSMOS_TIMEOUT__?";
    let usual = World::on(
        vocabulary.clone(),
        WatchedSettings { timeout: Duration::from_secs(5), ..WatchedSettings::default() },
    );
    assert_eq!(usual.ask(term).await.reason, Some(Reason::TerminologyNotFound));
    let evaluated = World::on(vocabulary, WatchedSettings { test_triggers: true, ..WatchedSettings::default() });
    assert_eq!(evaluated.ask(term).await.reason, Some(Reason::TerminologyTimeout));
}
