//! PDF: pages of placed letters, put back together as lines, paragraphs and headings.

use std::panic::{AssertUnwindSafe, catch_unwind};

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use hayro_interpret::hayro_syntax::metadata::Metadata;
use hayro_interpret::hayro_syntax::object::DateTime as PdfDate;
use hayro_interpret::hayro_syntax::{LoadPdfError, Pdf};
use ibidem_language::addresses::sole_address;
use ibidem_ports::intake::Format;

use super::manuscript::{Manuscript, TitleHeading, collapsed};
use super::{MOST_PAGES, ReadDocument, ReadError, Stated};

mod burden;
mod furniture;
mod glyphs;
mod headings;
mod lines;
mod outline;
mod paragraphs;
#[cfg(test)]
mod tests;

use glyphs::Collected;
use lines::Page;
use outline::Bookmark;

/// What is taken out of the PDF before any of it is understood as text.
struct PdfContent {
    title: Option<String>,
    address: Option<String>,
    updated_at: Option<DateTime<Utc>>,
    pages: Vec<Page>,
    bookmarks: Vec<Bookmark>,
}

pub(super) fn extract(bytes: &[u8]) -> Result<ReadDocument, ReadError> {
    burden::check(bytes)?;
    // The library is made not to panic, but files are made by everybody: a fault in one must end
    // the reading of that one only.
    let found = catch_unwind(AssertUnwindSafe(|| find(bytes)))
        .unwrap_or_else(|_| Err(unreadable("it is damaged or too intricate; print it to a new PDF and use that")))?;
    write(found)
}

fn find(bytes: &[u8]) -> Result<PdfContent, ReadError> {
    let pdf = Pdf::new(bytes.to_vec()).map_err(|error| match error {
        LoadPdfError::Decryption(_) => unreadable("it is protected by a password; save a copy without one"),
        LoadPdfError::Invalid => {
            unreadable("it is not a PDF, or damaged; open it in a viewer and save or print it again")
        }
    })?;
    if pdf.pages().len() > MOST_PAGES {
        return Err(ReadError::TooLarge { what: "its pages".into(), limit: format!("{MOST_PAGES} pages") });
    }
    let Collected { pages, unmapped, mapped } = glyphs::collect(&pdf);
    // Text with holes in it would be quoted as if it were whole.
    if unmapped > mapped / 4 {
        return Err(ReadError::NoText { format: Format::Pdf });
    }
    let metadata = pdf.metadata();
    Ok(PdfContent {
        title: stated_title(metadata),
        address: stated_address(metadata),
        updated_at: metadata.modification_date.or(metadata.creation_date).and_then(|date| moment(&date)),
        bookmarks: outline::bookmarks(&pdf),
        pages,
    })
}

fn write(found: PdfContent) -> Result<ReadDocument, ReadError> {
    let PdfContent { title, address, updated_at, mut pages, bookmarks } = found;
    furniture::remove(&mut pages);
    let plan = headings::plan(&pages, &bookmarks, title.as_deref());
    let mut manuscript = Manuscript::new(TitleHeading::No);
    paragraphs::write(&pages, &plan, &mut manuscript);
    let stated = Stated { address, updated_at, ..Stated::default() };
    let mut document = manuscript.finish(Format::Pdf, stated)?;
    document.title = title.or(document.title);
    Ok(document)
}

/// The title in the document's information, unless a program put a file name there.
fn stated_title(metadata: &Metadata) -> Option<String> {
    let title = collapsed(&outline::pdf_text(metadata.title.as_ref()?));
    let title = title.strip_prefix("Microsoft Word - ").unwrap_or(&title).trim();
    let is_file_name = title.rsplit_once('.').is_some_and(|(_, extension)| {
        matches!(
            extension.to_ascii_lowercase().as_str(),
            "doc" | "docx" | "odt" | "pdf" | "tex" | "dvi" | "indd" | "rtf" | "md" | "html"
        )
    });
    let says_nothing = title.is_empty() || is_file_name || title.eq_ignore_ascii_case("untitled");
    (!says_nothing).then(|| title.to_owned())
}

/// The subject in the document's information, where it is an address: whoever numbers documents writes the number there.
fn stated_address(metadata: &Metadata) -> Option<String> {
    let subject = outline::pdf_text(metadata.subject.as_ref()?);
    sole_address(&subject).map(str::to_owned)
}

fn moment(date: &PdfDate) -> Option<DateTime<Utc>> {
    let day = NaiveDate::from_ymd_opt(i32::from(date.year), u32::from(date.month), u32::from(date.day))?;
    let local = day.and_hms_opt(u32::from(date.hour), u32::from(date.minute), u32::from(date.second))?;
    let minutes = i64::from(date.utc_offset_minute);
    let minutes = if date.utc_offset_hour < 0 { -minutes } else { minutes };
    let offset = TimeDelta::hours(i64::from(date.utc_offset_hour)) + TimeDelta::minutes(minutes);
    Some((local - offset).and_utc())
}

fn unreadable(reason: &str) -> ReadError {
    ReadError::unreadable(Format::Pdf, reason)
}
