use std::path::PathBuf;

use ibidem_language::figures;

use super::*;

fn pairs() -> Vec<CitedSentence> {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../lab/data/adversarial/pairs.jsonl");
    load(&file).unwrap()
}

#[test]
fn the_set_has_equal_parts_and_no_sentence_twice() {
    let pairs = pairs();
    let scores = score(&pairs, |_| false);
    assert!(pairs.len() >= 330);
    for of_class in &scores {
        assert_eq!(of_class.sentences, pairs.len() / Class::ALL.len(), "{:?}", of_class.class);
    }
    let mut sentences: Vec<&str> = pairs.iter().map(|pair| pair.sentence.as_str()).collect();
    sentences.sort_unstable();
    sentences.dedup();
    assert_eq!(sentences.len(), pairs.len());
    let mut ids: Vec<&str> = pairs.iter().map(|pair| pair.id.as_str()).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), pairs.len());
    assert!(pairs.iter().all(|pair| !pair.passages.is_empty() && !pair.note.is_empty()));
}

#[test]
fn figures_alone_catch_every_changed_number_unit_date_negation_and_comparison() {
    let scores = score(&pairs(), |pair| !figures::check(&pair.sentence, &pair.cited()).is_empty());
    for score in &scores {
        println!("{:<14} {:>3} of {} objected to", format!("{:?}", score.class), score.objected, score.sentences);
    }
    for score in scores.iter().filter(|score| score.class.is_deterministic()) {
        assert!(score.wrong.is_empty(), "{:?} let through: {:?}", score.class, score.wrong);
    }
    let dropped = faithful_dropped(&scores);
    println!("faithful objected to: {:.1} %", dropped * 100.0);
    assert!(dropped <= 0.10, "{scores:?}");
}

#[test]
fn a_checker_that_objects_to_everything_or_nothing_is_seen_through() {
    let pairs = pairs();
    let everything = score(&pairs, |_| true);
    assert!((faithful_dropped(&everything) - 1.0).abs() < f64::EPSILON);
    let nothing = score(&pairs, |_| false);
    assert!(
        nothing.iter().filter(|score| !score.class.is_faithful()).all(|score| score.wrong.len() == score.sentences)
    );
}

#[test]
fn a_line_with_a_label_that_denies_its_class_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pairs.jsonl");
    let line =
        r#"{"id": "number-01", "class": "number", "passages": ["5"], "sentence": "6", "supported": true, "note": ""}"#;
    std::fs::write(&file, line).unwrap();
    assert!(load(&file).unwrap_err().to_string().contains("number-01 is supported"));
    std::fs::write(&file, "{}").unwrap();
    assert!(load(&file).unwrap_err().to_string().contains("line 1"));
}
