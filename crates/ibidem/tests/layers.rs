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

/// The fakes and behaviour suites: for tests, and behind a crate's feature `testing`.
const TESTING_KIT: &str = "ibidem-testing";

/// The crates of the product, and all of ours that each may use.
const MAY_USE: [(&str, &[&[&str]]); 13] = [
    ("ibidem-words", &[]),
    ("ibidem-language", &[]),
    ("ibidem-ports", &[&["ibidem-words", "ibidem-language"]]),
    (TESTING_KIT, &[BELOW]),
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
        // Tests may use what they like, and so may what is compiled for tests alone.
        let is_for_tests =
            |used: &Value| used["kind"] == "dev" || (used["name"] == TESTING_KIT && used["optional"] == true);
        let used = package["dependencies"].as_array().unwrap().iter().filter(|used| !is_for_tests(used));
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

/// The engine's movements, what a policy file may say and the gates that it names, and the entry point that calls the
/// movements one after the other.
const WITHOUT_CIRCLES: [&str; 6] = ["route", "gather", "sift", "speak", "policy", "gates"];
const ENTRY_POINT: &str = "ask";

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

/// The top-level modules of the engine that each of them names.
fn module_imports() -> BTreeMap<String, BTreeSet<String>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../engine/src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    let mut imports: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for file in files {
        let inside = file.strip_prefix(&root).unwrap().with_extension("");
        let module = inside.components().next().unwrap().as_os_str().to_str().unwrap().to_owned();
        if file.file_stem().is_some_and(|name| name == "tests") {
            continue;
        }
        let text = std::fs::read_to_string(&file).unwrap();
        // Tests stand at the end of their file, and may use what they like.
        let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
        let named = text.split("crate::").skip(1);
        let names = named.map(|rest| rest.split(|sign: char| !sign.is_ascii_alphanumeric() && sign != '_').next());
        imports.entry(module).or_default().extend(names.flatten().map(str::to_owned));
    }
    imports
}

/// Everything that a module leads to, itself only where it leads back to itself.
fn reached(module: &str, imports: &BTreeMap<String, BTreeSet<String>>) -> BTreeSet<String> {
    let mut reached = BTreeSet::new();
    let mut next: Vec<String> = imports.get(module).into_iter().flatten().cloned().collect();
    while let Some(one) = next.pop() {
        if one != module && reached.insert(one.clone()) {
            next.extend(imports.get(&one).into_iter().flatten().cloned());
        } else if one == module {
            reached.insert(one);
        }
    }
    reached
}

#[test]
fn no_movement_leads_back_to_another_that_leads_to_it_or_to_the_entry_point() {
    let mut imports = module_imports();
    for (module, named) in &mut imports {
        named.remove(module);
    }
    assert!(imports[ENTRY_POINT].contains("route") && imports[ENTRY_POINT].contains("speak"), "{imports:?}");
    for movement in WITHOUT_CIRCLES {
        let reached = reached(movement, &imports);
        assert!(!reached.contains(ENTRY_POINT), "{movement} leads to {ENTRY_POINT}: {:?}", imports[movement]);
        assert!(!reached.contains(movement), "{movement} leads back to itself: {:?}", imports[movement]);
    }
}
