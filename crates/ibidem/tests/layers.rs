//! Which crate may use which: the table of ARCHITECTURE.md, held against what cargo says.

#![allow(clippy::unwrap_used, clippy::panic, reason = "all of this is tests")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

const PREFIX: &str = "ibidem-";

/// What is below every crate that does something.
const BELOW: &[&str] = &["ibidem-language", "ibidem-ports", "ibidem-words"];

/// What a program may use: neither may use the other.
const ABOVE: &[&str] = &[
    "ibidem-engine",
    "ibidem-ingest",
    "ibidem-store",
    "ibidem-adapters",
    "ibidem-measure",
    "ibidem-server",
    "ibidem-wiring",
];

/// Where the laboratory is, which nothing of the product may use.
const LABORATORY: [&str; 2] = ["ibidem-lab", "ibidem-workbench"];

/// The fakes and behaviour suites, for tests alone.
const TESTING_KIT: &str = "ibidem-testing";

/// The crates of the product, and all of ours that each may use.
const MAY_USE: [(&str, &[&[&str]]); 13] = [
    ("ibidem-words", &[]),
    ("ibidem-language", &[]),
    ("ibidem-ports", &[&["ibidem-words", "ibidem-language"]]),
    (TESTING_KIT, &[BELOW, &["ibidem-engine", "ibidem-store"]]),
    ("ibidem-engine", &[BELOW]),
    ("ibidem-ingest", &[BELOW]),
    ("ibidem-store", &[BELOW]),
    ("ibidem-adapters", &[BELOW]),
    ("ibidem-measure", &[BELOW, &["ibidem-engine"]]),
    ("ibidem-server", &[BELOW, &["ibidem-engine", "ibidem-store"]]),
    (
        "ibidem-wiring",
        &[BELOW, &["ibidem-engine", "ibidem-ingest", "ibidem-store", "ibidem-adapters", "ibidem-server"]],
    ),
    ("ibidem", &[BELOW, ABOVE]),
    ("ibidem-support-desk", &[]),
];

/// The crates without I/O of their own, and what they must therefore never touch.
const PURE: [&str; 4] = ["ibidem-language", "ibidem-words", "ibidem-ports", "ibidem-engine"];
const IO: [&str; 9] = [
    "sqlx",
    "qdrant-client",
    "reqwest",
    "ort",
    "axum",
    "tokio",
    "object_store",
    "opentelemetry",
    "tracing-opentelemetry",
];
/// Tokio without its I/O: the clock that the ports hand to everybody else.
const CLOCK: &str = "tokio, only its time";

fn packages() -> BTreeMap<String, Vec<String>> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap().iter().map(|package| {
        // Tests may use what they like.
        let used = package["dependencies"].as_array().unwrap().iter().filter(|used| used["kind"] != "dev");
        let names = used.map(|used| {
            let is_clock = used["name"] == "tokio"
                && used["features"] == serde_json::json!(["time"])
                && used["uses_default_features"] == false;
            if is_clock { CLOCK } else { used["name"].as_str().unwrap() }.to_owned()
        });
        let names = names.collect();
        (package["name"].as_str().unwrap().to_owned(), names)
    });
    packages.collect()
}

#[test]
fn every_crate_uses_only_the_crates_below_it() {
    let packages = packages();
    let known: Vec<&str> = MAY_USE.iter().map(|(name, _)| *name).collect();
    for (name, used) in packages.iter().filter(|(name, _)| !LABORATORY.contains(&name.as_str())) {
        let allowed = MAY_USE.iter().find(|(crate_name, _)| crate_name == name).map(|(_, allowed)| *allowed);
        let allowed = allowed.unwrap_or_else(|| panic!("{name} is not in the table; the table has {known:?}")).concat();
        for other in used.iter().filter(|other| other.starts_with(PREFIX)) {
            assert!(allowed.contains(&other.as_str()), "{name} must not use {other}");
        }
    }
}

#[test]
fn what_is_pure_has_no_io_of_its_own() {
    let packages = packages();
    for name in PURE {
        for forbidden in IO {
            assert!(!packages[name].contains(&forbidden.to_owned()), "{name} must not use {forbidden}");
        }
        let has_clock = packages[name].contains(&CLOCK.to_owned());
        assert_eq!(has_clock, name == "ibidem-ports", "time comes from `ibidem_ports::clock` and from nowhere else");
    }
}

fn sources(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, into);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            into.push(path);
        }
    }
}

/// Modules by name, each with those that it names.
type Named = BTreeMap<String, BTreeSet<String>>;

/// The modules in a folder of sources, which is called this by those who name it. What stands over all of them is none of
/// them: the root of a crate, and the module that the folder belongs to.
fn modules(folder: &Path, called: &str) -> Named {
    let mut files = Vec::new();
    sources(folder, &mut files);
    let mut modules = Named::new();
    for file in files {
        let inside = file.strip_prefix(folder).unwrap().with_extension("");
        let parts = inside.iter().map(|part| part.to_str().unwrap()).filter(|part| *part != "mod");
        let parts: Vec<&str> = parts.collect();
        let Some(module) = parts.first().filter(|first| !["lib", "main"].contains(first)) else { continue };
        // Tests may use what they like.
        if !parts.contains(&"tests") {
            let text = std::fs::read_to_string(&file).unwrap();
            let beginnings = [called.to_owned(), "super::".repeat(parts.len())];
            modules.entry((*module).to_owned()).or_default().extend(named_behind(&beginnings, &text));
        }
    }
    let all: BTreeSet<String> = modules.keys().cloned().collect();
    for (module, named) in &mut modules {
        named.retain(|other| other != module && all.contains(other));
    }
    modules
}

/// What a file names behind such a beginning: in `crate::one`, `crate::{one, other::Thing}` and the like.
fn named_behind(beginnings: &[String], text: &str) -> BTreeSet<String> {
    let first_word = |text: &str| {
        let is_of_a_word = |sign: char| sign.is_alphanumeric() || sign == '_';
        text.trim_start().split(|sign| !is_of_a_word(sign)).next().unwrap().to_owned()
    };
    // Tests stand at the end of their file, and may use what they like too.
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
    let code: Vec<&str> = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
    let code = code.join("\n");
    let mut names = BTreeSet::new();
    for rest in beginnings.iter().flat_map(|beginning| code.split(beginning.as_str()).skip(1)) {
        let Some(group) = rest.strip_prefix('{') else {
            names.insert(first_word(rest));
            continue;
        };
        // Of a group, what stands directly in it.
        let (mut depth, mut direct) = (1, String::new());
        for sign in group.chars() {
            match sign {
                '{' => depth += 1,
                '}' if depth == 1 => break,
                '}' => depth -= 1,
                _ if depth == 1 => direct.push(sign),
                _ => {}
            }
        }
        names.extend(direct.split(',').map(first_word));
    }
    names
}

/// A way from a module back to itself, if there is one.
fn circle(module: &str, modules: &Named) -> Option<Vec<String>> {
    let mut ways = vec![vec![module.to_owned()]];
    let mut seen = BTreeSet::new();
    while let Some(way) = ways.pop() {
        for next in &modules[&way[way.len() - 1]] {
            let way: Vec<String> = way.iter().chain([next]).cloned().collect();
            if next == module {
                return Some(way);
            }
            if seen.insert(next.clone()) {
                ways.push(way);
            }
        }
    }
    None
}

/// How often a module of a folder names another, where none of them leads back to itself.
fn names_without_circle(folder: &Path, called: &str) -> usize {
    let modules = modules(folder, called);
    for module in modules.keys() {
        let circle = circle(module, &modules);
        assert!(circle.is_none(), "modules of {} lead in a circle: {circle:?}", folder.display());
    }
    modules.values().map(BTreeSet::len).sum()
}

#[test]
fn no_module_of_a_crate_leads_back_to_itself() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let sources = std::fs::read_dir(crates).unwrap().map(|entry| entry.unwrap().path().join("src"));
    let named: usize = sources.map(|source| names_without_circle(&source, "crate::")).sum();
    assert!(named > 300, "{named} times a module names another; are they still read?");
}

#[test]
fn no_file_of_the_server_leads_back_to_itself() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../server/src");
    let mut files = Vec::new();
    sources(&source, &mut files);
    let folders: BTreeSet<&Path> = files.iter().map(|file| file.parent().unwrap()).collect();
    let named = folders.into_iter().filter(|folder| !folder.ends_with("tests")).map(|folder| {
        let inside = folder.strip_prefix(&source).unwrap();
        let called: String = inside.iter().map(|part| format!("{}::", part.to_str().unwrap())).collect();
        names_without_circle(folder, &format!("crate::{called}"))
    });
    let named: usize = named.sum();
    assert!(named > 100, "{named} times a file names another; are they still read?");
}

#[test]
fn a_circle_is_seen_however_it_is_written() {
    let names = |text: &str, depth| named_behind(&["crate::".to_owned(), "super::".repeat(depth)], text);
    let read = names("use crate::one::Thing;\n//! [`crate::not`]\nuse crate::{two, three::{A, B}};\nsuper::four()", 1);
    assert_eq!(read, ["four", "one", "three", "two"].map(str::to_owned).into());
    assert_eq!(names("super::sibling(); super::super::top()", 2), ["top".to_owned()].into());
    let module = |name: &str, named: &[&str]| (name.to_owned(), named.iter().map(|name| (*name).to_owned()).collect());
    let modules: Named = [module("a", &["b"]), module("b", &["c"]), module("c", &["b"])].into();
    assert_eq!(circle("a", &modules), None);
    assert_eq!(circle("b", &modules).unwrap(), ["b", "c", "b"]);
}
