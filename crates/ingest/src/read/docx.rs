//! DOCX: the paragraphs, lists and tables of a Word document, under the headings its styles make.

use ibidem_language::addresses::sole_address;
use ibidem_ports::intake::Format;

use super::manuscript::{Manuscript, TitleHeading, collapsed};
use super::{ReadDocument, ReadError, Stated};

mod body;
mod numbering;
mod package;
mod properties;
mod styles;
#[cfg(test)]
mod tests;
mod xml;

use body::Body;
use numbering::Numbering;
use package::Package;
use styles::Styles;

pub(super) fn extract(bytes: &[u8]) -> Result<ReadDocument, ReadError> {
    let mut package = Package::open(bytes)?;
    let properties = match package.part("docProps/core.xml")? {
        Some(part) => properties::parse(&part)?,
        None => properties::Properties::default(),
    };
    let styles = match package.part_beside_document("styles.xml")? {
        Some(part) => Styles::parse(&part)?,
        None => Styles::default(),
    };
    let numbering = match package.part_beside_document("numbering.xml")? {
        Some(part) => Numbering::parse(&part)?,
        None => Numbering::default(),
    };
    let footnotes = package.part_beside_document("footnotes.xml")?;
    let endnotes = package.part_beside_document("endnotes.xml")?;
    let document = package.document()?;

    let mut manuscript = Manuscript::new(TitleHeading::No);
    let mut body = Body::new(&styles, numbering);
    for notes in [footnotes, endnotes].iter().flatten() {
        body.collect_notes(notes)?;
    }
    body.write(&document, &mut manuscript)?;

    // What people see at the top of the page wins over a property that templates tend to leave behind.
    let shown_title = body.title.clone();
    let title = shown_title.or_else(|| properties.title.as_deref().map(collapsed)).filter(|title| !title.is_empty());
    let address = properties.subject.as_deref().and_then(sole_address).map(str::to_owned);
    let stated = Stated { address, updated_at: properties.modified, ..Stated::default() };
    let mut read = manuscript.finish(Format::Docx, stated)?;
    read.title = title.or(read.title);
    Ok(read)
}
