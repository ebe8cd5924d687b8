//! Finding documents to ingest: a folder, a single file, or a file of JSON lines with one document each.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use chrono::{DateTime, Utc};
use ibidem_ports::intake::Format;
use ibidem_words::fields;
use serde::Deserialize;

use crate::read::{LARGEST_ORIGINAL, format_of};

/// A document found on disk, read into memory.
#[derive(Clone, PartialEq, Debug)]
pub struct SourceFile {
    /// Its path below the folder that was named, or its file's name: stable when the folder moves.
    pub source_location: String,
    pub format: Format,
    pub bytes: Vec<u8>,
    pub title: Option<String>,
    pub address: Option<String>,
    pub updated_at: Option<DateTime<Utc>>,
}

#[derive(Debug, thiserror::Error)]
pub enum FindError {
    #[error("{path} cannot be read: {reason}")]
    Unreadable { path: PathBuf, reason: String },
    #[error("{path} is of no kind that can be ingested; known are {} and .jsonl", Format::usual_endings())]
    UnknownFormat { path: PathBuf },
    #[error(
        "line {line} of {path} is not a document: {reason}; each line reads {{\"id\": …, \"title\": …, \"text\": …}}"
    )]
    BadLine { path: PathBuf, line: usize, reason: String },
}

/// The files below a folder that can be ingested, in order, and the others, which are named and left out.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Listing {
    pub files: Vec<PathBuf>,
    pub left_out: Vec<PathBuf>,
}

/// Lists what `path`, a folder or a file, has to ingest. Hidden files and folders are not looked at.
pub fn list(path: &Path) -> Result<Listing, FindError> {
    if path.is_file() {
        return match is_known(path) {
            true => Ok(Listing { files: vec![path.to_owned()], left_out: Vec::new() }),
            false => Err(FindError::UnknownFormat { path: path.to_owned() }),
        };
    }
    let mut listing = Listing::default();
    let hidden = |entry: &walkdir::DirEntry| entry.depth() > 0 && entry.file_name().to_string_lossy().starts_with('.');
    for entry in walkdir::WalkDir::new(path).sort_by_file_name().into_iter().filter_entry(|entry| !hidden(entry)) {
        let entry = entry.map_err(|error| FindError::Unreadable {
            path: error.path().unwrap_or(path).to_owned(),
            reason: error.to_string(),
        })?;
        let kind = entry.file_type();
        if !kind.is_file() {
            // Links are not followed: they may lead out of the folder. Pipes and sockets may never end.
            if !kind.is_dir() {
                listing.left_out.push(entry.into_path());
            }
            continue;
        }
        let known = is_known(entry.path());
        if known { &mut listing.files } else { &mut listing.left_out }.push(entry.into_path());
    }
    Ok(listing)
}

fn is_json_lines(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("jsonl"))
}

fn is_known(path: &Path) -> bool {
    is_json_lines(path) || format_of(path).is_some()
}

/// The documents of one listed file: itself, or one for each of its lines.
pub fn open(root: &Path, file: &Path) -> Result<Vec<SourceFile>, FindError> {
    open_each(root, file)?.into_iter().collect()
}

/// The same, each for itself: a line that is wrong keeps no other out.
pub fn open_each(root: &Path, file: &Path) -> Result<Vec<Result<SourceFile, FindError>>, FindError> {
    let unreadable = |error: std::io::Error| FindError::Unreadable { path: file.to_owned(), reason: error.to_string() };
    let bytes = bytes_of(file).map_err(unreadable)?;
    let source_location = source_location(root, file);
    if is_json_lines(file) {
        return Ok(lines(file, &source_location, &bytes));
    }
    let format = format_of(file).ok_or_else(|| FindError::UnknownFormat { path: file.to_owned() })?;
    let updated_at = std::fs::metadata(file).and_then(|metadata| metadata.modified()).ok().and_then(moment);
    Ok(vec![Ok(SourceFile { source_location, format, bytes, title: None, address: None, updated_at })])
}

/// A file's path below the folder that was named, or its name where it was named itself: one spelling on every system.
pub fn source_location(root: &Path, file: &Path) -> String {
    let below = file.strip_prefix(root).ok().filter(|below| !below.as_os_str().is_empty());
    let name = below.unwrap_or_else(|| file.file_name().map_or(file, Path::new));
    name.components().map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/")
}

/// The file's bytes, unless it is larger than any document that is read. A .jsonl file holds many.
fn bytes_of(file: &Path) -> std::io::Result<Vec<u8>> {
    let length = std::fs::metadata(file)?.len();
    if length > LARGEST_ORIGINAL as u64 && !is_json_lines(file) {
        return Err(std::io::Error::other("it is larger than 64 MiB; split it into parts"));
    }
    std::fs::read(file)
}

/// A file's date, unless it is so far off that nobody can mean it.
fn moment(modified: SystemTime) -> Option<DateTime<Utc>> {
    let seconds = match modified.duration_since(SystemTime::UNIX_EPOCH) {
        Ok(after) => i64::try_from(after.as_secs()).ok()?,
        Err(before) => -i64::try_from(before.duration().as_secs()).ok()?,
    };
    fields::date("updated_at", DateTime::from_timestamp(seconds, 0)?).ok()
}

#[derive(Deserialize)]
struct Line {
    #[serde(alias = "_id")]
    id: String,
    #[serde(default)]
    title: Option<String>,
    text: String,
    #[serde(default)]
    address: Option<String>,
    #[serde(default)]
    updated_at: Option<DateTime<Utc>>,
}

fn lines(file: &Path, source_location: &str, bytes: &[u8]) -> Vec<Result<SourceFile, FindError>> {
    let documents = bytes.split(|byte| *byte == b'\n').enumerate().filter(|(_, line)| !line.trim_ascii().is_empty());
    documents
        .map(|(number, line)| {
            let line: Line = serde_json::from_slice(line).map_err(|error| FindError::BadLine {
                path: file.to_owned(),
                line: number + 1,
                reason: error.to_string(),
            })?;
            Ok(SourceFile {
                source_location: format!("{source_location}#{}", line.id),
                format: Format::Plain,
                bytes: line.text.into_bytes(),
                title: line.title.filter(|title| !title.trim().is_empty()).or(Some(line.id)),
                address: line.address,
                updated_at: line.updated_at,
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_listed_in_order_with_what_is_left_out_named() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["b.md", "a.txt", "picture.png", ".hidden.md", "sub/c.html", ".git/x.md"] {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "text").unwrap();
        }
        let listing = list(folder.path()).unwrap();
        let names = |paths: &[PathBuf]| {
            paths.iter().map(|path| path.strip_prefix(folder.path()).unwrap().display().to_string()).collect::<Vec<_>>()
        };
        assert_eq!(names(&listing.files), ["a.txt", "b.md", "sub/c.html"]);
        assert_eq!(names(&listing.left_out), ["picture.png"]);
        let found = open(folder.path(), &listing.files[2]).unwrap();
        assert_eq!(found[0].source_location, "sub/c.html");
    }

    #[test]
    fn each_line_of_a_json_lines_file_is_a_document() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("corpus.jsonl");
        std::fs::write(
            &file,
            "{\"_id\": \"7\", \"title\": \"T\", \"text\": \"x\"}\n\n{\"id\": \"8\", \"text\": \"y\"}\n",
        )
        .unwrap();
        let found = open(&file, &file).unwrap();
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].source_location, "corpus.jsonl#7");
        assert_eq!((found[0].title.as_deref(), found[1].title.as_deref()), (Some("T"), Some("8")));
        std::fs::write(&file, "{\"id\": \"7\"}").unwrap();
        let error = open(&file, &file).unwrap_err().to_string();
        assert!(error.starts_with("line 1 of ") && error.contains("missing field `text`"), "{error}");
    }

    #[test]
    fn a_file_of_an_unknown_kind_is_an_error_when_it_is_named_itself() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("picture.png");
        std::fs::write(&file, "x").unwrap();
        assert!(matches!(list(&file), Err(FindError::UnknownFormat { .. })));
    }
}
