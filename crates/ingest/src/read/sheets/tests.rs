use ibidem_language::quotations::{Above, Quotable};
use ibidem_ports::embedder::TokenCounter;

use super::*;
use crate::read::docx::tests::archive;
use crate::split::{Limits, split};

const XLSX: &[u8] = include_bytes!("../../../tests/fixtures/prices.xlsx");
const XLS: &[u8] = include_bytes!("../../../tests/fixtures/prices.xls");

#[test]
fn a_workbook_is_read_as_people_see_it() {
    let read = extract_xlsx(XLSX).unwrap();
    let head = "Product | Price Monthly (EUR) | Price One-off (EUR) | Discount | From | Sold";
    let expected = [
        "Tariffs",
        "Tariffs for the home",
        &format!("{head}\nDSL 50 | 34.90 | 49.00 € | 10.0% | 2027-01-01 | TRUE"),
        &format!("{head}\nDSL 100 | 39.90 | 49.00 € | 7.5% | 2027-01-01 | TRUE"),
        "Business",
        &format!("{head}\nFibre 1000 | 89.90 | 0.00 € | 0.0% | 2027-03-01 08:30 | FALSE"),
        "All prices with VAT.",
        "Code | City\n01067 | Dresden",
        "Code | City\n53111 | Bonn",
        "Terms",
        "Minimum term: 24 months\nNotice: 1 month\nLate fee: 2.5",
    ];
    assert_eq!(read.text, expected.join("\n\n"));
    assert_eq!(read.title.as_deref(), Some("Price list 2027"));
    let paths: Vec<_> = read.sections.iter().map(|section| section.path.join(" > ")).collect();
    assert_eq!(paths, ["Tariffs", "Tariffs > Business", "Tariffs", "Terms"]);
    assert_eq!(read.remarks, ["1 hidden sheet was left out: Calculation"]);
}

#[test]
fn an_old_workbook_is_read_too() {
    let read = extract_xls(XLS).unwrap();
    let head = "Product | Monthly (EUR) | From";
    let rows = ["DSL 50 | 34.9 | 2027-01-01", "DSL 100 | 39.9 | 2027-01-01"].map(|row| format!("{head}\n{row}"));
    assert_eq!(read.text, rows.join("\n\n"));
    assert_eq!(read.sections, []);
    assert_eq!(read.remarks, ["1 hidden sheet was left out: Margins"]);
}

/// Words and signs, more or less what a tokenizer counts of figures.
struct Words;

impl TokenCounter for Words {
    fn count(&self, text: &str) -> usize {
        2 + text.split_whitespace().map(|word| word.len().div_ceil(3)).sum::<usize>()
    }
}

#[test]
fn each_row_says_by_itself_what_it_says() {
    let rows: String = (2..400)
        .map(|row| format!(r#"<row r="{row}"><c r="A{row}" t="inlineStr"><is><t>Part {row}</t></is></c><c r="B{row}"><v>{row}.5</v></c></row>"#))
        .collect();
    let head = r#"<row r="1"><c r="A1" t="inlineStr"><is><t>Part</t></is></c><c r="B1" t="inlineStr"><is><t>Price (EUR)</t></is></c></row>"#;
    let read = extract_xlsx(&workbook(&format!("{head}{rows}"), "")).unwrap();
    let passages = split(&read, "Spare parts", &Words, &Limits::of_window(256)).unwrap();
    assert_eq!(passages.len(), 398);
    for passage in &passages {
        assert!(passage.text.starts_with("Part | Price (EUR)\n"), "{}", passage.text);
    }
    let passage = passages.iter().find(|passage| passage.text.contains("Part 300 |")).unwrap();
    let start = passage.text.find("Part 300 |").unwrap();
    let quoted = Quotable::new(&passage.text, Above::default()).quotation(&(start..start + 10), |_| true);
    assert_eq!(quoted, "Part 300 — Price: EUR 300.5");
}

/// A workbook with one sheet that holds these rows.
fn workbook(rows: &str, before: &str) -> Vec<u8> {
    let sheet = format!(
        r#"<?xml version="1.0"?>{before}<worksheet><dimension ref="A1:XFD1048576"/><sheetData>{rows}</sheetData></worksheet>"#
    );
    book_of(&sheet, r#"<sst count="1" uniqueCount="1"><si><t>shared</t></si></sst>"#)
}

fn book_of(sheet: &str, strings: &str) -> Vec<u8> {
    let book = r#"<workbook xmlns:r="r"><sheets><sheet name="Sheet1" sheetId="1" r:id="rId1"/></sheets></workbook>"#;
    let relations = r#"<Relationships><Relationship Id="rId1" Type="http://x/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="http://x/sharedStrings" Target="sharedStrings.xml"/></Relationships>"#;
    let root = r#"<Relationships><Relationship Id="rId1" Type="http://x/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>"#;
    archive(&[
        ("_rels/.rels", root.as_bytes()),
        ("xl/workbook.xml", book.as_bytes()),
        ("xl/_rels/workbook.xml.rels", relations.as_bytes()),
        ("xl/worksheets/sheet1.xml", sheet.as_bytes()),
        ("xl/sharedStrings.xml", strings.as_bytes()),
    ])
}

fn text(rows: &str) -> String {
    extract_xlsx(&workbook(rows, "")).unwrap().text
}

#[test]
fn a_formula_is_read_by_its_stored_value() {
    let row =
        r#"<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1"><f>1+1</f><v>2</v></c><c r="C1"><f>Other!A1</f></c></row>"#;
    let read = extract_xlsx(&workbook(row, "")).unwrap();
    assert_eq!(read.text, "shared: 2");
    let advice = "open the file in a spreadsheet program and save it";
    assert_eq!(read.remarks, [format!("1 cell has a formula without its value and was left out: {advice}")]);
}

#[test]
fn a_sheet_that_claims_to_be_huge_costs_what_it_holds() {
    let corners = r#"<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>2</v></c></row>"#;
    assert_eq!(text(corners), "1\n\n2");
    let merged = r#"<worksheet><sheetData><row r="1"><c r="A1"><v>1</v></c></row></sheetData><mergeCells><mergeCell ref="A1:XFD1048576"/></mergeCells></worksheet>"#;
    assert_eq!(extract_xlsx(&book_of(merged, "<sst/>")).unwrap().text, "1");
}

#[test]
fn a_long_word_in_many_cells_is_refused() {
    let strings = format!("<sst><si><t>{}</t></si></sst>", "x".repeat(100_000));
    let cells: String = (1..1000).map(|row| format!(r#"<row r="{row}"><c t="s"><v>0</v></c></row>"#)).collect();
    let sheet = format!("<worksheet><sheetData>{cells}</sheetData></worksheet>");
    let error = extract_xlsx(&book_of(&sheet, &strings)).unwrap_err();
    assert!(error.to_string().contains("16 million characters"), "{error}");
}

#[test]
fn entities_of_its_own_are_refused() {
    let doctype = r#"<!DOCTYPE w [<!ENTITY f SYSTEM "file:///etc/passwd"><!ENTITY a "ha"><!ENTITY b "&a;&a;">]>"#;
    let row = r#"<row r="1"><c r="A1" t="inlineStr"><is><t>safe &f;&b;</t></is></c></row>"#;
    let error = extract_xlsx(&workbook(row, doctype)).unwrap_err();
    assert!(error.to_string().contains("unrecognized entity"), "{error}");
}

#[test]
fn damaged_workbooks_are_refused_with_a_reason() {
    for (bytes, format) in [
        (&XLSX[..XLSX.len() / 2], Format::Xlsx),
        (b"not a zip".as_slice(), Format::Xlsx),
        (&XLS[..XLS.len() / 2], Format::Xls),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1".as_slice(), Format::Xls),
        (XLS, Format::Xlsx),
        (XLSX, Format::Xls),
    ] {
        let error = crate::read::extract(bytes, format).unwrap_err();
        assert!(matches!(&error, ReadError::Unreadable { .. }), "{error}");
    }
    assert_eq!(extract_xlsx(&workbook("", "")), Err(ReadError::NoText { format: Format::Xlsx }));
    let broken = archive(&[("xl/workbook.xml", b"<workbook><sheets></workbook>")]);
    assert!(extract_xlsx(&broken).is_err());
}

#[test]
fn a_row_is_a_passage_that_knows_its_cells() {
    let read = extract_xlsx(XLSX).unwrap();
    let passages = split(&read, "Price list 2027", &Words, &Limits::of_window(256)).unwrap();
    let cells = |passage: &crate::split::Passage| passage.above.rows.as_ref().and_then(ibidem_words::SheetRows::cells);
    let shown: Vec<(String, Option<&str>)> =
        passages.iter().map(|passage| (cells(passage).unwrap_or_default(), passage.section.as_deref())).collect();
    let shown: Vec<(&str, &str)> =
        shown.iter().map(|(cells, section)| (cells.as_str(), section.unwrap_or_default())).collect();
    assert_eq!(
        shown,
        [
            ("", "Tariffs"),
            ("Tariffs!A5:F5", "Tariffs"),
            ("Tariffs!A6:F6", "Tariffs"),
            ("Tariffs!A8:F8", "Tariffs > Business"),
            ("", "Tariffs"),
            ("Tariffs!A13:B13", "Tariffs"),
            ("Tariffs!A14:B14", "Tariffs"),
            ("", "Terms"),
        ]
    );
    assert_eq!(passages[0].text, "Tariffs\n\nTariffs for the home");
    let rows = passages[3].above.rows.as_ref().unwrap();
    assert_eq!((rows.table, rows.before, rows.of, rows.labels), (0, 2, 3, 1));
}

#[test]
fn a_changed_cell_changes_one_passage() {
    let sheet = |changed: usize, price: &str| {
        let rows = (2..300).map(|row| {
            let price = if row == changed { price.to_owned() } else { format!("{row}.50") };
            format!(r#"<row r="{row}"><c r="A{row}" t="inlineStr"><is><t>Part {row}</t></is></c><c r="B{row}"><v>{price}</v></c></row>"#)
        });
        let head = r#"<row r="1"><c r="A1" t="inlineStr"><is><t>Part</t></is></c><c r="B1" t="inlineStr"><is><t>Price (EUR)</t></is></c></row>"#;
        let read = extract_xlsx(&workbook(&format!("{head}{}", rows.collect::<String>()), "")).unwrap();
        let passages = split(&read, "Spare parts", &Words, &Limits::of_window(256)).unwrap();
        passages.into_iter().map(|passage| (passage.section, passage.text)).collect::<Vec<_>>()
    };
    let (before, after) = (sheet(100, "100.50"), sheet(100, "1234567.25"));
    let changed = before.iter().zip(&after).filter(|(before, after)| before != after).count();
    assert_eq!((before.len(), after.len(), changed), (298, 298, 1), "what is embedded is title, section and text");
}
