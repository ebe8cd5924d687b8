//! Numbers in signs that are letters too: those of Chinese and Japanese, and Roman ones.

use super::Foreign;
use crate::tables::alphabet::han_numeral;

/// The first number in such signs that no passage has, in them or in digits.
pub(super) fn foreign(sentence: &str, passages: &[&str]) -> Option<Foreign> {
    let of_han = runs(sentence).into_iter().find(|(numeral, written)| {
        let is_written = || passages.iter().any(|passage| passage.contains(written));
        !is_written() && value(numeral).is_none_or(|value| !has_figure(passages, value))
    });
    if let Some((_, written)) = of_han {
        return Some(Foreign::Numeral(written.to_owned()));
    }
    let roman = words(sentence).find(|word| {
        let is_written = || passages.iter().any(|passage| words(passage).any(|known| known == *word));
        roman(word).is_some_and(|value| !is_written() && !has_figure(passages, value))
    });
    roman.map(|word| Foreign::Numeral(word.to_owned()))
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|sign: char| !sign.is_alphanumeric()).filter(|word| !word.is_empty())
}

/// Whether a passage has the number in digits, with a comma or a full stop between thousands at most. 4 is no number of 4万.
fn has_figure(passages: &[&str], value: u64) -> bool {
    let written = value.to_string();
    let is_of_figure = |sign: char| sign.is_ascii_digit() || matches!(sign, ',' | '.');
    let is_it = |figure: &str| {
        let groups = figure.trim_end_matches(['.', ',']).split(['.', ',']);
        groups.clone().skip(1).all(|group| group.len() == 3) && groups.collect::<String>() == written
    };
    passages.iter().any(|passage| {
        let begins = passage.match_indices(is_of_figure).map(|(place, _)| place);
        begins.filter(|place| !passage[..*place].ends_with(is_of_figure)).any(|place| {
            let figure = &passage[place..];
            let (figure, behind) =
                figure.split_at(figure.find(|sign: char| !is_of_figure(sign)).unwrap_or(figure.len()));
            is_it(figure) && !behind.starts_with(is_numeral)
        })
    })
}

fn is_numeral(sign: char) -> bool {
    han_numeral(sign).is_some()
}

/// Runs of Chinese numerals, each also with the digits before it and the sign behind it. 一 alone is a word.
fn runs(text: &str) -> Vec<(&str, &str)> {
    let mut runs = Vec::new();
    let mut from = 0;
    while let Some(begin) = text[from..].find(is_numeral).map(|place| from + place) {
        let end = text[begin..].find(|sign: char| !is_numeral(sign)).map_or(text.len(), |length| begin + length);
        let before = text[..begin].trim_end_matches(|sign: char| sign.is_ascii_digit() || matches!(sign, '.' | ','));
        let behind = text[end..].chars().next().filter(|sign| sign.is_alphanumeric()).map_or(0, char::len_utf8);
        if &text[begin..end] != "一" || before.len() < begin {
            runs.push((&text[begin..end], &text[before.len()..end + behind]));
        }
        from = end;
    }
    runs
}

/// 十八 is 18, 一八 too.
fn value(numeral: &str) -> Option<u64> {
    let values: Vec<u64> = numeral.chars().map(han_numeral).collect::<Option<_>>()?;
    if values.iter().all(|value| *value < 10) {
        return values.iter().try_fold(0_u64, |number, digit| number.checked_mul(10)?.checked_add(*digit));
    }
    let (mut whole, mut below, mut digit) = (0_u64, 0_u64, 0_u64);
    for value in values {
        match value {
            0..=9 => digit = value,
            10..=9_999 => {
                below = below.checked_add(digit.max(1).checked_mul(value)?)?;
                digit = 0;
            }
            _ => {
                whole = whole.checked_add(below.checked_add(digit)?.max(1).checked_mul(value)?)?;
                (below, digit) = (0, 0);
            }
        }
    }
    whole.checked_add(below)?.checked_add(digit)
}

/// Up to 39: larger ones have letters that words are made of.
fn roman(word: &str) -> Option<u64> {
    const ONES: [&str; 10] = ["", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix"];
    let is_small = word.bytes().all(|letter| letter.is_ascii_lowercase());
    let is_large = word.bytes().all(|letter| letter.is_ascii_uppercase());
    let is_long_enough = (is_large && word.len() > 1) || (is_small && word.len() > 2);
    let lower = word.to_ascii_lowercase();
    let ones = lower.trim_start_matches('x');
    let tens = lower.len() - ones.len();
    let (tens, ones) = if tens <= 3 { (tens, ones) } else { return None };
    // The ten of `ix` stands behind its one.
    let ones = ONES.iter().position(|one| *one == ones)?;
    is_long_enough.then(|| u64::try_from(10 * tens + ones).ok()).flatten()
}
