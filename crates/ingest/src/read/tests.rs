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
    assert_eq!(
        Format::usual_endings(),
        ".md .html .txt .pdf .docx .csv .xlsx .xls .ods .odt .pptx .odp .epub .eml .rtf .ipynb .mbox .adoc .rst"
    );
    assert!(
        "wps"
            .parse::<Format>()
            .unwrap_err()
            .ends_with("use markdown, html, plain, pdf, docx, csv, xlsx, xls, ods, odt, pptx, odp, epub, mail, rtf, notebook, mailbox, asciidoc or restructuredtext")
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

/// Where a byte is changed, cut away or doubled, a document is read or refused with a reason, and always in the same way.
#[test]
fn broken_bytes_are_read_or_refused_but_never_panic() {
    let fixtures = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures");
    let mut seed = 1_u32;
    let mut random = |below: usize| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (seed >> 8) as usize % below
    };
    let mut tried = 0;
    for entry in std::fs::read_dir(fixtures).unwrap() {
        let path = entry.unwrap().path();
        let Some(format) = format_of(&path).filter(|format| *format != Format::Pdf && *format != Format::Markdown)
        else {
            continue;
        };
        let good = std::fs::read(&path).unwrap();
        for _ in 0..40 {
            let mut bytes = good.clone();
            match random(3) {
                0 => bytes.truncate(random(good.len())),
                1 => drop(bytes.splice(random(good.len()).., good[random(good.len())..].iter().copied())),
                _ => (0..=random(8)).for_each(|_| bytes[random(good.len())] = random(256).to_le_bytes()[0]),
            }
            if let Err(error) = extract(&bytes, format) {
                assert!(error.to_string().len() > 20, "{error}");
            }
            tried += 1;
        }
    }
    assert!(tried >= 300, "{tried}");
}

/// The same inside the parts of an archive, whose checksums would else keep changes out.
#[test]
fn broken_parts_are_read_or_refused_but_never_panic() {
    let fixtures = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures");
    let mut seed = 7_u32;
    let mut random = |below: usize| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (seed >> 8) as usize % below.max(1)
    };
    for name in
        ["prices.xlsx", "tariffs.ods", "home-office.odt", "hours.odp", "sales.pptx", "ladders.epub", "leave.docx"]
    {
        let parts = unpacked(&std::fs::read(format!("{fixtures}/{name}")).unwrap());
        let format = Format::of_file_name(name).unwrap();
        for _ in 0..20 {
            let mut parts = parts.clone();
            let xml: Vec<usize> = (0..parts.len()).filter(|place| parts[*place].1.starts_with(b"<")).collect();
            let broken = &mut parts[xml[random(xml.len())]].1;
            let (from, to) = (random(broken.len()), random(broken.len()));
            match random(3) {
                0 => broken.truncate(from),
                1 => drop(broken.drain(from.min(to)..from.max(to).min(from.min(to) + 60))),
                _ => (0..4).for_each(|_| {
                    let place = random(broken.len());
                    broken[place] = b"<>&\"0z "[random(7)];
                }),
            }
            let named: Vec<(&str, &[u8])> =
                parts.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())).collect();
            if let Err(error) = extract(&docx::tests::archive(&named), format) {
                assert!(error.to_string().len() > 20, "{error}");
            }
        }
    }
}

fn unpacked(bytes: &[u8]) -> Vec<(String, Vec<u8>)> {
    let mut archive = zip::ZipArchive::new(std::io::Cursor::new(bytes)).unwrap();
    let parts = archive.len();
    let part = |index: usize| {
        let mut file = archive.by_index(index).unwrap();
        let mut bytes = Vec::new();
        std::io::Read::read_to_end(&mut file, &mut bytes).unwrap();
        (file.name().unwrap().into_owned(), bytes)
    };
    (0..parts).map(part).collect()
}
