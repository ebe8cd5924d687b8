use std::io::{Cursor, Write};

use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::*;

const STYLES: &str = r#"<w:styles xmlns:w="w">
  <w:style w:styleId="berschrift1"><w:name w:val="heading 1"/><w:pPr><w:outlineLvl w:val="0"/></w:pPr></w:style>
  <w:style w:styleId="berschrift2"><w:name w:val="heading 2"/></w:style>
  <w:style w:styleId="Kapitel"><w:name w:val="Chapter"/><w:basedOn w:val="berschrift1"/></w:style>
  <w:style w:styleId="Titel"><w:name w:val="Title"/></w:style>
  <w:style w:styleId="TOC1"><w:name w:val="toc 1"/></w:style>
  <w:style w:styleId="Bullets"><w:name w:val="List Bullet"/><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>
  <w:style w:styleId="Geheim"><w:name w:val="Secret"/><w:rPr><w:vanish/></w:rPr></w:style>
  <w:style w:styleId="Kreis1"><w:basedOn w:val="Kreis2"/></w:style>
  <w:style w:styleId="Kreis2"><w:basedOn w:val="Kreis1"/></w:style>
</w:styles>"#;

const NUMBERING: &str = r#"<w:numbering xmlns:w="w">
  <w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/><w:lvlText w:val="x"/></w:lvl></w:abstractNum>
  <w:abstractNum w:abstractNumId="1">
    <w:lvl w:ilvl="0"><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl>
    <w:lvl w:ilvl="1"><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="%2)"/></w:lvl>
  </w:abstractNum>
  <w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>
  <w:num w:numId="2"><w:abstractNumId w:val="1"/></w:num>
</w:numbering>"#;

const FOOTNOTES: &str = r#"<w:footnotes xmlns:w="w">
  <w:footnote w:type="separator" w:id="0"><w:p><w:r><w:t>no</w:t></w:r></w:p></w:footnote>
  <w:footnote w:id="2"><w:p><w:r><w:t>Since</w:t></w:r></w:p><w:p><w:r><w:t>2024.</w:t></w:r></w:p></w:footnote>
</w:footnotes>"#;

pub(in crate::read) fn archive(parts: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (path, content) in parts {
        writer.start_file(*path, SimpleFileOptions::default()).unwrap();
        writer.write_all(content).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn document(body: &str) -> Result<ReadDocument, ReadError> {
    let document = format!(r#"<?xml version="1.0"?><w:document xmlns:w="w"><w:body>{body}</w:body></w:document>"#);
    let core = r#"<cp:coreProperties xmlns:cp="c" xmlns:dc="d" xmlns:dcterms="t"><dc:title>From the properties</dc:title>
        <dc:subject>SEC-01</dc:subject><dcterms:modified>2025-02-03T04:05:06Z</dcterms:modified></cp:coreProperties>"#;
    extract(&archive(&[
        ("word/document.xml", document.as_bytes()),
        ("word/styles.xml", STYLES.as_bytes()),
        ("word/numbering.xml", NUMBERING.as_bytes()),
        ("word/footnotes.xml", FOOTNOTES.as_bytes()),
        ("docProps/core.xml", core.as_bytes()),
    ]))
}

fn p(style: &str, words: &str) -> String {
    format!(r#"<w:p><w:pPr><w:pStyle w:val="{style}"/></w:pPr><w:r><w:t>{words}</w:t></w:r></w:p>"#)
}

fn numbered(level: u8, words: &str) -> String {
    format!(
        r#"<w:p><w:pPr><w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="2"/></w:numPr></w:pPr><w:r><w:t>{words}</w:t></w:r></w:p>"#
    )
}

#[test]
fn paragraphs_become_text() {
    let cases = [
        (r#"<w:p><w:r><w:t>One </w:t></w:r><w:r><w:t xml:space="preserve">word &amp; more</w:t></w:r></w:p><w:p/>"#.to_owned(), "One word & more"),
        ("<w:p><w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t><w:noBreakHyphen/><w:t>d</w:t></w:r></w:p>".to_owned(), "a\tb\nc-d"),
        (p("", "a") + &p("Bullets", "b") + &p("Bullets", "c") + &p("", "d"), "a\n\n- b\n- c\n\nd"),
        (numbered(0, "a") + &numbered(1, "b") + &numbered(1, "c") + &numbered(0, "d"), "1. a\n  a) b\n  b) c\n2. d"),
        (
            format!("<w:tbl><w:tr><w:tc>{0}</w:tc><w:tc>{0}{0}</w:tc></w:tr><w:tr><w:tc>{0}</w:tc><w:tc><w:p/></w:tc></w:tr></w:tbl>{0}", p("", "x")),
            "x | x x\nx |\n\nx",
        ),
        (r#"<w:p><w:r><w:t>Paid</w:t></w:r><w:r><w:footnoteReference w:id="2"/></w:r></w:p>"#.to_owned(), "Paid (note 1)\n\nNote 1: Since 2024."),
        (r"<w:p><w:hyperlink><w:r><w:t>linked</w:t></w:r></w:hyperlink><w:sdt><w:sdtContent><w:r><w:t> field</w:t></w:r></w:sdtContent></w:sdt></w:p>".to_owned(), "linked field"),
        (r"<w:p><w:r><w:rPr><w:strike/></w:rPr><w:t>old</w:t></w:r><w:r><w:rPr><w:strike w:val='0'/></w:rPr><w:t> new</w:t></w:r></w:p>".to_owned(), "~~old~~ new"),
    ];
    for (body, expected) in cases {
        assert_eq!(document(&body).unwrap().text, expected, "{body}");
    }
}

#[test]
fn what_was_deleted_hidden_or_generated_is_left_out() {
    let body = [
        "<w:p><w:r><w:t>kept</w:t></w:r>",
        "<w:del><w:r><w:delText>no</w:delText></w:r></w:del><w:moveFrom><w:r><w:t>no</w:t></w:r></w:moveFrom>",
        "<w:ins><w:r><w:t> inserted</w:t></w:r></w:ins>",
        "<w:r><w:rPr><w:vanish/></w:rPr><w:t>no</w:t></w:r><w:r><w:instrText>PAGEREF</w:instrText></w:r>",
        "<w:r><w:rPr><w:rStyle w:val='Geheim'/></w:rPr><w:t>no</w:t></w:r>",
        "<mc:AlternateContent><mc:Choice><w:r><w:t> once</w:t></w:r></mc:Choice><mc:Fallback><w:r><w:t>no</w:t></w:r></mc:Fallback></mc:AlternateContent></w:p>",
        &p("TOC1", "no"),
        &p("Geheim", "no"),
        "<w:p><w:pPr><w:rPr><w:vanish/><w:del/></w:rPr><w:pPrChange><w:pPr><w:pStyle w:val='berschrift1'/></w:pPr></w:pPrChange></w:pPr><w:r><w:t>its mark only</w:t></w:r></w:p>",
    ];
    let read = document(&body.concat()).unwrap();
    assert_eq!(read.text, "kept inserted once\n\nits mark only");
    assert_eq!(read.sections, []);
}

#[test]
fn styles_make_titles_and_headings_in_any_language() {
    let direct = r#"<w:p><w:pPr><w:outlineLvl w:val="2"/></w:pPr><w:r><w:t>Deep</w:t></w:r></w:p>"#;
    let body = [
        &p("Titel", "The title"),
        &p("berschrift1", "One"),
        &p("", "a"),
        &p("berschrift2", "Two"),
        direct,
        &p("", "b"),
        &p("Kapitel", "Three"),
        &p("Kreis1", "c"),
    ];
    let read = document(&body.concat()).unwrap();
    assert_eq!(read.title.as_deref(), Some("The title"));
    assert_eq!(read.text, "The title\n\nOne\n\na\n\nTwo\n\nDeep\n\nb\n\nThree\n\nc");
    let paths: Vec<_> = read.sections.iter().map(|section| section.path.join(" > ")).collect();
    assert_eq!(paths, ["One", "One > Two", "One > Two > Deep", "Three"]);
    assert_eq!(document(&p("", "x")).unwrap().title.as_deref(), Some("From the properties"));
    assert_eq!(read.stated.updated_at.unwrap().to_rfc3339(), "2025-02-03T04:05:06+00:00");
    assert_eq!(read.stated.address.as_deref(), Some("SEC-01"));
}

#[test]
fn the_main_document_may_have_another_name() {
    let relations =
        r#"<Relationships><Relationship Type="http://x/officeDocument" Target="/doc/main.xml"/></Relationships>"#;
    let bytes =
        archive(&[("_rels/.rels", relations.as_bytes()), ("doc/main.xml", br#"<d><p><r><t>found</t></r></p></d>"#)]);
    assert_eq!(extract(&bytes).unwrap().text, "found");
}

#[test]
fn damaged_archives_are_refused() {
    assert!(matches!(extract(b"not a zip"), Err(ReadError::Unreadable { .. })));
    assert!(matches!(extract(&archive(&[("a.txt", b"x")])), Err(ReadError::Unreadable { .. })));
    let broken = archive(&[("word/document.xml", b"<w:document><w:body></w:p>")]);
    assert!(matches!(extract(&broken), Err(ReadError::Unreadable { .. })));
    assert_eq!(document("<w:p/>"), Err(ReadError::NoText { format: Format::Docx }));
}

#[test]
fn deep_nesting_and_entities_do_no_harm() {
    let deep =
        format!("{}{}{}", "<w:tbl><w:tr><w:tc>".repeat(20_000), p("", "deep"), "</w:tc></w:tr></w:tbl>".repeat(20_000));
    assert_eq!(document(&deep).unwrap().text, "deep");
    let laughs = r#"<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><d><p><r><t>text &b; &#233;</t></r></p></d>"#;
    assert_eq!(extract(&archive(&[("word/document.xml", laughs.as_bytes())])).unwrap().text, "text é");
}

#[test]
fn a_document_made_by_a_real_program() {
    let read = extract(include_bytes!("../../../tests/fixtures/leave.docx")).unwrap();
    assert_eq!(read.title.as_deref(), Some("Parental Leave"));
    let paths: Vec<_> = read.sections.iter().map(|section| section.path.join(" > ")).collect();
    assert_eq!(paths, ["Entitlement", "Entitlement > Adoption", "How to apply"]);
    for expected in ["- Tell your lead", "1. Fill in form L-4", "Weeks | Pay", "20 | 100 %"] {
        assert!(read.text.contains(expected), "{expected} not in {}", read.text);
    }
}
