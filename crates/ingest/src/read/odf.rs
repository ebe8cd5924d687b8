//! OpenDocument: writings (ODT), slides (ODP) and sheets (ODS), which have their text in one part of one language.

use ibidem_ports::intake::Format;

use super::package::Package;
use super::package::properties::Properties;
use super::{ReadDocument, ReadError};

mod inline;
mod sheet;
mod slide;
mod styles;
#[cfg(test)]
mod tests;
mod writing;

use styles::Styles;

/// A document with its text still as XML.
struct Opened {
    content: String,
    styles: Styles,
    properties: Properties,
}

fn open(bytes: &[u8], format: Format) -> Result<Opened, ReadError> {
    let mut package = Package::open(bytes, format)?;
    let manifest = package.part("META-INF/manifest.xml")?.unwrap_or_default();
    if manifest.contains("encryption-data") {
        return Err(ReadError::unreadable(format, "it is protected by a password; save it without one"));
    }
    let content = package.needed_part("content.xml")?;
    let mut styles = Styles::default();
    if let Some(part) = package.part("styles.xml")? {
        styles.add(&part, format)?;
    }
    styles.add(&content, format)?;
    Ok(Opened { content, styles, properties: package.properties("meta.xml")? })
}

pub(super) fn extract_odt(bytes: &[u8]) -> Result<ReadDocument, ReadError> {
    writing::extract(&open(bytes, Format::Odt)?)
}

pub(super) fn extract_odp(bytes: &[u8]) -> Result<ReadDocument, ReadError> {
    slide::extract(&open(bytes, Format::Odp)?)
}

pub(super) fn extract_ods(bytes: &[u8]) -> Result<ReadDocument, ReadError> {
    sheet::extract(&open(bytes, Format::Ods)?)
}
