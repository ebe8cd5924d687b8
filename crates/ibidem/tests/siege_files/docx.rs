//! Word documents that are bombs, mazes or broken.

use std::io::{Cursor, Write as _};

use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::files::{End, Hostile, file};

pub(crate) fn archive(parts: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (path, content) in parts {
        writer.start_file(*path, SimpleFileOptions::default().compression_level(Some(1))).unwrap();
        writer.write_all(content).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn document(before: &str, body: &str) -> Vec<u8> {
    format!(r#"<?xml version="1.0"?>{before}<w:document xmlns:w="w"><w:body>{body}</w:body></w:document>"#).into_bytes()
}

fn docx(body: &str) -> Vec<u8> {
    archive(&[("word/document.xml", &document("", body))])
}

fn p(words: &str) -> String {
    format!("<w:p><w:r><w:t>{words}</w:t></w:r></w:p>")
}

pub(crate) fn files() -> Vec<Hostile> {
    vec![
        file(
            "a document that unpacks to 140 MB",
            "bomb.docx",
            || docx(&" ".repeat(140 << 20)),
            End::Failed("unpacked"),
        ),
        file(
            "styles that unpack to 140 MB",
            "styles.docx",
            || {
                archive(&[
                    ("word/styles.xml", &vec![b' '; 140 << 20]),
                    ("word/document.xml", &document("", &p("Text"))),
                ])
            },
            End::Failed("unpacked"),
        ),
        file(
            "an archive in an archive in an archive",
            "nested.docx",
            || {
                let inner = (0..20).fold(docx(&p("Inside.")), |inner, _| archive(&[("word/document.xml", &inner)]));
                archive(&[("word/document.xml", &inner)])
            },
            End::Either,
        ),
        file(
            "sizes that lie",
            "lies.docx",
            || {
                let mut bytes = docx(&p("Some text."));
                // The uncompressed size in the local header and in the directory.
                for mark in [b"PK\x03\x04", b"PK\x01\x02"] {
                    let at = bytes.windows(4).position(|window| window == mark).unwrap();
                    let size = if mark[2] == 3 { at + 22 } else { at + 24 };
                    bytes[size..size + 4].copy_from_slice(&u32::MAX.to_le_bytes());
                }
                bytes
            },
            End::Either,
        ),
        file(
            "a billion laughs",
            "laughs.docx",
            || {
                let mut entities = "<!ENTITY l0 \"laugh\">".to_owned();
                for level in 1..12 {
                    let inner = format!("&l{};", level - 1).repeat(10);
                    entities.push_str(&format!("<!ENTITY l{level} \"{inner}\">"));
                }
                let doctype = format!("<!DOCTYPE w [{entities}]>");
                archive(&[("word/document.xml", &document(&doctype, &p("Laughs: &l11; here.")))])
            },
            End::Read,
        ),
        file(
            "an entity that is a file of ours",
            "entity.docx",
            || {
                let doctype = r#"<!DOCTYPE w [<!ENTITY f SYSTEM "file:///etc/passwd">]>"#;
                archive(&[("word/document.xml", &document(doctype, &p("A file: &f; here.")))])
            },
            End::Read,
        ),
        file(
            "a main document outside the archive",
            "outside.docx",
            || {
                let relations =
                    br#"<r><x Type="a/officeDocument" Target="../../../../etc/passwd" TargetMode="External"/></r>"#;
                archive(&[("_rels/.rels", relations), ("word/document.xml", &document("", &p("Text")))])
            },
            End::Failed("no document inside"),
        ),
        file(
            "paragraphs in paragraphs",
            "deep.docx",
            || docx(&("<w:p>".repeat(300_000) + "<w:r><w:t>Text</w:t></w:r>")),
            End::Either,
        ),
        file(
            "tables in tables",
            "tables.docx",
            || docx(&("<w:tbl><w:tr><w:tc>".repeat(100_000) + &p("Text") + &"</w:tc></w:tr></w:tbl>".repeat(100_000))),
            End::Either,
        ),
        file(
            "an attribute of 20 MB",
            "attribute.docx",
            || docx(&format!("<w:p w:a=\"{}\"/>{}", "x".repeat(20 << 20), p("Text"))),
            End::Either,
        ),
        file(
            "a hundred thousand attributes",
            "attributes.docx",
            || {
                let attributes: String = (0..100_000).map(|number| format!(" a{number}=\"1\"")).collect();
                docx(&format!("<w:p{attributes}/>{}", p("Text")))
            },
            End::Read,
        ),
        file(
            "one long note that is referred to 10,000 times",
            "notes.docx",
            || {
                let note = format!(
                    r#"<w:footnotes xmlns:w="w"><w:footnote w:id="2">{}</w:footnote></w:footnotes>"#,
                    p(&"note ".repeat(2_000))
                );
                let body = format!(
                    "<w:p><w:r><w:t>Text</w:t>{}</w:r></w:p>",
                    r#"<w:footnoteReference w:id="2"/>"#.repeat(10_000)
                );
                archive(&[("word/footnotes.xml", note.as_bytes()), ("word/document.xml", &document("", &body))])
            },
            End::Either,
        ),
        file(
            "numbering without end",
            "numbering.docx",
            || {
                let level = format!(
                    r#"<w:lvl w:ilvl="0"><w:start w:val="4294967295"/><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="{}"/></w:lvl>"#,
                    "%1".repeat(20_000)
                );
                let numbering = format!(
                    r#"<w:numbering xmlns:w="w"><w:abstractNum w:abstractNumId="0">{level}</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>"#
                );
                let item = r#"<w:p><w:pPr><w:numPr><w:ilvl w:val="255"/><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:t>a</w:t></w:r></w:p>"#;
                archive(&[
                    ("word/numbering.xml", numbering.as_bytes()),
                    ("word/document.xml", &document("", &item.repeat(2_000))),
                ])
            },
            End::Either,
        ),
        file(
            "styles that are based on each other",
            "circle.docx",
            || {
                let styles = br#"<w:styles xmlns:w="w"><w:style w:styleId="a"><w:basedOn w:val="b"/></w:style><w:style w:styleId="b"><w:basedOn w:val="a"/></w:style></w:styles>"#;
                let body = r#"<w:p><w:pPr><w:pStyle w:val="a"/></w:pPr><w:r><w:t>Text</w:t></w:r></w:p>"#;
                archive(&[("word/styles.xml", styles), ("word/document.xml", &document("", body))])
            },
            End::Read,
        ),
        file(
            "half of an archive",
            "half.docx",
            || {
                let bytes = docx(&p("Text"));
                bytes[..bytes.len() / 2].to_vec()
            },
            End::Failed("not a DOCX archive"),
        ),
        file(
            "sixty thousand parts",
            "parts.docx",
            || {
                let names: Vec<String> = (0..60_000).map(|number| format!("p{number}")).collect();
                let mut parts: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), b"".as_slice())).collect();
                let text = document("", &p("Text"));
                parts.push(("word/document.xml", &text));
                archive(&parts)
            },
            End::Read,
        ),
    ]
}
