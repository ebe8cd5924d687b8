//! Numbers as exact decimals, however they are written: `1,000`, `1 000`, `1'000`, `1.5 million`, `three hundred`.

use super::units;
use crate::tables::{MEASURED, Measures};

/// An exact decimal: no rounding can make two different numbers equal.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Number {
    /// Does not end in zero, unless it is zero.
    digits: u128,
    exponent: i32,
    negative: bool,
}

impl Number {
    pub(super) const ONE: Self = Self { digits: 1, exponent: 0, negative: false };

    fn new(mut digits: u128, mut exponent: i32) -> Self {
        while digits != 0 && digits.is_multiple_of(10) {
            digits /= 10;
            exponent = exponent.saturating_add(1);
        }
        Self { digits, exponent: if digits == 0 { 0 } else { exponent }, negative: false }
    }

    pub(super) fn whole(number: u64) -> Self {
        Self::new(u128::from(number), 0)
    }

    pub(super) fn negated(self) -> Self {
        Self { negative: self.digits != 0, ..self }
    }

    /// Times a thousand, a million, a dozen.
    pub(super) fn times(self, factor: u64) -> Option<Self> {
        let product = self.digits.checked_mul(u128::from(factor))?;
        Some(Self { negative: self.negative, ..Self::new(product, self.exponent) })
    }

    fn plus(self, other: Self) -> Option<Self> {
        let least = self.exponent.min(other.exponent);
        let at = |number: Self| {
            let places = u32::try_from(number.exponent - least).ok().filter(|places| *places < 36)?;
            number.digits.checked_mul(10_u128.checked_pow(places)?)
        };
        Some(Self::new(at(self)?.checked_add(at(other)?)?, least))
    }

    /// What a smaller number would mean with this one's magnitude: 5 in `5–10 million`.
    pub(super) fn shared_magnitude(self, smaller: Self) -> Option<Self> {
        let magnitude = [1_000_000_000_000, 1_000_000_000, 1_000_000, 1_000]
            .into_iter()
            .find(|magnitude| self.as_small(u64::MAX).is_some_and(|whole| whole % magnitude == 0 && whole > 0))?;
        smaller.as_small(999).and_then(|_| smaller.times(magnitude))
    }

    /// A number that can be a whole one of at most the given size.
    pub(super) fn as_small(self, most: u64) -> Option<u64> {
        let places = u32::try_from(self.exponent).ok()?;
        let whole = self.digits.checked_mul(10_u128.checked_pow(places)?)?;
        u64::try_from(whole).ok().filter(|whole| *whole <= most && !self.negative)
    }
}

/// Digits with their separators. None when they are no number (`1,2,3`) or one too long to be a quantity.
pub(super) fn parse(text: &str) -> Option<Number> {
    let last = text.rfind(['.', ',']);
    let Some(last) = last else { return digits(text, 0) };
    let (before, after) = (&text[..last], &text[last + 1..]);
    let separator = &text[last..=last];
    if before.contains(separator) {
        // The same sign twice or more can only part groups of three.
        let groups = text.split(|c: char| !c.is_ascii_digit());
        return groups.skip(1).all(|group| group.len() == 3).then(|| digits(text, 0))?;
    }
    let other_before = before.contains(['.', ',']);
    let group = after.len() == 3 && before.len() <= 3 && !before.starts_with('0');
    // `40.000` is forty thousand wherever a comma stands before decimals, and nobody writes forty so: read as decimals, its
    // zeros would say nothing.
    let is_thousands = separator == "," || after.ends_with('0');
    if is_thousands && group && !other_before {
        return digits(text, 0);
    }
    digits(text, -i32::try_from(after.len()).ok()?)
}

/// What `1.000` may also mean: a thousand, where a comma stands before decimals.
pub(super) fn in_thousands(text: &str) -> Option<Number> {
    let (before, after) = text.split_once('.')?;
    let is_group = after.len() == 3 && !before.is_empty() && before.len() <= 3 && !before.starts_with('0');
    (is_group && after.bytes().all(|byte| byte.is_ascii_digit())).then(|| digits(text, 0))?
}

fn digits(text: &str, exponent: i32) -> Option<Number> {
    let mut value: u128 = 0;
    for digit in text.bytes().filter(u8::is_ascii_digit) {
        value = value.checked_mul(10)?.checked_add(u128::from(digit - b'0'))?;
    }
    Some(Number::new(value, exponent))
}

/// Units, tens and the like in words; an ordinal is the number it stands for.
pub(super) fn word(folded: &str) -> Option<u64> {
    MEASURED.iter().find_map(|language| word_of(&language.measures, folded))
}

/// The same in one language.
pub(crate) fn word_of(measures: &Measures, folded: &str) -> Option<u64> {
    let found = |folded: &str| {
        let mut numbers = measures.numbers.iter();
        let is_it =
            |(_, cardinal, ordinal): &&(u64, &str, &str)| folded == *cardinal || is_form(measures, ordinal, folded);
        numbers.find(is_it).map(|(value, ..)| *value)
    };
    found(folded).or_else(|| {
        let joins = Some(measures.joins_tens).filter(|joins| !joins.is_empty())?;
        // `fünfundzwanzig`; one in a compound is `ein`.
        let (unit, tens) = folded.split_once(joins)?;
        let unit = if unit == "ein" { 1 } else { found(unit)? };
        found(tens).filter(|tens| unit < 10 && *tens >= 20 && tens % 10 == 0).map(|tens| tens + unit)
    })
}

fn is_form(measures: &Measures, ordinal: &str, folded: &str) -> bool {
    let ending = folded.strip_prefix(ordinal);
    ending.is_some_and(|ending| ending.is_empty() || measures.ordinal_endings.contains(&ending))
}

pub(super) fn is_ordinal(folded: &str) -> bool {
    MEASURED.iter().any(|language| {
        let measures = &language.measures;
        measures.numbers.iter().any(|(.., ordinal)| is_form(measures, ordinal, folded))
    })
}

/// Words that multiply what stands before them.
pub(super) fn magnitude(folded: &str) -> Option<u64> {
    let all = MEASURED.iter().flat_map(|language| language.measures.magnitudes);
    all.into_iter().find(|(_, words)| words.contains(&folded)).map(|(value, _)| *value)
}

/// What may stand right behind the digits of a number without making an identifier of it.
pub(super) fn is_suffix(letters: &str) -> bool {
    let folded = letters.to_lowercase();
    matches!(folded.as_str(), "st" | "nd" | "rd" | "th" | "s" | "x" | "am" | "pm" | "k" | "m" | "bn" | "mn")
        || magnitude(&folded).is_some()
        || units::single(letters).is_some()
}

/// A number in words from the first word on: `three hundred and five`, `two and a half`, `twenty-one`. The words that
/// belong to it, and its value.
pub(super) fn in_words<'a>(words: impl Iterator<Item = &'a str>) -> Option<(usize, Number)> {
    let mut total: Option<Number> = None;
    let mut part: Option<u64> = None;
    let mut read = 0;
    let mut whole: Option<(usize, Number)> = None;
    let mut after_and = false;
    for next in words {
        read += 1;
        if let Some(value) = word(next) {
            part = match part {
                None => Some(value),
                // Only `twenty` takes a following unit, only `hundred` a following ten.
                Some(tens) if tens >= 20 && tens % 10 == 0 && (1..10).contains(&value) => Some(tens + value),
                Some(hundreds) if hundreds >= 100 && hundreds % 100 == 0 && value < 100 => Some(hundreds + value),
                Some(_) => break,
            };
        } else if next == "half" && after_and {
            let half = Number { digits: 5, exponent: -1, negative: false };
            return Some((read, sum(total, part.map(Number::whole))?.plus(half)?));
        } else if let Some(factor) = magnitude(next) {
            if part.is_none() && whole.is_some() {
                break;
            }
            if factor == 100 {
                part = Some(part.unwrap_or(1).checked_mul(100)?);
            } else {
                total = Some(sum(total, Number::whole(part.unwrap_or(1)).times(factor))?);
                part = None;
            }
        } else if next == "and" && whole.is_some() {
            after_and = true;
            continue;
        } else if next == "a" && after_and {
            continue;
        } else {
            break;
        }
        // `hundred and five` is one number, `one and two` are two.
        if after_and && !joins(whole) {
            break;
        }
        after_and = false;
        whole = Some((read, sum(total, part.map(Number::whole))?));
    }
    whole
}

fn joins(whole: Option<(usize, Number)>) -> bool {
    whole.is_some_and(|(_, number)| number.as_small(u64::MAX).is_some_and(|number| number >= 100 && number % 100 == 0))
}

fn sum(total: Option<Number>, part: Option<Number>) -> Option<Number> {
    match (total, part) {
        (Some(total), Some(part)) => total.plus(part),
        (one, other) => one.or(other),
    }
}
