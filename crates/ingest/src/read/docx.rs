//! DOCX: the paragraphs, lists and tables of a Word document, under the headings its styles make.

use ibidem_ports::intake::Format;

use super::manuscript::{Manuscript, TitleHeading};
use super::package::{Package, beside};
use super::{ReadDocument, ReadError};

mod body;
mod numbering;
mod styles;
#[cfg(test)]
pub(super) mod tests;

use body::Body;
use numbering::Numbering;
use styles::Styles;

pub(super) fn extract(bytes: &[u8]) -> Result<ReadDocument, ReadError> {
    let mut package = Package::open(bytes, Format::Docx)?;
    let place = package.main_document("word/document.xml")?;
    let properties = package.properties("docProps/core.xml")?;
    let styles = match package.part(&beside(&place, "styles.xml"))? {
        Some(part) => Styles::parse(&part)?,
        None => Styles::default(),
    };
    let numbering = match package.part(&beside(&place, "numbering.xml"))? {
        Some(part) => Numbering::parse(&part)?,
        None => Numbering::default(),
    };
    let footnotes = package.part(&beside(&place, "footnotes.xml"))?;
    let endnotes = package.part(&beside(&place, "endnotes.xml"))?;
    let document = package.needed_part(&place)?;

    let mut manuscript = Manuscript::new(TitleHeading::No);
    let mut body = Body::new(&styles, numbering);
    for notes in [footnotes, endnotes].iter().flatten() {
        body.collect_notes(notes)?;
    }
    body.write(&document, &mut manuscript)?;

    // What people see at the top of the page wins over a property that templates tend to leave behind.
    let shown_title = body.title.clone();
    let title = shown_title.or_else(|| properties.title());
    let mut read = manuscript.finish(Format::Docx, properties.stated())?;
    read.title = title.or(read.title);
    Ok(read)
}
