//! Which signs are ordinary: the letters of scripts, the digits of each, and the punctuation that says nothing by itself.
//! No language owns them.

use std::sync::LazyLock;

use serde::Deserialize;

use super::list::{List, by_key, read};

/// A script, by its ordinary letters.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Deserialize, Debug)]
pub(crate) enum Script {
    Arabic,
    Armenian,
    Bengali,
    Bopomofo,
    Cyrillic,
    Devanagari,
    Ethiopic,
    Georgian,
    Greek,
    Gujarati,
    Gurmukhi,
    Han,
    Hangul,
    Hebrew,
    Hiragana,
    Kannada,
    Katakana,
    Khmer,
    Lao,
    Latin,
    Malayalam,
    Mongolian,
    Myanmar,
    Oriya,
    Sinhala,
    Tamil,
    Telugu,
    Thai,
    Tibetan,
}

/// From one sign to another, both included.
type Stretch = (char, char);

/// The letters of each script, in the order of their signs. What stands in no stretch (phonetic signs, clicks, modifier
/// letters, the Arabic stretching stroke, letters in circles) is ordinary in no text.
pub(crate) static LETTERS: LazyLock<Vec<(Stretch, Script)>> = LazyLock::new(|| {
    let of_scripts = ALPHABET.letters.iter();
    let mut letters: Vec<_> =
        of_scripts.flat_map(|(script, written)| stretches(written).map(|stretch| (stretch, *script))).collect();
    letters.sort_unstable_by_key(|(stretch, _)| *stretch);
    letters
});

/// The zero of each script whose digits stand for 0 to 9, the nine others behind it.
pub(crate) static ZEROS: LazyLock<Vec<char>> = LazyLock::new(|| ALPHABET.zeros.split(' ').filter_map(sign).collect());

/// Other shapes of ordinary letters: ligatures and positions of Latin, Hebrew and Arabic letters, wide and narrow ones,
/// and those of mathematics.
pub(crate) static SHAPES: LazyLock<Vec<Stretch>> = LazyLock::new(|| stretches(ALPHABET.shapes).collect());

/// What a sign counts with which Chinese and Japanese write numbers.
pub(crate) fn han_numeral(sign: char) -> Option<u64> {
    ALPHABET.han_numerals.iter().find(|(_, signs)| signs.contains(sign)).map(|(value, _)| *value)
}

/// Stretches have spaces between. A sign is written as it is, or by its number where it would not be seen.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Alphabet {
    #[serde(deserialize_with = "by_key")]
    letters: List<(Script, &'static str)>,
    zeros: String,
    shapes: &'static str,
    #[serde(deserialize_with = "by_key")]
    han_numerals: List<(u64, &'static str)>,
}

static ALPHABET: LazyLock<Alphabet> = LazyLock::new(|| read(include_str!("alphabet.yaml")));

fn stretches(written: &str) -> impl Iterator<Item = Stretch> {
    written.split(' ').filter_map(|stretch| {
        let (first, last) = stretch.split_once('-').unwrap_or((stretch, stretch));
        Some((sign(first)?, sign(last)?))
    })
}

fn sign(written: &str) -> Option<char> {
    let mut signs = written.chars();
    match (signs.next(), signs.next()) {
        (Some(sign), None) => Some(sign),
        _ => char::from_u32(u32::from_str_radix(written, 16).ok()?),
    }
}

/// Signs that any sentence may have, wherever they stand.
pub(crate) const PUNCTUATION: &str = ".,;:!?'\"()[]-/&%*_`|‐‑‒–—―…·•◦▪“”„‟‚‘’‹›«»¿¡§‰′″\
     、。，．：；！？（）「」『』【】《》〈〉〔〕［］〖〗・･｡､｢｣／％％＆＊－…‥﹁﹂﹃﹄،؛؟۔٪٫٬।॥։՝׳״־፣፤።፧᠂᠃\u{2009}\u{202f}\u{a0}\u{3000}";

/// What a line may begin with: a heading, an item, a quotation.
pub(crate) const LEADING: &str = "#>+";

/// Signs of money and degrees, that say something beside a figure alone, where the rules for figures read them.
pub(crate) const BESIDE_FIGURES: &str = "°℃℉€£¥￥￡₹¢₽₩₺₴";
/// The one of them that begins a formula where no figure follows.
pub(crate) const BEFORE_FIGURES: char = '$';

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_are_in_order_and_do_not_overlap() {
        let alphabet: Alphabet = serde_saphyr::from_str(include_str!("alphabet.yaml")).unwrap();
        let written = alphabet.letters.iter().map(|(_, letters)| letters.split(' ').count()).sum::<usize>();
        assert_eq!(LETTERS.len(), written, "each can be read");
        assert!(LETTERS.iter().all(|((first, last), _)| first <= last));
        assert!(LETTERS.is_sorted_by(|((_, last), _), ((first, _), _)| last < first));
        assert!(SHAPES.iter().all(|(first, last)| first <= last));
        assert!(SHAPES.len() > 10 && ZEROS.len() > 60);
        assert!(ZEROS.is_sorted_by(|one, next| one < next));
    }
}
