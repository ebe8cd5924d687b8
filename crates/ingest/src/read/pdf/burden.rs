//! How much a PDF unpacks to, measured before any of it is used.

use std::io::{BufRead as _, BufReader, Read};

use flate2::read::ZlibDecoder;

use super::unreadable;
use crate::read::ReadError;

/// All packed streams together; pictures in other compressions are never unpacked.
const LARGEST_UNPACKED: u64 = 512 * 1024 * 1024;

/// Nobody packs a stream this often; each time may multiply what comes out.
const MOST_FILTERS: usize = 6;

/// How much of what comes out tells whether it is packed again.
const LOOKED_AT: usize = 64;

/// The library unpacks streams without a bound. Where streams begin can be told without
/// understanding the file, so unpack each into nothing first and count.
///
/// Streams that are encrypted, and compressions for pictures and fax, are not seen here: the limits on the reading
/// process are for those.
pub(super) fn check(bytes: &[u8]) -> Result<(), ReadError> {
    check_within(bytes, LARGEST_UNPACKED)
}

fn check_within(bytes: &[u8], limit: u64) -> Result<(), ReadError> {
    let mut left = limit;
    let mut rest = bytes;
    while let Some(found) = find(rest, b"stream") {
        let is_end = rest[..found].ends_with(b"end");
        rest = &rest[found + b"stream".len()..];
        let data = rest.trim_ascii_start();
        if is_end || data.len() == rest.len() {
            continue;
        }
        left = match left.checked_sub(unpacked(data, left)?) {
            Some(left) => left,
            None => {
                return Err(ReadError::TooLarge { what: "its unpacked streams".into(), limit: "512 MiB".to_owned() });
            }
        };
    }
    Ok(())
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Filter {
    Flate,
    Hex,
    Base85,
}

/// What comes out of a stream, filter after filter, all of it together. Not much more than `left` is unpacked.
fn unpacked(data: &[u8], left: u64) -> Result<u64, ReadError> {
    let mut total = 0;
    let mut chain: Vec<Filter> = Vec::new();
    let mut head = data[..data.len().min(LOOKED_AT)].to_vec();
    while total <= left {
        let next = [Filter::Flate, Filter::Hex, Filter::Base85].into_iter().find_map(|filter| {
            if !may_be(filter, &head) {
                return None;
            }
            chain.push(filter);
            let (count, head) = counted(open(data, &chain), left - total + 1);
            if count == 0 {
                chain.pop();
                return None;
            }
            Some((count, head))
        });
        let Some((count, begins)) = next else { break };
        total += count;
        head = begins;
        if chain.len() > MOST_FILTERS {
            return Err(unreadable("its streams are packed too often; print it to a new PDF and use that"));
        }
    }
    Ok(total)
}

/// Whether something that begins like this may be packed so. Trying costs little where it is not.
fn may_be(filter: Filter, head: &[u8]) -> bool {
    let mut visible = head.iter().filter(|byte| !byte.is_ascii_whitespace()).peekable();
    if visible.peek().is_none() {
        return false;
    }
    match filter {
        Filter::Flate => head[0] & 0x0f == 8,
        Filter::Hex => visible.take_while(|byte| **byte != b'>').all(u8::is_ascii_hexdigit),
        Filter::Base85 => visible.take_while(|byte| **byte != b'~').all(|byte| is_base85(*byte)),
    }
}

fn is_base85(byte: u8) -> bool {
    matches!(byte, b'!'..=b'u' | b'z')
}

fn open<'a>(data: &'a [u8], chain: &[Filter]) -> Box<dyn Read + 'a> {
    // Packed in letters it ends where the stream does, and is not told from what follows.
    let data = match chain.first() {
        Some(Filter::Hex | Filter::Base85) => &data[..find(data, b"endstream").unwrap_or(data.len())],
        Some(Filter::Flate) | None => data,
    };
    chain.iter().fold(Box::new(data) as Box<dyn Read + 'a>, |packed, filter| match filter {
        Filter::Flate => Box::new(ZlibDecoder::new(packed)),
        Filter::Hex => Box::new(Letters::new(packed, hex)),
        Filter::Base85 => Box::new(Letters::new(packed, base85)),
    })
}

/// How many bytes come out before the end, a fault or `most`, and how they begin. What comes before a fault counts: a
/// library that repairs files uses it.
fn counted(mut unpacked: impl Read, most: u64) -> (u64, Vec<u8>) {
    let mut buffer = vec![0; 64 * 1024];
    let (mut count, mut head) = (0_u64, Vec::new());
    while count < most {
        let Ok(read @ 1..) = unpacked.read(&mut buffer) else { break };
        let missing = LOOKED_AT.saturating_sub(head.len()).min(read);
        head.extend_from_slice(&buffer[..missing]);
        count += read as u64;
    }
    (count, head)
}

/// Makes bytes of a few letters: of those that were taken from the input, in order.
type Decode = fn(&mut dyn FnMut() -> Option<u8>, &mut Vec<u8>);

/// Bytes written as letters.
struct Letters<R> {
    letters: BufReader<R>,
    decode: Decode,
    made: Vec<u8>,
}

impl<R: Read> Letters<R> {
    fn new(packed: R, decode: Decode) -> Self {
        Self { letters: BufReader::new(packed), decode, made: Vec::new() }
    }
}

impl<R: Read> Read for Letters<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let mut filled = 0;
        while filled < buffer.len() {
            if self.made.is_empty() {
                let letters = &mut self.letters;
                let mut next = || loop {
                    let byte = *letters.fill_buf().ok()?.first()?;
                    letters.consume(1);
                    if !byte.is_ascii_whitespace() && byte != 0 {
                        return Some(byte);
                    }
                };
                (self.decode)(&mut next, &mut self.made);
                if self.made.is_empty() {
                    break;
                }
            }
            let taken = self.made.len().min(buffer.len() - filled);
            buffer[filled..filled + taken].copy_from_slice(&self.made[..taken]);
            self.made.drain(..taken);
            filled += taken;
        }
        Ok(filled)
    }
}

fn hex(next: &mut dyn FnMut() -> Option<u8>, made: &mut Vec<u8>) {
    let mut digit = || char::from(next()?).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    if let Some(high) = digit() {
        made.push(high << 4 | digit().unwrap_or(0));
    }
}

fn base85(next: &mut dyn FnMut() -> Option<u8>, made: &mut Vec<u8>) {
    let mut group = [84_u32; 5];
    let mut length = 0;
    while length < 5 {
        match next() {
            Some(b'z') if length == 0 => return made.extend([0; 4]),
            Some(byte @ b'!'..=b'u') => {
                group[length] = u32::from(byte - b'!');
                length += 1;
            }
            _ => break,
        }
    }
    let number = group.iter().fold(0_u32, |number, digit| number.wrapping_mul(85).wrapping_add(*digit));
    made.extend_from_slice(&number.to_be_bytes()[..length.saturating_sub(1)]);
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

    fn packed(bytes: &[u8]) -> Vec<u8> {
        let mut packed = ZlibEncoder::new(Vec::new(), Compression::best());
        packed.write_all(bytes).unwrap();
        packed.finish().unwrap()
    }

    fn in_hex(bytes: &[u8]) -> Vec<u8> {
        bytes.iter().flat_map(|byte| format!("{byte:02X} ").into_bytes()).chain(*b">").collect()
    }

    fn in_base85(bytes: &[u8]) -> Vec<u8> {
        let groups = bytes.chunks(4).flat_map(|chunk| {
            let mut four = [0; 4];
            four[..chunk.len()].copy_from_slice(chunk);
            let mut number = u32::from_be_bytes(four);
            let mut five = [0_u8; 5];
            for digit in five.iter_mut().rev() {
                *digit = b'!' + u8::try_from(number % 85).unwrap();
                number /= 85;
            }
            five[..=chunk.len()].to_vec()
        });
        groups.chain(*b"~>").collect()
    }

    fn stream(data: &[u8]) -> Vec<u8> {
        [b"<< /Length 1 >>\nstream\n".as_slice(), data, b"\nendstream\nendobj\n"].concat()
    }

    #[test]
    fn what_unpacks_to_more_than_a_pdf_may_hold_is_refused() {
        let stream = stream(&packed(&[0; 1_000_000]));
        assert!(stream.len() < 5_000);
        assert_eq!(check_within(&stream.repeat(3), 3_000_000), Ok(()));
        assert!(matches!(check_within(&stream.repeat(4), 3_000_000), Err(ReadError::TooLarge { .. })));
    }

    #[test]
    fn however_it_is_packed_and_wherever_it_breaks_off() {
        let flate = packed(&[0; 1_000_000]);
        let cut_off = &flate[..flate.len() - 20];
        let mut broken = flate.clone();
        let length = broken.len();
        broken[length - 30..].fill(0xff);
        for (how, data) in [
            ("cut off", cut_off.to_vec()),
            ("broken", broken),
            ("in hex", in_hex(&flate)),
            ("in base 85", in_base85(&flate)),
            ("twice", packed(&flate)),
            ("three times, in letters", in_hex(&packed(&in_base85(&flate)))),
        ] {
            let streams = stream(&data).repeat(4);
            assert!(matches!(check_within(&streams, 3_000_000), Err(ReadError::TooLarge { .. })), "{how}");
            assert_eq!(check_within(&streams, 9_000_000), Ok(()), "{how}");
        }
        let endless = (0..12).fold(b"text".to_vec(), |data, _| packed(&data));
        assert!(matches!(check_within(&stream(&endless), 3_000_000), Err(ReadError::Unreadable { .. })));
    }

    #[test]
    fn ordinary_streams_are_ordinary() {
        let contents = b"BT /F1 12 Tf (Some words on a page) Tj ET\n".repeat(1_000);
        for data in [contents.clone(), packed(&contents), in_base85(&packed(&contents)), b"12 34 AB".to_vec()] {
            assert_eq!(check_within(&stream(&data).repeat(10), 2_000_000), Ok(()));
        }
    }
}
