//! Sheets, slides, books and writings that are bombs, mazes or broken.

use crate::docx::archive;
use crate::files::{End, Hostile, file};

fn xlsx(sheet: &str, strings: &[u8]) -> Vec<u8> {
    let root = br#"<Relationships><Relationship Id="rId1" Type="http://x/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>"#;
    let book = br#"<workbook xmlns:r="r"><sheets><sheet name="Sheet1" sheetId="1" r:id="rId1"/></sheets></workbook>"#;
    let relations = br#"<Relationships><Relationship Id="rId1" Type="http://x/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="http://x/sharedStrings" Target="sharedStrings.xml"/></Relationships>"#;
    archive(&[
        ("_rels/.rels", root),
        ("xl/workbook.xml", book),
        ("xl/_rels/workbook.xml.rels", relations),
        ("xl/worksheets/sheet1.xml", sheet.as_bytes()),
        ("xl/sharedStrings.xml", strings),
    ])
}

fn worksheet(rows: &str) -> String {
    format!(r#"<worksheet><dimension ref="A1:XFD1048576"/><sheetData>{rows}</sheetData></worksheet>"#)
}

fn open_document(kind: &str, before: &str, body: &str) -> Vec<u8> {
    let content = format!(
        r#"<?xml version="1.0"?>{before}<office:document-content><office:body><office:{kind}>{body}</office:{kind}></office:body></office:document-content>"#
    );
    archive(&[("content.xml", content.as_bytes())])
}

fn ods(rows: &str) -> Vec<u8> {
    open_document("spreadsheet", "", &format!(r#"<table:table table:name="Sheet1">{rows}</table:table>"#))
}

fn pptx(slide: &str) -> Vec<u8> {
    let list = br#"<p:presentation><p:sldIdLst><p:sldId id="256" r:id="rId1"/></p:sldIdLst></p:presentation>"#;
    let relations =
        br#"<Relationships><Relationship Id="rId1" Type="http://x/slide" Target="slides/slide1.xml"/></Relationships>"#;
    archive(&[
        ("ppt/presentation.xml", list),
        ("ppt/_rels/presentation.xml.rels", relations),
        ("ppt/slides/slide1.xml", slide.as_bytes()),
    ])
}

pub(crate) fn files() -> Vec<Hostile> {
    [sheets(), writings(), rich_text(), notebooks_and_mailboxes(), markup()].into_iter().flatten().collect()
}

fn sheets() -> Vec<Hostile> {
    vec![
        file(
            "a workbook that unpacks to 140 MB",
            "bomb.xlsx",
            || xlsx(&worksheet(""), &vec![b' '; 140 << 20]),
            End::Failed("unpacked"),
        ),
        file(
            "a sheet with cells in its first and last corner",
            "corners.xlsx",
            || {
                let rows =
                    r#"<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>2</v></c></row>"#;
                xlsx(&worksheet(rows), b"<sst/>")
            },
            End::Read,
        ),
        file(
            "a long word in a thousand cells",
            "word.xlsx",
            || {
                let strings = format!("<sst><si><t>{}</t></si></sst>", "x".repeat(100_000));
                let rows: String =
                    (1..1000).map(|row| format!(r#"<row r="{row}"><c t="s"><v>0</v></c></row>"#)).collect();
                xlsx(&worksheet(&rows), strings.as_bytes())
            },
            End::Failed("16 million characters"),
        ),
        file(
            "five million empty words",
            "words.xlsx",
            || xlsx(&worksheet(""), "<si/>".repeat(5_000_000).as_bytes()),
            End::Either,
        ),
        file(
            "merged cells over the whole sheet, many times",
            "merged.xlsx",
            || {
                let rows: String =
                    (1..20_000).map(|row| format!(r#"<row r="{row}"><c r="A{row}"><v>1</v></c></row>"#)).collect();
                let merged = r#"<mergeCell ref="A1:XFD1048576"/>"#.repeat(10_000);
                let sheet =
                    format!("<worksheet><sheetData>{rows}</sheetData><mergeCells>{merged}</mergeCells></worksheet>");
                xlsx(&sheet, b"<sst/>")
            },
            End::Either,
        ),
        file(
            "a cell that stands for a whole sheet",
            "repeated.ods",
            || {
                ods(
                    r#"<table:table-row table:number-rows-repeated="1048576"><table:table-cell table:number-columns-repeated="16384"><text:p>x</text:p></table:table-cell></table:table-row>"#,
                )
            },
            End::Failed("2 million cells"),
        ),
        file(
            "an old workbook of noise",
            "noise.xls",
            || {
                let noise = (0..40_000_u32).map(|number| number.wrapping_mul(2_654_435_761).to_be_bytes()[0]);
                b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1".iter().copied().chain(noise).collect()
            },
            End::Failed("cannot be read"),
        ),
        file(
            "a quote that never closes",
            "quote.csv",
            || format!("a,b\n\"{}", "x,\n".repeat(2_000_000)).into_bytes(),
            End::Either,
        ),
        file("a million columns", "columns.csv", || "x,".repeat(1_000_000).into_bytes(), End::Either),
        file(
            "rows that are each longer than the last",
            "stairs.csv",
            || (1..2_000).map(|row| format!("{}x\n", ",".repeat(row * 8))).collect::<String>().into_bytes(),
            End::Either,
        ),
    ]
}

fn writings() -> Vec<Hostile> {
    vec![
        file(
            "lists in lists",
            "deep.odt",
            || {
                let (open, close) = ("<text:list><text:list-item>", "</text:list-item></text:list>");
                let body = format!("{}<text:p>deep</text:p>{}", open.repeat(100_000), close.repeat(100_000));
                open_document("text", "", &body)
            },
            End::Either,
        ),
        file(
            "an entity that is a file of ours",
            "entity.odt",
            || {
                let doctype = r#"<!DOCTYPE w [<!ENTITY f SYSTEM "file:///etc/passwd">]>"#;
                open_document("text", doctype, "<text:p>A file: &f; here.</text:p>")
            },
            End::Read,
        ),
        file(
            "groups of shapes in groups",
            "groups.pptx",
            || {
                let shape = "<p:sp><p:txBody><a:p><a:r><a:t>Text</a:t></a:r></a:p></p:txBody></p:sp>";
                pptx(&format!("<p:sld>{}{shape}{}</p:sld>", "<p:grpSp>".repeat(200_000), "</p:grpSp>".repeat(200_000)))
            },
            End::Read,
        ),
        file(
            "half of a presentation",
            "half.pptx",
            || {
                let bytes = pptx("<p:sld/>");
                bytes[..bytes.len() / 2].to_vec()
            },
            End::Failed("not a PPTX archive"),
        ),
        file(
            "a book whose list of chapters is outside",
            "outside.epub",
            || archive(&[("META-INF/container.xml", br#"<c><rootfile full-path="../../../etc/passwd"/></c>"#)]),
            End::Failed("no document inside"),
        ),
        file(
            "a mail of a hundred thousand parts",
            "parts.eml",
            || {
                let head = "From: a@example.org\nSubject: Parts\nContent-Type: multipart/mixed; boundary=x\n\n";
                format!("{head}{}", "--x\n\na\n".repeat(100_000)).into_bytes()
            },
            End::Either,
        ),
        file(
            "mails in mails",
            "nested.eml",
            || {
                let head = "From: a@example.org\nSubject: Inner\n";
                let inner = (0..400).fold(format!("{head}\ninnermost"), |inner, level| {
                    format!("{head}Content-Type: multipart/mixed; boundary=b{level}\n\n--b{level}\nContent-Type: message/rfc822\n\n{inner}\n--b{level}--\n")
                });
                inner.into_bytes()
            },
            End::Either,
        ),
    ]
}

fn rich_text() -> Vec<Hostile> {
    let rtf = |body: String| format!("{{\\rtf1\\ansi {body}}}").into_bytes();
    vec![
        file(
            "groups in groups of rich text",
            "deep.rtf",
            move || rtf(format!("{}x{}", "{".repeat(5_000_000), "}".repeat(5_000_000))),
            End::Failed("nested too deep"),
        ),
        file(
            "a picture that is longer than its file",
            "picture.rtf",
            move || rtf("Text.\\par{\\pict\\bin2147483647 x}".to_owned()),
            End::Read,
        ),
        file(
            "styles that build upon each other in a circle",
            "styles.rtf",
            move || {
                let styles: String =
                    (0..100_000).map(|style| format!("{{\\s{style}\\sbasedon{} S;}}", (style + 1) % 100_000)).collect();
                rtf(format!("{{\\stylesheet{styles}}}{}", "\\s7 Text.\\par ".repeat(100_000)))
            },
            End::Read,
        ),
        file("rows that never end", "rows.rtf", move || rtf("\\trowd\\intbl x\\cell ".repeat(200_000)), End::Either),
        file(
            "lists in lists of rich text",
            "lists.rtf",
            move || rtf((0..30_000).map(|level| format!("{{\\listtext -}}\\ilvl{level} x\\par ")).collect()),
            End::Either,
        ),
        file(
            "two hundred thousand notes in one paragraph",
            "notes.rtf",
            move || rtf("x{\\footnote y}".repeat(200_000)),
            End::Either,
        ),
    ]
}

fn notebooks_and_mailboxes() -> Vec<Hostile> {
    let list = |item: &'static str, number: usize| item.repeat(number) + item.trim_end_matches(',');
    vec![
        file(
            "lists in lists of a notebook",
            "deep.ipynb",
            || format!("{{\"cells\": {}", "[".repeat(10_000_000)).into_bytes(),
            End::Failed("damaged or no notebook"),
        ),
        file(
            "two million cells",
            "cells.ipynb",
            move || format!("{{\"cells\": [{}]}}", list("{\"cell_type\":\"raw\"},", 2_000_000)).into_bytes(),
            End::Failed("more than 50000 parts"),
        ),
        file(
            "four million lines of one cell",
            "lines.ipynb",
            move || {
                let lines = list("\"\",", 4_000_000);
                format!("{{\"cells\": [{{\"cell_type\": \"markdown\", \"source\": [{lines}]}}]}}").into_bytes()
            },
            End::Failed("no cell of text"),
        ),
        file(
            "a hundred thousand mails",
            "mails.mbox",
            || "From a\nFrom: a@example.org\nSubject: s\n\nx\n\n".repeat(100_000).into_bytes(),
            End::Failed("50000 headings"),
        ),
        file(
            "a subject of a million answers",
            "answers.mbox",
            || format!("From a\nFrom: a@example.org\nSubject: {}s\n\nx\n", "Re: ".repeat(1_000_000)).into_bytes(),
            End::Read,
        ),
    ]
}

fn markup() -> Vec<Hostile> {
    vec![
        file(
            "signs of a span that never ends",
            "signs.adoc",
            || "*a `b _c #d ".repeat(200_000).into_bytes(),
            End::Either,
        ),
        file(
            "a value that is set into a text a million times",
            "values.adoc",
            || format!(":a: {}\n\n{}", "x".repeat(450), "{a}".repeat(1_000_000)).into_bytes(),
            End::Either,
        ),
        file(
            "a cell that is repeated fifty million times",
            "cells.adoc",
            || format!("|===\n{}\n|===", "500*|x\n".repeat(100_000)).into_bytes(),
            End::Failed("2 million cells"),
        ),
        file(
            "a file that includes others",
            "include.adoc",
            || b"Text.\n\ninclude::/etc/passwd[]\n\ninclude::https://example.org/x[]\n".to_vec(),
            End::Read,
        ),
        file(
            "lists in lists of markup",
            "deep.rst",
            || (0..1_000).map(|depth| format!("{}* x\n", " ".repeat(depth * 2))).collect::<String>().into_bytes(),
            End::Read,
        ),
        file(
            "words that stand for a long text, many times",
            "replaced.rst",
            || format!(".. |x| replace:: {}\n\n{}", "long ".repeat(10_000), "|x| ".repeat(300_000)).into_bytes(),
            End::Either,
        ),
        file("ten million empty lines", "lines.rst", || vec![b'\n'; 10_000_000], End::Failed("2 million lines")),
    ]
}
