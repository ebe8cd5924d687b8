//! The languages whose word endings and stop words are known.

use std::str::FromStr;

use crate::tables::{self, Tables};

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

const ALL: [Language; 19] = [
    Language::Arabic,
    Language::Danish,
    Language::Dutch,
    Language::English,
    Language::Finnish,
    Language::French,
    Language::German,
    Language::Greek,
    Language::Hungarian,
    Language::Italian,
    Language::Norwegian,
    Language::Portuguese,
    Language::Romanian,
    Language::Russian,
    Language::Spanish,
    Language::Swedish,
    Language::Tamil,
    Language::Turkish,
    Language::None,
];

/// Not a language that is known here.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("is not a language that is known; known are {}", Language::names().join(", "))]
pub struct UnknownLanguage;

impl Language {
    pub fn name(self) -> &'static str {
        self.tables().name
    }

    /// All names that the settings know.
    pub fn names() -> Vec<&'static str> {
        ALL.iter().map(|language| language.name()).collect()
    }

    pub(crate) fn tables(self) -> &'static Tables {
        match self {
            Self::Arabic => &tables::ARABIC,
            Self::Danish => &tables::DANISH,
            Self::Dutch => &tables::DUTCH,
            Self::English => &tables::ENGLISH,
            Self::Finnish => &tables::FINNISH,
            Self::French => &tables::FRENCH,
            Self::German => &tables::GERMAN,
            Self::Greek => &tables::GREEK,
            Self::Hungarian => &tables::HUNGARIAN,
            Self::Italian => &tables::ITALIAN,
            Self::Norwegian => &tables::NORWEGIAN,
            Self::Portuguese => &tables::PORTUGUESE,
            Self::Romanian => &tables::ROMANIAN,
            Self::Russian => &tables::RUSSIAN,
            Self::Spanish => &tables::SPANISH,
            Self::Swedish => &tables::SWEDISH,
            Self::Tamil => &tables::TAMIL,
            Self::Turkish => &tables::TURKISH,
            Self::None => &tables::NONE,
        }
    }
}

impl FromStr for Language {
    type Err = UnknownLanguage;

    fn from_str(name: &str) -> Result<Self, UnknownLanguage> {
        ALL.into_iter().find(|language| language.name() == name).ok_or(UnknownLanguage)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_is_read_by_its_name_and_has_stop_words() {
        for language in ALL {
            let name = language.name();
            assert_eq!(name.parse(), Ok(language));
            assert_eq!(language.tables().stop_words.is_empty(), language == Language::None, "{name}");
            assert_eq!(language.tables().snowball.is_none(), language == Language::None, "{name}");
        }
        assert!("klingon".parse::<Language>().unwrap_err().to_string().contains("english"));
    }
}
