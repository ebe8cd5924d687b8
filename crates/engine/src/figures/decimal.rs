//! Exact decimal numbers: what a sheet shows is added up as it is shown, and never as the nearest binary fraction.

use std::cmp::Ordering;
use std::fmt;

/// More digits are in no sheet: a program for sheets keeps fifteen.
const MOST_DIGITS: usize = 24;
/// A quotient that does not end is given with so many decimals more than the figures have.
const DECIMALS_OF_QUOTIENTS: u32 = 2;

/// `mantissa` divided by ten to the power of `scale`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Decimal {
    mantissa: i128,
    scale: u32,
}

impl Decimal {
    pub(crate) const ZERO: Self = Self { mantissa: 0, scale: 0 };

    /// Digits with a point before the decimals, and perhaps a sign before them. None where there are too many.
    pub(crate) fn parse(written: &str) -> Option<Self> {
        let (sign, digits) = written.strip_prefix('-').map_or((1, written), |digits| (-1, digits));
        let (whole, decimals) = digits.split_once('.').unwrap_or((digits, ""));
        let is_number = !whole.is_empty() && whole.bytes().chain(decimals.bytes()).all(|digit| digit.is_ascii_digit());
        if !is_number || whole.len() + decimals.len() > MOST_DIGITS {
            return None;
        }
        let mantissa: i128 = format!("{whole}{decimals}").parse().ok()?;
        Some(Self { mantissa: sign * mantissa, scale: u32::try_from(decimals.len()).ok()? })
    }

    /// None where the sum has too many digits.
    pub(crate) fn plus(self, other: Self) -> Option<Self> {
        let scale = self.scale.max(other.scale);
        let mantissa = self.at_scale(scale)?.checked_add(other.at_scale(scale)?)?;
        Some(Self { mantissa, scale })
    }

    /// A part of so many equal ones, and whether it is exact. It has as many decimals as it needs, and those of the whole
    /// at least.
    pub(crate) fn divided(self, parts: u32) -> Option<(Self, bool)> {
        let parts = i128::from(parts);
        let most = self.scale + DECIMALS_OF_QUOTIENTS;
        for scale in self.scale..=most {
            let mantissa = self.at_scale(scale)?;
            if parts != 0 && mantissa % parts == 0 {
                return Some((Self { mantissa: mantissa / parts, scale }, true));
            }
        }
        let whole = self.at_scale(most)?;
        let (quotient, rest) = (whole.checked_div(parts)?, whole.checked_rem(parts)?);
        // Half of a unit is rounded away from zero.
        let rounded = if rest.abs() * 2 >= parts { quotient + whole.signum() } else { quotient };
        Some((Self { mantissa: rounded, scale: most }, false))
    }

    fn at_scale(self, scale: u32) -> Option<i128> {
        let more = scale.checked_sub(self.scale)?;
        self.mantissa.checked_mul(10_i128.checked_pow(more)?)
    }

    /// As a table writes it.
    pub(crate) fn written(self, decimal_comma: bool) -> String {
        let written = self.to_string();
        if decimal_comma { written.replace('.', ",") } else { written }
    }
}

impl PartialEq for Decimal {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Decimal {}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        let scale = self.scale.max(other.scale);
        // Numbers of at most 24 digits always fit; sums that do not are no numbers here.
        let at = |number: &Self| number.at_scale(scale).unwrap_or(i128::MAX * number.mantissa.signum());
        at(self).cmp(&at(other))
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scale = usize::try_from(self.scale).unwrap_or(0);
        let digits = format!("{:0>width$}", self.mantissa.unsigned_abs(), width = scale + 1);
        let (whole, decimals) = digits.split_at(digits.len() - scale);
        let sign = if self.mantissa < 0 { "-" } else { "" };
        if decimals.is_empty() { write!(f, "{sign}{whole}") } else { write!(f, "{sign}{whole}.{decimals}") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decimal(written: &str) -> Decimal {
        Decimal::parse(written).unwrap()
    }

    #[test]
    fn a_tenth_is_a_tenth() {
        let sum = (0..10).try_fold(Decimal::ZERO, |sum, _| sum.plus(decimal("0.1"))).unwrap();
        assert_eq!((sum.to_string().as_str(), sum), ("1.0", decimal("1")));
        assert_eq!(decimal("34.90").plus(decimal("-35")).unwrap().to_string(), "-0.10");
        assert_eq!(decimal("-0.05").written(true), "-0,05");
        assert!(decimal("2.10") > decimal("2.099") && decimal("-3") < decimal("2"));
        for odd in ["", "-", ".5", "1.2.3", "1e5", "+1", "１", &"9".repeat(25)] {
            assert_eq!(Decimal::parse(odd).map(|odd| odd.to_string()), None, "{odd}");
        }
    }

    #[test]
    fn a_quotient_says_whether_it_is_exact() {
        for (whole, parts, expected) in [
            ("164.70", 3, ("54.90", true)),
            ("100", 3, ("33.33", false)),
            ("200", 3, ("66.67", false)),
            ("-200", 3, ("-66.67", false)),
            ("1", 8, ("0.13", false)),
            ("10.00", 4, ("2.50", true)),
        ] {
            let (quotient, is_exact) = decimal(whole).divided(parts).unwrap();
            assert_eq!((quotient.to_string().as_str(), is_exact), expected, "{whole}/{parts}");
        }
        assert_eq!(decimal("1").divided(0).map(|_| ()), None);
    }
}
