use std::sync::Arc;

use ibidem_ports::degrade::Part;
use ibidem_testing::fakes::FakeReranker;
use ibidem_words::CharSpan;

use super::*;
use crate::sift::fixtures;

const TEXTS: [&str; 5] = ["first", "second", "third", "fourth", "fifth"];

/// As the first reader found them.
const FIRST: [f32; 5] = [0.5, 0.9, 0.6, 0.8, 0.7];

fn candidates() -> Vec<Candidate> {
    (1..).zip(TEXTS).map(|(number, text)| fixtures::candidate(number, 0, 0.5, text)).collect()
}

fn found(scores: [f32; 5]) -> Vec<Option<Found>> {
    let found = |score| Some(Found { relevance: Relevance { score, answer: None }, row: None });
    scores.map(found).to_vec()
}

/// A second reader that gives these texts these scores.
fn reading(best: usize, scores: &[(&str, f32)]) -> (SecondReader, Arc<FakeReranker>) {
    let scores: Vec<(String, f32)> = scores.iter().map(|(text, score)| (format!("A book\n{text}"), *score)).collect();
    let scores: Vec<(&str, f32)> = scores.iter().map(|(text, score)| (text.as_str(), *score)).collect();
    let fake = Arc::new(FakeReranker::scoring(&scores).called("large@1"));
    (SecondReader { reader: Part::bare(fake.clone()), best }, fake)
}

async fn read(
    second: &SecondReader,
    texts: &[&str],
    candidates: &mut [Candidate],
    found: &mut [Vec<Option<Found>>],
) -> Result<Option<String>, RerankError> {
    let asked = fixtures::gathered(texts[0], "", Vec::new()).asked;
    read_again(second, &asked, texts, candidates, found).await
}

fn scores(found: &[Option<Found>]) -> Vec<f32> {
    found.iter().flatten().map(|found| found.relevance.score).collect()
}

#[tokio::test]
async fn the_best_have_the_second_readers_word_and_the_others_at_most_the_least_of_it() {
    let (second, fake) = reading(3, &[("second", 0.3), ("fourth", 0.95), ("fifth", 0.65)]);
    let (mut candidates, mut all) = (candidates(), vec![found(FIRST)]);
    let by = read(&second, &["what"], &mut candidates, &mut all).await;
    assert_eq!(by, Ok(Some("large@1".to_owned())));
    assert_eq!(fake.batches(), [["second", "fourth", "fifth"].map(|text| format!("A book\n{text}")).to_vec()]);
    assert_eq!(scores(&all[0]), [0.3, 0.3, 0.3, 0.95, 0.65]);
    let first: Vec<Option<f32>> = candidates.iter().map(|candidate| candidate.read_first).collect();
    assert_eq!(first, FIRST.map(Some));
}

#[tokio::test]
async fn one_that_was_below_the_least_stays_where_it_was() {
    let (second, _) = reading(2, &[("second", 0.9), ("fourth", 0.85)]);
    let mut all = vec![found([0.1, 0.9, 0.2, 0.8, 0.7])];
    read(&second, &["what"], &mut candidates(), &mut all).await.unwrap();
    assert_eq!(scores(&all[0]), [0.1, 0.9, 0.2, 0.85, 0.7]);
}

#[tokio::test]
async fn what_it_is_not_made_for_is_left_to_the_first_reader() {
    let scored = FakeReranker::scoring(&[("A book\nfourth", 0.2), ("A book\nfifth", 0.1)]);
    let fake = Arc::new(scored.unable_to_read("second"));
    let second = SecondReader { reader: Part::bare(fake.clone()), best: 2 };
    let (mut candidates, mut all) = (candidates(), vec![found(FIRST)]);
    read(&second, &["what"], &mut candidates, &mut all).await.unwrap();
    assert_eq!(scores(&all[0]), [0.1, 0.9, 0.1, 0.2, 0.1]);
    assert_eq!(candidates[1].read_first, None);
    let none = Arc::new(FakeReranker::default().unable_to_read("A book"));
    let second = SecondReader { reader: Part::bare(none.clone()), best: 2 };
    assert!(!may_read_again(&second, "what", &candidates));
    let mut all = vec![found(FIRST)];
    assert_eq!(read(&second, &["what"], &mut candidates, &mut all).await, Ok(None));
    assert_eq!((scores(&all[0]), none.calls()), (FIRST.to_vec(), 0));
}

#[tokio::test]
async fn a_row_that_counts_for_its_passage_is_what_is_read_again() {
    let row = CharSpan { start: 2, end: 4 };
    let mut all = vec![found(FIRST)];
    all[0][1] = Some(Found { relevance: Relevance { score: 0.9, answer: Some(row) }, row: Some("a row".to_owned()) });
    let fake = Arc::new(FakeReranker::scoring(&[("a row", 0.4)]).as_reader());
    let second = SecondReader { reader: Part::bare(fake.clone()), best: 1 };
    read(&second, &["what"], &mut candidates(), &mut all).await.unwrap();
    assert_eq!(fake.batches(), [["a row"]]);
    let found = all[0][1].clone().unwrap();
    assert_eq!(found.relevance, Relevance { score: 0.4, answer: Some(row) }, "the row stays the place");
}

#[tokio::test]
async fn where_the_answer_stands_is_its_word_too_if_it_says_so() {
    let place = CharSpan { start: 1, end: 3 };
    let first = || {
        let mut all = vec![found(FIRST)];
        all[0][1].as_mut().unwrap().relevance.answer = Some(place);
        all
    };
    let mut all = first();
    let (silent, _) = reading(1, &[("second", 0.4)]);
    read(&silent, &["what"], &mut candidates(), &mut all).await.unwrap();
    assert_eq!(all[0][1].as_ref().unwrap().relevance.answer, Some(place), "it says nothing of places");
    let pointing = Arc::new(FakeReranker::finding(&[("A book\nsecond", "eco")]));
    let second = SecondReader { reader: Part::bare(pointing), best: 1 };
    let mut all = first();
    read(&second, &["what"], &mut candidates(), &mut all).await.unwrap();
    assert_eq!(all[0][1].as_ref().unwrap().relevance.answer, Some(CharSpan { start: 1, end: 4 }));
}

#[tokio::test]
async fn of_a_question_that_was_taken_apart_each_part_has_its_best_read_again() {
    let (second, fake) = reading(2, &[("second", 0.2), ("first", 0.9), ("third", 0.3)]);
    let of_part = |best: usize| {
        let mut scores = [0.1; 5];
        scores[best] = 0.8;
        found(scores)
    };
    let mut all = vec![found(FIRST), of_part(0), of_part(2)];
    read(&second, &["what and who", "what", "who"], &mut candidates(), &mut all).await.unwrap();
    let asked = ["second", "first", "third"].map(|text| vec![format!("A book\n{text}")]);
    assert_eq!(fake.batches(), asked, "the whole, and each part");
    assert_eq!(scores(&all[0]), [0.2; 5]);
    assert_eq!(scores(&all[1]), [0.9, 0.1, 0.1, 0.1, 0.1]);
    assert_eq!(scores(&all[2]), [0.1, 0.1, 0.3, 0.1, 0.1]);
}

#[tokio::test]
async fn one_that_fails_fails_all_of_it() {
    let (second, fake) = reading(2, &[]);
    fake.set_trouble(Some(RerankError::Timeout(7)));
    let mut all = vec![found(FIRST)];
    assert_eq!(read(&second, &["what"], &mut candidates(), &mut all).await, Err(RerankError::Timeout(7)));
}

#[test]
fn what_is_read_again_is_shared_in_turns() {
    let ranked = |count: usize| (0..count).map(|place| (place, String::new())).collect::<Vec<_>>();
    for (counts, most, expected) in [
        (vec![16], 4, vec![4]),
        (vec![2], 4, vec![2]),
        (vec![16, 16, 16], 4, vec![2, 1, 1]),
        (vec![1, 16], 4, vec![1, 3]),
        (vec![16; 6], 4, vec![1; 6]),
        (vec![0, 0], 4, vec![0, 0]),
        (vec![], 4, vec![]),
    ] {
        let ranked: Vec<_> = counts.iter().map(|count| ranked(*count)).collect();
        assert_eq!(shares(&ranked, most), expected, "{counts:?}");
    }
}
