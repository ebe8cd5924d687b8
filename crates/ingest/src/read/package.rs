//! The zip archive an office document is: its parts, each read under a bound.

use std::io::{Cursor, Read};

use ibidem_ports::intake::Format;
use zip::ZipArchive;
use zip::result::ZipError;

use super::{ReadError, plain};

pub(super) mod properties;
pub(super) mod xml;

use properties::Properties;
use xml::{Part, Step};

/// All parts together may unpack to this many bytes: a small archive must not become a huge text. All of them are held
/// at once, beside the text that is made of them.
const LARGEST_UNPACKED: u64 = 128 * 1024 * 1024;

pub(super) struct Package<'a> {
    archive: ZipArchive<Cursor<&'a [u8]>>,
    format: Format,
    /// What may still be unpacked.
    left: u64,
}

impl<'a> Package<'a> {
    pub(super) fn open(bytes: &'a [u8], format: Format) -> Result<Self, ReadError> {
        Self::open_within(bytes, format, LARGEST_UNPACKED)
    }

    fn open_within(bytes: &'a [u8], format: Format, limit: u64) -> Result<Self, ReadError> {
        let archive = ZipArchive::new(Cursor::new(bytes)).map_err(|_| {
            let name = format.as_str().to_uppercase();
            let reason = format!(
                "it is not a {name} archive; if it is of an older format or protected by a password, save it as {name} without one"
            );
            ReadError::unreadable(format, reason)
        })?;
        Ok(Self { archive, format, left: limit })
    }

    /// Where the main document of a package of Microsoft's kind lies: where its relations say, else in the usual place.
    pub(super) fn main_document(&mut self, usual: &str) -> Result<String, ReadError> {
        let target = match self.part("_rels/.rels")? {
            Some(relations) => target_of(&relations, "/officeDocument", self.format)?,
            None => None,
        };
        Ok(target.unwrap_or_else(|| usual.to_owned()))
    }

    /// A part without which there is no document.
    pub(super) fn needed_part(&mut self, path: &str) -> Result<String, ReadError> {
        self.part(path)?.ok_or_else(|| self.unreadable("it has no document inside; save it again in an office program"))
    }

    /// What the document says of itself, in a part such as `docProps/core.xml`.
    pub(super) fn properties(&mut self, path: &str) -> Result<Properties, ReadError> {
        match self.part(path)? {
            Some(part) => properties::parse(&part, self.format),
            None => Ok(Properties::default()),
        }
    }

    pub(super) fn part(&mut self, path: &str) -> Result<Option<String>, ReadError> {
        let format = self.format;
        let damaged = |error: &dyn std::fmt::Display| {
            ReadError::unreadable(format, format!("its part {path} is damaged ({error}); save it again"))
        };
        let file = match self.archive.by_name(path) {
            Ok(file) => file,
            Err(ZipError::FileNotFound) => return Ok(None),
            Err(error) => return Err(damaged(&error)),
        };
        let mut bytes = Vec::new();
        // The size a zip entry claims is only a claim: count what really comes out.
        let unpacked = file.take(self.left + 1).read_to_end(&mut bytes).map_err(|error| damaged(&error))?;
        let unpacked = u64::try_from(unpacked).unwrap_or(u64::MAX);
        if unpacked > self.left {
            return Err(too_large());
        }
        self.left -= unpacked;
        Ok(Some(text_of(bytes)))
    }

    /// Whether all parts together unpack to no more than may be unpacked: for a library that reads them by itself.
    pub(super) fn check_unpacked(&mut self) -> Result<(), ReadError> {
        let mut left = self.left;
        for index in 0..self.archive.len() {
            // A part that cannot be unpacked is the library's affair if it needs it.
            let Ok(part) = self.archive.by_index(index) else { continue };
            let unpacked = std::io::copy(&mut part.take(left + 1), &mut std::io::sink()).unwrap_or(0);
            left = left.checked_sub(unpacked).ok_or_else(too_large)?;
        }
        Ok(())
    }

    fn unreadable(&self, reason: &str) -> ReadError {
        ReadError::unreadable(self.format, reason)
    }
}

fn too_large() -> ReadError {
    ReadError::TooLarge { what: "its unpacked parts".into(), limit: "128 MiB".to_owned() }
}

/// The part's text, in the memory its bytes are in where they are UTF-8 already, as they nearly always are.
fn text_of(bytes: Vec<u8>) -> String {
    match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(other) => plain::decoded(other.as_bytes()).into_owned(),
    }
}

/// What the first relation of a kind points to.
pub(super) fn target_of(relations: &str, kind: &str, format: Format) -> Result<Option<String>, ReadError> {
    let targets = targets(relations, format)?;
    let found = targets.into_iter().find(|target| target.kind.ends_with(kind));
    Ok(found.map(|target| target.path.trim_start_matches('/').to_owned()))
}

/// A relation of a part to another one.
pub(super) struct Target {
    pub(super) id: String,
    pub(super) kind: String,
    pub(super) path: String,
}

pub(super) fn targets(relations: &str, format: Format) -> Result<Vec<Target>, ReadError> {
    let mut targets = Vec::new();
    let mut part = Part::new(relations, format);
    while let Some(step) = part.step()? {
        let Step::Open { attributes, .. } = step else { continue };
        let value = |name: &str| attributes.get(name).map(str::to_owned);
        if let (Some(kind), Some(path)) = (value("Type"), value("Target")) {
            targets.push(Target { id: value("Id").unwrap_or_default(), kind, path });
        }
    }
    Ok(targets)
}

/// The path of a part that another one names: from its own folder, or from the top.
pub(super) fn beside(part: &str, target: &str) -> String {
    let folder = part.rsplit_once('/').map_or("", |(folder, _)| folder);
    let from_top = target.strip_prefix('/');
    let mut steps: Vec<&str> = if from_top.is_some() { Vec::new() } else { folder.split('/').collect() };
    for step in from_top.unwrap_or(target).split('/') {
        match step {
            ".." => drop(steps.pop()),
            "." | "" => {}
            step => steps.push(step),
        }
    }
    steps.retain(|step| !step.is_empty());
    steps.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::docx::tests::archive;

    #[test]
    fn parts_that_unpack_to_more_than_a_document_may_hold_are_refused() {
        let bomb = archive(&[("a.xml", &vec![b' '; 1_000_000]), ("b.xml", b"<b/>")]);
        assert!(bomb.len() < 5_000);
        assert!(matches!(
            Package::open_within(&bomb, Format::Docx, 999_999).unwrap().part("a.xml"),
            Err(ReadError::TooLarge { .. })
        ));
        // All parts together count, not each alone.
        let mut package = Package::open_within(&bomb, Format::Docx, 1_000_002).unwrap();
        assert_eq!(package.part("a.xml").unwrap().unwrap().len(), 1_000_000);
        assert!(matches!(package.part("b.xml"), Err(ReadError::TooLarge { .. })));
        assert_eq!(package.part("c.xml"), Ok(None));
        let within = |limit: u64| Package::open_within(&bomb, Format::Xlsx, limit).unwrap().check_unpacked();
        assert_eq!(within(1_000_004), Ok(()));
        assert!(matches!(within(1_000_003), Err(ReadError::TooLarge { .. })));
    }

    #[test]
    fn parts_are_named_from_the_folder_of_the_part_that_names_them() {
        for (part, target, expected) in [
            ("ppt/slides/slide1.xml", "../notesSlides/notesSlide1.xml", "ppt/notesSlides/notesSlide1.xml"),
            ("ppt/presentation.xml", "slides/slide1.xml", "ppt/slides/slide1.xml"),
            ("ppt/presentation.xml", "/ppt/slides/slide1.xml", "ppt/slides/slide1.xml"),
            ("document.xml", "styles.xml", "styles.xml"),
            ("a.xml", "../../../etc/passwd", "etc/passwd"),
        ] {
            assert_eq!(beside(part, target), expected);
        }
    }
}
