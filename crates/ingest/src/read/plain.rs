//! Plain text: finding out its encoding, and taking it as it is.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};
use ibidem_ports::intake::Format;

use super::manuscript::{Manuscript, TitleHeading};
use super::{ReadDocument, ReadError, Stated};

/// How far into an HTML file its encoding may be declared, as browsers look for it.
const DECLARED_WITHIN: usize = 1024;

/// The characters of a text file: UTF-8, UTF-16 with a byte order mark, or else Windows-1252, which has
/// a character for nearly every byte. Never fails: what cannot be decoded becomes U+FFFD.
pub(super) fn decoded(bytes: &[u8]) -> Cow<'_, str> {
    decoded_or(bytes, WINDOWS_1252)
}

/// The same for HTML, which may name its encoding.
pub(super) fn decoded_html(bytes: &[u8]) -> Cow<'_, str> {
    decoded_or(bytes, declared_encoding(bytes).unwrap_or(WINDOWS_1252))
}

fn decoded_or<'a>(bytes: &'a [u8], fallback: &'static Encoding) -> Cow<'a, str> {
    let encoding = match Encoding::for_bom(bytes) {
        Some((encoding, _)) => encoding,
        None if std::str::from_utf8(bytes).is_ok() => UTF_8,
        None => fallback,
    };
    encoding.decode(bytes).0
}

fn declared_encoding(bytes: &[u8]) -> Option<&'static Encoding> {
    let start = bytes.get(..DECLARED_WITHIN).unwrap_or(bytes).to_ascii_lowercase();
    let found = start.windows(8).position(|window| window == b"charset=")?;
    let label = start[found + 8..].trim_ascii_start();
    let label = label.strip_prefix(b"\"").or_else(|| label.strip_prefix(b"'")).unwrap_or(label);
    let end = label.iter().position(|byte| !byte.is_ascii_alphanumeric() && !b"-_:".contains(byte))?;
    Encoding::for_label(&label[..end])
}

pub(super) fn extract(text: &str) -> Result<ReadDocument, ReadError> {
    let mut manuscript = Manuscript::new(TitleHeading::No);
    manuscript.verbatim(text);
    manuscript.finish(Format::Plain, Stated::default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings_are_recognised() {
        let cases: [(&[u8], &str); 6] = [
            ("Grüße".as_bytes(), "Grüße"),
            (b"\xef\xbb\xbfwith a mark", "with a mark"),
            (b"\xff\xfeH\0i\0\xac\x20", "Hi€"),
            (b"\xfe\xff\0H\0i", "Hi"),
            (b"Gr\xfc\xdfe \x96 \x80", "Grüße – €"),
            (b"", ""),
        ];
        for (bytes, expected) in cases {
            assert_eq!(decoded(bytes), expected, "{bytes:?}");
        }
    }

    #[test]
    fn html_may_name_its_encoding() {
        let cyrillic = b"<html><head><meta charset=\"koi8-r\"></head><body>\xf0\xf2\xf7</body>";
        assert!(decoded_html(cyrillic).contains("ПРВ"));
        let utf8_all_the_same = "<meta charset='windows-1252'>é".as_bytes();
        assert!(decoded_html(utf8_all_the_same).ends_with('é'));
    }

    #[test]
    fn paragraphs_stay_as_they_are() {
        let document = extract("\n\n  First line\r\n  second line\n\n\n\nNext.\n\n").unwrap();
        assert_eq!(document.text, "  First line\n  second line\n\n\n\nNext.");
        assert_eq!((document.title, document.sections.len()), (None, 0));
    }
}
