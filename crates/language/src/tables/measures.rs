//! How a language writes numbers, units and dates, as data.

use serde::Deserialize;

use super::{List, Pair, by_key};

#[derive(Default, Deserialize, Debug)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Measures {
    /// A number, its word, and the word of its ordinal, without its ending where it has several.
    pub(crate) numbers: List<(u64, &'static str, &'static str)>,
    /// What ordinals end in beside the form in the table.
    pub(crate) ordinal_endings: List,
    /// Words that multiply what stands before them.
    #[serde(deserialize_with = "by_key")]
    pub(crate) magnitudes: List<(u64, List)>,
    /// What joins a unit and a ten in one word, the unit first: `fünfundzwanzig`.
    pub(crate) joins_tens: &'static str,
    /// Each line: the unit, then its spellings in lower case; `+` stands between the words of one.
    #[serde(deserialize_with = "by_key")]
    pub(crate) units: List<Pair>,
    /// How often, and the unit of time that it is once in.
    #[serde(deserialize_with = "by_key")]
    pub(crate) how_often: List<Pair>,
    /// Names of months in lower case, each with its place in the year.
    #[serde(deserialize_with = "by_key")]
    pub(crate) months: List<(&'static str, u8)>,
    /// In lower case, from Monday on.
    pub(crate) weekdays: List,
    /// Behind an hour: `22 Uhr`.
    pub(crate) clock: List,
    /// Before the unit that something is counted by: `per minute`.
    pub(crate) per: List,
    /// `1.000` is a thousand, `1,5` one and a half.
    pub(crate) has_decimal_comma: bool,
}
