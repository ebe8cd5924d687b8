//! The languages whose word endings and stop words are known.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::str::FromStr;
use std::sync::LazyLock;

pub use crate::tables::Language;

/// Not a language that is known here.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("is not a language that is known; known are {}", Language::names().join(", "))]
pub struct UnknownLanguage;

/// The languages that have a word among those that say nothing or ask, by their places in the list.
static STOP_WORDS: LazyLock<HashMap<&str, Vec<usize>>> = LazyLock::new(|| {
    let mut languages: HashMap<&str, Vec<usize>> = HashMap::new();
    for (place, language) in Language::ALL.iter().enumerate() {
        let tables = language.tables();
        let asking = tables.follow_ups.asking.into_iter().chain(tables.follow_ups.auxiliaries);
        for word in tables.stop_words.index.iter().chain(asking).collect::<HashSet<_>>() {
            languages.entry(word).or_default().push(place);
        }
    }
    languages
});

/// The languages that are written with a letter.
static LETTERS: LazyLock<HashMap<char, Vec<usize>>> = LazyLock::new(|| {
    let mut languages: HashMap<char, Vec<usize>> = HashMap::new();
    for (place, language) in Language::ALL.iter().enumerate() {
        for letter in language.tables().spelling.letters.chars() {
            languages.entry(letter).or_default().push(place);
        }
    }
    languages
});

/// Whether a word, in lower case, is a small one of a language that writes its nouns with a capital: before one of these,
/// at the beginning of a sentence, it is no part of a name.
pub(crate) fn is_small_beside_nouns(word: &str) -> bool {
    static SMALL: LazyLock<HashSet<&str>> = LazyLock::new(|| {
        let languages = Language::ALL.iter().map(|language| language.tables());
        let of_nouns = languages.filter(|tables| tables.meaning.has_capital_nouns);
        of_nouns.flat_map(|tables| &tables.stop_words.index).copied().collect()
    });
    SMALL.contains(word)
}

/// What a word or a letter counts that one language alone has.
const SHARES: u32 = 60;

/// What the words of a text count for each language, and how many they are.
fn shares<'a>(words: impl IntoIterator<Item = &'a str>) -> ([u32; Language::ALL.len()], u32) {
    let (mut counted, mut all) = ([0_u32; Language::ALL.len()], 0_u32);
    for word in words {
        all += 1;
        let languages = match STOP_WORDS.get(word) {
            Some(languages) => Some(languages),
            None if word.is_ascii() => None,
            None => word.chars().find_map(|letter| LETTERS.get(&letter)),
        };
        for place in languages.into_iter().flatten() {
            let of = languages.map_or(1, Vec::len);
            counted[*place] += SHARES / u32::try_from(of).unwrap_or(SHARES);
        }
    }
    (counted, all)
}

impl Language {
    pub fn name(self) -> &'static str {
        self.tables().name
    }

    /// All names that the settings know.
    pub fn names() -> Vec<&'static str> {
        Language::ALL.iter().map(|language| language.name()).collect()
    }

    /// The language that a text is written in, told by its stop words and letters. Each counts for the languages that
    /// have it, and the more, the fewer these are. None of a text that has too few of them, or as many of two languages.
    pub fn of_text<'a>(words: impl IntoIterator<Item = &'a str>) -> Option<Self> {
        // One word of this language alone and half of another, or less in a short text.
        const LEAST: u32 = SHARES + SHARES / 2;
        let (counted, all) = shares(words);
        let best = (0..Language::ALL.len()).max_by_key(|place| (counted[*place], Reverse(*place)))?;
        let next = (0..Language::ALL.len()).filter(|place| *place != best).map(|place| counted[place]).max()?;
        let is_enough = counted[best] >= LEAST.min(SHARES * all / 5) && counted[best] > next;
        is_enough.then_some(Language::ALL[best])
    }

    /// The language that a text is written in, by [`Self::of_text`].
    pub fn of(text: &str) -> Option<Self> {
        Self::of_text(lower_words(&text.to_lowercase()))
    }

    /// The languages that a text may be written in, the likeliest first: few words do not tell Spanish from Portuguese.
    pub(crate) fn likely<'a>(words: impl IntoIterator<Item = &'a str>) -> Vec<Self> {
        const MOST: usize = 3;
        let (counted, _) = shares(words);
        let best = counted.iter().copied().max().unwrap_or(0);
        let mut likely: Vec<usize> =
            (0..Language::ALL.len()).filter(|place| counted[*place] > 0 && 2 * counted[*place] >= best).collect();
        likely.sort_by_key(|place| (Reverse(counted[*place]), *place));
        likely.into_iter().take(MOST).map(|place| Language::ALL[place]).collect()
    }
}

/// Whether a text is written in English: true where its words say so, false where its words say another language or its
/// letters are not Latin, and nothing where it has too few words to tell.
pub fn is_english(text: &str) -> Option<bool> {
    const LAST_LATIN: char = '\u{24f}';
    let is_latin = |letter: char| letter <= LAST_LATIN || ('\u{1e00}'..='\u{1eff}').contains(&letter);
    let (latin, others): (Vec<char>, Vec<char>) =
        text.chars().filter(|letter| letter.is_alphabetic()).partition(|letter| is_latin(*letter));
    if others.len() > latin.len() {
        return Some(false);
    }
    Language::of(text).map(|language| language == Language::English)
}

/// The words of a text in lower case.
fn lower_words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|sign: char| !sign.is_alphanumeric()).filter(|word| !word.is_empty())
}

impl FromStr for Language {
    type Err = UnknownLanguage;

    fn from_str(name: &str) -> Result<Self, UnknownLanguage> {
        Language::ALL.iter().find(|language| language.name() == name).copied().ok_or(UnknownLanguage)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_is_read_by_its_name_and_has_stop_words() {
        for language in Language::ALL.iter().copied() {
            let name = language.name();
            assert_eq!(name.parse(), Ok(language));
            let is_none = matches!(language, Language::None | Language::Auto);
            assert_eq!(language.tables().stop_words.index.is_empty(), is_none, "{name}");
            assert_eq!(language.tables().snowball.is_none(), is_none, "{name}");
        }
        assert!("klingon".parse::<Language>().unwrap_err().to_string().contains("english"));
    }

    #[test]
    fn a_text_is_of_the_language_whose_stop_words_it_has() {
        for (text, language) in [
            ("how long are the values kept in the archive", Some(Language::English)),
            ("wie lange werden die werte im archiv gespeichert", Some(Language::German)),
            ("wann wird das gehalt gezahlt", Some(Language::German)),
            ("muss ich den router zurückschicken", Some(Language::German)),
            ("cuánto tiempo se guardan los valores en el archivo", Some(Language::Spanish)),
            ("combien de temps les valeurs sont elles gardées dans les archives", Some(Language::French)),
            ("hoe lang worden de waarden in het archief bewaard", Some(Language::Dutch)),
            ("bn 40 wi fi 5 400 mbit s", None),
            ("router", None),
            ("", None),
        ] {
            assert_eq!(Language::of_text(text.split_whitespace()), language, "{text}");
        }
    }

    #[test]
    fn a_text_is_english_by_its_words_and_not_english_by_other_letters() {
        for (text, english) in [
            ("How long are the values kept in the archive?", Some(true)),
            ("Who is responsible for the Müller contract?", Some(true)),
            ("Wie lange werden die Werte im Archiv gespeichert?", Some(false)),
            ("Muss ich den Router zurückschicken?", Some(false)),
            ("¿Cuánto tiempo se guardan los valores en el archivo?", Some(false)),
            ("数据保存多久？", Some(false)),
            ("TLS 1.3 の設定はどこですか", Some(false)),
            ("Какой срок хранения у ADR-0031?", Some(false)),
            ("router", None),
            ("BN-40 | Wi-Fi 5 | 400 Mbit/s", None),
            ("", None),
        ] {
            assert_eq!(is_english(text), english, "{text}");
        }
    }
}
