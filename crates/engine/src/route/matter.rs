//! What a named document says about something, by its words alone: the section of that name, or the sentences that have
//! all of the words.

use std::collections::BTreeSet;

use ibidem_language::asking::Matter;
use ibidem_language::sentences::sentences_of;
use ibidem_language::{same_word, significant_terms};
use ibidem_ports::catalogue::CataloguePassage;

use super::named::whole;
use crate::speak::markup::sanitize;
use crate::speak::quoting::quotation;

/// Where ingestion parts the headings of a section's path.
const BETWEEN_HEADINGS: &str = " > ";

/// The passages that say something about it, in their order, each with what of it is quoted. The section that is called
/// so says it; else the sentences with all of its words; else the passages with all of them.
pub(super) fn passages_about(matter: &Matter, passages: Vec<CataloguePassage>) -> Vec<(CataloguePassage, Vec<String>)> {
    let asked = significant_terms(&matter.words);
    if asked.is_empty() {
        return Vec::new();
    }
    if passages.iter().any(|passage| is_called(passage, &asked)) {
        return passages.into_iter().filter(|passage| is_called(passage, &asked)).map(whole).collect();
    }
    if !matter.is_said_about {
        return Vec::new();
    }
    let quoted: Vec<_> = passages.iter().map(|passage| sentences_about(passage, &asked)).collect();
    if quoted.iter().any(|sentences| !sentences.is_empty()) {
        return passages.into_iter().zip(quoted).filter(|(_, sentences)| !sentences.is_empty()).collect();
    }
    let speaks_of_it = |passage: &CataloguePassage| {
        has_all(&[passage.text.as_str(), passage.section.as_deref().unwrap_or_default()].join("\n"), &asked)
    };
    passages.into_iter().filter(speaks_of_it).map(whole).collect()
}

/// Whether a heading above a passage has these words and no others.
fn is_called(passage: &CataloguePassage, asked: &BTreeSet<String>) -> bool {
    let mut headings = passage.section.iter().flat_map(|section| section.split(BETWEEN_HEADINGS));
    headings.any(|heading| {
        let words = significant_terms(heading);
        has_all(heading, asked) && words.iter().all(|word| asked.iter().any(|own| same_word(own, word)))
    })
}

/// The sentences of a passage that have all of the words, as they are quoted.
fn sentences_about(passage: &CataloguePassage, asked: &BTreeSet<String>) -> Vec<String> {
    let text = sanitize(&passage.text, &[passage.text.as_str()]);
    let sentences = sentences_of(&text).into_iter().enumerate().filter(|(_, sentence)| has_all(sentence, asked));
    let mut quoted: Vec<String> = sentences.filter_map(|(place, _)| quotation(passage, &text, place)).collect();
    quoted.dedup();
    quoted
}

fn has_all(text: &str, asked: &BTreeSet<String>) -> bool {
    let words = significant_terms(text);
    asked.iter().all(|own| words.iter().any(|word| same_word(word, own)))
}

#[cfg(test)]
mod tests {
    use ibidem_testing::fakes::passage;

    use super::*;

    fn document() -> Vec<CataloguePassage> {
        let collection = "Papers".parse().unwrap();
        [
            ("Trips > Taxis and hire cars", "Trains come first. Taxis are paid after 22:00."),
            ("Trips > Credits", "Each hour is credited. Ask within 60 days."),
            ("Meals", "Meals in trains are private. A meal with guests is paid."),
        ]
        .into_iter()
        .enumerate()
        .map(|(number, (section, text))| CataloguePassage {
            section: Some(section.to_owned()),
            ..passage(number as u128, &collection, text)
        })
        .collect()
    }

    fn quoted(words: &str, is_said_about: bool) -> Vec<String> {
        let matter = Matter { words: words.to_owned(), is_said_about };
        passages_about(&matter, document()).into_iter().flat_map(|(_, quoted)| quoted).collect()
    }

    #[test]
    fn the_section_of_that_name_says_it_whatever_the_form_of_the_question() {
        let credits = ["Each hour is credited. Ask within 60 days."];
        assert_eq!(quoted("credit", false), credits);
        assert_eq!(quoted("the credits", true), credits);
    }

    #[test]
    fn else_the_sentences_with_all_of_the_words_do() {
        assert_eq!(quoted("taxis", true), ["Taxis are paid after 22:00."]);
        assert_eq!(quoted("meals in trains", true), ["Meals in trains are private."]);
        assert_eq!(quoted("guests in trains", true), ["Meals in trains are private. A meal with guests is paid."]);
        assert!(quoted("taxis", false).is_empty(), "a question of another sort is read");
    }

    #[test]
    fn what_has_not_all_of_the_words_says_nothing_about_it() {
        assert!(quoted("bicycles", true).is_empty());
        assert!(quoted("the", true).is_empty());
    }
}
