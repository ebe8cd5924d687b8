//! The shipped questions against the shipped documents, read as they are read when they are loaded.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use ibidem_ingest::read::{extract, format_of};
use ibidem_lab::trial::lint::lint;
use ibidem_lab::trial::{Kind, TrialQuestion};

use crate::json_lines;

fn repository(place: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(place)
}

fn questions() -> Vec<TrialQuestion> {
    questions_in("trial.jsonl")
}

fn questions_in(file: &str) -> Vec<TrialQuestion> {
    let lines = json_lines::load(&repository("lab/data").join(file)).unwrap();
    lines.into_iter().map(|(_, question)| question).collect()
}

/// The text of every document in these folders, by its path from the root of the repository.
fn texts(folders: &[&str]) -> BTreeMap<String, String> {
    let mut texts = BTreeMap::new();
    for folder in folders {
        for entry in std::fs::read_dir(repository(folder)).unwrap() {
            let file = entry.unwrap().path();
            let Some(format) = format_of(&file) else { continue };
            let document = extract(&std::fs::read(&file).unwrap(), format).unwrap();
            let name = file.file_name().unwrap().to_str().unwrap();
            texts.insert(format!("{folder}/{name}"), document.text);
        }
    }
    texts
}

/// The folders that `just lab trial` loads.
const FOLDERS: [&str; 5] = [
    "demo/architecture/adr",
    "demo/architecture/principles",
    "demo/architecture/policies",
    "demo/handbook",
    "demo/support/articles",
];

#[test]
fn the_shipped_questions_can_be_answered_from_the_shipped_documents() {
    let texts = texts(&FOLDERS);
    assert_eq!(lint(&questions(), &texts), Vec::<String>::new());
    // All of the second trial is sealed, so it has no halves.
    let mut second = lint(&questions_in("trial_2.jsonl"), &texts);
    second.retain(|problem| !problem.starts_with("there are ") && !problem.ends_with(" sealed ones"));
    assert_eq!(second, Vec::<String>::new());
    let articles = texts.keys().filter(|path| path.starts_with("demo/support/articles/")).count();
    assert_eq!(articles, 30);
}

#[test]
fn a_question_that_its_document_does_not_answer_is_found() {
    let mut questions = questions();
    let direct = questions.iter_mut().find(|question| question.kind == Kind::Direct).unwrap();
    direct.must[0] = vec!["no document says this".to_owned()];
    let problems = lint(&questions, &texts(&FOLDERS)).join("\n");
    assert!(problems.contains("none of its sources says \"no document says this\""), "{problems}");
}

#[test]
fn every_policy_that_a_question_names_is_there() {
    let folder = repository("policies");
    for question in questions() {
        let shipped = folder.join(format!("{}.yaml", question.policy));
        assert!(shipped.is_file() || repository(&question.policy).is_file(), "{}", question.policy);
    }
}
