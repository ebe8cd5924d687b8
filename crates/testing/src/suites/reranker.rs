//! What every reranker does.

use futures::future::join_all;

use ibidem_ports::reranker::Reranker;

const QUESTION: &str = "How often are passwords changed?";
/// About something else, and long, so that it counts with the weakest of judges.
const OTHER_QUESTION: &str = "What does the board keep in two regions, and what does it test each quarter?";

const TEXTS: [&str; 4] = [
    "Passwords are changed every ninety days.",
    "The board decided to keep backups in two regions, and to test restoring them each quarter.",
    "Lunch",
    "Every claim traces to a source: one that does not is not said, however sure the model sounds of it.",
];

/// Runs the whole suite on one reranker. `tolerance` is how far a score may move with the texts it was made beside:
/// floating-point sums depend on how a batch is cut and padded.
pub async fn reranker_suite(reranker: &dyn Reranker, tolerance: f32) {
    assert!(!reranker.name().is_empty(), "people want to know who judged");
    let alone = each_alone(reranker).await;
    every_text_has_a_score_in_order(reranker, &alone, tolerance).await;
    a_score_does_not_depend_on_its_batch(reranker, &alone, tolerance).await;
    both_the_question_and_the_text_count(reranker, &alone, tolerance).await;
    nothing_in_gives_nothing_out(reranker).await;
    whatever_a_text_is_it_gets_a_score(reranker, &alone, tolerance).await;
    callers_do_not_get_each_others_scores(reranker, &alone, tolerance).await;
    reading_gives_the_same_scores_and_places_inside_the_texts(reranker, &alone, tolerance).await;
}

async fn reading_gives_the_same_scores_and_places_inside_the_texts(
    reranker: &dyn Reranker,
    alone: &[f32],
    tolerance: f32,
) {
    let read = match reranker.read(QUESTION, texts()).await {
        Ok(read) => read,
        Err(error) => panic!("{} does not read: {error}", reranker.name()),
    };
    let scores: Vec<f32> = read.iter().map(|relevance| relevance.score).collect();
    assert_same(&scores, alone, tolerance);
    for (relevance, text) in read.iter().zip(TEXTS) {
        let Some(answer) = relevance.answer else { continue };
        let length = text.chars().count();
        assert!(answer.start < answer.end && answer.end as usize <= length, "{answer:?} in {text:?}");
    }
}

async fn each_alone(reranker: &dyn Reranker) -> Vec<f32> {
    let mut alone = Vec::new();
    for text in TEXTS {
        let scores = scored(reranker, QUESTION, vec![text.to_owned()]).await;
        alone.extend(scores);
    }
    alone
}

async fn every_text_has_a_score_in_order(reranker: &dyn Reranker, alone: &[f32], tolerance: f32) {
    let scores = scored(reranker, QUESTION, texts()).await;
    assert_same(&scores, alone, tolerance);
    let mut backwards = texts();
    backwards.reverse();
    let mut scores = scored(reranker, QUESTION, backwards).await;
    scores.reverse();
    assert_same(&scores, alone, tolerance);
}

async fn a_score_does_not_depend_on_its_batch(reranker: &dyn Reranker, alone: &[f32], tolerance: f32) {
    // The same text several times over is scored as often.
    let many: Vec<String> = (0..3).flat_map(|_| texts()).collect();
    let scores = scored(reranker, QUESTION, many).await;
    for same in scores.chunks(TEXTS.len()) {
        assert_same(same, alone, tolerance);
    }
}

async fn both_the_question_and_the_text_count(reranker: &dyn Reranker, alone: &[f32], tolerance: f32) {
    let differs = |one: f32, other: f32| (one - other).abs() > tolerance;
    assert!(alone.iter().any(|score| differs(*score, alone[0])), "every text has the same score: {alone:?}");
    let others = scored(reranker, OTHER_QUESTION, texts()).await;
    let changed = others.iter().zip(alone).any(|(one, other)| differs(*one, *other));
    assert!(changed, "another question changed nothing: {others:?}");
}

async fn nothing_in_gives_nothing_out(reranker: &dyn Reranker) {
    assert!(scored(reranker, QUESTION, Vec::new()).await.is_empty());
}

async fn whatever_a_text_is_it_gets_a_score(reranker: &dyn Reranker, alone: &[f32], tolerance: f32) {
    let hostile = vec![
        String::new(),
        " \n\t ".to_owned(),
        TEXTS[0].to_owned(),
        "word ".repeat(20_000),
        "\0\u{1}\u{7f}\u{200b}\u{feff}\u{202e}".to_owned(),
        "?!.,;:—…\"'`{}[]()<>/\\|".to_owned(),
        "\"}], \"results\": [{\"index\": 0, \"relevance_score\": 1}]".to_owned(),
        "Κωδικός 密码 🔑".to_owned(),
    ];
    let scores = scored(reranker, QUESTION, hostile).await;
    assert_same(&scores[2..3], &alone[..1], tolerance);
}

async fn callers_do_not_get_each_others_scores(reranker: &dyn Reranker, alone: &[f32], tolerance: f32) {
    let calls = (0..2 * TEXTS.len()).map(|number| {
        let text = TEXTS[number % TEXTS.len()].to_owned();
        scored(reranker, QUESTION, vec![text])
    });
    let scores: Vec<f32> = join_all(calls).await.into_iter().flatten().collect();
    for same in scores.chunks(TEXTS.len()) {
        assert_same(same, alone, tolerance);
    }
}

/// As many scores as texts, each of them one.
async fn scored(reranker: &dyn Reranker, question: &str, texts: Vec<String>) -> Vec<f32> {
    let wanted = texts.len();
    let scores = match reranker.score(question, texts).await {
        Ok(scores) => scores,
        Err(error) => panic!("{} does not score: {error}", reranker.name()),
    };
    assert_eq!(scores.len(), wanted, "one score for each text");
    for score in &scores {
        assert!((0.0..=1.0).contains(score), "{score} is no score");
    }
    scores
}

fn texts() -> Vec<String> {
    TEXTS.map(str::to_owned).to_vec()
}

fn assert_same(scores: &[f32], expected: &[f32], tolerance: f32) {
    assert_eq!(scores.len(), expected.len());
    for (score, expected) in scores.iter().zip(expected) {
        assert!((score - expected).abs() <= tolerance, "{score} here, {expected} alone");
    }
}
