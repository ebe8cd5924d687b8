//! What is said of a document (title, address, name, date, tags), cleaned and bounded where it comes in.
//!
//! What a person or a program hands in is refused when it cannot be kept, with the field's name. What a document says of
//! itself is cleaned or left out instead: a document's own carelessness is no reason to keep it out.

use chrono::{DateTime, Datelike as _, Utc};

use super::{is_unseen, seen};

/// Bounds a title, in characters.
pub const LONGEST_TITLE: usize = 500;
/// Bounds an address, in characters: its key, in which numbers are filled up with zeros, must fit into an index.
pub const LONGEST_ADDRESS: usize = 200;
/// The longest name of a document, in characters and in bytes: it must fit into an index with its collection.
pub const LONGEST_LOCATION: usize = 1_000;
pub const MOST_LOCATION_BYTES: usize = 2_000;
/// Bounds how many tags one document has.
pub const MOST_TAGS: usize = 100;
/// The years a document can be of: those that every calendar here can hold and write.
pub const YEARS: std::ops::RangeInclusive<i32> = 1..=9999;

/// A field that cannot be taken as it was written.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{field}: {reason}")]
pub struct InvalidField {
    pub field: &'static str,
    pub reason: String,
}

fn invalid(field: &'static str, reason: impl Into<String>) -> InvalidField {
    InvalidField { field, reason: reason.into() }
}

/// A title as somebody states it; none when there is nothing to see in it.
pub fn title(written: &str) -> Result<Option<String>, InvalidField> {
    one_line("title", written, LONGEST_TITLE)
}

/// An address as somebody states it; none when there is nothing to see in it.
pub fn address(written: &str) -> Result<Option<String>, InvalidField> {
    one_line("address", written, LONGEST_ADDRESS)
}

/// What a document is known by: its path below the ingested folder, or the name an API caller gave it.
///
/// It is its identity, so it is refused rather than changed: two names must not become one.
pub fn location(written: &str) -> Result<(), InvalidField> {
    let refused = |reason: String| Err(invalid("name", reason));
    if written.trim().is_empty() {
        return refused("is empty".to_owned());
    }
    if let Some(odd) = written.chars().find(|c| is_unseen(*c) || matches!(c, '\n' | '\t')) {
        return refused(format!("has a character that cannot be seen (U+{:04X})", u32::from(odd)));
    }
    if written.split(['/', '\\']).any(|part| part == "..") {
        return refused("has \"..\" as a part of its path".to_owned());
    }
    let (characters, bytes) = (written.chars().count(), written.len());
    if characters > LONGEST_LOCATION || bytes > MOST_LOCATION_BYTES {
        return refused(format!(
            "has {characters} characters in {bytes} bytes; at most {LONGEST_LOCATION} in {MOST_LOCATION_BYTES} are kept"
        ));
    }
    Ok(())
}

/// Checks that a document's date lies in the years that can be kept.
pub fn date(field: &'static str, date: DateTime<Utc>) -> Result<DateTime<Utc>, InvalidField> {
    if YEARS.contains(&date.year()) {
        return Ok(date);
    }
    Err(invalid(field, format!("the year {} is outside the calendar; years 1 to 9999 can be kept", date.year())))
}

pub fn tags(count: usize) -> Result<(), InvalidField> {
    match count {
        0 => Err(invalid("tags", "there are none: say who may see the document, or `public`")),
        _ if count > MOST_TAGS => {
            Err(invalid("tags", format!("there are {count}; a document has at most {MOST_TAGS}")))
        }
        _ => Ok(()),
    }
}

fn one_line(field: &'static str, written: &str, longest: usize) -> Result<Option<String>, InvalidField> {
    if let Some(odd) = written.chars().find(|c| c.is_control() && !c.is_whitespace()) {
        return Err(invalid(field, format!("has a control character (U+{:04X})", u32::from(odd))));
    }
    let line = collapsed(written);
    let characters = line.chars().count();
    if characters > longest {
        return Err(invalid(field, format!("has {characters} characters; at most {longest} are kept")));
    }
    Ok(Some(line).filter(|line| !line.is_empty()))
}

/// A title as a document has it: without what cannot be seen, and shortened where it is too long.
pub fn own_title(written: &str) -> Option<String> {
    let line = collapsed(written);
    if line.chars().count() <= LONGEST_TITLE {
        return Some(line).filter(|line| !line.is_empty());
    }
    let kept: String = line.chars().take(LONGEST_TITLE - 1).collect();
    Some(format!("{}…", kept.trim_end()))
}

/// What can be seen of it, with single spaces between its words.
fn collapsed(written: &str) -> String {
    let mut collapsed = String::with_capacity(written.len());
    for word in seen(written).split_whitespace() {
        if !collapsed.is_empty() {
            collapsed.push(' ');
        }
        collapsed.push_str(word);
    }
    collapsed
}

#[cfg(test)]
mod tests {
    use chrono::TimeZone as _;
    use proptest::prelude::*;

    use super::*;
    use crate::AddressKey;

    #[test]
    fn what_is_stated_is_cleaned_or_refused_with_its_fields_name() {
        assert_eq!(title("  The\u{202e} oil\u{200b}\n change ").unwrap().as_deref(), Some("The oil change"));
        assert_eq!(title(" \u{feff}\n").unwrap(), None);
        for (refused, expected) in [
            (title("a\0b"), "title: has a control character (U+0000)"),
            (title(&"x".repeat(501)), "title: has 501 characters; at most 500 are kept"),
            (address(&"9 ".repeat(4_500)), "address: has 8999 characters; at most 200 are kept"),
        ] {
            assert_eq!(refused.unwrap_err().to_string(), expected);
        }
    }

    #[test]
    fn a_name_is_refused_rather_than_changed() {
        for good in ["a.md", "folder/Grüße 漢字.pdf", "corpus.jsonl#Genesis 1:1", "api:desk/v1..2.md"] {
            assert_eq!(location(good), Ok(()), "{good}");
        }
        for odd in ["", " ", "a\nb.md", "a\0.md", "a\u{200b}.md", "../a.md", "x/../../a.md", "..\\a.md"] {
            assert!(location(odd).is_err(), "{odd:?}");
        }
        assert!(location(&"x".repeat(1_001)).is_err());
        assert!(location(&"漢".repeat(700)).is_err());
    }

    #[test]
    fn a_date_is_within_the_calendar() {
        let of = |year| Utc.with_ymd_and_hms(year, 6, 1, 0, 0, 0).unwrap();
        assert_eq!(date("date", of(2026)), Ok(of(2026)));
        for year in [-4800, 0, 10_000, 262_000] {
            let error = date("date", of(year)).unwrap_err().to_string();
            assert!(error.starts_with("date: the year "), "{error}");
        }
    }

    #[test]
    fn a_documents_own_title_is_shortened_and_never_refused() {
        assert_eq!(own_title("a\0b\u{1b}[31m c").as_deref(), Some("ab[31m c"));
        assert_eq!(own_title("\0\u{200b}"), None);
        let long = own_title(&"x".repeat(1_000_000)).unwrap();
        assert_eq!((long.chars().count(), long.ends_with('…')), (LONGEST_TITLE, true));
    }

    proptest! {
        #[test]
        fn what_is_kept_fits_an_index_and_has_nothing_unseen(written in "(?s).{0,260}") {
            if let Ok(Some(kept)) = address(&written) {
                prop_assert!(!kept.contains(is_unseen) && kept.chars().count() <= LONGEST_ADDRESS);
                prop_assert!(AddressKey::of(&kept).is_none_or(|key| key.as_str().len() <= 2_000));
            }
            if let Some(kept) = own_title(&written) {
                prop_assert!(!kept.contains(is_unseen) && title(&kept) == Ok(Some(kept.clone())));
            }
        }
    }
}
