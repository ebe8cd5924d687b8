//! A scripted judge, and what its replies come to.

use std::sync::Arc;

use ibidem_testing::fakes::FakeModel;

use super::report::Comparison;
use super::*;

fn scores(each: u8) -> Scores {
    Scores { faithfulness: each, completeness: each, structure: each, balance: each }
}

fn verdict(first: u8, second: u8) -> String {
    let one = |each: u8| {
        format!(r#"{{"faithfulness": {each}, "completeness": {each}, "structure": {each}, "balance": {each}}}"#)
    };
    format!(r#"{{"first": {}, "second": {}}}"#, one(first), one(second))
}

fn answered(text: &str, model: &str) -> Answered {
    Answered::Other { text: text.to_owned(), sources: vec!["a source".to_owned()], model: Some(model.to_owned()) }
}

fn pairs(count: usize) -> Vec<Pair> {
    let pair = |number: usize| Pair {
        id: format!("q{number}"),
        query: "Why?".to_owned(),
        a: answered("because of A", "one"),
        b: answered("because of B", "two"),
    };
    (0..count).map(pair).collect()
}

fn judge(reply: &str) -> NamedModel {
    NamedModel::unknown(Arc::new(FakeModel::saying(&[reply])))
}

#[test]
fn only_eight_numbers_from_1_to_5_are_a_verdict() {
    assert_eq!(parse(&verdict(5, 1)), Some((scores(5), scores(1))));
    assert_eq!(parse(&format!("```json\n{}\n```", verdict(3, 4))), Some((scores(3), scores(4))));
    let one_missing = verdict(3, 4).replace("\"balance\": 4", "\"fairness\": 4");
    let in_words = format!("The first is better: {}", verdict(5, 1));
    for unreadable in
        [&verdict(0, 3), &verdict(6, 3), &verdict(3, 4).replace('3', "3.5"), &one_missing, &in_words, "", "5 1"]
    {
        assert_eq!(parse(unreadable), None, "{unreadable}");
    }
}

#[tokio::test]
async fn sides_come_from_the_id_and_a_judge_that_prefers_a_place_is_found_out() {
    let pairs = pairs(40);
    let a_first = pairs.iter().filter(|pair| Order::of(&pair.id) == Order::AFirst).count();
    assert!((10..=30).contains(&a_first), "{a_first} of 40");
    // Whoever stands first gets five.
    let mut received = 0;
    let verdicts = judge_all(&judge(&verdict(5, 1)), &pairs, 10, 3, || received += 1).await.unwrap();
    assert_eq!((verdicts.len(), received), (50, 50));
    let report = Comparison::of(pairs.len(), &verdicts);
    assert_eq!((report.a_better, report.b_better, report.unreadable), (a_first, 40 - a_first, 0));
    let position = report.position.unwrap();
    assert_eq!((position.pairs, position.turned), (10, 10));
    assert!((position.gain_of_the_first - 16.0).abs() < 1e-9, "{position:?}");
}

#[tokio::test]
async fn what_cannot_be_read_is_counted_and_never_guessed() {
    let pairs = pairs(5);
    let verdicts = judge_all(&judge("The first one."), &pairs, 0, 1, || {}).await.unwrap();
    let report = Comparison::of(pairs.len(), &verdicts);
    assert_eq!((report.judged, report.unreadable, report.pairs), (0, 5, 5));
    assert!(report.position.is_none() && (report.p_value - 1.0).abs() < 1e-9, "{report:?}");
}

#[tokio::test]
async fn nobody_judges_their_own_answers() {
    let fake = judge(&verdict(3, 3));
    let own = vec![Pair { a: answered("mine", &fake.name.to_uppercase()), ..pairs(1).remove(0) }];
    let error = judge_all(&fake, &own, 0, 1, || {}).await.unwrap_err();
    assert!(error.to_string().contains("wrote answers of A itself"), "{error}");
}

#[test]
fn a_difference_has_an_interval_and_an_exact_test() {
    let verdict = |number: usize, a: u8, b: u8| {
        let id = format!("q{number}");
        Verdict { order: Order::of(&id), scores: Some(Sides { a: scores(a), b: scores(b) }), id }
    };
    let verdicts: Vec<_> = (0..10).map(|number| verdict(number, 4, if number < 8 { 3 } else { 5 })).collect();
    let report = Comparison::of(10, &verdicts);
    assert_eq!((report.a_better, report.b_better, report.alike), (8, 2, 0));
    // Two or fewer, or eight or more, of ten: 2 × 56 / 1,024.
    assert!((report.p_value - 112.0 / 1_024.0).abs() < 1e-9, "{}", report.p_value);
    let faithfulness = &report.scores[0];
    assert!((faithfulness.difference - 0.6).abs() < 1e-9, "{faithfulness:?}");
    assert!(faithfulness.low < 0.6 && faithfulness.high > 0.6 && faithfulness.high <= 1.0, "{faithfulness:?}");
    assert_eq!(report, Comparison::of(10, &verdicts), "the same verdicts give the same report");
}

#[test]
fn answers_are_paired_by_id_and_files_of_other_questions_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let file = folder.path().join(name);
        std::fs::write(&file, text).unwrap();
        file
    };
    let a = write(
        "a.jsonl",
        "{\"id\": \"1\", \"query\": \"Why?\", \"answer\": {\"answer\": \"So.\", \"refused\": false, \"citations\": \
         [{\"marker\": 1, \"snippet_full\": \"It is so.\"}], \"model_used\": \"extractive\"}}\n\
         {\"id\": \"2\", \"query\": \"Who?\", \"answer\": {\"text\": \"I.\"}}\n",
    );
    let b =
        write("b.jsonl", "{\"id\": \"1\", \"query\": \"Why?\", \"answer\": {\"text\": \"Thus.\", \"model\": \"m\"}}\n");
    let (pairs, alone) = answers::pairs(&a, &b).unwrap();
    assert_eq!((pairs.len(), alone), (1, 1));
    assert_eq!(
        (pairs[0].a.text(), pairs[0].a.sources(), pairs[0].a.model()),
        ("So.", vec!["It is so."], Some("extractive"))
    );
    assert_eq!((pairs[0].b.text(), pairs[0].b.model()), ("Thus.", Some("m")));
    let other = write("c.jsonl", "{\"id\": \"1\", \"query\": \"When?\", \"answer\": {\"text\": \"Now.\"}}\n");
    assert!(answers::pairs(&a, &other).unwrap_err().to_string().contains("another question"));
    let wrong = write("d.jsonl", "\n{\"id\": \"1\"}\n");
    assert!(answers::pairs(&a, &wrong).unwrap_err().to_string().contains("line 2"));
}
