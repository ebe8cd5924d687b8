//! What every reader must do, wherever it reads.

#![allow(clippy::panic, clippy::unwrap_used, reason = "this is a test")]

use ibidem_ports::intake::Format;

use super::reader::{Reader, ReadingError};
use super::{LARGEST_ORIGINAL, extract};

const GUIDE: &[u8] = include_bytes!("../../tests/fixtures/guide.pdf");
const SCANNED: &[u8] = include_bytes!("../../tests/fixtures/scanned.pdf");
const PRICES: &[u8] = include_bytes!("../../tests/fixtures/prices.csv");
const PRICE_BOOK: &[u8] = include_bytes!("../../tests/fixtures/prices.xlsx");
const OLD_PRICE_BOOK: &[u8] = include_bytes!("../../tests/fixtures/prices.xls");
const TARIFFS: &[u8] = include_bytes!("../../tests/fixtures/tariffs.ods");
const HOME_OFFICE: &[u8] = include_bytes!("../../tests/fixtures/home-office.odt");
const SALES: &[u8] = include_bytes!("../../tests/fixtures/sales.pptx");
const HOURS: &[u8] = include_bytes!("../../tests/fixtures/hours.odp");
const LADDERS: &[u8] = include_bytes!("../../tests/fixtures/ladders.epub");
const NOTICE: &[u8] = include_bytes!("../../tests/fixtures/notice.eml");
const FEES: &[u8] = include_bytes!("../../tests/fixtures/fees.rtf");
const TIDES: &[u8] = include_bytes!("../../tests/fixtures/tides.ipynb");
const LADDERS_MAILBOX: &[u8] = include_bytes!("../../tests/fixtures/ladders.mbox");
const POOL: &[u8] = include_bytes!("../../tests/fixtures/pool.adoc");
const WINTER: &[u8] = include_bytes!("../../tests/fixtures/winter.rst");
const LEAVE: &[u8] = include_bytes!("../../tests/fixtures/leave.docx");

/// Every document and every refusal is the library's own, byte for byte.
pub async fn reads_like_the_library(reader: &dyn Reader) {
    let markdown = "---\ntitle: Öl\u{202e}\naddress: P-7\nkind: rule\ndate: 2026-01-02\n---\n# Öl\n\n## Wechsel\n\nAlle\0 2 Jahre.\n";
    let originals: [(Format, &[u8]); 40] = [
        (Format::Markdown, markdown.as_bytes()),
        (Format::Html, b"<title>Oil</title><h1>Oil</h1><p>Change &amp; drain <b>it</b>.<table><tr><td>a<td>b</table>"),
        (Format::Plain, "line\r\nline \u{1f6e2}\u{fe0f} \"quoted\" \\ \u{7}".as_bytes()),
        (Format::Plain, b"Gr\xfc\xdfe"),
        (Format::Pdf, GUIDE),
        (Format::Docx, LEAVE),
        (Format::Csv, PRICES),
        (Format::Xlsx, PRICE_BOOK),
        (Format::Xlsx, &PRICE_BOOK[..1000]),
        (Format::Xls, OLD_PRICE_BOOK),
        (Format::Ods, TARIFFS),
        (Format::Ods, b"PK\x03\x04"),
        (Format::Odt, HOME_OFFICE),
        (Format::Odt, LEAVE),
        (Format::Pptx, SALES),
        (Format::Pptx, &SALES[..10_000]),
        (Format::Epub, LADDERS),
        (Format::Epub, LEAVE),
        (Format::Mail, NOTICE),
        (Format::Mail, b"not a mail"),
        (Format::Rtf, FEES),
        (Format::Rtf, &FEES[..900]),
        (Format::Notebook, TIDES),
        (Format::Notebook, b"{\"cells\": []}"),
        (Format::Mailbox, LADDERS_MAILBOX),
        (Format::Mailbox, NOTICE),
        (Format::AsciiDoc, POOL),
        (Format::AsciiDoc, b"// nothing"),
        (Format::ReStructuredText, WINTER),
        (Format::ReStructuredText, b".. nothing"),
        (Format::Odp, HOURS),
        (Format::Odp, HOME_OFFICE),
        (Format::Xls, b"not a workbook"),
        (Format::Csv, b"Produkt;Preis\nGr\xfc\xdfe;1,00 \x80\n"),
        (Format::Csv, b";;\n"),
        (Format::Pdf, SCANNED),
        (Format::Pdf, b"not a pdf"),
        (Format::Docx, b"not an archive"),
        (Format::Plain, b""),
        (Format::Html, b"<script>only()</script>"),
    ];
    for format in Format::ALL {
        assert!(originals.iter().any(|(known, _)| known == format), "{format:?} has no document here");
    }
    for (format, original) in originals {
        let expected = extract(original, format).map_err(ReadingError::from);
        let found = reader.extract(original.to_vec(), format).await;
        assert_eq!(found, expected, "{format:?} {:?}", String::from_utf8_lossy(&original[..original.len().min(30)]));
    }
    let too_large = vec![b'a'; LARGEST_ORIGINAL + 1];
    let expected = extract(&too_large, Format::Plain).map_err(ReadingError::from);
    assert_eq!(reader.extract(too_large, Format::Plain).await, expected);
}
