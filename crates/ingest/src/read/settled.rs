//! The last look at what a reader made: what a document says of itself within bounds, and nothing in it that cannot be.

use ibidem_words::fields::{self, LONGEST_TITLE};
use ibidem_words::{is_unseen, seen};

use super::validity::MOST_ADDRESSES;
use super::{LONGEST_HEADING, LONGEST_TEXT, MOST_PAGES, MOST_SECTIONS, ReadDocument, SheetTable};

/// Headings have nine levels at most.
const DEEPEST_SECTION: usize = 9;
const MOST_REMARKS: usize = 20;
const LONGEST_REMARK: usize = 500;
/// No program that keeps sheets knows more.
const MOST_COLUMNS: usize = 1 << 20;

/// The document with its own statements cleaned. One that cannot be kept is left out, and a remark says so: it is no
/// reason to keep the document out.
pub(super) fn settled(mut document: ReadDocument) -> ReadDocument {
    for title in [&mut document.title, &mut document.stated.title] {
        *title = title.as_deref().and_then(fields::own_title);
    }
    if let Some(address) = document.stated.address.take() {
        match fields::address(&seen(&address)) {
            Ok(address) => document.stated.address = address,
            Err(error) => document.remarks.push(format!("its own address was left out ({error})")),
        }
    }
    if let Some(date) = document.stated.updated_at.take() {
        match fields::date("date", date) {
            Ok(date) => document.stated.updated_at = Some(date),
            Err(error) => document.remarks.push(format!("its own date was left out ({error})")),
        }
    }
    document
}

/// Whether a document that came out of another process is one a reader can have made.
pub(super) fn check(document: &ReadDocument) -> Result<(), &'static str> {
    let length = document.text.chars().count();
    let titles = [&document.title, &document.stated.title];
    let validity = &document.stated.validity;
    let odd = [
        (length > LONGEST_TEXT, "its text is too long"),
        (document.text.contains(is_unseen), "its text has characters that cannot be seen"),
        (document.sections.len() > MOST_SECTIONS, "it has too many sections"),
        (!document.sections.is_sorted_by_key(|section| section.at), "its sections are out of order"),
        (document.sections.last().is_some_and(|section| section.at > length), "a section begins after its end"),
        (
            document.sections.iter().any(|section| {
                section.path.len() > DEEPEST_SECTION || !section.path.iter().all(|part| is_line(part, LONGEST_HEADING))
            }),
            "a section has an odd name",
        ),
        (document.pages.len() > MOST_PAGES, "it has too many pages"),
        (!document.pages.is_sorted_by_key(|page| page.at), "its pages are out of order"),
        (document.pages.last().is_some_and(|page| page.at > length), "a page begins after its end"),
        (!document.tables.iter().all(|table| is_table(table, length)), "a table of a sheet is odd"),
        (!document.tables.is_sorted_by(|one, next| one.end <= begin(next)), "its tables are out of order"),
        (!titles.into_iter().flatten().all(|title| is_line(title, LONGEST_TITLE)), "its title is odd"),
        (
            document.stated.address.as_deref().is_some_and(|address| fields::address(address).is_err()),
            "its address is odd",
        ),
        (
            document.stated.updated_at.is_some_and(|date| fields::date("date", date).is_err()),
            "its date is outside the calendar",
        ),
        (
            [&validity.replaced_by, &validity.replaces, &validity.amends].into_iter().any(|addresses| {
                addresses.len() > MOST_ADDRESSES || !addresses.iter().all(|address| fields::address(address).is_ok())
            }),
            "what it replaces is odd",
        ),
        (
            document.remarks.len() > MOST_REMARKS
                || !document.remarks.iter().all(|remark| is_line(remark, LONGEST_REMARK)),
            "its remarks are odd",
        ),
    ];
    match odd.into_iter().find(|(is_so, _)| *is_so) {
        Some((_, reason)) => Err(reason),
        None => Ok(()),
    }
}

fn is_line(text: &str, longest: usize) -> bool {
    !text.contains(|c: char| is_unseen(c) || c == '\n') && text.chars().count() <= longest
}

fn begin(table: &SheetTable) -> usize {
    table.rows.first().map_or(table.end, |(at, _)| *at)
}

fn is_table(table: &SheetTable, length: usize) -> bool {
    let is_named = table.sheet.as_deref().is_none_or(|sheet| is_line(sheet, LONGEST_HEADING));
    let is_in_order = table.rows.is_sorted_by(|one, next| one.0 <= next.0 && one.1 < next.1);
    let ends = table.rows.last().is_some_and(|(at, _)| *at <= table.end) && table.end <= length;
    is_named && is_in_order && ends && table.columns.len() <= MOST_COLUMNS && table.columns.is_sorted_by(|a, b| a < b)
}

#[cfg(test)]
mod tests {
    use ibidem_ports::intake::Format;

    use super::*;
    use crate::read::{PageStart, SectionStart, Stated, extract};

    #[test]
    fn what_a_document_says_of_itself_is_cleaned_or_left_out_with_a_remark() {
        let address = "P-9 ".repeat(2_250);
        let yaml = format!(
            "---\ntitle: \"Oil\\0 change\\u202e\"\naddress: {address}\ndate: -4800-01-01\n---\n# Oil\n\nChange\u{200b} it.\n"
        );
        let document = extract(yaml.as_bytes(), Format::Markdown).unwrap();
        assert_eq!(document.title.as_deref(), Some("Oil change"));
        assert_eq!(document.stated, Stated { title: Some("Oil change".to_owned()), ..Stated::default() });
        assert_eq!(document.text, "Oil\n\nChange it.");
        assert_eq!(document.remarks.len(), 3, "{:?}", document.remarks);
        assert_eq!(check(&document), Ok(()));
        let long = extract(format!("# {}\n\nText.", "x".repeat(100_000)).as_bytes(), Format::Markdown).unwrap();
        assert_eq!(long.title.map(|title| title.chars().count()), Some(LONGEST_TITLE));
    }

    #[test]
    fn what_no_reader_makes_is_found_out() {
        let good = ReadDocument { text: "Some text.".to_owned(), ..ReadDocument::default() };
        assert_eq!(check(&good), Ok(()));
        let section = |at: usize, name: &str| SectionStart { at, path: vec![name.to_owned()] };
        let odd: [fn(&mut ReadDocument); 6] = [
            |document| document.text.push('\0'),
            |document| document.title = Some("a\u{202e}b".to_owned()),
            |document| document.remarks = vec!["x".repeat(501)],
            |document| document.pages = vec![PageStart { at: 11, number: 1 }],
            |document| document.pages = vec![PageStart { at: 5, number: 2 }, PageStart { at: 1, number: 1 }],
            |document| document.stated.updated_at = chrono::DateTime::from_timestamp(-999_999_999_999, 0),
        ];
        for change in odd {
            let mut document = good.clone();
            change(&mut document);
            assert!(check(&document).is_err(), "{document:?}");
        }
        for sections in [vec![section(11, "a")], vec![section(2, "a"), section(1, "b")], vec![section(0, "a\nb")]] {
            assert!(check(&ReadDocument { sections, ..good.clone() }).is_err());
        }
    }
}
