//! Reading: from the bytes of an original to the text people see in it, and where its parts begin.

mod asciidoc;
pub mod child;
pub mod confined;
mod csv;
mod docx;
mod epub;
mod front_matter;
mod grid;
mod html;
mod mail;
mod mailbox;
mod manuscript;
mod markdown;
mod markup;
mod notebook;
mod odf;
mod package;
mod pdf;
mod plain;
mod pptx;
pub mod reader;
mod rst;
mod rtf;
mod settled;
mod sheets;
mod slides;
#[cfg(any(test, feature = "testing"))]
pub mod suite;
#[cfg(test)]
mod tests;
mod validity;
mod wordless;

use std::borrow::Cow;
use std::path::Path;

use chrono::{DateTime, Utc};
use ibidem_ports::intake::Format;
use ibidem_words::{DocumentKind, Validity};
use serde::{Deserialize, Serialize};

pub use wordless::why_wordless;

/// The largest original that is read at all, in bytes.
pub const LARGEST_ORIGINAL: usize = 64 * 1024 * 1024;

/// The longest text that is taken from one document, in characters: some five thousand pages.
pub const LONGEST_TEXT: usize = 16 * 1024 * 1024;

/// The most headings of one document. Each section repeats the headings it lies under.
pub const MOST_SECTIONS: usize = 50_000;

/// Headings are kept whole in the text; in section paths, which repeat them, only this much of them.
const LONGEST_HEADING: usize = 200;

/// More pages than any book; a file that claims more is not one.
const MOST_PAGES: usize = 20_000;

/// A document's text as people read it, and where its parts begin.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReadDocument {
    /// What it calls itself: in its front matter or properties, or by its first heading.
    pub title: Option<String>,
    /// The canonical text: citations point into it by character.
    pub text: String,
    /// In order of `at`. Text before the first one belongs to no section.
    pub sections: Vec<SectionStart>,
    /// In order of `at`; empty for formats without pages.
    pub pages: Vec<PageStart>,
    /// The tables of sheets, in the order in which they stand in the text; empty for other formats.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tables: Vec<SheetTable>,
    pub stated: Stated,
    /// What was left out or changed in reading it, for whoever handed it in.
    pub remarks: Vec<String>,
}

/// Where a section begins: at its heading.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SectionStart {
    /// Offset into the text, in characters.
    pub at: usize,
    /// The headings it lies under, its own last. Empty: no section from here on.
    pub path: Vec<String>,
}

/// Where a page begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PageStart {
    /// Offset into the text, in characters.
    pub at: usize,
    /// Counted from 1, whatever is printed on the page.
    pub number: u32,
}

/// A table of a sheet: where its rows stand in the text, and where they stood on the sheet.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SheetTable {
    /// None of a file that has no sheets.
    pub sheet: Option<String>,
    /// The place on the sheet of each column of the table, counted from 0.
    pub columns: Vec<u32>,
    /// Those of them in which cells are merged over several rows: these rows repeat what the sheet has once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub merged: Vec<u32>,
    /// The sheet has cells that could not be read.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_partial: bool,
    /// It goes on below a gap with the rows of the table before it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub continues: bool,
    /// How many rows with a single cell were taken for labels inside it or for notes below it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub labels: u32,
    /// For each row the offset into the text, in characters, at which it begins with its head above it, and its number on
    /// the sheet, counted from 1. Rows under one head begin at the same offset.
    pub rows: Vec<(usize, u32)>,
    /// Where the last row ends, in characters.
    pub end: usize,
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// What the document says of itself in its front matter or properties.
///
/// Tags are deliberately not here: they decide who sees a document, so they come from whoever
/// hands it in. A document must not decide who sees it.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stated {
    pub title: Option<String>,
    pub address: Option<String>,
    pub kind: Option<DocumentKind>,
    pub updated_at: Option<DateTime<Utc>>,
    /// Whether it is in force, as it says itself.
    #[serde(default, rename = "standing")]
    pub validity: Validity,
}

/// Why an original gave no text. Every message says what to do about it.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum ReadError {
    #[error("this {} file cannot be read: {reason}", format.as_str())]
    Unreadable { format: Format, reason: String },
    #[error("this file is too large ({what}): split it into parts of under {limit}")]
    TooLarge { what: Cow<'static, str>, limit: String },
    #[error("this {} file holds no text{}", format.as_str(), no_text_advice(*format))]
    NoText { format: Format },
}

impl ReadError {
    fn unreadable(format: Format, reason: impl Into<String>) -> Self {
        Self::Unreadable { format, reason: reason.into() }
    }
}

fn no_text_advice(format: Format) -> &'static str {
    match format {
        Format::Pdf => {
            ": its pages are pictures, or its fonts do not say which letters they draw; run OCR first (for instance ocrmypdf)"
        }
        Format::Docx | Format::Odt | Format::Rtf | Format::Pptx | Format::Odp => {
            ": if it only shows pictures, run OCR on them first"
        }
        _ => ": add some, or leave the file out",
    }
}

/// Reads an original. The same bytes always give the same text.
pub fn extract(bytes: &[u8], format: Format) -> Result<ReadDocument, ReadError> {
    if bytes.len() > LARGEST_ORIGINAL {
        return Err(ReadError::TooLarge { what: "its bytes".into(), limit: "64 MiB".to_owned() });
    }
    let mut document = match format {
        Format::Markdown => markdown::extract(&plain::decoded(bytes)),
        Format::Html => html::extract(&plain::decoded_html(bytes)),
        Format::Plain => plain::extract(&plain::decoded(bytes)),
        Format::Pdf => pdf::extract(bytes),
        Format::Docx => docx::extract(bytes),
        Format::Xlsx => sheets::extract_xlsx(bytes),
        Format::Xls => sheets::extract_xls(bytes),
        Format::Ods => odf::extract_ods(bytes),
        Format::Odt => odf::extract_odt(bytes),
        Format::Pptx => pptx::extract(bytes),
        Format::Odp => odf::extract_odp(bytes),
        Format::Mail => mail::extract(bytes),
        Format::Epub => epub::extract(bytes),
        Format::Rtf => rtf::extract(bytes),
        Format::Notebook => notebook::extract(&plain::decoded(bytes)),
        Format::Mailbox => mailbox::extract(bytes),
        Format::AsciiDoc => asciidoc::extract(&plain::decoded(bytes)),
        Format::ReStructuredText => rst::extract(&plain::decoded(bytes)),
        Format::Csv => csv::extract(&plain::decoded(bytes)),
    }?;
    document.stated.validity = validity::with_text(&document);
    Ok(settled::settled(document))
}

/// How a file is to be read, by its extension.
pub fn format_of(path: &Path) -> Option<Format> {
    Format::of_file_name(path.file_name()?.to_str()?)
}
