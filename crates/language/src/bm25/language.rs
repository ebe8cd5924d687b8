//! The languages whose word endings and stop words are known.

use std::str::FromStr;

use rust_stemmers::Algorithm;

/// The language of the documents, for stemming and stop words.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Language {
    Arabic,
    Danish,
    Dutch,
    #[default]
    English,
    Finnish,
    French,
    German,
    Greek,
    Hungarian,
    Italian,
    Norwegian,
    Portuguese,
    Romanian,
    Russian,
    Spanish,
    Swedish,
    Tamil,
    Turkish,
    /// Words as they are written: for corpora of many languages.
    None,
}

/// A language, its name in the settings, its code in lists of stop words, and its stemmer.
type Row = (Language, &'static str, &'static str, Option<Algorithm>);

const TABLE: [Row; 19] = [
    (Language::Arabic, "arabic", "ar", Some(Algorithm::Arabic)),
    (Language::Danish, "danish", "da", Some(Algorithm::Danish)),
    (Language::Dutch, "dutch", "nl", Some(Algorithm::Dutch)),
    (Language::English, "english", "en", Some(Algorithm::English)),
    (Language::Finnish, "finnish", "fi", Some(Algorithm::Finnish)),
    (Language::French, "french", "fr", Some(Algorithm::French)),
    (Language::German, "german", "de", Some(Algorithm::German)),
    (Language::Greek, "greek", "el", Some(Algorithm::Greek)),
    (Language::Hungarian, "hungarian", "hu", Some(Algorithm::Hungarian)),
    (Language::Italian, "italian", "it", Some(Algorithm::Italian)),
    (Language::Norwegian, "norwegian", "no", Some(Algorithm::Norwegian)),
    (Language::Portuguese, "portuguese", "pt", Some(Algorithm::Portuguese)),
    (Language::Romanian, "romanian", "ro", Some(Algorithm::Romanian)),
    (Language::Russian, "russian", "ru", Some(Algorithm::Russian)),
    (Language::Spanish, "spanish", "es", Some(Algorithm::Spanish)),
    (Language::Swedish, "swedish", "sv", Some(Algorithm::Swedish)),
    (Language::Tamil, "tamil", "ta", Some(Algorithm::Tamil)),
    (Language::Turkish, "turkish", "tr", Some(Algorithm::Turkish)),
    (Language::None, "none", "", None),
];

/// Not a language that is known here.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("is not a language that is known; known are {}", Language::names().join(", "))]
pub struct UnknownLanguage;

impl Language {
    pub fn name(self) -> &'static str {
        self.row().map_or("none", |row| row.1)
    }

    /// All names that the settings know.
    pub fn names() -> Vec<&'static str> {
        TABLE.iter().map(|row| row.1).collect()
    }

    pub(super) fn stemmer(self) -> Option<Algorithm> {
        self.row()?.3
    }

    pub(super) fn stop_words(self) -> &'static [&'static str] {
        self.row().and_then(|row| stop_words::lookup(row.2)).unwrap_or_default()
    }

    fn row(self) -> Option<&'static Row> {
        TABLE.iter().find(|row| row.0 == self)
    }
}

impl FromStr for Language {
    type Err = UnknownLanguage;

    fn from_str(name: &str) -> Result<Self, UnknownLanguage> {
        TABLE.iter().find(|row| row.1 == name).map(|row| row.0).ok_or(UnknownLanguage)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_is_read_by_its_name_and_has_stop_words() {
        for (language, name, ..) in TABLE {
            assert_eq!(name.parse(), Ok(language));
            assert_eq!(language.name(), name);
            assert_eq!(language.stop_words().is_empty(), language == Language::None, "{name}");
        }
        assert!("klingon".parse::<Language>().unwrap_err().to_string().contains("english"));
    }
}
