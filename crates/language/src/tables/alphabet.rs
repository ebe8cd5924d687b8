//! Which signs are ordinary: the letters of scripts, the digits of each, and the punctuation that says nothing by itself.
//! No language owns them.

use Script::{
    Arabic, Armenian, Bengali, Bopomofo, Cyrillic, Devanagari, Ethiopic, Georgian, Greek, Gujarati, Gurmukhi, Han,
    Hangul, Hebrew, Hiragana, Kannada, Katakana, Khmer, Lao, Latin, Malayalam, Mongolian, Myanmar, Oriya, Sinhala,
    Tamil, Telugu, Thai, Tibetan,
};

/// A script, by its ordinary letters.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
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

/// Each line: the first and the last letter or mark of a stretch, and the script whose ordinary letters they are. What
/// stands in no line (phonetic signs, clicks, modifier letters, the Arabic stretching stroke, letters in circles) is
/// ordinary in no text.
pub(crate) const LETTERS: &[(char, char, Script)] = &[
    ('A', 'Z', Latin),
    ('a', 'z', Latin),
    ('ª', 'ª', Latin),
    ('µ', 'µ', Latin),
    ('º', 'º', Latin),
    ('À', 'Ö', Latin),
    ('Ø', 'ö', Latin),
    ('ø', 'ſ', Latin),
    ('Ə', 'Ə', Latin),
    ('Ơ', 'ơ', Latin),
    ('Ư', 'ư', Latin),
    ('Ǎ', 'ǜ', Latin),
    ('Ǧ', 'ǭ', Latin),
    ('Ǻ', 'ț', Latin),
    ('ə', 'ə', Latin),
    ('Ͱ', 'Ͽ', Greek),
    ('Ѐ', 'ԯ', Cyrillic),
    ('Ա', 'և', Armenian),
    ('\u{591}', '\u{5f2}', Hebrew),
    ('\u{610}', '\u{63f}', Arabic),
    ('\u{641}', '\u{669}', Arabic),
    ('\u{66e}', '\u{6d3}', Arabic),
    ('\u{6d5}', '\u{6ff}', Arabic),
    ('\u{750}', '\u{77f}', Arabic),
    ('\u{900}', '\u{963}', Devanagari),
    ('\u{970}', '\u{97f}', Devanagari),
    ('\u{980}', '\u{9ff}', Bengali),
    ('\u{a00}', '\u{a7f}', Gurmukhi),
    ('\u{a80}', '\u{aff}', Gujarati),
    ('\u{b00}', '\u{b7f}', Oriya),
    ('\u{b80}', '\u{bff}', Tamil),
    ('\u{c00}', '\u{c7f}', Telugu),
    ('\u{c80}', '\u{cff}', Kannada),
    ('\u{d00}', '\u{d7f}', Malayalam),
    ('\u{d80}', '\u{dff}', Sinhala),
    ('\u{e00}', '\u{e4e}', Thai),
    ('\u{e80}', '\u{edf}', Lao),
    ('\u{f00}', '\u{fff}', Tibetan),
    ('\u{1000}', '\u{109f}', Myanmar),
    ('\u{10a0}', '\u{10ff}', Georgian),
    ('\u{1100}', '\u{11ff}', Hangul),
    ('\u{1200}', '\u{135f}', Ethiopic),
    ('\u{1780}', '\u{17d3}', Khmer),
    ('\u{1820}', '\u{18aa}', Mongolian),
    ('\u{1c90}', '\u{1cbf}', Georgian),
    ('Ḁ', 'ỿ', Latin),
    ('ἀ', '῾', Greek),
    ('々', '〇', Han),
    ('ぁ', 'ゟ', Hiragana),
    ('゠', 'ヿ', Katakana),
    ('\u{3105}', '\u{312f}', Bopomofo),
    ('\u{3131}', '\u{318e}', Hangul),
    ('ㇰ', 'ㇿ', Katakana),
    ('\u{3400}', '\u{4dbf}', Han),
    ('\u{4e00}', '\u{9fff}', Han),
    ('\u{ac00}', '\u{d7a3}', Hangul),
    ('\u{f900}', '\u{faff}', Han),
    ('\u{20000}', '\u{323af}', Han),
];

/// The zero of each script whose digits stand for 0 to 9, the nine others behind it.
pub(crate) const ZEROS: &[char] = &[
    '\u{660}',
    '\u{6f0}',
    '\u{7c0}',
    '\u{966}',
    '\u{9e6}',
    '\u{a66}',
    '\u{ae6}',
    '\u{b66}',
    '\u{be6}',
    '\u{c66}',
    '\u{ce6}',
    '\u{d66}',
    '\u{de6}',
    '\u{e50}',
    '\u{ed0}',
    '\u{f20}',
    '\u{1040}',
    '\u{1090}',
    '\u{17e0}',
    '\u{1810}',
    '\u{1946}',
    '\u{19d0}',
    '\u{1a80}',
    '\u{1a90}',
    '\u{1b50}',
    '\u{1bb0}',
    '\u{1c40}',
    '\u{1c50}',
    '\u{a620}',
    '\u{a8d0}',
    '\u{a900}',
    '\u{a9d0}',
    '\u{a9f0}',
    '\u{aa50}',
    '\u{abf0}',
    '\u{ff10}',
    '\u{104a0}',
    '\u{10d30}',
    '\u{11066}',
    '\u{110f0}',
    '\u{11136}',
    '\u{111d0}',
    '\u{112f0}',
    '\u{11450}',
    '\u{114d0}',
    '\u{11650}',
    '\u{116c0}',
    '\u{11730}',
    '\u{118e0}',
    '\u{11950}',
    '\u{11c50}',
    '\u{11d50}',
    '\u{11da0}',
    '\u{16a60}',
    '\u{16ac0}',
    '\u{16b50}',
    '\u{1d7ce}',
    '\u{1d7d8}',
    '\u{1d7e2}',
    '\u{1d7ec}',
    '\u{1d7f6}',
    '\u{1e140}',
    '\u{1e2f0}',
    '\u{1e950}',
    '\u{1fbf0}',
];

/// Other shapes of ordinary letters: ligatures and positions of Latin, Hebrew and Arabic letters, wide and narrow ones,
/// and those of mathematics.
pub(crate) const SHAPES: &[(char, char)] = &[
    ('ſ', 'ſ'),
    ('\u{fb00}', '\u{fb17}'),
    ('\u{fb1d}', '\u{fb28}'),
    // Between them stands a plus sign.
    ('\u{fb2a}', '\u{fd3d}'),
    ('\u{fd50}', '\u{fdfb}'),
    ('\u{fe70}', '\u{fefc}'),
    ('Ａ', 'Ｚ'),
    ('ａ', 'ｚ'),
    ('\u{ff66}', '\u{ff9f}'),
    ('\u{ffa1}', '\u{ffdc}'),
    ('\u{1d400}', '\u{1d7cb}'),
];

/// Signs that any sentence may have, wherever they stand.
pub(crate) const PUNCTUATION: &str = ".,;:!?'\"()[]-/&%*_`|‐‑‒–—―…·•◦▪“”„‟‚‘’‹›«»¿¡§‰′″\
     、。，．：；！？（）「」『』【】《》〈〉〔〕［］〖〗・･｡､｢｣／％％＆＊－…‥﹁﹂﹃﹄،؛؟۔٪٫٬।॥։՝׳״־፣፤።፧᠂᠃\u{2009}\u{202f}\u{a0}\u{3000}";

/// What a line may begin with: a heading, an item, a quotation.
pub(crate) const LEADING: &str = "#>+";

/// Signs of money and degrees, that say something beside a figure alone, where the rules for figures read them.
pub(crate) const BESIDE_FIGURES: &str = "°℃℉€£¥￥￡₹¢₽₩₺₴";
/// The one of them that begins a formula where no figure follows.
pub(crate) const BEFORE_FIGURES: char = '$';

/// The numbers that Chinese and Japanese write in signs, with what each counts.
pub(crate) const HAN_NUMERALS: &[(char, u64)] = &[
    ('〇', 0),
    ('零', 0),
    ('一', 1),
    ('壱', 1),
    ('壹', 1),
    ('二', 2),
    ('两', 2),
    ('兩', 2),
    ('弐', 2),
    ('贰', 2),
    ('貳', 2),
    ('三', 3),
    ('叁', 3),
    ('參', 3),
    ('四', 4),
    ('肆', 4),
    ('五', 5),
    ('伍', 5),
    ('六', 6),
    ('陆', 6),
    ('陸', 6),
    ('七', 7),
    ('柒', 7),
    ('八', 8),
    ('捌', 8),
    ('九', 9),
    ('玖', 9),
    ('十', 10),
    ('拾', 10),
    ('廿', 20),
    ('卅', 30),
    ('百', 100),
    ('佰', 100),
    ('千', 1_000),
    ('仟', 1_000),
    ('万', 10_000),
    ('萬', 10_000),
    ('亿', 100_000_000),
    ('億', 100_000_000),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_are_in_order_and_do_not_overlap() {
        assert!(LETTERS.iter().all(|(first, last, _)| first <= last));
        assert!(LETTERS.is_sorted_by(|(_, last, _), (first, ..)| last < first));
        assert!(SHAPES.iter().all(|(first, last)| first <= last));
        assert!(ZEROS.is_sorted_by(|one, next| one < next));
    }
}
