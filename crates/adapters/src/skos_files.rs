//! Vocabularies in SKOS files: Turtle or RDF/XML, read once and kept in memory.

mod entries;
mod read;

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use async_trait::async_trait;
use ibidem_ports::thesaurus::{Entry, Label, Thesaurus, WordList, described};
use ibidem_ports::vocabulary::{
    Concept, Definition, Description, LabelKind, Labels, Lookup, Vocabulary, VocabularyError, checked, folded,
    in_language,
};

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SkosFilesSettings {
    /// Files, each a vocabulary whose id is the file's name without its ending; or folders of such files.
    pub paths: Vec<PathBuf>,
    /// The language that terms are looked up in first, such as `en`.
    pub language: String,
    /// A file larger than this is refused.
    pub max_file_bytes: u64,
}

/// Why a vocabulary cannot be read. All of them are for the operator, and name the file.
#[derive(Debug, thiserror::Error)]
pub enum SkosFileError {
    #[error("the vocabulary {} cannot be read: {reason}", .file.display())]
    Unreadable { file: PathBuf, reason: String },
    #[error("the vocabulary {} is larger than the limit of {limit} bytes", .file.display())]
    TooLarge { file: PathBuf, limit: u64 },
    #[error("{} is no vocabulary: files end in .ttl, .nt, .rdf, .owl or .xml", .file.display())]
    UnknownForm { file: PathBuf },
    #[error("the vocabulary {}, line {line}: {reason}", .file.display())]
    Malformed { file: PathBuf, line: u64, reason: String },
    #[error("the vocabulary {} has no skos:Concept in it", .file.display())]
    Empty { file: PathBuf },
    #[error("{} would be a second vocabulary with the id {id:?}; rename one of the files", .file.display())]
    SameId { file: PathBuf, id: String },
}

/// Vocabularies that were read from files.
pub struct SkosFiles {
    lists: Vec<WordList>,
    language: String,
    /// Where each label is, by the form in which it is compared.
    labels: HashMap<String, Vec<LabelPosition>>,
    /// Those that can be suggested.
    suggested: Labels,
}

struct LabelPosition {
    list: usize,
    uri: String,
    /// The position among the labels of the concept.
    label: usize,
}

impl SkosFiles {
    /// Reads all the files, or says what is wrong with the first that cannot be used.
    pub fn load(settings: &SkosFilesSettings) -> Result<Self, SkosFileError> {
        let mut lists = BTreeMap::<String, WordList>::new();
        for file in files(&settings.paths)? {
            let list = read_list(&file, settings.max_file_bytes)?;
            if lists.contains_key(&list.id) {
                return Err(SkosFileError::SameId { file, id: list.id });
            }
            lists.insert(list.id.clone(), list);
        }
        Ok(Self::of(lists.into_values().collect(), settings.language.clone()))
    }

    fn of(lists: Vec<WordList>, language: String) -> Self {
        let mut labels = HashMap::<String, Vec<LabelPosition>>::new();
        for (list, words) in lists.iter().enumerate() {
            for entry in words.entries.values().filter(|entry| !entry.deprecated) {
                for (label, found) in entry.labels.iter().enumerate() {
                    let position = LabelPosition { list, uri: entry.uri.clone(), label };
                    labels.entry(folded(&found.text)).or_default().push(position);
                }
            }
        }
        let suggested = suggested(&lists, &language);
        Self { lists, language, labels, suggested }
    }

    /// The concepts that have this label, of those labels that count.
    fn matches(&self, term: &str, counts: impl Fn(&Label) -> bool) -> Vec<Concept> {
        let positions = self.labels.get(term).into_iter().flatten();
        let found = positions.filter_map(|position| {
            let list = self.lists.get(position.list)?;
            let entry = list.entries.get(&position.uri)?;
            Some((list, entry, entry.labels.get(position.label)?))
        });
        let counting = found.filter(|(_, _, label)| counts(label));
        counting.map(|(list, entry, label)| self.concept(list, entry, label)).collect()
    }

    fn concept(&self, list: &WordList, entry: &Entry, matched: &Label) -> Concept {
        let languages: Vec<&str> = [self.language.as_str()].into_iter().chain(matched.language.as_deref()).collect();
        Concept {
            uri: entry.uri.clone(),
            vocabulary: list.id.clone(),
            label: display_label(entry, matched, &languages).text.clone(),
            matched: matched.kind,
            definition: Definition::best(&entry.definitions, &languages),
        }
    }
}

/// The label to show: the preferred one in the first of these languages that has one. Of regional variants it is
/// the one that matched.
fn display_label<'a>(entry: &'a Entry, matched: &'a Label, languages: &[&str]) -> &'a Label {
    let preferred = || entry.labels.iter().filter(|label| label.kind == LabelKind::Preferred);
    let in_language = |language: &&str| {
        let exact = preferred().find(|label| label.language.as_deref() == Some(language));
        let same = || preferred().find(|label| *label == matched && label.is_in(language));
        exact.or_else(same).or_else(|| preferred().find(|label| label.is_in(language)))
    };
    languages.iter().find_map(in_language).unwrap_or(matched)
}

/// The labels to show to somebody who reads this language.
fn suggested(lists: &[WordList], language: &str) -> Labels {
    let entries = lists.iter().flat_map(|list| list.entries.values()).filter(|entry| !entry.deprecated);
    let labels = entries.flat_map(|entry| &entry.labels).filter(|label| label.kind != LabelKind::Hidden);
    let read = labels.filter(|label| label.language.as_deref().is_none_or(|tag| in_language(tag, language)));
    Labels::new(read.map(|label| label.text.as_str()))
}

#[async_trait]
impl Vocabulary for SkosFiles {
    async fn lookup(&self, term: &str) -> Result<Lookup, VocabularyError> {
        let term = folded(&checked(term)?);
        let matches = self.matches(&term, |label| label.is_in(&self.language));
        let matches = if matches.is_empty() { self.matches(&term, |_| true) } else { matches };
        Ok(Lookup::among(matches))
    }

    async fn closest(&self, term: &str, limit: usize) -> Result<Vec<String>, VocabularyError> {
        Ok(self.suggested.closest(&checked(term)?, limit))
    }

    async fn describe(&self, uri: &str, language: &str) -> Result<Option<Description>, VocabularyError> {
        Ok(described(&self.lists, uri, language))
    }
}

impl Thesaurus for SkosFiles {
    fn word_lists(&self) -> &[WordList] {
        &self.lists
    }
}

/// The files that are named, and those of known form in the folders that are named, in order.
fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, SkosFileError> {
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let unreadable =
            |error: std::io::Error| SkosFileError::Unreadable { file: path.clone(), reason: error.to_string() };
        let mut inside = Vec::new();
        for file in std::fs::read_dir(path).map_err(unreadable)? {
            let file = file.map_err(unreadable)?.path();
            if read::Form::of(&file).is_some() && file.is_file() {
                inside.push(file);
            }
        }
        inside.sort();
        files.extend(inside);
    }
    Ok(files)
}

fn read_list(file: &Path, limit: u64) -> Result<WordList, SkosFileError> {
    let id = file.file_stem().and_then(|stem| stem.to_str()).map(str::to_owned);
    let (Some(id), Some(form)) = (id, read::Form::of(file)) else {
        return Err(SkosFileError::UnknownForm { file: file.to_owned() });
    };
    let bytes = read::bytes(file, limit)?;
    let statements = read::statements(&bytes, form).map_err(|error| SkosFileError::Malformed {
        file: file.to_owned(),
        line: error.line,
        reason: error.reason,
    })?;
    let list = entries::word_list(id, statements);
    if list.entries.is_empty() { Err(SkosFileError::Empty { file: file.to_owned() }) } else { Ok(list) }
}

#[cfg(test)]
mod tests;
