//! From a text to its terms: words, lower case, without stop words, stemmed, hashed.

use std::collections::{BTreeMap, BTreeSet};

use unicode_segmentation::UnicodeSegmentation as _;

use crate::stems;

use super::query::Query;
use super::{DocumentTerms, Language, TermId, TermWeights, saturated, unweighed};

/// The mean length of a passage in words, stop words left out. It is fixed, so that a passage's half of BM25 does not
/// change with other passages.
const MEAN_LENGTH: f32 = 100.0;

/// Raised when the same text gives other terms than before, so that counts of both are never added up.
const REVISION: u32 = 1;

/// How texts are cut into terms, the same for passages and queries.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Analysis {
    language: Language,
}

/// A language that cannot be detected is taken for this one.
const USUAL: Language = Language::English;

impl Analysis {
    pub fn of(language: Language) -> Self {
        Self { language }
    }

    /// The analysis of a text: by its own language where each has its own.
    fn for_words(self, words: &[String]) -> Self {
        match self.language {
            Language::Auto => Self::of(Language::of_text(words.iter().map(String::as_str)).unwrap_or(USUAL)),
            _ => self,
        }
    }

    /// What tells it from every other analysis: terms of two are not comparable.
    pub fn id(&self) -> String {
        format!("{}-{REVISION}", self.language.name())
    }

    /// Every term of a text, in the order of its words, as often as it occurs.
    pub fn terms(&self, text: &str) -> Vec<TermId> {
        let words = lower_words(text);
        let analysis = self.for_words(&words);
        let term = analysis.term_of_word();
        words.iter().filter(|word| !analysis.leaves_out(word)).map(|word| term(word)).collect()
    }

    fn leaves_out(&self, word: &str) -> bool {
        self.language.tables().stop_words.index.contains(word)
    }

    /// The term of a word, in lower case.
    pub(super) fn term_of_word(&self) -> impl Fn(&str) -> TermId + use<> {
        let stemmer = stems::for_the_index(self.language.tables());
        move |word| match &stemmer {
            Some(stemmer) => hashed(&stemmer.stem(word)),
            None => hashed(word),
        }
    }

    /// A query's words, without those that say nothing in its own language. Where each text is of its own language, the
    /// passages' may be another one than the query's: a word has a term of each that is likely.
    pub fn query(&self, text: &str) -> Query {
        let words = lower_words(text);
        let detected = Language::of_text(words.iter().map(String::as_str)).filter(|_| self.language != Language::None);
        let own = detected.map(Self::of);
        let analyses = match self.language {
            Language::Auto => {
                let likely = Language::likely(words.iter().map(String::as_str));
                let mut languages: Vec<Language> = detected.into_iter().chain(likely).chain([USUAL]).collect();
                let mut seen = Vec::new();
                languages.retain(|language| {
                    !seen.contains(language) && {
                        seen.push(*language);
                        true
                    }
                });
                languages.into_iter().map(Self::of).collect()
            }
            _ => vec![*self],
        };
        let says_nothing = |word: &str| own.as_ref().unwrap_or(&analyses[0]).leaves_out(word) || self.leaves_out(word);
        let mut kept: Vec<&str> = words.iter().map(String::as_str).filter(|word| !says_nothing(word)).collect();
        if kept.is_empty() {
            // "To be or not to be", in an index that leaves none of these words out.
            kept = words.iter().map(String::as_str).filter(|word| !self.leaves_out(word)).collect();
        }
        let spellings = own.iter().chain(&analyses).map(|analysis| &analysis.language.tables().spelling).collect();
        Query::of(kept.into_iter(), analyses.clone(), spellings)
    }

    pub fn distinct(&self, text: &str) -> BTreeSet<TermId> {
        self.terms(text).into_iter().collect()
    }

    /// A passage's half of BM25.
    #[expect(clippy::cast_precision_loss, reason = "a passage has few words")]
    pub fn passage(&self, text: &str) -> TermWeights {
        let terms = self.terms(text);
        let length = terms.len() as f32;
        let mut times: BTreeMap<TermId, u32> = BTreeMap::new();
        for term in terms {
            *times.entry(term).or_default() += 1;
        }
        times.into_iter().map(|(term, times)| (term, saturated(times as f32, length, MEAN_LENGTH))).collect()
    }

    /// A query's half where nothing is known about the scope.
    pub fn unweighed(&self, query: &str) -> TermWeights {
        unweighed(&self.distinct(query))
    }

    /// What is counted of a document: the texts are those of its passages, as the index has them.
    pub fn count<'a>(&self, passages: impl IntoIterator<Item = &'a str>) -> DocumentTerms {
        let mut counted = DocumentTerms::default();
        for text in passages {
            counted.passages += 1;
            for term in self.distinct(text) {
                *counted.with_term.entry(term).or_default() += 1;
            }
        }
        counted
    }
}

/// Words by Unicode's rules, which give each ideograph its own, cut once more where the rules join words that people
/// search for one by one: `config.yaml`, `snake_case`, `don't`.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let joins = |c: char| c.is_ascii_punctuation() || matches!(c, '\u{2019}' | '\u{2018}' | '\u{b7}' | '\u{2027}');
    text.unicode_words().flat_map(move |word| word.split(joins)).filter(|word| !word.is_empty())
}

fn lower_words(text: &str) -> Vec<String> {
    words(text).map(str::to_lowercase).collect()
}

/// FNV-1a of 64 bits, folded to 32: the same on every machine and in every release.
fn hashed(stem: &str) -> TermId {
    let hash = stem
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
    let [a, b, c, d, e, f, g, h] = hash.to_be_bytes();
    TermId(u32::from_be_bytes([a ^ e, b ^ f, c ^ g, d ^ h]))
}
