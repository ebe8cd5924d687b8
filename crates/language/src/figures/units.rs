//! Spellings of units. Two spellings of one unit are the same; two units never are, whatever the conversion.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::tables::{MEASURED, SYMBOLS};

/// A unit by its plain name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Unit(pub(super) &'static str);

/// What is counted rather than measured: a passage that counts without naming it is not contradicted.
const COUNTED: [&str; 10] =
    ["character", "word", "page", "line", "token", "paragraph", "point", "credit", "night", "percentage point"];

impl Unit {
    pub(super) fn is_counted(self) -> bool {
        COUNTED.contains(&self.0)
    }

    /// A length of time, which others can be counted by.
    pub(super) fn is_time(self) -> bool {
        matches!(self.0, "millisecond" | "second" | "minute" | "hour" | "day" | "week" | "month" | "quarter" | "year")
    }
}

struct Table {
    single: HashMap<&'static str, Unit>,
    /// Of two or three words, by the first.
    several: HashMap<&'static str, Vec<(Vec<&'static str>, Unit)>>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let mut table = Table { single: HashMap::new(), several: HashMap::new() };
    let of_languages = MEASURED.iter().flat_map(|language| language.measures.units);
    for (name, spellings) in SYMBOLS.units.into_iter().chain(of_languages) {
        for spelling in spellings.split(' ') {
            let words: Vec<&str> = spelling.split('+').collect();
            match words[..] {
                [one] => drop(table.single.insert(one, Unit(name))),
                [first, ..] => table.several.entry(first).or_default().push((words, Unit(name))),
                [] => {}
            }
        }
    }
    table
});

/// A unit of one word: as it is written, or a word in another case.
pub(super) fn single(text: &str) -> Option<Unit> {
    if let Some(unit) = TABLE.single.get(text) {
        return Some(*unit);
    }
    if !text.contains(char::is_uppercase) {
        return None;
    }
    let folded = text.to_lowercase();
    // `KM` and `Days` are the unit; `mB`, one letter or two in the wrong case, is not.
    (folded.len() > 2 || folded == "km" || folded == "kg" || folded == "ms")
        .then(|| TABLE.single.get(folded.as_str()).copied())
        .flatten()
}

/// A unit of several words, beginning with the first of these; and how many of them it takes.
pub(super) fn several(words: &[&str]) -> Option<(usize, Unit)> {
    let candidates = TABLE.several.get(words.first()?)?;
    let fits = candidates.iter().filter(|(spelling, _)| words.starts_with(spelling));
    fits.max_by_key(|(spelling, _)| spelling.len()).map(|(spelling, unit)| (spelling.len(), *unit))
}

/// Currencies, which may stand before their amount.
pub(super) fn currency(text: &str) -> Option<Unit> {
    const CURRENCIES: [&str; 9] = [
        "euro",
        "dollar",
        "pound sterling",
        "yen",
        "Swiss franc",
        "Swedish krona",
        "Norwegian krone",
        "Danish krone",
        "rupee",
    ];
    TABLE.single.get(text).copied().filter(|unit| CURRENCIES.contains(&unit.0))
}

/// How often: `daily` is once a day.
pub(super) fn adverb(folded: &str) -> Option<Unit> {
    let mut rows = MEASURED.iter().flat_map(|language| language.measures.how_often);
    let found = rows.find(|(words, _)| words.split(' ').any(|word| word == folded));
    found.map(|(_, unit)| Unit(unit))
}
