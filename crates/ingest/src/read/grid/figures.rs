//! What a cell holds, by its signs: a figure, a time, a unit, or words.

use chrono::NaiveDate;

/// Signs of currency, and those that stand before or behind a number.
const AROUND_NUMBERS: &[char] =
    &['€', '$', '£', '¥', '%', '‰', '+', '-', '−', '–', '~', '<', '>', '≤', '≥', '(', ')', ' '];

/// Codes of currencies, which are written beside a number. Other short words in capitals are names: `DSL 50`.
const CURRENCIES: &[&str] =
    &["AUD", "CAD", "CHF", "CNY", "CZK", "DKK", "EUR", "GBP", "HUF", "INR", "JPY", "NOK", "PLN", "SEK", "TRY", "USD"];

/// Whether the cell holds a number, an amount, a date or a time, and nothing else.
pub(super) fn is_figure(cell: &str) -> bool {
    let core = without_code(cell.trim_matches(AROUND_NUMBERS)).trim_matches(AROUND_NUMBERS);
    let is_part = |sign: char| sign.is_ascii_digit() || ".,:'’/- T".contains(sign);
    core.starts_with(|sign: char| sign.is_ascii_digit()) && core.chars().all(is_part)
}

/// Without the code of a currency before or behind the number.
fn without_code(cell: &str) -> &str {
    let is_code = |word: &str| CURRENCIES.contains(&word);
    match (cell.split_once(' '), cell.rsplit_once(' ')) {
        (Some((code, rest)), _) if is_code(code) => rest,
        (_, Some((rest, code))) if is_code(code) => rest,
        _ => cell,
    }
}

/// Whether the cell holds nothing that counts as words or as a figure.
pub(super) fn is_blank_sign(cell: &str) -> bool {
    !cell.chars().any(char::is_alphanumeric)
}

/// Whether a column can be named by this: a year, or a day.
pub(super) fn is_period(cell: &str) -> bool {
    let year = cell.parse::<u32>().is_ok_and(|year| cell.len() == 4 && (1900..=2100).contains(&year));
    year || NaiveDate::parse_from_str(cell, "%Y-%m-%d").is_ok()
}

/// The unit that a cell below a column's name says: `EUR` of `(EUR)` or `[EUR]`.
pub(super) fn unit(cell: &str) -> Option<&str> {
    let inner = |open, close| cell.strip_prefix(open)?.strip_suffix(close).map(str::trim);
    let bracketed = inner('(', ')').or_else(|| inner('[', ']'));
    let is_short =
        |unit: &str| !unit.is_empty() && unit.len() <= 16 && !unit.contains(|sign: char| sign.is_ascii_digit());
    let is_sign = matches!(cell, "€" | "$" | "£" | "¥" | "%" | "‰");
    bracketed.filter(|unit| is_short(unit)).or(is_sign.then_some(cell))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_told_from_words() {
        for cell in
            ["34.90", "34,90 €", "EUR 34.90", "1.234,50 EUR", "-5", "19 %", "2027-01-01", "08:30", "01.03.2027", "(12)"]
        {
            assert!(is_figure(cell), "{cell}");
        }
        for cell in ["", "-", "DSL 50", "3 rooms", "2nd quarter", "n/a", "EUR", "A1", "yes"] {
            assert!(!is_figure(cell), "{cell}");
        }
    }

    #[test]
    fn units_stand_in_brackets_or_are_signs() {
        let cases = [
            ("(EUR)", Some("EUR")),
            ("[m²]", Some("m²")),
            ("€", Some("€")),
            ("EUR", None),
            ("(2027)", None),
            ("()", None),
        ];
        for (cell, expected) in cases {
            assert_eq!(unit(cell), expected, "{cell}");
        }
    }
}
