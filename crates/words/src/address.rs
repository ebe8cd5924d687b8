//! Addresses: the names by which people call documents, however they write them.

use std::fmt;

/// What two spellings of one address have in common: `ADR-0031`, `adr.31` and `ADR 31` are one address.
///
/// Words in lower case and numbers filled up with zeros, each apart by a space: in the order of keys, `ADR-9` comes
/// before `ADR-10`, and the neighbours of an address that does not exist are the nearest that do.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct AddressKey(String);

/// Numbers longer than this keep their digits.
const DIGITS: usize = 9;

impl AddressKey {
    /// None when there is no letter or digit in it.
    pub fn of(written: &str) -> Option<Self> {
        let parts: Vec<String> = parts(written).map(filled).collect();
        (!parts.is_empty()).then(|| Self(parts.join(" ")))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the words before the last numbers, which say what kind of address it is: `2 kings` of `2 kings 9:3`.
    pub fn series(&self) -> &str {
        self.0.trim_end_matches(|c: char| c.is_numeric() || c == ' ')
    }

    /// The same address under another name of its series: `gen 9:4` of `genesis`.
    #[must_use]
    pub fn renamed(&self, series: &str) -> Option<Self> {
        Self::of(&format!("{series}{}", &self.0[self.series().len()..]))
    }

    /// Returns the same address with another last number, or none when it ends in a word.
    pub fn numbered(&self, last: u64) -> Option<Self> {
        let (before, _) = self.0.rsplit_once(' ').filter(|_| self.last_number().is_some())?;
        Some(Self(format!("{before} {}", filled(last.to_string()))))
    }

    pub fn last_number(&self) -> Option<u64> {
        self.0.rsplit(' ').next()?.parse().ok()
    }
}

impl fmt::Display for AddressKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Runs of letters in lower case and runs of digits; what stands between only parts them.
fn parts(written: &str) -> impl Iterator<Item = String> {
    #[derive(Clone, Copy, PartialEq)]
    enum Sort {
        Letter,
        Digit,
        Between,
    }
    let sort = |c: char| match c {
        c if c.is_ascii_digit() => Sort::Digit,
        c if c.is_alphanumeric() => Sort::Letter,
        _ => Sort::Between,
    };
    let mut runs: Vec<(Sort, String)> = Vec::new();
    for c in written.chars() {
        match runs.last_mut() {
            Some((last, run)) if *last == sort(c) => run.extend(c.to_lowercase()),
            _ => runs.push((sort(c), c.to_lowercase().collect())),
        }
    }
    runs.into_iter().filter(|(sort, _)| *sort != Sort::Between).map(|(_, run)| run)
}

fn filled(part: String) -> String {
    if !part.bytes().all(|byte| byte.is_ascii_digit()) {
        return part;
    }
    format!("{:0>DIGITS$}", part.trim_start_matches('0'))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn key(written: &str) -> AddressKey {
        AddressKey::of(written).unwrap()
    }

    #[test]
    fn spellings_of_one_address_have_one_key() {
        for written in ["ADR-0031", "adr.31", "ADR 31", "Adr31", " adr - 031. "] {
            assert_eq!(key(written).as_str(), "adr 000000031", "{written}");
        }
        assert_eq!(key("2 Kings 9:3").as_str(), "000000002 kings 000000009 000000003");
        assert_ne!(key("ADR-31"), key("ADR-310"));
        assert_ne!(key("BG 2.13"), key("BG 21.3"));
        assert_eq!(AddressKey::of(" -- "), None);
    }

    #[test]
    fn keys_are_in_the_order_of_their_numbers() {
        assert!(key("ADR-9") < key("ADR-10"));
        assert!(key("Luke 22:71") < key("Luke 22:105") && key("Luke 22:105") < key("Luke 23:1"));
    }

    #[test]
    fn a_key_knows_its_series_and_its_last_number() {
        assert_eq!(key("2 Kings 9:3").series(), "000000002 kings");
        assert_eq!(key("Gen. 9:4").renamed("Genesis"), AddressKey::of("Genesis 9:4"));
        assert_eq!(key("Esther 3:7").numbered(11), AddressKey::of("Esther 3:11"));
        assert_eq!(key("Esther 3:7").last_number(), Some(7));
        assert_eq!((key("Preface").last_number(), key("Preface").numbered(1)), (None, None));
    }

    proptest! {
        #[test]
        fn a_key_is_its_own_key(written in ".{0,40}") {
            if let Some(key) = AddressKey::of(&written) {
                prop_assert_eq!(AddressKey::of(key.as_str()), Some(key.clone()));
                prop_assert!(key.as_str().starts_with(key.series()));
            }
        }
    }
}
