//! What is said around answers by the program itself, in the language of the policy file's own words: a file for each
//! language in the folder beside this one. A language that has a file here and words in a policy file is complete.

use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

use ibidem_language::Language;
use ibidem_words::{ConfidenceLevel, Fallback, Reason, RetrievalQuality, RouteTarget};
use serde::Deserialize;

/// What is said in one language.
#[derive(Deserialize, Debug, Default)]
#[serde(deny_unknown_fields)]
pub struct Texts {
    /// The name of the language, as the settings have it: `english`.
    pub language: String,
    /// Its tag by BCP 47: `en`.
    pub code: String,
    /// Why there is no answer, in a sentence without a number.
    why: BTreeMap<Reason, String>,
    /// What a part that was skipped, or that stood in for another, means for the answer.
    flags: HashMap<Fallback, String>,
    /// Said where one of those parts belongs to the search.
    simpler_search: String,
    /// Said where the search found little.
    little_found: String,
    /// The question for a document itself, with `{address}`: it stands by itself in a conversation, as an address does not.
    pub whole_document: String,
    /// The next step where a part is away for now.
    pub again: String,
    /// The warning beside an answer whose last sentences nobody could check.
    pub rest_unchecked: String,
    whom: Whom,
    pub around: Around,
}

/// Whom to ask, with the address of whoever it is in place of `{email}`.
#[derive(Deserialize, Debug, Default)]
#[serde(deny_unknown_fields)]
struct Whom {
    owner: String,
    /// Nobody owns the subject, and the administrator is known.
    no_owner: String,
    /// Nobody owns the subject, and no administrator is configured.
    nobody: String,
    /// The owners could not be looked up, and the administrator is known.
    unknown: String,
    /// The owners could not be looked up, and no administrator is configured.
    nobody_known: String,
    /// The question was sent to whoever it is.
    handed_over: String,
}

/// What doors that show text alone write around an answer.
#[derive(Deserialize, Debug, Default)]
#[serde(deny_unknown_fields)]
pub struct Around {
    /// Above the list of sources.
    pub sources: String,
    /// The page of a source, with its number in place of `{page}`.
    pub page: String,
    /// Something that the asker should know, in place of `{notice}`.
    pub note: String,
    /// Between a refusal and the passages that came nearest.
    pub closest: String,
    /// Whom to ask, in place of `{whom}`.
    pub whom: String,
    /// Above questions that would be answered.
    pub ask_instead: String,
    /// Above advice.
    pub next: String,
    /// The offer of a search to an agent.
    pub search_tool: String,
    /// The offer of a search in a terminal, with the command in place of `{command}`.
    pub search_command: String,
    /// How to confirm what is proposed, with `{sentence}` and `{end}`.
    pub confirm: String,
}

/// Every language that there is a file of, English first.
static ALL: LazyLock<[Texts; 2]> =
    LazyLock::new(|| [include_str!("texts/en.yaml"), include_str!("texts/de.yaml")].map(read));

/// What a file says. A test reads every file, so that none is empty in a release because of an error in it.
fn read(file: &'static str) -> Texts {
    serde_saphyr::from_str(file).unwrap_or_default()
}

impl Texts {
    pub fn english() -> &'static Self {
        &ALL[0]
    }

    /// By the name or the tag of a language.
    pub fn of(language: &str) -> Option<&'static Self> {
        ALL.iter().find(|texts| texts.language == language || texts.code == language)
    }

    /// In the language that a text is written in; in English where that is not known, or there is no file of it.
    pub fn for_text(text: &str) -> &'static Self {
        Language::of(text).and_then(|language| Self::of(language.name())).unwrap_or_else(Self::english)
    }

    /// Every language that there is a file of, by its name.
    pub fn languages() -> impl Iterator<Item = &'static str> {
        ALL.iter().map(|texts| texts.language.as_str())
    }

    /// The reason in a sentence for people, without numbers.
    pub fn why(&self, reason: Reason) -> &str {
        self.why.get(&reason).map_or("", String::as_str)
    }

    /// What a part that was skipped, or that stood in for another, means for the answer.
    pub fn of_flag(&self, flag: Fallback) -> &str {
        self.flags.get(&flag).map_or("", String::as_str)
    }

    /// What the asker should know of how the search went: each thing that happened, once. That sentences are quoted is for
    /// the policy file to say.
    pub(crate) fn of_search(&self, quality: &RetrievalQuality) -> Option<String> {
        let happened = quality.fallback_reasons.iter().filter(|flag| **flag != Fallback::Extractive);
        let sentences: Vec<&str> = happened.map(|flag| self.of_flag(*flag)).collect();
        if sentences.is_empty() {
            let is_little = quality.confidence_level == ConfidenceLevel::Low;
            return is_little.then(|| self.little_found.clone());
        }
        let is_simpler = quality.fallback_reasons.iter().any(|flag| flag.is_of_search());
        let simpler = is_simpler.then_some(self.simpler_search.as_str());
        Some(simpler.into_iter().chain(sentences).collect::<Vec<_>>().join(" "))
    }

    /// Whom to ask, in a sentence.
    pub(crate) fn whom(&self, owner: Option<&str>, admin: Option<&str>, are_owners_known: bool) -> String {
        let whom = &self.whom;
        let (sentence, email) = match (owner, admin, are_owners_known) {
            (Some(owner), _, _) => (&whom.owner, owner),
            (None, Some(admin), true) => (&whom.no_owner, admin),
            (None, None, true) => (&whom.nobody, ""),
            (None, Some(admin), false) => (&whom.unknown, admin),
            (None, None, false) => (&whom.nobody_known, ""),
        };
        sentence.replace("{email}", email)
    }

    /// Whom to ask, and whether they are asked already.
    pub fn whom_to_ask(&self, to: &RouteTarget) -> String {
        match to.handed_over {
            true => format!("{} {}", to.reason, self.whom.handed_over),
            false => to.reason.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_has_every_text() {
        for (file, name) in [(include_str!("texts/en.yaml"), "english"), (include_str!("texts/de.yaml"), "german")] {
            let texts: Texts = serde_saphyr::from_str(file).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(texts.language, name);
            assert!(name.parse::<Language>().is_ok());
            for reason in Reason::ALL {
                let why = texts.why(reason);
                assert!(why.ends_with('.') && !why.contains(char::is_numeric), "{name}: {reason:?}: {why}");
            }
            assert_eq!(texts.flags.len(), Texts::english().flags.len(), "{name}");
            for place in [&texts.whom.owner, &texts.whom.no_owner, &texts.whom.unknown] {
                assert!(place.contains("{email}"), "{name}: {place}");
            }
        }
        assert_eq!(Texts::languages().count(), 2);
    }

    #[test]
    fn a_text_is_answered_in_its_language_or_in_english() {
        for (text, code) in [
            ("Wie viele Urlaubstage kann ich übertragen?", "de"),
            ("How many days of leave may be carried over?", "en"),
            ("Combien de jours de congé puis-je reporter ?", "en"),
            ("ADR-0012", "en"),
            ("", "en"),
        ] {
            assert_eq!(Texts::for_text(text).code, code, "{text:?}");
        }
    }

    #[test]
    fn what_happened_is_said_once_and_that_sentences_are_quoted_is_no_simpler_search() {
        let said = |base, flags: &[Fallback]| Texts::english().of_search(&RetrievalQuality::of(base, flags.to_vec()));
        assert_eq!(said(0.9, &[]), None);
        assert_eq!(said(0.9, &[Fallback::Extractive]), None);
        let two = said(0.9, &[Fallback::KeywordsOnly, Fallback::Extractive, Fallback::CircuitOpen]).unwrap();
        assert_eq!(
            two,
            "The search was simpler than usual, so results may be less complete. The search was by keywords only, because \
             the embedding model failed. A part of the system was skipped because it had failed too often."
        );
        assert_eq!(said(0.9, &[Fallback::FallbackModel]).unwrap(), "A second language model wrote the answer.");
        assert!(said(0.59, &[]).unwrap().starts_with("Little was found"));
    }
}
