use super::*;
use crate::read::docx::tests::archive;

const WRITING: &[u8] = include_bytes!("../../../tests/fixtures/home-office.odt");
const SLIDES: &[u8] = include_bytes!("../../../tests/fixtures/hours.odp");
const SHEET: &[u8] = include_bytes!("../../../tests/fixtures/tariffs.ods");

const STYLES: &str = r#"<office:automatic-styles>
  <style:style style:name="P1" style:parent-style-name="Title"/>
  <style:style style:name="Gone"><style:text-properties text:display="none"/></style:style>
  <style:style style:name="Struck"><style:text-properties style:text-line-through-style="solid"/></style:style>
  <style:style style:name="Round1" style:parent-style-name="Round2"/>
  <style:style style:name="Round2" style:parent-style-name="Round1"/>
  <style:style style:name="dp2"><style:drawing-page-properties presentation:visibility="hidden"/></style:style>
  <text:list-style style:name="L1"><text:list-level-style-number text:level="1" style:num-format="1"/><text:list-level-style-bullet text:level="2"/></text:list-style>
</office:automatic-styles>"#;

fn packed(kind: &str, body: &str, before: &str) -> Vec<u8> {
    let content = format!(
        r#"<?xml version="1.0"?>{before}<office:document-content>{STYLES}<office:body><office:{kind}>{body}</office:{kind}></office:body></office:document-content>"#
    );
    archive(&[("content.xml", content.as_bytes())])
}

fn writing(body: &str) -> ReadDocument {
    extract_odt(&packed("text", body, "")).unwrap()
}

fn sheet(rows: &str) -> Result<ReadDocument, ReadError> {
    extract_ods(&packed("spreadsheet", &format!(r#"<table:table table:name="Sheet1">{rows}</table:table>"#), ""))
}

#[test]
fn a_writing_made_by_a_program() {
    let read = extract_odt(WRITING).unwrap();
    assert_eq!(
        read.text,
        "Working from home\n\nWho may\n\nEverybody after the probation period.\n\nDays\n\nTeam | Days\nSales | 2\nSupport | 3\n\nHow\n\n- Ask your lead\n- Agree on days\n\n1. Fill in form H-2\n2. Send it"
    );
    assert_eq!(read.title.as_deref(), Some("Working from home"));
    let paths: Vec<_> = read.sections.iter().map(|section| section.path.join(" > ")).collect();
    assert_eq!(paths, ["Who may", "Who may > Days", "How"]);
}

#[test]
fn paragraphs_become_text() {
    let cases = [
        (
            r#"<text:p>One <text:span>word</text:span><text:s text:c="3"/>&amp;<text:tab/>more<text:line-break/>below</text:p>"#,
            "One word & more\nbelow",
        ),
        (r#"<text:p text:style-name="P1">Title</text:p><text:p text:style-name="Round1">a</text:p>"#, "Title\n\na"),
        (
            r#"<text:p>Kept<text:span text:style-name="Gone"> no</text:span></text:p><text:p text:style-name="Gone">no</text:p>"#,
            "Kept",
        ),
        (r#"<text:p><text:span text:style-name="Struck">old</text:span> new</text:p>"#, "~~old~~ new"),
        (
            "<text:tracked-changes><text:deletion><text:p>no</text:p></text:deletion></text:tracked-changes><text:p>yes<office:annotation><text:p>no</text:p></office:annotation></text:p>",
            "yes",
        ),
        (
            "<text:p>Paid<text:note><text:note-citation>7</text:note-citation><text:note-body><text:p>Since 2024.</text:p></text:note-body></text:note> now</text:p>",
            "Paid (note 1) now\n\nNote 1: Since 2024.",
        ),
        (
            "<text:table-of-content><text:index-body><text:p>no</text:p></text:index-body></text:table-of-content><text:p>a</text:p>",
            "a",
        ),
        (
            "<text:p>a<draw:frame><draw:text-box><text:p>boxed</text:p></draw:text-box></draw:frame></text:p><text:p>b</text:p>",
            "a boxed\n\nb",
        ),
        (
            r#"<text:list text:style-name="L1"><text:list-item><text:p>one</text:p><text:list><text:list-item><text:p>in it</text:p></text:list-item></text:list></text:list-item></text:list><text:p>between</text:p><text:list text:style-name="L1" text:continue-numbering="true"><text:list-item><text:p>two</text:p></text:list-item></text:list>"#,
            "1. one\n  - in it\n\nbetween\n\n2. two",
        ),
        (
            r#"<table:table><table:table-row><table:table-cell><text:p>a</text:p></table:table-cell><table:table-cell table:number-columns-repeated="2"/><table:table-cell><text:p>d</text:p></table:table-cell></table:table-row></table:table>"#,
            "a |  |  | d",
        ),
    ];
    for (body, expected) in cases {
        assert_eq!(writing(body).text, expected, "{body}");
    }
}

#[test]
fn slides_are_sections_and_pages() {
    let read = extract_odp(SLIDES).unwrap();
    assert_eq!(
        read.text,
        "Opening hours\n\n- Monday to Friday: 9 to 18\n- Saturday: 10 to 14\n\nNotes: Closed on public holidays."
    );
    assert_eq!(read.title.as_deref(), Some("Opening hours"));
    let page = |style: &str, words: &str| {
        format!(
            r#"<draw:page draw:style-name="{style}"><draw:frame><draw:text-box><text:p>{words}</text:p></draw:text-box></draw:frame></draw:page>"#
        )
    };
    let body = page("dp1", "first") + &page("dp2", "hidden") + &page("dp1", "third");
    let read = extract_odp(&packed("presentation", &body, "")).unwrap();
    assert_eq!(read.text, "Slide 1\n\nfirst\n\nSlide 3\n\nthird");
    assert_eq!(read.pages.iter().map(|page| page.number).collect::<Vec<_>>(), [1, 3]);
    assert_eq!(read.remarks, ["1 hidden slide was left out"]);
}

#[test]
fn sheets_are_read_by_what_they_show() {
    let read = extract_ods(SHEET).unwrap();
    assert_eq!(
        read.text,
        "Tariffs\n\nTariff | Monthly (EUR) | Discount | From\nDSL 50 | 34,90 | 10.0% | 2027-01-01\n\nTariff | Monthly (EUR) | Discount | From\nDSL 100 | 39,90 | 7.5% | 2027-03-01"
    );
    assert_eq!(read.remarks, ["1 hidden sheet was left out: Margins"]);
    let rows = r#"<table:table-row><table:table-cell><text:p>Region</text:p></table:table-cell><table:table-cell><text:p>Fee</text:p></table:table-cell></table:table-row>
      <table:table-row><table:table-cell table:number-rows-spanned="2"><text:p>North</text:p></table:table-cell><table:table-cell office:value-type="float" office:value="1.5"/></table:table-row>
      <table:table-row><table:covered-table-cell/><table:table-cell><office:annotation><text:p>no</text:p></office:annotation><text:p>2</text:p></table:table-cell></table:table-row>"#;
    assert_eq!(sheet(rows).unwrap().text, "Region | Fee\nNorth | 1.5\n\nRegion | Fee\nNorth | 2");
}

#[test]
fn cells_that_stand_for_a_whole_sheet_are_refused() {
    let full = r#"<table:table-row table:number-rows-repeated="1048576"><table:table-cell table:number-columns-repeated="16384"><text:p>x</text:p></table:table-cell></table:table-row>"#;
    let error = sheet(full).unwrap_err();
    assert!(error.to_string().contains("2 million cells"), "{error}");
    let empty = r#"<table:table-row table:number-rows-repeated="4294967295"><table:table-cell table:number-columns-repeated="4294967295"/></table:table-row><table:table-row><table:table-cell><text:p>x</text:p></table:table-cell></table:table-row>"#;
    assert_eq!(sheet(empty).unwrap().text, "x");
    let wide = r#"<table:table><table:table-row><table:table-cell table:number-columns-repeated="4000000000"/><table:table-cell><text:p>x</text:p></table:table-cell></table:table-row></table:table>"#;
    assert!(writing(wide).text.len() < 1000);
}

#[test]
fn deep_nesting_and_entities_do_no_harm() {
    for (open, close) in
        [("<text:list><text:list-item>", "</text:list-item></text:list>"), ("<text:section>", "</text:section>")]
    {
        let deep = format!("{}<text:p>deep</text:p>{}", open.repeat(20_000), close.repeat(20_000));
        assert!(writing(&deep).text.ends_with("deep"));
    }
    let spans = format!("<text:p>{}deep{}</text:p>", "<text:span>".repeat(20_000), "</text:span>".repeat(20_000));
    assert_eq!(writing(&spans).text, "deep");
    let doctype = r#"<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;"><!ENTITY f SYSTEM "file:///etc/passwd">]>"#;
    let read = extract_odt(&packed("text", "<text:p>text &b;&f;</text:p>", doctype)).unwrap();
    assert_eq!(read.text, "text");
}

#[test]
fn damaged_and_locked_documents_are_refused() {
    for format in [Format::Odt, Format::Ods, Format::Odp] {
        for bytes in [&WRITING[..WRITING.len() / 2], b"not a zip", &archive(&[("a.txt", b"x")])] {
            assert!(matches!(crate::read::extract(bytes, format), Err(ReadError::Unreadable { .. })));
        }
    }
    let locked = archive(&[("META-INF/manifest.xml", b"<m:encryption-data/>"), ("content.xml", b"\x01\x02")]);
    let error = extract_odt(&locked).unwrap_err();
    assert!(error.to_string().contains("password"), "{error}");
    let cut = archive(&[("content.xml", b"<office:body><office:text><text:p>cut")]);
    assert_eq!(extract_odt(&cut).unwrap().text, "cut");
}
