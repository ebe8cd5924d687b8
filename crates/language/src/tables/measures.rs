//! How a language writes numbers, units and dates, as data.

use crate::tables::Tables;

#[derive(Debug)]
pub(crate) struct Measures {
    /// A number, its word, and the word of its ordinal, without its ending where it has several.
    pub(crate) numbers: &'static [(u64, &'static str, &'static str)],
    /// What ordinals end in beside the form in the table.
    pub(crate) ordinal_endings: &'static [&'static str],
    /// Words that multiply what stands before them.
    pub(crate) magnitudes: &'static [(u64, &'static [&'static str])],
    /// What joins a unit and a ten in one word, the unit first: `fünfundzwanzig`.
    pub(crate) joins_tens: &'static str,
    /// Each line: the unit, then its spellings in lower case; `+` stands between the words of one.
    pub(crate) units: &'static [(&'static str, &'static str)],
    /// How often, and the unit of time that it is once in.
    pub(crate) how_often: &'static [(&'static str, &'static str)],
    /// Names of months in lower case, each with its place in the year.
    pub(crate) months: &'static [(&'static str, u8)],
    /// In lower case, from Monday on.
    pub(crate) weekdays: &'static [&'static str],
    /// Behind an hour: `22 Uhr`.
    pub(crate) clock: &'static [&'static str],
    /// Before the unit that something is counted by: `per minute`.
    pub(crate) per: &'static [&'static str],
    /// `1.000` is a thousand, `1,5` one and a half.
    pub(crate) has_decimal_comma: bool,
}

pub(crate) const NO_MEASURES: Measures = Measures {
    numbers: &[],
    ordinal_endings: &[],
    magnitudes: &[],
    joins_tens: "",
    units: &[],
    how_often: &[],
    months: &[],
    weekdays: &[],
    clock: &[],
    per: &[],
    has_decimal_comma: false,
};

/// The languages whose numbers, units and dates are known.
pub(crate) static MEASURED: [&Tables; 2] = [&super::ENGLISH, &super::GERMAN];
