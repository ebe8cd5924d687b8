//! How much a PDF unpacks to, measured before any of it is used.

use std::io::Read;

use flate2::read::ZlibDecoder;

use crate::read::ReadError;

/// All compressed streams together; pictures in other compressions are never unpacked.
const LARGEST_UNPACKED: u64 = 512 * 1024 * 1024;

/// The library unpacks streams without a bound. Where streams begin can be told without
/// understanding the file, so unpack each into nothing first and count.
///
/// Streams that are encrypted or compressed twice are not seen here.
pub(super) fn check(bytes: &[u8]) -> Result<(), ReadError> {
    check_within(bytes, LARGEST_UNPACKED)
}

fn check_within(bytes: &[u8], limit: u64) -> Result<(), ReadError> {
    let mut left = limit;
    let mut rest = bytes;
    while let Some(found) = find(rest, b"stream") {
        rest = &rest[found + b"stream".len()..];
        let data = rest.strip_prefix(b"\r\n").or_else(|| rest.strip_prefix(b"\n")).or_else(|| rest.strip_prefix(b"\r"));
        // `endstream` ends here, and so does anything that does not look compressed.
        let Some(data) = data.filter(|data| data.first().is_some_and(|first| first & 0x0f == 8)) else { continue };
        let unpacked = std::io::copy(&mut ZlibDecoder::new(data).take(left + 1), &mut std::io::sink());
        left = match left.checked_sub(unpacked.unwrap_or(0)) {
            Some(left) => left,
            None => return Err(ReadError::TooLarge { what: "its unpacked streams", limit: "512 MiB".to_owned() }),
        };
    }
    Ok(())
}

fn find(bytes: &[u8], mark: &[u8]) -> Option<usize> {
    bytes.windows(mark.len()).position(|window| window == mark)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::ZlibEncoder;

    use super::*;

    #[test]
    fn what_unpacks_to_more_than_a_pdf_may_hold_is_refused() {
        let mut packed = ZlibEncoder::new(Vec::new(), Compression::best());
        packed.write_all(&[0; 1_000_000]).unwrap();
        let packed = packed.finish().unwrap();
        let stream = [b"<< /Filter /FlateDecode >>\nstream\n".as_slice(), &packed, b"\nendstream\n"].concat();
        assert!(stream.len() < 5_000);
        assert_eq!(check_within(&stream.repeat(3), 3_000_000), Ok(()));
        assert!(matches!(check_within(&stream.repeat(4), 3_000_000), Err(ReadError::TooLarge { .. })));
    }
}
