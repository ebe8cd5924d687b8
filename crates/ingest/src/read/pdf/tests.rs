use super::*;

fn paths(document: &ReadDocument) -> Vec<String> {
    document.sections.iter().map(|section| section.path.join(" > ")).collect()
}

/// The text from one place to another.
fn between(document: &ReadDocument, start: usize, end: usize) -> String {
    document.text.chars().skip(start).take(end - start).collect()
}

const GUIDE: &str = "Field Guide

1 Shores

A shore is where land and water meet. Its examples are many, and the tide changes them twice a day.

The second paragraph stands apart from the first, and goes on over the end of its page to say what the observer writes down.

1.1 Tide pools

Count these, and write down the EU-Norm number of the form:

- limpets on the rock,
- crabs under stones, and what they were eating,
- anemones.

Pool | Depth | Species
North | 40 cm | 12
South | 85 cm | 31

2 Dunes

Dunes move. Measure them once a year, in March.";

#[test]
fn lines_become_paragraphs_lists_and_rows_without_running_heads() {
    for bytes in [
        include_bytes!("../../../tests/fixtures/guide.pdf").as_slice(),
        include_bytes!("../../../tests/fixtures/guide-without-bookmarks.pdf").as_slice(),
    ] {
        let document = extract(bytes).unwrap();
        assert_eq!(document.text, GUIDE);
        assert_eq!(document.title.as_deref(), Some("Field Guide"));
    }
}

#[test]
fn sections_come_from_bookmarks() {
    let document = extract(include_bytes!("../../../tests/fixtures/guide.pdf")).unwrap();
    assert_eq!(paths(&document), ["1 Shores", "1 Shores > 1.1 Tide pools", "Notes for observers", "2 Dunes"]);
    let shores = &document.sections[0];
    assert_eq!(between(&document, shores.at, shores.at + 8), "1 Shores");
}

#[test]
fn sections_come_from_looks_where_there_are_no_bookmarks() {
    let document = extract(include_bytes!("../../../tests/fixtures/guide-without-bookmarks.pdf")).unwrap();
    assert_eq!(paths(&document), ["1 Shores", "1 Shores > 1.1 Tide pools", "2 Dunes"]);
}

#[test]
fn pages_begin_where_their_first_words_stand_even_inside_a_paragraph() {
    let document = extract(include_bytes!("../../../tests/fixtures/guide.pdf")).unwrap();
    let begin: Vec<_> = document
        .pages
        .iter()
        .map(|page| (page.number, between(&document, page.at, page.at + 12).trim().to_owned()))
        .collect();
    assert_eq!(begin, [(1, "Field Guide".to_owned()), (2, "observer wr".to_owned()), (3, "2 Dunes\n\nDun".to_owned())]);
}

#[test]
fn the_date_of_the_document_is_taken() {
    let document = extract(include_bytes!("../../../tests/fixtures/guide.pdf")).unwrap();
    assert_eq!(document.stated.updated_at.unwrap().to_rfc3339(), "2026-01-01T00:00:00+00:00");
}

#[test]
fn a_pdf_without_a_text_layer_says_what_to_do() {
    let error = extract(include_bytes!("../../../tests/fixtures/scanned.pdf")).unwrap_err();
    assert_eq!(error, ReadError::NoText { format: Format::Pdf });
    assert!(error.to_string().contains("run OCR first"));
}

#[test]
fn titles_that_are_file_names_are_none() {
    let cases: [(&[u8], Option<&str>); 6] = [
        (b"Annual Report", Some("Annual Report")),
        (b"Microsoft Word - Annual Report.docx", None),
        (b"Microsoft Word - Annual Report", Some("Annual Report")),
        (b"\xfe\xff\0H\0\xe4", Some("Hä")),
        (b"  ", None),
        (b"report_final.indd", None),
    ];
    for (bytes, expected) in cases {
        let metadata = Metadata { title: Some(bytes.into()), ..Metadata::default() };
        assert_eq!(stated_title(&metadata).as_deref(), expected, "{bytes:?}");
    }
}

#[test]
fn a_subject_that_is_an_address_is_the_documents_own() {
    let cases: [(&[u8], Option<&str>); 6] = [
        (b"FIN-01", Some("FIN-01")),
        (b" ODH-ADR-0003 ", Some("ODH-ADR-0003")),
        (b"Travel and expenses", None),
        (b"FIN-01 and FIN-02", None),
        (b"report-2024", None),
        (b"", None),
    ];
    for (bytes, expected) in cases {
        let metadata = Metadata { subject: Some(bytes.into()), ..Metadata::default() };
        assert_eq!(stated_address(&metadata).as_deref(), expected, "{bytes:?}");
    }
}

/// A PDF of one page from its objects, the first of which is the catalog.
fn pdf(objects: &[&str]) -> Vec<u8> {
    let mut file = b"%PDF-1.4\n".to_vec();
    let mut offsets = Vec::new();
    for (object, number) in objects.iter().zip(1..) {
        offsets.push(file.len());
        file.extend(format!("{number} 0 obj\n{object}\nendobj\n").bytes());
    }
    let table = file.len();
    file.extend(format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1).bytes());
    for offset in offsets {
        file.extend(format!("{offset:010} 00000 n \n").bytes());
    }
    file.extend(format!("trailer\n<< /Size {} /Root 1 0 R >>\nstartxref\n{table}\n%%EOF\n", objects.len() + 1).bytes());
    file
}

fn stream(dictionary: &str, content: &str) -> String {
    format!("<< {dictionary} /Length {} >>\nstream\n{content}\nendstream", content.len())
}

const FONT: &str = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>";

#[test]
fn forms_that_draw_themselves_end() {
    let content = stream("", "BT /F 12 Tf 50 50 Td (Hello) Tj ET /X Do");
    let form = stream(
        "/Type /XObject /Subtype /Form /BBox [0 0 200 200] /Resources << /XObject << /X 5 0 R >> >>",
        "/X Do /X Do",
    );
    let resources = "/Resources << /Font << /F 6 0 R >> /XObject << /X 5 0 R >> >>";
    let page = format!("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] /Contents 4 0 R {resources} >>");
    let file = pdf(&[
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        &page,
        &content,
        &form,
        FONT,
    ]);
    let started = std::time::Instant::now();
    let result = extract(&file);
    assert!(started.elapsed().as_secs() < 120, "{:?}", started.elapsed());
    assert!(result.is_ok() || matches!(result, Err(ReadError::Unreadable { .. })), "{result:?}");
}

#[test]
fn circles_among_pages_and_bookmarks_end() {
    let content = stream("", "BT /F 12 Tf 50 150 Td (Hello there) Tj ET");
    let page =
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >>";
    let file = pdf(&[
        "<< /Type /Catalog /Pages 2 0 R /Outlines 6 0 R >>",
        "<< /Type /Pages /Kids [3 0 R 2 0 R] /Count 2 /Parent 2 0 R >>",
        page,
        &content,
        FONT,
        "<< /First 7 0 R /Last 7 0 R >>",
        "<< /Title (Hello there) /Dest [3 0 R /XYZ 0 160 0] /Next 7 0 R /First 7 0 R >>",
    ]);
    let document = extract(&file).unwrap();
    assert_eq!(document.text, "Hello there");
    assert_eq!(paths(&document), ["Hello there"]);
}

#[test]
fn letters_without_a_meaning_are_not_passed_off_as_text() {
    let content = stream("", "BT /F 12 Tf 50 150 Td <000100020003000400050006> Tj ET");
    let page =
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >>";
    let file = pdf(&[
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        page,
        &content,
        "<< /Type /Font /Subtype /Type0 /BaseFont /X /Encoding /Identity-H /DescendantFonts [6 0 R] >>",
        "<< /Type /Font /Subtype /CIDFontType2 /BaseFont /X /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> >>",
    ]);
    assert_eq!(extract(&file), Err(ReadError::NoText { format: Format::Pdf }));
}

#[test]
fn damaged_files_are_read_or_refused() {
    let whole = include_bytes!("../../../tests/fixtures/guide.pdf");
    for cut in (0..whole.len()).step_by(97) {
        let _ = extract(&whole[..cut]);
        let mut changed = whole.to_vec();
        changed[cut] ^= 0x55;
        let _ = extract(&changed);
    }
}
