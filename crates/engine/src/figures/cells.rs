//! What a cell holds: a number with its unit, a day, words, or nothing.

use ibidem_language::computing::is_currency;

use super::decimal::Decimal;

const LONGEST_UNIT: usize = 12;

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Cell {
    Blank,
    Number {
        value: Decimal,
        unit: Option<String>,
    },
    /// As `2027-01-31`, which sorts as days do.
    Day(String),
    Words,
}

impl Cell {
    pub(super) fn read(text: &str, decimal_comma: bool) -> Self {
        if !text.chars().any(char::is_alphanumeric) || matches!(text, "n/a" | "N/A" | "k.A." | "k. A.") {
            return Self::Blank;
        }
        if is_day(text) {
            return Self::Day(text.to_owned());
        }
        let number = parts_of_number(text).and_then(|parts| {
            let digits = plain_digits(parts.digits, decimal_comma)?;
            let value = Decimal::parse(&format!("{}{digits}", if parts.is_negative { "-" } else { "" }))?;
            Some(Self::Number { value, unit: parts.unit.map(str::to_owned) })
        });
        number.unwrap_or(Self::Words)
    }
}

pub(super) fn is_day(text: &str) -> bool {
    chrono::NaiveDate::parse_from_str(text, "%Y-%m-%d").is_ok()
}

struct Parts<'a> {
    is_negative: bool,
    digits: &'a str,
    unit: Option<&'a str>,
}

/// `EUR 34.90`, `34,90 €`, `-5`, `24 months`, `19%`; none where other words stand beside the number.
fn parts_of_number(text: &str) -> Option<Parts<'_>> {
    let first = text.find(|sign: char| sign.is_ascii_digit())?;
    let last = text.rfind(|sign: char| sign.is_ascii_digit())? + 1;
    let (before, digits, after) = (text[..first].trim(), &text[first..last], text[last..].trim());
    let is_minus = |sign: char| matches!(sign, '-' | '−');
    let signs = before.chars().filter(|sign| is_minus(*sign)).count();
    let before = before.trim_matches(|sign| is_minus(sign) || sign == '+' || sign == ' ');
    if signs > 1 || (!before.is_empty() && !is_currency(before)) {
        return None;
    }
    let is_unit = |unit: &str| unit.chars().count() <= LONGEST_UNIT && !unit.contains(is_minus) && !unit.contains(' ');
    let unit = match (before, after) {
        ("", "") => None,
        (unit, "") => Some(unit),
        ("", unit) if is_unit(unit) => Some(unit),
        _ => return None,
    };
    Some(Parts { is_negative: signs == 1, digits, unit })
}

/// The digits with a point before the decimals and nothing else; none where the signs between them are not those of one
/// number.
fn plain_digits(digits: &str, decimal_comma: bool) -> Option<String> {
    let decimal = if decimal_comma { ',' } else { '.' };
    let (whole, decimals) = digits.split_once(decimal).map_or((digits, None), |(whole, rest)| (whole, Some(rest)));
    if decimals.is_some_and(|decimals| !decimals.bytes().all(|digit| digit.is_ascii_digit())) {
        return None;
    }
    let is_between = |sign: char| matches!(sign, '.' | ',' | '\'' | '’' | ' ' | '\u{a0}' | '\u{202f}');
    let mut groups = whole.split(is_between);
    let first = groups.next()?;
    let rest: Vec<&str> = groups.collect();
    let are_digits = |group: &str| !group.is_empty() && group.bytes().all(|digit| digit.is_ascii_digit());
    let are_thousands = rest.iter().all(|group| group.len() == 3 && are_digits(group)) && first.len() <= 3;
    // `007` is a code.
    let is_code = first.len() > 1 && first.starts_with('0');
    if !are_digits(first) || is_code || (!rest.is_empty() && !are_thousands) {
        return None;
    }
    let whole = format!("{first}{}", rest.concat());
    Some(decimals.map_or(whole.clone(), |decimals| format!("{whole}.{decimals}")))
}

/// What sign the decimals of some cells follow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum DecimalSign {
    Point,
    Comma,
    /// `1.234` may be either.
    Unclear,
    /// Some cells say the one and some the other.
    Mixed,
}

/// `1.234` says nothing by itself: the other cells say what it is.
pub(super) fn decimal_sign<'a>(cells: impl Iterator<Item = &'a str>) -> DecimalSign {
    let (mut point, mut comma, mut unclear) = (false, false, false);
    for digits in cells.filter(|cell| !is_day(cell)).filter_map(parts_of_number).map(|parts| parts.digits) {
        let signs: Vec<(usize, char)> = digits.char_indices().filter(|(_, sign)| matches!(sign, '.' | ',')).collect();
        let Some((at, last)) = signs.last().copied() else { continue };
        let decimals = digits.len() - at - 1;
        let is_repeated = signs.iter().filter(|(_, sign)| *sign == last).count() > 1;
        // Days and versions.
        if is_repeated && decimals != 3 {
            continue;
        }
        let has_other = signs.iter().any(|(_, sign)| *sign != last);
        let begins_with_zero = digits.starts_with('0');
        let is_decimal = !is_repeated && (has_other || decimals != 3 || begins_with_zero || at > 3);
        match (last, is_decimal, is_repeated) {
            ('.', true, _) | (',', false, true) => point = true,
            (',', true, _) | ('.', false, true) => comma = true,
            _ => unclear = true,
        }
    }
    match (point, comma, unclear) {
        (true, true, _) => DecimalSign::Mixed,
        (_, true, _) => DecimalSign::Comma,
        (true, _, _) | (_, _, false) => DecimalSign::Point,
        (_, _, true) => DecimalSign::Unclear,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_read_as_people_write_them() {
        for (text, comma, expected) in [
            ("34.90", false, Some(("34.90", None))),
            ("34,90 €", true, Some(("34.90", Some("€")))),
            ("EUR 1,234.50", false, Some(("1234.50", Some("EUR")))),
            ("1.234.567,5", true, Some(("1234567.5", None))),
            ("1 234", false, Some(("1234", None))),
            ("-5", false, Some(("-5", None))),
            ("$-5.00", false, Some(("-5.00", Some("$")))),
            ("24 months", false, Some(("24", Some("months")))),
            ("7.5%", false, Some(("7.5", Some("%")))),
            ("DSL 50", false, None),
            ("01067", false, None),
            ("0", false, Some(("0", None))),
            ("34,90", false, None),
            ("5 Main Street", false, None),
            ("3-4", false, None),
            ("(12)", false, None),
            ("08:30", false, None),
            ("1,2,3", true, None),
            ("on request", false, None),
        ] {
            let found = match Cell::read(text, comma) {
                Cell::Number { value, unit } => Some((value.to_string(), unit)),
                _ => None,
            };
            let expected =
                expected.map(|(value, unit): (&str, Option<&str>)| (value.to_owned(), unit.map(str::to_owned)));
            assert_eq!(found, expected, "{text}");
        }
        assert_eq!(Cell::read("2027-01-31", false), Cell::Day("2027-01-31".to_owned()));
        assert_eq!((Cell::read("–", false), Cell::read("", false)), (Cell::Blank, Cell::Blank));
    }

    #[test]
    fn a_sign_that_may_be_either_is_settled_by_other_cells() {
        let sign = |cells: &[&str]| decimal_sign(cells.iter().copied());
        assert_eq!(sign(&["1.234", "34,90"]), DecimalSign::Comma);
        assert_eq!(sign(&["1,234", "34.90"]), DecimalSign::Point);
        assert_eq!(sign(&["1.234", "2.500 kg"]), DecimalSign::Unclear);
        assert_eq!(sign(&["0.125", "1.234"]), DecimalSign::Point);
        assert_eq!(sign(&["1.234.567", "1.234"]), DecimalSign::Comma);
        assert_eq!(sign(&["1234.567"]), DecimalSign::Point);
        assert_eq!(sign(&["3,5", "3.5"]), DecimalSign::Mixed);
        assert_eq!(sign(&["31.01.2027", "1.2.3"]), DecimalSign::Point);
        assert_eq!(sign(&["12", "2027-01-31", "on request"]), DecimalSign::Point);
    }
}
