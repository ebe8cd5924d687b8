//! The repository stands by itself: nothing names a folder outside it, no file is there twice, no link leads nowhere.

#![allow(clippy::unwrap_used, clippy::panic, reason = "all of this is tests")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// Every file that git knows and that is there, by its path from the root.
fn files() -> Vec<PathBuf> {
    let listed = Command::new("git").arg("ls-files").arg("-z").current_dir(root()).output().unwrap();
    assert!(listed.status.success(), "{listed:?}");
    let names = String::from_utf8(listed.stdout).unwrap();
    let names = names.split_terminator('\0').map(PathBuf::from);
    let files: Vec<PathBuf> = names.filter(|name| root().join(name).is_file()).collect();
    assert!(files.len() > 500, "{}", files.len());
    files
}

fn documents() -> impl Iterator<Item = (PathBuf, String)> {
    let is_document = |file: &PathBuf| file.extension().is_some_and(|ending| ending == "md");
    files().into_iter().filter(is_document).map(|file| {
        let text = std::fs::read_to_string(root().join(&file)).unwrap();
        (file, text)
    })
}

/// What a Markdown link points to, of those that stand on this disk.
fn targets(text: &str) -> Vec<&str> {
    let after = text.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
    let targets = after.map(|(target, _)| target.split('#').next().unwrap_or_default());
    targets.filter(|target| !target.is_empty() && !target.contains("://") && !target.contains(' ')).collect()
}

#[test]
fn every_link_of_a_document_leads_to_something_in_the_repository() {
    let mut followed = 0;
    for (file, text) in documents() {
        for target in targets(&text) {
            let place = root().join(file.parent().unwrap()).join(target);
            let there = place.canonicalize().unwrap_or_else(|_| panic!("{}: {target} is not there", file.display()));
            assert!(there.starts_with(root()), "{}: {target} is outside the repository", file.display());
            followed += 1;
        }
    }
    assert!(followed > 50, "{followed}");
}

#[test]
fn nothing_names_a_folder_beside_the_repository() {
    // Put together here, so that this file does not name it.
    let beside = ["..", "shared"].join("/");
    for file in files() {
        let Ok(text) = std::fs::read_to_string(root().join(&file)) else { continue };
        assert!(!text.contains(&beside), "{} names {beside}", file.display());
    }
}

#[test]
fn no_file_is_there_twice() {
    /// Shorter ones may be alike by chance.
    const LEAST_BYTES: usize = 100;
    let mut seen: BTreeMap<Vec<u8>, PathBuf> = BTreeMap::new();
    for file in files() {
        let bytes = std::fs::read(root().join(&file)).unwrap();
        if bytes.len() < LEAST_BYTES {
            continue;
        }
        if let Some(other) = seen.insert(bytes, file.clone()) {
            panic!("{} and {} have the same content", other.display(), file.display());
        }
    }
}
