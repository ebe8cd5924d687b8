//! EPUB: the chapters of a book, each a page of HTML, in the order in which they are read.

use std::collections::{HashMap, HashSet};

use ibidem_ports::intake::Format;

use super::html;
use super::manuscript::{Manuscript, TitleHeading};
use super::package::xml::{Part, Step};
use super::package::{Package, beside};
use super::{ReadDocument, ReadError};

pub(super) fn extract(bytes: &[u8]) -> Result<ReadDocument, ReadError> {
    let mut package = Package::open(bytes, Format::Epub)?;
    let container = package.needed_part("META-INF/container.xml")?;
    let place = root_file(&container)?;
    // What a book says of itself stands in the same part as its list of chapters.
    let properties = package.properties(&place)?;
    let book = package.needed_part(&place)?;
    let title = properties.title().map_or(TitleHeading::No, TitleHeading::Saying);
    let mut manuscript = Manuscript::new(title);
    for chapter in chapters(&book)? {
        if manuscript.is_overfull() {
            break;
        }
        if let Some(markup) = package.part(&beside(&place, &chapter))? {
            html::write_page(&with_ends(&markup), &mut manuscript)?;
        }
    }
    let mut document = manuscript.finish(Format::Epub, properties.stated())?;
    document.title = properties.title().or(document.title);
    Ok(document)
}

fn root_file(container: &str) -> Result<String, ReadError> {
    let mut part = Part::new(container, Format::Epub);
    while let Some(step) = part.step()? {
        if let Step::Open { name, attributes } = step
            && name == "rootfile"
            && let Some(path) = attributes.get("full-path")
        {
            return Ok(path.to_owned());
        }
    }
    Err(ReadError::unreadable(Format::Epub, "it does not say where its chapters are; save it again as EPUB"))
}

/// The pages of the book's spine, each once. The page that only lists the others is left out.
fn chapters(book: &str) -> Result<Vec<String>, ReadError> {
    let mut pages: HashMap<String, String> = HashMap::new();
    let mut chapters = Vec::new();
    let mut seen = HashSet::new();
    let mut part = Part::new(book, Format::Epub);
    while let Some(step) = part.step()? {
        let Step::Open { name, attributes } = step else { continue };
        let value = |name: &str| attributes.get(name).map(str::to_owned);
        match name.as_str() {
            "item" if attributes.get("media-type").is_some_and(|kind| kind.contains("html")) => {
                let is_navigation = attributes
                    .get("properties")
                    .is_some_and(|known| known.split_whitespace().any(|word| word == "nav"));
                if let (Some(id), Some(path), false) = (value("id"), value("href"), is_navigation) {
                    pages.insert(id, percent_decoded(&path));
                }
            }
            "itemref" if attributes.get("linear") != Some("no") => {
                let page = attributes.get("idref").and_then(|id| pages.get(id));
                chapters.extend(page.filter(|page| seen.insert((*page).clone())).cloned());
            }
            _ => {}
        }
    }
    Ok(chapters)
}

/// `chapter%201.xhtml` as the archive names it.
fn percent_decoded(path: &str) -> String {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let digits = after.get(..2).filter(|_| *first == b'%').and_then(|digits| std::str::from_utf8(digits).ok());
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// In XML `<title/>` is empty. In HTML it opens an element whose text goes on to the end of the page.
fn with_ends(markup: &str) -> String {
    let mut written = String::with_capacity(markup.len());
    let mut rest = markup;
    while let Some(end) = rest.find("/>") {
        let (before, after) = (&rest[..end], &rest[end + 2..]);
        let tag = before.rfind('<').map_or("", |start| &before[start + 1..]);
        let name: String = tag.chars().take_while(char::is_ascii_alphanumeric).collect();
        written.push_str(before);
        match name.as_str() {
            "script" | "style" | "title" | "textarea" | "iframe" | "a" | "span" | "div" | "p" | "td" | "th" | "i"
            | "b" => {
                written.push_str(&format!("></{name}>"));
            }
            _ => written.push_str("/>"),
        }
        rest = after;
    }
    written + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::docx::tests::archive;

    const CONTAINER: &[u8] = br#"<container><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>"#;

    fn book(spine: &str, pages: &[(&str, &str)]) -> Vec<u8> {
        let items: String = pages
            .iter()
            .map(|(name, _)| format!(r#"<item id="{name}" href="{name}.xhtml" media-type="application/xhtml+xml"/>"#))
            .collect();
        let opf = format!(
            r#"<package><metadata><dc:title>The Ladder Book</dc:title><dc:date>2026-01-02T00:00:00Z</dc:date></metadata><manifest>{items}<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/></manifest><spine>{spine}</spine></package>"#
        );
        let mut parts: Vec<(String, Vec<u8>)> =
            vec![("META-INF/container.xml".into(), CONTAINER.into()), ("OEBPS/book.opf".into(), opf.into_bytes())];
        parts.extend(pages.iter().map(|(name, page)| (format!("OEBPS/{name}.xhtml"), page.as_bytes().to_vec())));
        parts.push(("OEBPS/nav.xhtml".into(), b"<html><body><h1>Contents</h1></body></html>".into()));
        let parts: Vec<(&str, &[u8])> = parts.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())).collect();
        archive(&parts)
    }

    #[test]
    fn chapters_are_read_in_their_order() {
        let pages = [
            ("two", "<html><head><title/></head><body><h1>Use</h1><p>Lean it <a id='x'/>well.</p></body></html>"),
            (
                "one",
                "<html><head><script src='a.js'/></head><body><h1>Kinds</h1><p>Step ladders.</p><h2>Wood</h2><p>Old.</p></body></html>",
            ),
            ("three", "<html><body><p>Never.</p></body></html>"),
        ];
        let spine = r#"<itemref idref="nav"/><itemref idref="one"/><itemref idref="two"/><itemref idref="two"/><itemref idref="three" linear="no"/>"#;
        let read = extract(&book(spine, &pages)).unwrap();
        assert_eq!(read.text, "Kinds\n\nStep ladders.\n\nWood\n\nOld.\n\nUse\n\nLean it well.");
        assert_eq!(read.title.as_deref(), Some("The Ladder Book"));
        let paths: Vec<_> = read.sections.iter().map(|section| section.path.join(" > ")).collect();
        assert_eq!(paths, ["Kinds", "Kinds > Wood", "Use"]);
    }

    #[test]
    fn names_of_pages_may_be_encoded() {
        for (path, expected) in
            [("a%20b.xhtml", "a b.xhtml"), ("%C3%A4.html", "ä.html"), ("100%.html", "100%.html"), ("a%zz", "a%zz")]
        {
            assert_eq!(percent_decoded(path), expected);
        }
    }

    #[test]
    fn damaged_and_hostile_books_are_refused() {
        let no_root = archive(&[("META-INF/container.xml", b"<container/>")]);
        let outside = archive(&[("META-INF/container.xml", br#"<c><rootfile full-path="../../etc/passwd"/></c>"#)]);
        for bytes in [b"not a zip".as_slice(), &archive(&[("a", b"x")]), &no_root, &outside] {
            assert!(matches!(extract(bytes), Err(ReadError::Unreadable { .. })));
        }
        let deep = "<div>".repeat(100_000);
        assert!(extract(&book(r#"<itemref idref="a"/>"#, &[("a", &deep)])).is_err());
        assert_eq!(extract(&book("", &[])), Err(ReadError::NoText { format: Format::Epub }));
    }
}
