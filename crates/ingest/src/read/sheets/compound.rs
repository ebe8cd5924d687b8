//! The container of an old workbook: a small file system whose chains of sectors may go in circles.

use ibidem_ports::intake::Format;

use crate::read::ReadError;

/// Sectors of this number and above are no sectors, but signs.
const FIRST_SIGN: u32 = 0xFFFF_FFFA;
/// The list of tables begins here in the header, and has so many entries there.
const LIST_IN_HEADER: usize = 76;
const ENTRIES_IN_HEADER: usize = 109;

/// Whether every chain of sectors ends. The library follows one that does not until the memory is full.
pub(super) fn check_chains(bytes: &[u8]) -> Result<(), ReadError> {
    let next = sector_table(bytes);
    // Each sector is gone through once: a chain that meets itself has sectors of the same walk.
    let mut walk_of = vec![0_usize; next.len()];
    for (start, walk) in (0..next.len()).zip(1..) {
        let mut at = start;
        while let Some(seen) = walk_of.get_mut(at) {
            if *seen == walk {
                let reason = "its parts go in circles; open it in a spreadsheet program and save it again";
                return Err(ReadError::unreadable(Format::Xls, reason));
            }
            if *seen != 0 {
                break;
            }
            *seen = walk;
            at = usize::try_from(next[at]).unwrap_or(usize::MAX);
        }
    }
    Ok(())
}

/// For each sector the one that follows it. What is not there ends in nothing, and is the library's to complain of.
fn sector_table(bytes: &[u8]) -> Vec<u32> {
    let size = if number(bytes, 30).map(|shift| shift & 0xFFFF) == Some(12) { 4096_usize } else { 512 };
    let sector = |id: u32| -> Option<usize> { usize::try_from(id).ok()?.checked_add(1)?.checked_mul(size) };
    let entries = size / 4;
    let mut tables: Vec<u32> =
        (0..ENTRIES_IN_HEADER).filter_map(|entry| number(bytes, LIST_IN_HEADER + 4 * entry)).collect();
    // The list goes on in sectors of its own, each of which ends in the number of the next.
    let mut further = number(bytes, 68).filter(|id| *id < FIRST_SIGN);
    for _ in 0..=bytes.len() / size {
        let Some(at) = further.and_then(sector) else { break };
        tables.extend((0..entries - 1).filter_map(|entry| number(bytes, at + 4 * entry)));
        further = number(bytes, at + 4 * (entries - 1)).filter(|id| *id < FIRST_SIGN);
    }
    let starts = tables.into_iter().filter(|id| *id < FIRST_SIGN).filter_map(sector).filter(|at| *at < bytes.len());
    // More tables than the file has sectors are not there.
    let starts = starts.take(bytes.len() / size + 1);
    starts.flat_map(|at| (0..entries).filter_map(move |entry| number(bytes, at + 4 * entry))).collect()
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    let four = bytes.get(at..at.checked_add(4)?)?;
    Some(u32::from_le_bytes(four.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const XLS: &[u8] = include_bytes!("../../../tests/fixtures/prices.xls");

    #[test]
    fn a_chain_that_goes_in_circles_is_refused() {
        assert_eq!(check_chains(XLS), Ok(()));
        let table = usize::try_from(number(XLS, LIST_IN_HEADER).unwrap()).unwrap();
        let at = 512 * (table + 1);
        for (entry, next) in [(0, 0_u32), (1, 0)] {
            let mut circle = XLS.to_vec();
            circle[at..at + 4].copy_from_slice(&1_u32.to_le_bytes());
            circle[at + 4 * entry..at + 4 * entry + 4].copy_from_slice(&next.to_le_bytes());
            assert!(check_chains(&circle).is_err(), "{entry} {next}");
        }
        for bytes in [b"".as_slice(), &XLS[..100], &XLS[..600], &[0xFF; 5_000], &[0; 5_000]] {
            let _ = check_chains(bytes);
        }
    }
}
