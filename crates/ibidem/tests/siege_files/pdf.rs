//! PDFs that unpack without end, go in circles or are broken.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::ZlibEncoder;

use crate::files::{End, Hostile, file};

/// A PDF of these objects, the first of them its catalogue, with a table of where they begin.
fn pdf(objects: &[Vec<u8>], trailer: &str) -> Vec<u8> {
    let mut bytes = b"%PDF-1.7\n".to_vec();
    let mut places = Vec::new();
    for (number, object) in objects.iter().enumerate() {
        places.push(bytes.len());
        bytes.extend(format!("{} 0 obj\n", number + 1).bytes());
        bytes.extend(object);
        bytes.extend(b"\nendobj\n");
    }
    let table = bytes.len();
    bytes.extend(format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1).bytes());
    for place in places {
        bytes.extend(format!("{place:010} 00000 n \n").bytes());
    }
    let size = objects.len() + 1;
    bytes.extend(format!("trailer\n<< /Size {size} /Root 1 0 R {trailer} >>\nstartxref\n{table}\n%%EOF\n").bytes());
    bytes
}

fn stream(dictionary: &str, data: &[u8]) -> Vec<u8> {
    let mut object = format!("<< {dictionary} /Length {} >>\nstream\n", data.len()).into_bytes();
    object.extend(data);
    object.extend(b"\nendstream");
    object
}

const CATALOGUE: &[u8] = b"<< /Type /Catalog /Pages 2 0 R >>";
const PAGES: &[u8] = b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>";
const PAGE: &[u8] = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> /XObject << /X 6 0 R >> >> >>";
const FONT: &[u8] = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>";
const WORDS: &[u8] = b"BT /F1 12 Tf 50 700 Td (Some words that people can read on this page.) Tj ET\n";

/// A page with these contents, and one more object.
fn page(contents: Vec<u8>, more: Vec<u8>, trailer: &str) -> Vec<u8> {
    pdf(&[CATALOGUE.to_vec(), PAGES.to_vec(), PAGE.to_vec(), contents, FONT.to_vec(), more], trailer)
}

fn with_contents(contents: Vec<u8>) -> Vec<u8> {
    page(contents, b"null".to_vec(), "")
}

fn readable() -> Vec<u8> {
    with_contents(stream("", WORDS))
}

/// So many megabytes of zeros. Packed once and repeated: every megabyte is packed alike.
fn packed_zeros(megabytes: usize) -> Vec<u8> {
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::best());
    packed.write_all(&vec![0; 1 << 20]).unwrap();
    packed.flush().unwrap();
    let first = packed.get_ref().len();
    packed.write_all(&vec![0; 1 << 20]).unwrap();
    packed.flush().unwrap();
    let bytes = packed.get_ref().clone();
    let (beginning, one) = bytes.split_at(first);
    [beginning, &one.repeat(megabytes)].concat()
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::best());
    packed.write_all(bytes).unwrap();
    packed.finish().unwrap()
}

fn hex(bytes: &[u8]) -> Vec<u8> {
    bytes.iter().flat_map(|byte| format!("{byte:02x}").into_bytes()).chain(*b">").collect()
}

pub(crate) fn files() -> Vec<Hostile> {
    let circle = |about, name, object: &'static [u8]| {
        file(about, name, move || page(stream("", WORDS), object.to_vec(), "/Info 6 0 R"), End::Either)
    };
    vec![
        // Cut off on purpose: what a stream gives before it breaks counts.
        file(
            "a stream that unpacks to 700 MB",
            "bomb.pdf",
            || with_contents(stream("/Filter /FlateDecode", &packed_zeros(700))),
            End::Failed("unpacked streams"),
        ),
        file(
            "the same in hexadecimal",
            "hex.pdf",
            || with_contents(stream("/Filter [/ASCIIHexDecode /FlateDecode]", &hex(&packed_zeros(700)))),
            End::Failed("unpacked streams"),
        ),
        file(
            "the same packed twice",
            "twice.pdf",
            || with_contents(stream("/Filter [/FlateDecode /FlateDecode]", &packed(&packed_zeros(700)))),
            End::Failed("unpacked streams"),
        ),
        file(
            "a stream packed twelve times over",
            "endless.pdf",
            || {
                let data = (0..12).fold(WORDS.to_vec(), |data, _| packed(&data));
                with_contents(stream(&format!("/Filter [{}]", "/FlateDecode ".repeat(12)), &data))
            },
            End::Failed("packed too often"),
        ),
        file(
            "a thousand filters",
            "filters.pdf",
            || with_contents(stream(&format!("/Filter [{}]", "/ASCIIHexDecode ".repeat(1_000)), b"41>")),
            End::Either,
        ),
        file(
            "a run-length bomb",
            "runs.pdf",
            || {
                with_contents(stream(
                    "/Filter [/RunLengthDecode /RunLengthDecode /RunLengthDecode /RunLengthDecode]",
                    &b"\x81\x81".repeat(2 << 20),
                ))
            },
            End::Either,
        ),
        file(
            "pages that hold themselves",
            "circle.pdf",
            || {
                pdf(
                    &[CATALOGUE.to_vec(), b"<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 9 /Parent 2 0 R >>".to_vec()],
                    "",
                )
            },
            End::Either,
        ),
        circle("an object that is itself", "itself.pdf", b"6 0 R"),
        circle("a dictionary in itself", "dictionary.pdf", b"<< /Title 6 0 R /A 6 0 R /Kids [6 0 R] >>"),
        file(
            "a length that is its own stream's",
            "length.pdf",
            || with_contents([b"<< /Length 4 0 R >>\nstream\n".as_slice(), WORDS, b"\nendstream"].concat()),
            End::Either,
        ),
        file(
            "two thousand million pages",
            "count.pdf",
            || {
                let kids = "3 0 R ".repeat(100_000);
                let pages = format!("<< /Type /Pages /Kids [{kids}] /Count 2000000000 >>").into_bytes();
                pdf(&[CATALOGUE.to_vec(), pages, PAGE.to_vec(), stream("", WORDS), FONT.to_vec(), b"null".to_vec()], "")
            },
            End::Either,
        ),
        file(
            "a table of places that leads nowhere",
            "xref.pdf",
            || {
                String::from_utf8(readable())
                    .unwrap()
                    .replace(" 00000 n ", " 99999 n ")
                    .replace("startxref\n", "startxref\n9999")
                    .into_bytes()
            },
            End::Either,
        ),
        file(
            "a table before itself",
            "prev.pdf",
            || {
                let bytes = readable();
                let at = bytes.windows(4).rposition(|window| window == b"xref").unwrap() - 5;
                let at = bytes[..at].windows(4).rposition(|window| window == b"xref").unwrap_or(at);
                page(stream("", WORDS), b"null".to_vec(), &format!("/Prev {at}"))
            },
            End::Either,
        ),
        file(
            "a protected file",
            "protected.pdf",
            || {
                page(stream("", WORDS), b"<< /Filter /Standard /V 2 /R 3 /Length 128 /P -4 /O (oooooooooooooooooooooooooooooooo) /U (uuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuu) >>".to_vec(), "/Encrypt 6 0 R /ID [(a) (b)]")
            },
            End::Failed("password"),
        ),
        file(
            "half of a PDF",
            "half.pdf",
            || {
                let bytes = readable();
                bytes[..bytes.len() / 2].to_vec()
            },
            End::Either,
        ),
        file(
            "noise",
            "noise.pdf",
            || (0..2_000_000_u32).map(|n| n.wrapping_mul(2_654_435_761).to_be_bytes()[0]).collect(),
            End::Failed("not a PDF"),
        ),
        file(
            "a title with a NUL",
            "title.pdf",
            || {
                page(stream("", WORDS), b"<< /Title (\xfe\xff\x00O\x00\x00\x00i\x00l\x20\x2e) /CreationDate (D:00000000000000) /ModDate (D:99999999999999) >>".to_vec(), "/Info 6 0 R")
            },
            End::Read,
        ),
        file(
            "a form that draws itself",
            "form.pdf",
            || {
                page(
                    stream("", &[WORDS, b"/X Do"].concat()),
                    stream(
                        "/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X 6 0 R >> >>",
                        b"/X Do /X Do",
                    ),
                    "",
                )
            },
            End::Either,
        ),
        file(
            "a million saved states",
            "states.pdf",
            || with_contents(stream("", &[b"q ".repeat(1_000_000).as_slice(), WORDS].concat())),
            End::Either,
        ),
        file(
            "arrays in arrays",
            "arrays.pdf",
            || page(stream("", WORDS), b"[".repeat(1_000_000), "/Info 6 0 R"),
            End::Either,
        ),
        file(
            "arrays in arrays on a page",
            "operands.pdf",
            || with_contents(stream("", &[b"[".repeat(1_000_000).as_slice(), WORDS].concat())),
            End::Either,
        ),
        file(
            "bookmarks in a circle",
            "bookmarks.pdf",
            || {
                let catalogue = b"<< /Type /Catalog /Pages 2 0 R /Outlines 6 0 R >>".to_vec();
                let outline = b"<< /First 6 0 R /Last 6 0 R /Next 6 0 R /Prev 6 0 R /Parent 6 0 R /Title (again) /Dest [3 0 R /Fit] >>".to_vec();
                pdf(&[catalogue, PAGES.to_vec(), PAGE.to_vec(), stream("", WORDS), FONT.to_vec(), outline], "")
            },
            End::Either,
        ),
    ]
}
