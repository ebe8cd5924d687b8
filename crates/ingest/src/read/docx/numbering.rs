//! The markers of lists and numbered headings: Word stores how to count, not the numbers people see.

use std::collections::HashMap;

use ibidem_ports::intake::Format;

use crate::read::ReadError;
use crate::read::package::xml::{Part, Step};

/// Word's lists have nine levels.
const LEVELS: usize = 9;

#[derive(Default)]
pub(super) struct Numbering {
    /// A list's pattern, by the list's id.
    pattern_of: HashMap<String, String>,
    /// Where a list starts over at a level.
    restarts: HashMap<(String, usize), u64>,
    levels: HashMap<(String, usize), Level>,
    /// How far each pattern has counted.
    counted: HashMap<String, [Option<u64>; LEVELS]>,
    started: HashMap<(String, usize), bool>,
}

#[derive(Clone)]
struct Level {
    format: String,
    /// `%1.%2` and the like.
    text: String,
    start: u64,
}

impl Default for Level {
    fn default() -> Self {
        Self { format: "decimal".to_owned(), text: String::new(), start: 1 }
    }
}

impl Numbering {
    pub(super) fn parse(xml: &str) -> Result<Self, ReadError> {
        let mut numbering = Self::default();
        let (mut pattern, mut list, mut level) = (None, None, 0_usize);
        let mut part = Part::new(xml, Format::Docx);
        while let Some(step) = part.step()? {
            let Step::Open { name, attributes } = step else {
                if let Step::Close { name } = step {
                    match name.as_str() {
                        "abstractNum" => pattern = None,
                        "num" => list = None,
                        _ => {}
                    }
                }
                continue;
            };
            let value = attributes.get("val").unwrap_or_default();
            let at_level = || pattern.clone().map(|pattern: String| (pattern, level));
            match name.as_str() {
                "abstractNum" => pattern = attributes.get("abstractNumId").map(str::to_owned),
                "num" => list = attributes.get("numId").map(str::to_owned),
                "abstractNumId" => {
                    if let Some(list) = &list {
                        numbering.pattern_of.insert(list.clone(), value.to_owned());
                    }
                }
                "lvl" | "lvlOverride" => {
                    level = attributes.get("ilvl").and_then(|level| level.parse().ok()).unwrap_or(0).min(LEVELS - 1);
                }
                "startOverride" => {
                    if let (Some(list), Ok(start)) = (&list, value.parse()) {
                        numbering.restarts.insert((list.clone(), level), start);
                    }
                }
                "numFmt" => {
                    if let Some(key) = at_level() {
                        value.clone_into(&mut numbering.levels.entry(key).or_default().format);
                    }
                }
                "lvlText" => {
                    if let Some(key) = at_level() {
                        value.clone_into(&mut numbering.levels.entry(key).or_default().text);
                    }
                }
                "start" => {
                    if let (Some(key), Ok(start)) = (at_level(), value.parse()) {
                        numbering.levels.entry(key).or_default().start = start;
                    }
                }
                _ => {}
            }
        }
        Ok(numbering)
    }

    /// Counts one item on and returns the marker it shows; `None` if it shows none.
    pub(super) fn marker(&mut self, list: &str, level: u8) -> Option<String> {
        let level = usize::from(level).min(LEVELS - 1);
        // Id 0 takes a paragraph out of its style's list.
        if list == "0" {
            return None;
        }
        let Some(pattern) = self.pattern_of.get(list).cloned() else { return Some("-".to_owned()) };
        let here = self.levels.get(&(pattern.clone(), level)).cloned().unwrap_or_default();
        let restart = self
            .restarts
            .get(&(list.to_owned(), level))
            .copied()
            .filter(|_| self.started.insert((list.to_owned(), level), true).is_none());
        let counted = self.counted.entry(pattern.clone()).or_default();
        counted[level] = Some(match (restart, counted[level]) {
            (Some(start), _) => start,
            (None, None) => here.start,
            (None, Some(last)) => last.saturating_add(1),
        });
        counted[level + 1..].fill(None);
        let counted = *counted;
        match here.format.as_str() {
            "none" => None,
            "bullet" => Some("-".to_owned()),
            _ => Some(self.render(&pattern, &here, &counted)).filter(|marker| !marker.trim().is_empty()),
        }
    }

    fn render(&self, pattern: &str, here: &Level, counted: &[Option<u64>; LEVELS]) -> String {
        let mut shown = here.text.clone();
        for (level, count) in counted.iter().enumerate() {
            let placeholder = format!("%{}", level + 1);
            if shown.contains(&placeholder) {
                let of_level = self.levels.get(&(pattern.to_owned(), level)).cloned().unwrap_or_default();
                shown = shown.replace(&placeholder, &formatted(count.unwrap_or(of_level.start), &of_level.format));
            }
        }
        shown
    }
}

fn formatted(number: u64, format: &str) -> String {
    match format {
        "lowerLetter" => letters(number),
        "upperLetter" => letters(number).to_uppercase(),
        "lowerRoman" => roman(number),
        "upperRoman" => roman(number).to_uppercase(),
        "decimalZero" => format!("{number:02}"),
        _ => number.to_string(),
    }
}

/// a … z, then aa, bb, …, as Word goes on.
fn letters(number: u64) -> String {
    if number == 0 || number > 26 * 26 {
        return number.to_string();
    }
    let index = number - 1;
    let letter = char::from(b'a' + u8::try_from(index % 26).unwrap_or(0));
    std::iter::repeat_n(letter, usize::try_from(index / 26 + 1).unwrap_or(1)).collect()
}

fn roman(number: u64) -> String {
    const NUMERALS: [(u64, &str); 13] = [
        (1000, "m"),
        (900, "cm"),
        (500, "d"),
        (400, "cd"),
        (100, "c"),
        (90, "xc"),
        (50, "l"),
        (40, "xl"),
        (10, "x"),
        (9, "ix"),
        (5, "v"),
        (4, "iv"),
        (1, "i"),
    ];
    if number == 0 || number > 3999 {
        return number.to_string();
    }
    let mut left = number;
    let mut written = String::new();
    for (value, numeral) in NUMERALS {
        while left >= value {
            written.push_str(numeral);
            left -= value;
        }
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_word_shows_them() {
        let cases = [
            (1, "lowerLetter", "a"),
            (26, "lowerLetter", "z"),
            (28, "upperLetter", "BB"),
            (0, "lowerLetter", "0"),
            (4, "lowerRoman", "iv"),
            (1994, "upperRoman", "MCMXCIV"),
            (7, "decimalZero", "07"),
            (7, "ordinal", "7"),
        ];
        for (number, format, expected) in cases {
            assert_eq!(formatted(number, format), expected, "{number} {format}");
        }
    }

    #[test]
    fn lists_count_by_level_and_start_over() {
        let mut numbering = Numbering::parse(
            r#"<w:numbering xmlns:w="w">
              <w:abstractNum w:abstractNumId="7">
                <w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl>
                <w:lvl w:ilvl="1"><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="%1.%2)"/></w:lvl>
                <w:lvl w:ilvl="2"><w:numFmt w:val="bullet"/><w:lvlText w:val="·"/></w:lvl>
              </w:abstractNum>
              <w:num w:numId="1"><w:abstractNumId w:val="7"/></w:num>
              <w:num w:numId="2"><w:abstractNumId w:val="7"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="5"/></w:lvlOverride></w:num>
            </w:numbering>"#,
        )
        .unwrap();
        let items =
            [("1", 0), ("1", 1), ("1", 1), ("1", 2), ("1", 0), ("1", 1), ("2", 0), ("2", 0), ("0", 0), ("9", 0)];
        let shown: Vec<_> = items.map(|(list, level)| numbering.marker(list, level).unwrap_or_default()).into();
        assert_eq!(shown, ["1.", "1.a)", "1.b)", "-", "2.", "2.a)", "5.", "6.", "", "-"]);
    }
}
