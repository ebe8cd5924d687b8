//! The zip archive a Word document is: its parts, each read under a bound.

use std::io::{Cursor, Read};

use ibidem_ports::intake::Format;
use zip::ZipArchive;
use zip::result::ZipError;

use super::xml::{Part, Step};
use crate::read::{ReadError, plain};

/// All parts together may unpack to this many bytes: a small archive must not become a huge text. All of them are held
/// at once, beside the text that is made of them.
const LARGEST_UNPACKED: u64 = 128 * 1024 * 1024;

pub(super) struct Package<'a> {
    archive: ZipArchive<Cursor<&'a [u8]>>,
    /// Where the main document lies, usually `word/document.xml`.
    document: String,
    /// What may still be unpacked.
    left: u64,
}

impl<'a> Package<'a> {
    pub(super) fn open(bytes: &'a [u8]) -> Result<Self, ReadError> {
        Self::open_within(bytes, LARGEST_UNPACKED)
    }

    fn open_within(bytes: &'a [u8], limit: u64) -> Result<Self, ReadError> {
        let archive = ZipArchive::new(Cursor::new(bytes)).map_err(|_| {
            unreadable("it is not a DOCX archive; if it is an old .doc file or protected by a password, save it as DOCX without one")
        })?;
        let mut package = Self { archive, document: "word/document.xml".to_owned(), left: limit };
        if let Some(relations) = package.part("_rels/.rels")?
            && let Some(target) = main_document(&relations)?
        {
            package.document = target;
        }
        Ok(package)
    }

    pub(super) fn document(&mut self) -> Result<String, ReadError> {
        let document = self.document.clone();
        self.part(&document)?
            .ok_or_else(|| unreadable("it has no document inside; save it again in Word or LibreOffice"))
    }

    pub(super) fn part_beside_document(&mut self, name: &str) -> Result<Option<String>, ReadError> {
        let folder = self.document.rsplit_once('/').map_or("", |(folder, _)| folder);
        let path = if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
        self.part(&path)
    }

    pub(super) fn part(&mut self, path: &str) -> Result<Option<String>, ReadError> {
        let file = match self.archive.by_name(path) {
            Ok(file) => file,
            Err(ZipError::FileNotFound) => return Ok(None),
            Err(error) => return Err(unreadable(format!("its part {path} is damaged ({error}); save it again"))),
        };
        let mut bytes = Vec::new();
        // The size a zip entry claims is only a claim: count what really comes out.
        let unpacked = file
            .take(self.left + 1)
            .read_to_end(&mut bytes)
            .map_err(|error| unreadable(format!("its part {path} is damaged ({error}); save it again")))?;
        let unpacked = u64::try_from(unpacked).unwrap_or(u64::MAX);
        if unpacked > self.left {
            return Err(ReadError::TooLarge { what: "its unpacked parts".into(), limit: "128 MiB".to_owned() });
        }
        self.left -= unpacked;
        Ok(Some(text_of(bytes)))
    }
}

/// The part's text, in the memory its bytes are in where they are UTF-8 already, as they nearly always are.
fn text_of(bytes: Vec<u8>) -> String {
    match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(other) => plain::decoded(other.as_bytes()).into_owned(),
    }
}

fn main_document(relations: &str) -> Result<Option<String>, ReadError> {
    let mut part = Part::new(relations);
    while let Some(step) = part.step()? {
        if let Step::Open { attributes, .. } = step
            && attributes.get("Type").is_some_and(|kind| kind.ends_with("/officeDocument"))
        {
            return Ok(attributes.get("Target").map(|target| target.trim_start_matches('/').to_owned()));
        }
    }
    Ok(None)
}

fn unreadable(reason: impl Into<String>) -> ReadError {
    ReadError::unreadable(Format::Docx, reason)
}

#[cfg(test)]
mod tests {
    use super::super::tests::archive;
    use super::*;

    #[test]
    fn parts_that_unpack_to_more_than_a_document_may_hold_are_refused() {
        let bomb = archive(&[("a.xml", &vec![b' '; 1_000_000]), ("b.xml", b"<b/>")]);
        assert!(bomb.len() < 5_000);
        assert!(matches!(Package::open_within(&bomb, 999_999).unwrap().part("a.xml"), Err(ReadError::TooLarge { .. })));
        // All parts together count, not each alone.
        let mut package = Package::open_within(&bomb, 1_000_002).unwrap();
        assert_eq!(package.part("a.xml").unwrap().unwrap().len(), 1_000_000);
        assert!(matches!(package.part("b.xml"), Err(ReadError::TooLarge { .. })));
        assert_eq!(package.part("c.xml"), Ok(None));
    }
}
