use super::*;

#[test]
fn formats_are_known_by_their_extension() {
    let cases = [
        ("a.md", Some(Format::Markdown)),
        ("a/b.MARKDOWN", Some(Format::Markdown)),
        ("a.mdx", Some(Format::Markdown)),
        ("a.html", Some(Format::Html)),
        ("a.htm", Some(Format::Html)),
        ("a.xhtml", Some(Format::Html)),
        ("a.b.txt", Some(Format::Plain)),
        ("a.text", Some(Format::Plain)),
        ("a.PDF", Some(Format::Pdf)),
        ("a.docx", Some(Format::Docx)),
        ("a.csv", Some(Format::Csv)),
        ("a.TSV", Some(Format::Csv)),
        ("a.xlsx", Some(Format::Xlsx)),
        ("a.xlsm", Some(Format::Xlsx)),
        ("a.xls", Some(Format::Xls)),
        ("a.doc", None),
        ("a", None),
        (".md", None),
    ];
    for (path, expected) in cases {
        assert_eq!(format_of(Path::new(path)), expected, "{path}");
    }
    for format in Format::ALL {
        assert_eq!(format.as_str().parse(), Ok(*format));
        for ending in format.endings() {
            assert_eq!(Format::of_file_name(&format!("a.{ending}")), Some(*format), "{ending} is that of two formats");
        }
    }
    assert_eq!(Format::usual_endings(), ".md .html .txt .pdf .docx .csv .xlsx .xls .ods .odt .pptx .odp .epub .eml");
    assert!(
        "wps"
            .parse::<Format>()
            .unwrap_err()
            .ends_with("use markdown, html, plain, pdf, docx, csv, xlsx, xls, ods, odt, pptx, odp, epub or mail")
    );
}

#[test]
fn errors_say_what_to_do() {
    let cases = [
        (ReadError::NoText { format: Format::Pdf }, "run OCR first"),
        (ReadError::NoText { format: Format::Plain }, "add some, or leave the file out"),
        (extract(&vec![b'a'; LARGEST_ORIGINAL + 1], Format::Plain).unwrap_err(), "split it into parts of under 64 MiB"),
        (extract(b"PK\x03\x04 not an archive", Format::Docx).unwrap_err(), "save it as DOCX"),
        (extract(b"not a pdf", Format::Pdf).unwrap_err(), "not a PDF, or damaged"),
    ];
    for (error, advice) in cases {
        assert!(error.to_string().contains(advice), "{error}");
    }
}

#[test]
fn bytes_of_any_kind_are_read_or_refused_but_never_panic() {
    let noise: Vec<u8> = (0..40_000_u32).map(|n| n.wrapping_mul(2_654_435_761).to_be_bytes()[0]).collect();
    for &format in Format::ALL {
        for bytes in [&noise[..], &noise[..1], b"", b"\0\0\0", b"\xff\xfe\xff", b"%PDF-1.7\n%%EOF", b"---\n---\n"] {
            let first = extract(bytes, format);
            assert_eq!(first, extract(bytes, format), "{format:?}");
        }
    }
}
