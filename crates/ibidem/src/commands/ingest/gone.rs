//! What came from a folder and is no longer there: named, and with `--sync` removed.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::Context as _;
use ibidem_ingest::find;
use ibidem_store::{FolderDocument, Store};
use ibidem_words::{CollectionName, DocumentId, TenantId};

use crate::console;

/// Of more than one in so many somebody is asked before they are removed: a folder may be mounted wrongly.
const ASKS_ABOVE_ONE_IN: usize = 5;
/// Of many names the first are said.
const MOST_NAMES: usize = 10;

/// The places that a folder has now.
#[derive(Default)]
pub(super) struct Present {
    places: BTreeSet<String>,
    /// Files of which it is not known what they hold: everything that came from them is there.
    unread: BTreeSet<String>,
}

impl Present {
    pub(super) fn add(&mut self, source_location: &str) {
        self.places.insert(source_location.to_owned());
    }

    /// A file that is there and could not be read, or not all of it.
    pub(super) fn add_unread(&mut self, root: &Path, file: &Path) {
        self.unread.insert(find::source_location(root, file));
    }

    fn has(&self, source_location: &str) -> bool {
        let is_of_unread = |(place, _): (usize, &str)| self.unread.contains(&source_location[..place]);
        self.places.contains(source_location)
            || self.unread.contains(source_location)
            || source_location.match_indices('#').any(is_of_unread)
    }
}

/// The folder that documents of this path come from, as this machine names it.
pub(super) fn folder_of(path: &Path) -> anyhow::Result<String> {
    let whole = path.canonicalize().with_context(|| format!("{} cannot be found", path.display()))?;
    let folder = if whole.is_dir() { whole.as_path() } else { whole.parent().unwrap_or(&whole) };
    Ok(folder.to_string_lossy().into_owned())
}

/// A folder that was handed in, in one collection of one tenant.
pub(super) struct Folder<'a> {
    pub(super) store: &'a Store,
    pub(super) tenant: TenantId,
    pub(super) collection: &'a CollectionName,
    pub(super) name: &'a str,
}

/// What became of what is gone.
pub(super) enum Settled {
    Removed(Vec<DocumentId>),
    /// It would be so much that somebody has to say yes, and nobody did.
    NotConfirmed,
}

impl Settled {
    pub(super) fn is_done(&self) -> bool {
        matches!(self, Self::Removed(_))
    }

    /// As the index is told.
    pub(super) fn removed(&self, tenant: TenantId) -> Vec<(TenantId, DocumentId)> {
        match self {
            Self::Removed(documents) => documents.iter().map(|document| (tenant, *document)).collect(),
            Self::NotConfirmed => Vec::new(),
        }
    }
}

impl Folder<'_> {
    /// Says what is no longer in the folder. It is still found.
    pub(super) async fn report(&self, present: &Present) -> anyhow::Result<()> {
        let (_, gone) = self.gone(present).await?;
        if !gone.is_empty() {
            console::note(&format!(
                "{} came from {} and {} no longer there: {}; still found and cited until you run `ibidem ingest` with \
                 `--sync`",
                documents(gone.len()),
                self.name,
                is_or_are(gone.len()),
                named(gone.iter().map(|document| document.source_location.as_str())),
            ));
        }
        self.report_unknown(present).await
    }

    /// Removes what is no longer in the folder. `is_confirmed` says that it may be any number.
    pub(super) async fn remove(&self, present: &Present, is_confirmed: bool) -> anyhow::Result<Settled> {
        self.report_unknown(present).await?;
        let (known, gone) = self.gone(present).await?;
        let (moved, gone): (Vec<_>, Vec<_>) = gone.into_iter().partition(|document| document.is_waiting_elsewhere);
        if !moved.is_empty() {
            console::note(&format!(
                "{} moved, and {} kept until what moved is read under its new name; then run the command again, or run \
                 it with `--wait`: {}",
                documents(moved.len()),
                is_or_are(moved.len()),
                named(moved.iter().map(|document| document.source_location.as_str())),
            ));
        }
        if gone.len() * ASKS_ABOVE_ONE_IN > known && !is_confirmed && !self.is_agreed(&gone, known)? {
            return Ok(Settled::NotConfirmed);
        }
        let mut removed = Vec::with_capacity(gone.len());
        for document in &gone {
            self.store.remove(self.tenant, document.id).await?;
            removed.push(document.id);
        }
        if !gone.is_empty() {
            console::note(&format!(
                "removed {} that {} no longer in {}: {}",
                documents(gone.len()),
                is_or_are(gone.len()),
                self.name,
                named(gone.iter().map(|document| document.source_location.as_str())),
            ));
        }
        Ok(Settled::Removed(removed))
    }

    /// How many documents came from the folder and are kept, and those of them that are not there any more.
    async fn gone(&self, present: &Present) -> anyhow::Result<(usize, Vec<FolderDocument>)> {
        let known = self.store.documents_of_folder(self.tenant, self.collection, self.name).await?;
        let count = known.len();
        Ok((count, known.into_iter().filter(|document| !present.has(&document.source_location)).collect()))
    }

    /// Documents that may have come from this folder, which nobody noted at the time: they are never removed by themselves.
    async fn report_unknown(&self, present: &Present) -> anyhow::Result<()> {
        let unknown = self.store.documents_of_no_folder(self.tenant, self.collection).await?;
        let unknown: Vec<&str> = unknown.iter().map(String::as_str).filter(|place| !present.has(place)).collect();
        if !unknown.is_empty() {
            console::note(&format!(
                "{} of the collection {} {} not in {}, and an older version did not note the folder; if they are gone, \
                 remove them with `ibidem document remove`: {}",
                documents(unknown.len()),
                self.collection,
                is_or_are(unknown.len()),
                self.name,
                named(unknown.iter().copied()),
            ));
        }
        Ok(())
    }

    fn is_agreed(&self, gone: &[FolderDocument], known: usize) -> anyhow::Result<bool> {
        let what = format!(
            "{} of {known} that came from {} {} no longer there: {}",
            documents(gone.len()),
            self.name,
            is_or_are(gone.len()),
            named(gone.iter().map(|document| document.source_location.as_str())),
        );
        let answer = console::confirmed(&format!("{what}. Remove them?"))?;
        if answer.is_none() {
            console::note(&format!(
                "{what}; that is more than a fifth, so nothing was removed: look whether the folder is whole, and \
                 confirm with `--yes`"
            ));
        }
        Ok(answer.unwrap_or(false))
    }
}

fn documents(count: usize) -> String {
    if count == 1 { "1 document".to_owned() } else { format!("{count} documents") }
}

fn is_or_are(count: usize) -> &'static str {
    if count == 1 { "is" } else { "are" }
}

fn named<'a>(places: impl ExactSizeIterator<Item = &'a str>) -> String {
    let more = places.len().saturating_sub(MOST_NAMES);
    let named = places.take(MOST_NAMES).collect::<Vec<_>>().join(", ");
    if more > 0 { format!("{named} and {more} more") } else { named }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_could_not_be_read_counts_as_there_with_every_line_of_it() {
        let mut present = Present::default();
        present.add("a.md");
        present.add("corpus.jsonl#1");
        present.add_unread(Path::new("docs"), Path::new("docs/sub/b.pdf"));
        present.add_unread(Path::new("docs"), Path::new("docs/bro#ken.jsonl"));
        for place in ["a.md", "corpus.jsonl#1", "sub/b.pdf", "bro#ken.jsonl#7", "bro#ken.jsonl#7#8"] {
            assert!(present.has(place), "{place}");
        }
        for place in ["b.pdf", "corpus.jsonl#2", "A.md", "bro", "bro#ken"] {
            assert!(!present.has(place), "{place}");
        }
    }

    #[test]
    fn of_many_names_the_first_are_said() {
        assert_eq!(named(["a", "b"].into_iter()), "a, b");
        let many: Vec<String> = (0..12).map(|number| number.to_string()).collect();
        assert_eq!(named(many.iter().map(String::as_str)), "0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 2 more");
    }
}
