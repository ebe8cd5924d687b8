use super::*;
use crate::read::docx::tests::archive;

const DECK: &[u8] = include_bytes!("../../../tests/fixtures/sales.pptx");

#[test]
fn a_presentation_made_by_a_program() {
    let read = extract(DECK).unwrap();
    assert_eq!(
        read.text,
        "Sales in 2027\n\nFor all branches\n\nDiscounts\n\n- New customers get 10 %\n  - for two years\n- Students get 15 %\n\nNotes: Ask for the student card.\n\nSlide 3\n\nProduct | Price\nDSL 50 | 34.90\nDSL 100 | 39.90"
    );
    assert_eq!(read.title.as_deref(), Some("Sales in 2027"));
    let paths: Vec<_> = read.sections.iter().map(|section| section.path.join(" > ")).collect();
    assert_eq!(paths, ["Discounts", "Slide 3"]);
    assert_eq!(read.pages.iter().map(|page| page.number).collect::<Vec<_>>(), [1, 2, 3]);
    assert_eq!(read.remarks, ["1 hidden slide was left out"]);
}

/// A presentation of one slide.
fn deck(shapes: &str, before: &str) -> Vec<u8> {
    let slide =
        format!(r#"<?xml version="1.0"?>{before}<p:sld><p:cSld><p:spTree>{shapes}</p:spTree></p:cSld></p:sld>"#);
    let list = r#"<p:presentation><p:sldIdLst><p:sldId id="256" r:id="rId7"/><p:sldId id="257" r:id="rId7"/><p:sldId id="258" r:id="rId8"/></p:sldIdLst></p:presentation>"#;
    let relations = r#"<Relationships><Relationship Id="rId7" Type="http://x/slide" Target="slides/slide1.xml"/><Relationship Id="rId8" Type="http://x/slide" Target="http://example.org/slide.xml" TargetMode="External"/></Relationships>"#;
    archive(&[
        ("ppt/presentation.xml", list.as_bytes()),
        ("ppt/_rels/presentation.xml.rels", relations.as_bytes()),
        ("ppt/slides/slide1.xml", slide.as_bytes()),
    ])
}

fn shape(kind: &str, paragraphs: &str) -> String {
    format!(r#"<p:sp><p:nvSpPr><p:nvPr>{kind}</p:nvPr></p:nvSpPr><p:txBody>{paragraphs}</p:txBody></p:sp>"#)
}

fn text(shapes: &str) -> String {
    extract(&deck(shapes, "")).unwrap().text
}

#[test]
fn shapes_become_text() {
    let body = r#"<p:ph type="body" idx="1"/>"#;
    let cases = [
        (
            shape(body, "<a:p><a:r><a:t>late title below</a:t></a:r></a:p>")
                + &shape(r#"<p:ph type="title"/>"#, "<a:p><a:r><a:t>Title</a:t></a:r></a:p>"),
            "Title\n\n- late title below",
        ),
        (
            shape("", "<a:p><a:r><a:t>a </a:t></a:r><a:r><a:t>box</a:t></a:r><a:br/><a:r><a:t>line</a:t></a:r></a:p>"),
            "Slide 1\n\na box\nline",
        ),
        (shape(body, "<a:p><a:pPr><a:buNone/></a:pPr><a:r><a:t>no point</a:t></a:r></a:p>"), "Slide 1\n\nno point"),
        (
            shape(
                "",
                r#"<a:p><a:pPr><a:buAutoNum type="arabicPeriod"/></a:pPr><a:r><a:t>one</a:t></a:r></a:p><a:p><a:pPr><a:buAutoNum type="arabicPeriod"/></a:pPr><a:r><a:t>two</a:t></a:r></a:p>"#,
            ),
            "Slide 1\n\n1. one\n2. two",
        ),
        (
            shape(r#"<p:ph type="sldNum"/>"#, "<a:p><a:fld><a:t>7</a:t></a:fld></a:p>")
                + &shape(
                    "",
                    "<a:p><a:r><a:rPr strike='sngStrike'/><a:t>old</a:t></a:r><a:r><a:t> new</a:t></a:r></a:p>",
                ),
            "Slide 1\n\n~~old~~ new",
        ),
        (
            "<mc:AlternateContent><mc:Choice>".to_owned()
                + &shape("", "<a:p><a:r><a:t>once</a:t></a:r></a:p>")
                + "</mc:Choice><mc:Fallback>"
                + &shape("", "<a:p><a:r><a:t>again</a:t></a:r></a:p>")
                + "</mc:Fallback></mc:AlternateContent>",
            "Slide 1\n\nonce",
        ),
    ];
    for (shapes, expected) in cases {
        assert_eq!(text(&shapes), expected, "{shapes}");
    }
}

#[test]
fn deep_nesting_and_entities_do_no_harm() {
    let words = shape("", "<a:p><a:r><a:t>deep</a:t></a:r></a:p>");
    let deep = format!("{}{words}{}", "<p:grpSp>".repeat(50_000), "</p:grpSp>".repeat(50_000));
    assert_eq!(text(&deep), "Slide 1\n\ndeep");
    let doctype = r#"<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY f SYSTEM "file:///etc/passwd">]>"#;
    let shapes = shape("", "<a:p><a:r><a:t>safe &a;&f;</a:t></a:r></a:p>");
    assert_eq!(extract(&deck(&shapes, doctype)).unwrap().text, "Slide 1\n\nsafe");
}

#[test]
fn damaged_presentations_are_refused() {
    for bytes in [&DECK[..DECK.len() / 2], b"not a zip", &archive(&[("a.txt", b"x")])] {
        assert!(matches!(extract(bytes), Err(ReadError::Unreadable { .. })));
    }
    assert_eq!(extract(&deck("", "")), Err(ReadError::NoText { format: Format::Pptx }));
    assert!(matches!(extract(&deck("<p:sp></p:grpSp>", "")), Err(ReadError::Unreadable { .. })));
}
