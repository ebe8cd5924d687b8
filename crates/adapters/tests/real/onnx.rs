//! The embedder on the real model.

use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt as _;
use futures::stream::FuturesUnordered;
use ibidem_adapters::onnx::{LoadError, OnnxEmbedder, OnnxSettings, Pooling, Prefixes};
use ibidem_ports::embedder::{EmbedError, EmbedFault, Embedder, TokenCounter};
use ibidem_testing::suites::embedder::embedder_suite;

use crate::{e5, setting};

fn settings() -> OnnxSettings {
    OnnxSettings::of(
        setting("IBIDEM__EMBEDDING__MODEL"),
        setting("IBIDEM__EMBEDDING__TOKENIZER"),
        setting("IBIDEM__EMBEDDING__RUNTIME"),
    )
}

fn load(settings: &OnnxSettings) -> OnnxEmbedder {
    OnnxEmbedder::load(settings).unwrap()
}

#[tokio::test]
async fn the_model_behaves_as_an_embedder() {
    let embedder = load(&settings());
    embedder_suite(&embedder, embedder.token_counter().as_ref()).await;
}

#[tokio::test]
async fn several_sessions_and_tiny_batches_behave_the_same() {
    let embedder = load(&OnnxSettings { sessions: 2, threads: 1, batch_tokens: 1, queue: 2, ..settings() });
    let one_session = load(&settings());
    let texts: Vec<String> = (1..30).map(|words| vec!["word"; words].join(" ")).collect();
    let one = embedder.embed_passages(texts.clone()).await.unwrap();
    let other = one_session.embed_passages(texts).await.unwrap();
    assert!(largest_difference(&one, &other) < 1e-5);
}

#[tokio::test]
async fn it_knows_what_texts_mean() {
    let embedder = load(&settings());
    assert_eq!(embedder.model().dimensions, 384);
    let passages = ["The cat sat on the mat.", "Interest rates rose by half a percent.", "Rain is expected tomorrow."];
    let passages = embedder.embed_passages(passages.map(str::to_owned).to_vec()).await.unwrap();
    let queries = ["Where is the kitten?", "What does the central bank do?", "What will the weather be like?"];
    let queries = embedder.embed_queries(queries.map(str::to_owned).to_vec()).await.unwrap();
    for (number, query) in queries.iter().enumerate() {
        let closeness: Vec<f32> = passages.iter().map(|passage| dot(passage, query)).collect();
        let best = closeness.iter().enumerate().max_by(|one, other| one.1.total_cmp(other.1)).unwrap().0;
        assert_eq!(best, number, "{closeness:?}");
    }
}

#[tokio::test]
async fn a_full_queue_turns_queries_away_and_lets_passages_wait() {
    let embedder = Arc::new(load(&OnnxSettings { queue: 4, ..settings() }));
    let long = vec!["word"; 200].join(" ");
    let passages: Vec<_> = (0..4)
        .map(|_| {
            let (embedder, texts) = (Arc::clone(&embedder), vec![long.clone(); 4]);
            tokio::spawn(async move { embedder.embed_passages(texts).await })
        })
        .collect();
    let queries: Vec<_> = (0..3)
        .map(|_| {
            let (embedder, texts) = (Arc::clone(&embedder), vec![long.clone(); 3]);
            tokio::spawn(async move { embedder.embed_queries(texts).await })
        })
        .collect();
    let mut turned_away = 0;
    for query in queries {
        match query.await.unwrap() {
            Ok(vectors) => assert_eq!(vectors.len(), 3),
            Err(EmbedError::Own(EmbedFault::Overloaded)) => turned_away += 1,
            Err(other) => panic!("{other}"),
        }
    }
    assert!(turned_away > 0, "three requests of three do not fit into four places");
    for passage in passages {
        assert_eq!(passage.await.unwrap().unwrap().len(), 4);
    }
    // More texts than the queue holds are one request all the same.
    assert_eq!(embedder.embed_queries(vec!["word".to_owned(); 9]).await.unwrap().len(), 9);
}

#[tokio::test]
async fn a_query_overtakes_waiting_passages() {
    let embedder = Arc::new(load(&settings()));
    let long = vec!["word"; 250].join(" ");
    // They come out in the order in which they were done, however late this thread looks.
    let mut done = FuturesUnordered::new();
    done.push(embedder.embed_passages(vec![long; 60]));
    done.push(embedder.embed_queries(vec!["a short question".to_owned()]));
    let mut vectors = async || done.next().await.unwrap().unwrap().len();
    assert_eq!(vectors().await, 1, "the query waited for all the passages");
    assert_eq!(vectors().await, 60);
}

#[tokio::test]
async fn callers_that_leave_break_nothing_and_free_their_places() {
    let embedder = load(&OnnxSettings { queue: 3, ..settings() });
    let long = vec!["word"; 200].join(" ");
    for _ in 0..20 {
        let call = embedder.embed_queries(vec![long.clone(); 3]);
        let _ = tokio::time::timeout(Duration::from_millis(1), call).await;
        let call = embedder.embed_passages(vec![long.clone(); 3]);
        let _ = tokio::time::timeout(Duration::from_millis(1), call).await;
    }
    let vectors = embedder.embed_passages(vec!["still there".to_owned()]).await.unwrap();
    assert_eq!(vectors.len(), 1);
    for _ in 0..1_200 {
        match embedder.embed_queries(vec!["still there".to_owned(); 3]).await {
            Ok(vectors) => return assert_eq!(vectors.len(), 3),
            Err(EmbedError::Own(EmbedFault::Overloaded)) => tokio::time::sleep(Duration::from_millis(50)).await,
            Err(other) => panic!("{other}"),
        }
    }
    panic!("the places of callers that left were never given back");
}

#[tokio::test]
async fn many_callers_each_get_their_own_vectors() {
    let embedder = Arc::new(load(&settings()));
    let calls: Vec<_> = (1..40)
        .map(|number| {
            let embedder = Arc::clone(&embedder);
            let text = vec!["word"; number].join(" ");
            tokio::spawn(async move { (text.clone(), embedder.embed_queries(vec![text]).await.unwrap()) })
        })
        .collect();
    for call in calls {
        let (text, vectors) = call.await.unwrap();
        let alone = embedder.embed_queries(vec![text]).await.unwrap();
        assert!(largest_difference(&vectors, &alone) < 1e-5);
    }
}

#[tokio::test]
async fn everything_that_decides_a_vector_is_in_the_hash() {
    let usual = load(&settings());
    assert_eq!(usual.model(), load(&settings()).model());
    let same = load(&OnnxSettings { sessions: 2, threads: 1, queue: 1, batch_tokens: 64, ..settings() });
    assert_eq!(usual.model().hash, same.model().hash, "speed does not decide vectors");
    let prefixed = |query: &str, passage: &str| {
        let prefixes = Prefixes { query: query.to_owned(), passage: passage.to_owned() };
        OnnxSettings { prefixes, ..settings() }
    };
    for other in [
        OnnxSettings { max_tokens: 128, ..settings() },
        OnnxSettings { pooling: Pooling::Cls, ..settings() },
        prefixed("query: ", ""),
        prefixed("", "passage: "),
    ] {
        assert_ne!(usual.model().hash, load(&other).model().hash);
    }
}

fn multilingual() -> Option<OnnxSettings> {
    let folder = e5()?;
    let prefixes = Prefixes { query: "query: ".to_owned(), passage: "passage: ".to_owned() };
    let files = OnnxSettings::of(folder.join("model.onnx"), folder.join("tokenizer.json"), settings().runtime);
    Some(OnnxSettings { prefixes, max_tokens: 512, sessions: 1, ..files })
}

#[tokio::test]
async fn the_suite_holds_for_a_model_with_prefixes() {
    let Some(settings) = multilingual() else { return };
    let embedder = load(&settings);
    assert_eq!(embedder.count(""), 4, "the prefix is counted");
    embedder_suite(&embedder, &embedder).await;
}

#[tokio::test]
async fn prefixes_stand_before_the_text_and_nowhere_else() {
    let Some(settings) = multilingual() else { return };
    let with = load(&settings);
    let without = load(&OnnxSettings { prefixes: Prefixes::default(), ..settings });
    let text = "Wie oft werden Passwörter geändert?".to_owned();
    let query = with.embed_queries(vec![text.clone()]).await.unwrap();
    let passage = with.embed_passages(vec![text.clone()]).await.unwrap();
    let written = vec![format!("query: {text}"), format!("passage: {text}")];
    let wanted = without.embed_queries(written).await.unwrap();
    assert!(largest_difference(&query, &wanted[..1]) < 1e-5);
    assert!(largest_difference(&passage, &wanted[1..]) < 1e-5);
    assert!(largest_difference(&query, &passage) > 1e-3);
}

#[tokio::test]
async fn a_question_finds_its_answer_in_another_language() {
    let Some(settings) = multilingual() else { return };
    let embedder = load(&settings);
    let query = embedder.embed_queries(vec!["Wie oft werden Passwörter geändert?".to_owned()]).await.unwrap();
    let passages = ["Passwords are changed every ninety days.", "Lunch is served at noon.", "The canteen is closed."];
    let passages = embedder.embed_passages(passages.map(str::to_owned).to_vec()).await.unwrap();
    assert!(dot(&query[0], &passages[0]) > dot(&query[0], &passages[1]));
    assert!(dot(&query[0], &passages[0]) > dot(&query[0], &passages[2]));
}

#[test]
fn dropping_it_ends_its_threads() {
    let embedder = load(&settings());
    let counter = embedder.token_counter();
    drop(embedder);
    assert_eq!(counter.count("word"), 3, "counting goes on without the model");
}

#[test]
fn the_tokenizers_own_limits_are_overridden() {
    let embedder = load(&settings());
    assert_eq!(embedder.count(""), 2, "no padding");
    assert_eq!(embedder.count(&vec!["word"; 1_000].join(" ")), 1_002, "no truncation");
}

#[test]
fn what_cannot_be_loaded_is_named() {
    let usual = settings();
    let missing = std::path::PathBuf::from("no/such/file");
    let cases = [
        (OnnxSettings { model: missing.clone(), ..usual.clone() }, "embedding.model"),
        (OnnxSettings { tokenizer: missing, ..usual.clone() }, "embedding.tokenizer"),
        (OnnxSettings { tokenizer: usual.model.clone(), ..usual.clone() }, "embedding.tokenizer"),
        (OnnxSettings { model: usual.tokenizer.clone(), ..usual.clone() }, "embedding.model"),
        (OnnxSettings { max_tokens: 2, ..usual.clone() }, "embedding.max_tokens"),
        (OnnxSettings { sessions: 0, ..usual.clone() }, "embedding.sessions"),
    ];
    for (settings, mend) in cases {
        let error = OnnxEmbedder::load(&settings).err().unwrap();
        assert!(error.to_string().contains(mend), "{error}");
    }
    load(&usual);
    let second = OnnxEmbedder::load(&OnnxSettings { runtime: "another.so".into(), ..usual }).err().unwrap();
    assert!(matches!(second, LoadError::SecondRuntime { .. }), "{second}");
}

fn dot(one: &[f32], other: &[f32]) -> f32 {
    one.iter().zip(other).map(|(x, y)| x * y).sum()
}

fn largest_difference(one: &[Vec<f32>], other: &[Vec<f32>]) -> f32 {
    assert_eq!(one.len(), other.len());
    let pairs = one.iter().zip(other).flat_map(|(one, other)| one.iter().zip(other));
    pairs.map(|(x, y)| (x - y).abs()).fold(0.0, f32::max)
}
