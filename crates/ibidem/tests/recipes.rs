//! CONTRIBUTING's recipes say how many places somebody touches who adds a thing. Here the places are counted, and of one
//! thing that is there it is seen that it stands in no other.

#![allow(clippy::unwrap_used, clippy::panic, reason = "all of this is tests")]

use std::path::{Path, PathBuf};

const CONTRIBUTING: &str = include_str!("../../../CONTRIBUTING.md");

/// A recipe, the most places that it may have, and a thing that was made by it.
struct Recipe {
    name: &'static str,
    most: usize,
    /// None where only the places are counted.
    made: Option<Made>,
}

struct Made {
    /// What the recipe calls it, and what it is called.
    called: [&'static str; 2],
    /// The words by which the code knows it.
    words: &'static [&'static str],
}

const RECIPES: [Recipe; 5] = [
    Recipe {
        name: "endpoint",
        most: 3,
        made: Some(Made { called: ["NAME", "queue"], words: &["/v1/queue", "queue::read", "ReadQueue"] }),
    },
    Recipe {
        name: "gate",
        most: 3,
        made: Some(Made {
            called: ["GATE", "retrieval_confidence"],
            words: &["retrieval_confidence", "RetrievalConfidence"],
        }),
    },
    Recipe { name: "format", most: 3, made: None },
    Recipe {
        name: "connector",
        most: 3,
        made: Some(Made {
            called: ["SYSTEM", "http_entailment"],
            words: &["http_entailment", "HttpEntailment", "HttpEntailmentSettings"],
        }),
    },
    Recipe { name: "setting", most: 2, made: None },
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn recipe(name: &str) -> &'static str {
    let (begin, end) =
        (format!("<!-- recipe: {name}; a test counts the places -->"), format!("<!-- /recipe: {name} -->"));
    let (_, rest) = CONTRIBUTING.split_once(&begin).unwrap_or_else(|| panic!("there is no recipe {name}"));
    rest.split_once(&end).unwrap_or_else(|| panic!("the recipe {name} has no end")).0
}

fn places(recipe: &str) -> usize {
    let is_numbered = |line: &&str| line.split_once(". ").is_some_and(|(number, _)| number.parse::<u32>().is_ok());
    recipe.lines().filter(is_numbered).count()
}

/// The files and folders that a recipe names.
fn named_files(recipe: &str, [placeholder, name]: [&str; 2]) -> Vec<PathBuf> {
    let quoted = recipe.split('`').skip(1).step_by(2);
    let paths = quoted.filter(|quoted| quoted.starts_with("crates/")).map(|path| path.replace(placeholder, name));
    let files = paths.map(|path| {
        let file = root().join(&path);
        assert!(file.exists(), "a recipe names {path}, which is not there");
        file
    });
    files.collect()
}

/// The product's own source files, without its tests and the testing kit.
fn source_files(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if path.is_dir() && !["tests", "testing"].contains(&name) {
            source_files(&path, into);
        } else if name.ends_with(".rs") && name != "tests.rs" {
            into.push(path);
        }
    }
}

/// What a file says, without its tests, its comments and the lines that only declare a module.
fn code(file: &Path) -> String {
    let text = std::fs::read_to_string(file).unwrap();
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
    let declares = |line: &str| {
        let line = line.strip_prefix("pub ").unwrap_or(line);
        line.starts_with("mod ") && line.ends_with(';')
    };
    let lines = text.lines().map(str::trim).filter(|line| !line.starts_with("//") && !declares(line));
    lines.collect::<Vec<_>>().join("\n")
}

fn names(code: &str, word: &str) -> bool {
    let is_of_a_word = |sign: Option<char>| sign.is_some_and(|sign| sign.is_alphanumeric() || sign == '_');
    code.match_indices(word).any(|(at, _)| {
        let (before, after) = (code[..at].chars().next_back(), code[at + word.len()..].chars().next());
        !is_of_a_word(before) && !is_of_a_word(after)
    })
}

#[test]
fn no_recipe_has_more_places_than_it_may() {
    for Recipe { name, most, .. } in RECIPES {
        let places = places(recipe(name));
        assert!((1..=most).contains(&places), "to add a {name} takes {places} places; it may take {most}");
    }
    assert_eq!(CONTRIBUTING.matches("a test counts the places").count(), RECIPES.len());
}

#[test]
fn what_was_made_by_a_recipe_stands_where_the_recipe_says_and_nowhere_else() {
    let mut sources = Vec::new();
    source_files(&root().join("crates"), &mut sources);
    assert!(sources.len() > 500, "{}", sources.len());
    let sources: Vec<(PathBuf, String)> = sources.into_iter().map(|file| (file.clone(), code(&file))).collect();
    for (name, made) in RECIPES.iter().filter_map(|recipe| Some((recipe.name, recipe.made.as_ref()?))) {
        let files = named_files(recipe(name), made.called);
        for word in made.words {
            let of_it = sources.iter().filter(|(_, code)| names(code, word)).map(|(file, _)| file);
            let (told, others): (Vec<_>, Vec<_>) = of_it.partition(|file| files.iter().any(|of| file.starts_with(of)));
            assert!(!told.is_empty(), "nothing that the recipe for a {name} names knows {word}");
            assert!(others.is_empty(), "the recipe for a {name} does not tell that {word} stands in {others:?}");
        }
    }
}

#[test]
fn places_are_counted_and_words_are_told_apart() {
    assert_eq!(places("\n1. Write it.\n2. Name it.\n   Then 3. rest.\nSee also.\n"), 2);
    assert!(names("use a::queue::read;", "queue::read") && !names("my_queue::read", "queue::read"));
}
