//! What has the form of a document's address: `ADR-0031`, `POLICY-03`, `ODH-ADR-3`, `HR 5`; and ranges of them.
//!
//! A form says nothing of whether there is such a document: who asks looks it up.

use std::ops::Range;

use crate::tables::WITH_SPACES;

/// Longer numbers are none of a series of documents.
const MOST_DIGITS: usize = 6;
const MOST_LETTERS: usize = 24;

/// Something that may be an address, or all from one to another.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Written {
    /// All of it, in bytes.
    pub bytes: Range<usize>,
    /// The address, or the first of the range.
    pub first: Range<usize>,
    /// The last number of a range.
    pub to: Option<u64>,
}

/// How strictly the form of an address is taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    /// Across a space only after capitals: `HR 5`.
    Strict,
    /// Across a space after small letters too: `hr 5`.
    Loose,
}

/// Everything in a text that has the form of an address, from left to right.
pub fn written_in(text: &str) -> Vec<Written> {
    found_in(text, Form::Strict)
}

/// The same, with what may as well be a word and a number: `kb 110`, and `days 30`. Only a document of that address tells
/// the one from the other.
pub fn loosely_written_in(text: &str) -> Vec<Written> {
    found_in(text, Form::Loose)
}

fn found_in(text: &str, form: Form) -> Vec<Written> {
    let mut found: Vec<Written> = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let begins = text[..at].chars().next_back().is_none_or(|before| !before.is_alphanumeric() && before != '-');
        let Some(first) = begins.then(|| address_at(text, at, form)).flatten() else {
            at += text[at..].chars().next().map_or(1, char::len_utf8);
            continue;
        };
        let range = to_after(text, &first, form);
        let end = range.as_ref().map_or(first.bytes.end, |(_, end)| *end);
        found.push(Written { bytes: at..end, first: first.bytes, to: range.map(|(to, _)| to) });
        at = end;
    }
    found
}

/// The addresses in a text, as they are written; of a range its first.
pub fn addresses_in(text: &str) -> Vec<String> {
    written_in(text).into_iter().map(|written| text[written.first].to_owned()).collect()
}

/// A text that is an address in capitals and nothing else, as a document's properties may have it: `FIN-01`.
pub fn sole_address(text: &str) -> Option<&str> {
    let text = text.trim();
    let is_capital = |sign: char| !sign.is_alphabetic() || sign.is_uppercase();
    let whole = written_in(text).into_iter().next().filter(|written| written.first == (0..text.len()))?;
    (whole.to.is_none() && text.chars().all(is_capital)).then_some(text)
}

struct Address {
    bytes: Range<usize>,
    /// The letters before its number.
    series: Range<usize>,
    number: u64,
    digits: usize,
}

/// An address that begins here: letters, perhaps in several parts, and a number.
fn address_at(text: &str, at: usize, form: Form) -> Option<Address> {
    let rest = &text[at..];
    let mut end = 0;
    loop {
        let letters = rest[end..].chars().take_while(|sign| sign.is_alphabetic());
        let (count, bytes) = letters.fold((0, 0), |(count, bytes), sign| (count + 1, bytes + sign.len_utf8()));
        if count == 0 || end + bytes > MOST_LETTERS {
            return None;
        }
        end += bytes;
        let goes_on = rest[end..].strip_prefix(['-', '_']).is_some_and(|next| next.starts_with(char::is_alphabetic));
        if !goes_on {
            break;
        }
        end += 1;
    }
    let series = at..at + end;
    let after = &rest[end..];
    let is_called_by_capitals = rest[..end].chars().filter(|sign| sign.is_alphabetic()).all(char::is_uppercase);
    let between = match after.chars().next()? {
        '-' | '.' | '_' => 1,
        ' ' if is_called_by_capitals || form == Form::Loose => 1,
        sign if sign.is_ascii_digit() => 0,
        _ => return None,
    };
    let digits = digits(&after[between..])?;
    let end = series.end + between + digits;
    let number = text[end - digits..end].parse().ok()?;
    // `1.3` and `2.5x` are versions and quantities, not numbers of documents.
    let goes_on = |next: &str| {
        let mut signs = next.chars();
        match signs.next() {
            Some('.' | ',') => signs.next().is_some_and(|sign| sign.is_ascii_digit()),
            Some(sign) => sign.is_alphabetic(),
            None => false,
        }
    };
    (!goes_on(&text[end..])).then_some(Address { bytes: at..end, series, number, digits })
}

/// How many digits a text begins with; none where they are too many for a number of a series.
fn digits(text: &str) -> Option<usize> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    (1..=MOST_DIGITS).contains(&digits).then_some(digits)
}

/// What a range goes on to after its first address, and where it ends: `–0042`, `to ADR-0042`, `bis 42`.
fn to_after(text: &str, first: &Address, form: Form) -> Option<(u64, usize)> {
    let after = &text[first.bytes.end..];
    let spaced = after.trim_start();
    let begin = first.bytes.end + (after.len() - spaced.len());
    let words = WITH_SPACES.iter().flat_map(|language| language.to);
    let lower = spaced.get(..spaced.floor_char_boundary(12)).unwrap_or_default().to_lowercase();
    let word =
        words.copied().find(|word| lower.strip_prefix(word).is_some_and(|rest| rest.starts_with(char::is_whitespace)));
    let is_dash = |sign: char| matches!(sign, '-' | '–' | '—' | '−' | '…');
    let connector = match word {
        Some(word) => word.len(),
        None if spaced.starts_with(is_dash) => spaced.chars().next().map_or(0, char::len_utf8),
        None if spaced.starts_with("..") => spaced.chars().take_while(|sign| *sign == '.').count(),
        None => return None,
    };
    let rest = &text[begin + connector..];
    let last = rest.trim_start();
    let at = begin + connector + (rest.len() - last.len());
    let series = &text[first.series.clone()];
    let end = match address_at(text, at, form) {
        Some(last) if text[last.series.clone()].eq_ignore_ascii_case(series) => last.bytes.end,
        Some(_) => return None,
        // `HR-05-2024` is the fifth of a year, and no range.
        None if spaced.starts_with('-') && at == first.bytes.end + 1 && digits(last)? != first.digits => return None,
        None => at + digits(last)?,
    };
    let number: u64 = text[at..end].rsplit(|sign: char| !sign.is_ascii_digit()).next()?.parse().ok()?;
    (number > first.number).then_some((number, end))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<(&str, Option<u64>)> {
        written_in(text).into_iter().map(|written| (&text[written.first], written.to)).collect()
    }

    #[test]
    fn addresses_of_every_series_are_found() {
        for (text, expected) in [
            ("What does POLICY-03 say?", vec![("POLICY-03", None)]),
            (
                "PRINCIPLE-06, HR-05 and ODH-ADR-0003.",
                vec![("PRINCIPLE-06", None), ("HR-05", None), ("ODH-ADR-0003", None)],
            ),
            ("adr.12 or ADR 7 or adr7", vec![("adr.12", None), ("ADR 7", None), ("adr7", None)]),
            ("on 2023-03-21, in May 2024, TLS 1.3", vec![]),
            ("Superseded by ADR-0031 on 2023", vec![("ADR-0031", None)]),
            ("the 30 days of step 4", vec![]),
            ("ADR-", vec![]),
            ("ÜB-4", vec![("ÜB-4", None)]),
        ] {
            assert_eq!(found(text), expected, "{text}");
        }
    }

    #[test]
    fn small_letters_before_a_space_are_an_address_only_where_the_form_is_taken_loosely() {
        let loosely = |text| -> Vec<(String, Option<u64>)> {
            let found: Vec<Written> = loosely_written_in(text);
            found.into_iter().map(|written| (text[written.first].to_owned(), written.to)).collect()
        };
        assert_eq!(loosely("kb 110"), [("kb 110".to_owned(), None)]);
        assert_eq!(loosely("what do hr 2 to hr 5 say"), [("hr 2".to_owned(), Some(5))]);
        assert_eq!(loosely("on TLS 1.3"), []);
        assert_eq!(found("kb 110"), []);
    }

    #[test]
    fn ranges_are_found_in_all_spellings() {
        for text in [
            "ADR-0040 to ADR-0042",
            "ADR-0040–0042",
            "ADR-0040 – ADR-0042?",
            "ADR-0040-0042",
            "ADR-0040 through 42",
            "ADR-0040 bis ADR-0042",
            "ADR-0040..ADR-0042",
        ] {
            assert_eq!(found(text), [("ADR-0040", Some(42))], "{text}");
        }
        for (text, expected) in [
            ("ADR-0042 to ADR-0040", vec![("ADR-0042", None), ("ADR-0040", None)]),
            ("ADR-0040 to POLICY-50", vec![("ADR-0040", None), ("POLICY-50", None)]),
            ("ADR-0040 tops", vec![("ADR-0040", None)]),
            ("ADR-0040 to the point", vec![("ADR-0040", None)]),
            ("HR-05-2024", vec![("HR-05", None)]),
        ] {
            assert_eq!(found(text), expected, "{text}");
        }
    }
}
