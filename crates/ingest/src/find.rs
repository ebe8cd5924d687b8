//! Finding documents to ingest: a folder, a single file, or a file of JSON lines with one document each.

use std::collections::HashSet;
use std::path::{Component, Path, PathBuf};
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
    #[error("{path} is a log: it says what happened, and answers no question; hand in a text that explains it")]
    Log { path: PathBuf },
    #[error(
        "line {line} of {path} is not a document: {reason}; each line reads {{\"id\": …, \"title\": …, \"text\": …}}"
    )]
    BadLine { path: PathBuf, line: usize, reason: String },
}

/// The files below a folder that can be ingested, in order, and the others, which are named and left out.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Listing {
    pub files: Vec<PathBuf>,
    pub left_out: Vec<LeftOut>,
}

/// A file that is not handed in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LeftOut {
    pub path: PathBuf,
    /// Said of several: "they are logs".
    pub why: &'static str,
}

const NO_FORMAT: &str = "of their format";
const LOG: &str = "they are logs, which answer no question";
const LEADS_OUT: &str = "they are links that lead out of the folder";
const LEADS_NOWHERE: &str = "they are links that lead nowhere or back to where they stand";
const LEADS_AGAIN: &str = "they are links to a folder that another link leads to";

/// Lists what `path`, a folder or a file, has to ingest. Hidden files and folders are not looked at.
pub fn list(path: &Path) -> Result<Listing, FindError> {
    if path.is_file() {
        return match is_known(path) {
            true => Ok(Listing { files: vec![path.to_owned()], left_out: Vec::new() }),
            false if is_log(path) => Err(FindError::Log { path: path.to_owned() }),
            false => Err(FindError::UnknownFormat { path: path.to_owned() }),
        };
    }
    let unreadable = |error: walkdir::Error| FindError::Unreadable {
        path: error.path().unwrap_or(path).to_owned(),
        reason: error.to_string(),
    };
    let mut listing = Listing::default();
    let mut links = Links::below(path);
    let mut entries = walkdir::WalkDir::new(path).follow_links(true).sort_by_file_name().into_iter();
    while let Some(entry) = entries.next() {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                let link = error.path().filter(|path| path.is_symlink()).map(Path::to_owned);
                listing.leave_out(link.ok_or_else(|| unreadable(error))?, LEADS_NOWHERE);
                continue;
            }
        };
        let is_folder = entry.file_type().is_dir();
        let is_hidden = entry.depth() > 0 && entry.file_name().to_string_lossy().starts_with('.');
        let refused = entry.depth() > 0 && entry.path_is_symlink();
        let refused = if refused && !is_hidden { links.refusal(entry.path(), is_folder) } else { None };
        if is_folder && (is_hidden || refused.is_some()) {
            entries.skip_current_dir();
        }
        match refused {
            _ if is_hidden => {}
            Some(why) => listing.leave_out(entry.into_path(), why),
            None if is_folder => {}
            // Pipes and sockets may never end.
            None if entry.file_type().is_file() => listing.add(entry.into_path()),
            None => listing.leave_out(entry.into_path(), NO_FORMAT),
        }
    }
    Ok(listing)
}

impl Listing {
    fn add(&mut self, path: PathBuf) {
        match () {
            () if is_known(&path) => self.files.push(path),
            () if is_log(&path) => self.leave_out(path, LOG),
            () => self.leave_out(path, NO_FORMAT),
        }
    }

    fn leave_out(&mut self, path: PathBuf, why: &'static str) {
        self.left_out.push(LeftOut { path, why });
    }
}

/// Symbolic links below a folder. They are followed inside it: whoever names a folder means nothing outside of it.
struct Links {
    folder: Option<PathBuf>,
    /// Folders that links lead to. Links that lead to one folder from many would else make many of a few.
    entered: HashSet<PathBuf>,
}

impl Links {
    fn below(folder: &Path) -> Self {
        Self { folder: folder.canonicalize().ok(), entered: HashSet::new() }
    }

    /// Why a link is not followed.
    fn refusal(&mut self, link: &Path, is_folder: bool) -> Option<&'static str> {
        let Ok(target) = link.canonicalize() else { return Some(LEADS_NOWHERE) };
        let below = self.folder.as_ref().and_then(|folder| target.strip_prefix(folder).ok());
        let is_hidden = |part: Component<'_>| part.as_os_str().to_string_lossy().starts_with('.');
        if below.is_none_or(|below| below.components().any(is_hidden)) {
            return Some(LEADS_OUT);
        }
        (is_folder && !self.entered.insert(target)).then_some(LEADS_AGAIN)
    }
}

fn is_log(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("log"))
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
    if root.is_dir() && !is_below(root, file).map_err(unreadable)? {
        return Err(unreadable(std::io::Error::other("it is a link that leads out of the folder")));
    }
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

/// Whether the file lies in the folder, also if it is a link: it may have become one since it was listed.
fn is_below(folder: &Path, file: &Path) -> std::io::Result<bool> {
    Ok(file.canonicalize()?.starts_with(folder.canonicalize()?))
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
        let left_out: Vec<PathBuf> = listing.left_out.into_iter().map(|left_out| left_out.path).collect();
        assert_eq!(names(&left_out), ["picture.png"]);
        let found = open(folder.path(), &listing.files[2]).unwrap();
        assert_eq!(found[0].source_location, "sub/c.html");
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_inside_the_folder_only() {
        use std::os::unix::fs::symlink;
        let outside = tempfile::tempdir().unwrap();
        std::fs::write(outside.path().join("secret.md"), "text").unwrap();
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in ["a/one.md", ".hidden/x.md", "server.log"] {
            std::fs::create_dir_all(at(name).parent().unwrap()).unwrap();
            std::fs::write(at(name), "text").unwrap();
        }
        symlink(at("a/one.md"), at("link.md")).unwrap();
        symlink("../a", at("a/round")).unwrap();
        symlink(at("a"), at("b")).unwrap();
        symlink(at("a"), at("c")).unwrap();
        symlink(outside.path(), at("out")).unwrap();
        symlink(outside.path().join("secret.md"), at("out.md")).unwrap();
        symlink(at(".hidden/x.md"), at("shown.md")).unwrap();
        symlink(at("self.md"), at("self.md")).unwrap();
        symlink(at("gone.md"), at("broken.md")).unwrap();
        let listing = list(folder.path()).unwrap();
        let name = |path: &Path| path.strip_prefix(folder.path()).unwrap().display().to_string();
        let files: Vec<String> = listing.files.iter().map(|path| name(path)).collect();
        assert_eq!(files, ["a/one.md", "b/one.md", "link.md"]);
        let left_out: Vec<(String, &str)> = listing.left_out.iter().map(|left| (name(&left.path), left.why)).collect();
        let expected = [
            ("a/round", LEADS_NOWHERE),
            ("b/round", LEADS_NOWHERE),
            ("broken.md", LEADS_NOWHERE),
            ("c", LEADS_AGAIN),
            ("out", LEADS_OUT),
            ("out.md", LEADS_OUT),
            ("self.md", LEADS_NOWHERE),
            ("server.log", LOG),
            ("shown.md", LEADS_OUT),
        ];
        assert_eq!(left_out, expected.map(|(name, why)| (name.to_owned(), why)));
        assert!(open(folder.path(), &at("out.md")).unwrap_err().to_string().contains("leads out of the folder"));
        assert_eq!(open(folder.path(), &at("link.md")).unwrap()[0].source_location, "link.md");
        assert!(matches!(list(&at("server.log")), Err(FindError::Log { .. })));
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
