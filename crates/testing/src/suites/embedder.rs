//! What every embedder does.

use ibidem_ports::embedder::{EmbedError, EmbedFault, Embedder, TokenCounter};

/// How far a value may move with the batch it was computed in.
const TOLERANCE: f32 = 1e-5;

const TEXTS: [&str; 5] = [
    "Passwords are changed every ninety days.",
    "The board decided to keep backups in two regions, and to test restoring them each quarter.",
    "Lunch",
    "",
    "Every question traces to a source: a claim without one is not said, however sure the model sounds of it.",
];

/// Runs the whole suite on one embedder; `counter` counts as that embedder's model does.
pub async fn embedder_suite(embedder: &dyn Embedder, counter: &dyn TokenCounter) {
    every_text_has_a_unit_vector_in_order(embedder).await;
    a_vector_does_not_depend_on_its_batch(embedder).await;
    nothing_in_gives_nothing_out(embedder).await;
    texts_that_share_words_are_closer(embedder).await;
    a_passage_fills_the_window_but_does_not_exceed_it(embedder, counter).await;
    no_word_of_a_long_query_is_ignored(embedder, counter).await;
    special_tokens_are_counted(counter);
}

async fn every_text_has_a_unit_vector_in_order(embedder: &dyn Embedder) {
    let vectors = embedder.embed_passages(texts()).await.unwrap();
    let queries = embedder.embed_queries(texts()).await.unwrap();
    assert_eq!(vectors.len(), TEXTS.len());
    assert_eq!(queries.len(), TEXTS.len());
    for vector in vectors.iter().chain(&queries) {
        assert_unit(embedder, vector);
    }
    let mut reversed = texts();
    reversed.reverse();
    let mut again = embedder.embed_passages(reversed).await.unwrap();
    again.reverse();
    for (one, other) in vectors.iter().zip(&again) {
        assert_same(one, other);
    }
}

async fn a_vector_does_not_depend_on_its_batch(embedder: &dyn Embedder) {
    let many: Vec<String> = (0..40).map(|number| TEXTS[number % TEXTS.len()].to_owned()).collect();
    let together = embedder.embed_passages(many).await.unwrap();
    let together_as_queries = embedder.embed_queries(texts()).await.unwrap();
    for (position, text) in TEXTS.iter().enumerate() {
        let alone = embedder.embed_passages(vec![(*text).to_owned()]).await.unwrap();
        for vector in together.iter().skip(position).step_by(TEXTS.len()) {
            assert_same(&alone[0], vector);
        }
        let alone = embedder.embed_queries(vec![(*text).to_owned()]).await.unwrap();
        assert_same(&alone[0], &together_as_queries[position]);
    }
}

async fn nothing_in_gives_nothing_out(embedder: &dyn Embedder) {
    assert!(embedder.embed_passages(Vec::new()).await.unwrap().is_empty());
    assert!(embedder.embed_queries(Vec::new()).await.unwrap().is_empty());
}

async fn texts_that_share_words_are_closer(embedder: &dyn Embedder) {
    let passages = embedder.embed_passages(texts()).await.unwrap();
    let query = embedder.embed_queries(vec!["How often are passwords changed?".to_owned()]).await.unwrap();
    let closeness: Vec<f32> = passages.iter().map(|passage| dot(passage, &query[0])).collect();
    let closest = closeness.iter().copied().fold(f32::MIN, f32::max);
    assert!((closeness[0] - closest).abs() < TOLERANCE, "{closeness:?}");
}

async fn a_passage_fills_the_window_but_does_not_exceed_it(embedder: &dyn Embedder, counter: &dyn TokenCounter) {
    let limit = embedder.model().max_tokens;
    let full = of_tokens(limit, counter);
    let fits = embedder.embed_passages(vec![full.clone()]).await.unwrap();
    assert_unit(embedder, &fits[0]);

    let too_long = format!("{full} more");
    let texts = vec!["short".to_owned(), full, too_long.clone(), "short".to_owned()];
    let refused = embedder.embed_passages(texts).await.unwrap_err();
    let EmbedError::Own(EmbedFault::TooLong { index, tokens, limit: named }) = refused else { panic!("{refused:?}") };
    assert_eq!((index, tokens, named), (2, counter.count(&too_long), limit));
}

async fn no_word_of_a_long_query_is_ignored(embedder: &dyn Embedder, counter: &dyn TokenCounter) {
    let long = of_tokens(embedder.model().max_tokens, counter);
    let ending_in = |word: &str| format!("{long} {long} {}", vec![word; 20].join(" "));
    let (long, other_end) = (ending_in("apples"), ending_in("mountains"));
    let vectors = embedder.embed_queries(vec![long.clone(), other_end, "Lunch".to_owned()]).await.unwrap();
    for vector in &vectors {
        assert_unit(embedder, vector);
    }
    assert!(dot(&vectors[0], &vectors[1]) < 1.0 - 10.0 * TOLERANCE, "the end of a long query changed nothing");
    assert!(dot(&vectors[0], &vectors[1]) > dot(&vectors[0], &vectors[2]), "the end of a long query is everything");
    let again = embedder.embed_queries(vec![long]).await.unwrap();
    assert_same(&again[0], &vectors[0]);
}

fn special_tokens_are_counted(counter: &dyn TokenCounter) {
    let empty = counter.count("");
    assert!(counter.count("word") > empty);
    assert!(counter.count("word word") > counter.count("word"));
}

/// A text of exactly so many tokens, of words that are a token each.
fn of_tokens(tokens: usize, counter: &dyn TokenCounter) -> String {
    let words = tokens - counter.count("");
    let text = vec!["word"; words].join(" ");
    assert_eq!(counter.count(&text), tokens);
    text
}

fn texts() -> Vec<String> {
    TEXTS.map(str::to_owned).to_vec()
}

fn dot(one: &[f32], other: &[f32]) -> f32 {
    one.iter().zip(other).map(|(x, y)| x * y).sum()
}

fn assert_unit(embedder: &dyn Embedder, vector: &[f32]) {
    assert_eq!(vector.len(), embedder.model().dimensions);
    assert!((dot(vector, vector) - 1.0).abs() < TOLERANCE, "length {}", dot(vector, vector).sqrt());
}

fn assert_same(one: &[f32], other: &[f32]) {
    assert_eq!(one.len(), other.len());
    let difference = one.iter().zip(other).map(|(x, y)| (x - y).abs()).fold(0.0, f32::max);
    assert!(difference < TOLERANCE, "differs by {difference}");
}
