//! Numbers, dates and times of cells as people read them: 34.9 and not 34.900000000000006, 19 % as 19%, days as 2027-01-31.

use calamine::ExcelDateTime;

/// More decimals are noise: a sheet keeps fifteen digits.
const MOST_DECIMALS: usize = 15;
const MOST_INTEGER_DIGITS: usize = 20;

/// The number as its format shows it: decimals, percent, leading zeros, and the words and signs around it. Thousands are
/// not parted, since the same sign parts decimals elsewhere.
pub(super) fn formatted(number: f64, format: Option<&str>) -> String {
    match format.and_then(Pattern::parse) {
        Some(pattern) => pattern.write(number),
        None => plain(number),
    }
}

fn plain(number: f64) -> String {
    let rounded = rounded(number);
    match rounded.abs() {
        0.0 => "0".to_owned(),
        size if (1e-9..1e21).contains(&size) => rounded.to_string(),
        _ => format!("{rounded:e}"),
    }
}

/// With the fifteen digits that a sheet keeps.
fn rounded(number: f64) -> f64 {
    format!("{number:.14e}").parse().unwrap_or(number)
}

/// What a number format does to a positive number. Those that do more than this knows are passed over.
#[derive(Default)]
struct Pattern {
    before: String,
    after: String,
    integer_digits: usize,
    least_decimals: usize,
    most_decimals: usize,
    is_percent: bool,
}

impl Pattern {
    fn parse(format: &str) -> Option<Self> {
        let mut pattern = Self::default();
        let (mut has_digits, mut in_decimals) = (false, false);
        let mut signs = format.chars();
        while let Some(sign) = signs.next() {
            let literal = if has_digits { &mut pattern.after } else { &mut pattern.before };
            match sign {
                // The formats of negative numbers and of zero follow.
                ';' => break,
                '"' => literal.extend(signs.by_ref().take_while(|sign| *sign != '"')),
                '\\' => literal.extend(signs.next()),
                // A gap as wide as the next sign; a sign that fills the cell.
                '_' => {
                    signs.next();
                    literal.push(' ');
                }
                '*' => drop(signs.next()),
                '[' => {
                    let inside: String = signs.by_ref().take_while(|sign| *sign != ']').collect();
                    if let Some(currency) = inside.strip_prefix('$') {
                        literal.push_str(currency.split('-').next().unwrap_or_default());
                    }
                }
                '0' | '#' | '?' => {
                    has_digits = true;
                    let is_shown = usize::from(sign == '0');
                    if in_decimals {
                        pattern.most_decimals += 1;
                        pattern.least_decimals += is_shown;
                    } else {
                        pattern.integer_digits += is_shown;
                    }
                }
                '.' if has_digits && !in_decimals => in_decimals = true,
                ',' if has_digits => {
                    // Behind the last digit it divides by a thousand.
                    if !signs.as_str().starts_with(['0', '#', '?']) {
                        return None;
                    }
                }
                '%' => {
                    pattern.is_percent = true;
                    literal.push('%');
                }
                // Words such as `General`, fractions and powers of ten.
                sign if sign.is_ascii_alphabetic() || matches!(sign, '/' | '@') => return None,
                sign => literal.push(sign),
            }
        }
        has_digits.then_some(pattern)
    }

    fn write(&self, number: f64) -> String {
        let size = rounded(number.abs() * if self.is_percent { 100.0 } else { 1.0 });
        if size >= 1e21 {
            return plain(number);
        }
        let mut digits = format!("{size:.*}", self.most_decimals.min(MOST_DECIMALS));
        if let Some((whole, decimals)) = digits.split_once('.') {
            let kept = decimals.trim_end_matches('0').len().max(self.least_decimals.min(decimals.len()));
            digits = if kept == 0 { whole.to_owned() } else { format!("{whole}.{}", &decimals[..kept]) };
        }
        let whole = digits.find('.').unwrap_or(digits.len());
        let zeros = "0".repeat(self.integer_digits.min(MOST_INTEGER_DIGITS).saturating_sub(whole));
        let is_zero = digits.bytes().all(|digit| matches!(digit, b'0' | b'.'));
        let minus = if number < 0.0 && !is_zero { "-" } else { "" };
        let written = format!("{}{minus}{zeros}{digits}{}", self.before, self.after);
        written.trim().to_owned()
    }
}

/// `2027-01-31`, `2027-01-31 08:30`, `08:30`, and `36:30` for a duration.
pub(super) fn moment(moment: &ExcelDateTime) -> String {
    let days = moment.as_f64();
    if moment.is_duration() {
        return duration(days);
    }
    let (year, month, day, hour, minute, second, _) = moment.to_ymd_hms_milli();
    let time = match (hour, minute, second) {
        (_, _, 0) => format!("{hour:02}:{minute:02}"),
        _ => format!("{hour:02}:{minute:02}:{second:02}"),
    };
    match (days.abs() < 1.0, hour == 0 && minute == 0 && second == 0) {
        (true, _) => time,
        (false, true) => format!("{year:04}-{month:02}-{day:02}"),
        (false, false) => format!("{year:04}-{month:02}-{day:02} {time}"),
    }
}

fn duration(days: f64) -> String {
    let seconds = (days.abs() * 86_400.0).round();
    let (hours, rest) = ((seconds / 3_600.0).floor(), seconds % 3_600.0);
    let (minutes, seconds) = ((rest / 60.0).floor(), rest % 60.0);
    let sign = if days < 0.0 { "-" } else { "" };
    let tail = if seconds > 0.0 { format!(":{seconds:02.0}") } else { String::new() };
    format!("{sign}{hours:.0}:{minutes:02.0}{tail}")
}

/// `2027-01-31T00:00:00` without a time that nobody stated.
pub(in crate::read) fn iso_moment(moment: &str) -> String {
    let (day, time) = moment.split_once('T').unwrap_or((moment, ""));
    let time = time.split(['.', 'Z']).next().unwrap_or_default();
    match time.strip_suffix(":00").unwrap_or(time) {
        "" | "00:00" => day.to_owned(),
        time => format!("{day} {time}"),
    }
}

#[cfg(test)]
mod tests {
    use calamine::ExcelDateTimeType;

    use super::*;

    #[test]
    fn numbers_are_written_as_the_sheet_shows_them() {
        let cases = [
            (34.900000000000006, None, "34.9"),
            (0.1 + 0.2, Some("General"), "0.3"),
            (34.9, Some("0.00"), "34.90"),
            (1234.5, Some("#,##0.00"), "1234.50"),
            (34.9, Some("#,##0.00\\ \"€\""), "34.90 €"),
            (34.9, Some("#,##0.00 [$€-407]"), "34.90 €"),
            (-5.0, Some("[$$-409]#,##0.00;[Red]-[$$-409]#,##0.00"), "$-5.00"),
            (12.0, Some("_-* #,##0.00\\ \"€\"_-;\\-* #,##0.00"), "12.00 €"),
            (0.19, Some("0%"), "19%"),
            (0.075, Some("0.0 %"), "7.5 %"),
            (0.07, Some("0.00%"), "7.00%"),
            (7.0, Some("00000"), "00007"),
            (2.5, Some("0.##"), "2.5"),
            (2.0, Some("0.##"), "2"),
            (24.0, Some("0 \"months\""), "24 months"),
            (-0.001, Some("0.00"), "0.00"),
            (12_345_678.0, Some("0,,"), "12345678"),
            (0.5, Some("# ?/?"), "0.5"),
            (1e300, Some("0.00"), "1e300"),
            (1e-12, None, "1e-12"),
            (f64::NAN, Some("0.00"), "NaN"),
        ];
        for (number, format, expected) in cases {
            assert_eq!(formatted(number, format), expected, "{number} {format:?}");
        }
        let endless = format!("0.{}", "0".repeat(100_000));
        assert_eq!(formatted(1.5, Some(&endless)), "1.500000000000000");
    }

    #[test]
    fn moments_are_written_the_same_everywhere() {
        let dated = |days: f64| moment(&ExcelDateTime::new(days, ExcelDateTimeType::DateTime, false));
        assert_eq!(dated(46_388.0), "2027-01-01");
        assert_eq!(dated(46_388.354_166_666_664), "2027-01-01 08:30");
        assert_eq!(dated(0.354_166_666_666_666_7), "08:30");
        assert_eq!(moment(&ExcelDateTime::new(1.520_833_333, ExcelDateTimeType::TimeDelta, false)), "36:30");
        assert_eq!(iso_moment("2027-01-31T00:00:00"), "2027-01-31");
        assert_eq!(iso_moment("2027-01-31T08:30:00.000"), "2027-01-31 08:30");
    }
}
