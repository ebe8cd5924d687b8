//! From a text to its terms: words, lower case, without stop words, stemmed, hashed.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt;
use std::sync::Arc;

use unicode_segmentation::UnicodeSegmentation as _;

use crate::stems;
use crate::stop_words::{Use, left_out};

use super::{DocumentTerms, Language, TermId, TermWeights, saturated, unweighed};

/// The mean length of a passage in words, stop words left out. It is fixed, so that a passage's half of BM25 does not
/// change with other passages.
const MEAN_LENGTH: f32 = 100.0;

/// Raised when the same text gives other terms than before, so that counts of both are never added up.
const REVISION: u32 = 1;

/// How texts are cut into terms, the same for passages and queries. Cheap to clone.
#[derive(Clone)]
pub struct Analysis {
    language: Language,
    stop_words: Arc<HashSet<&'static str>>,
}

impl Analysis {
    pub fn of(language: Language) -> Self {
        Self { language, stop_words: Arc::new(left_out(language.tables().stop_words, Use::Index)) }
    }

    pub fn language(&self) -> Language {
        self.language
    }

    /// What tells it from every other analysis: terms of two are not comparable.
    pub fn id(&self) -> String {
        format!("{}-{REVISION}", self.language.name())
    }

    /// Every term of a text, in the order of its words, as often as it occurs.
    pub fn terms(&self, text: &str) -> Vec<TermId> {
        let stemmer = stems::for_the_index(self.language.tables());
        let mut terms = Vec::new();
        for word in words(text) {
            let lower = word.to_lowercase();
            if self.stop_words.contains(lower.as_str()) {
                continue;
            }
            terms.push(match &stemmer {
                Some(stemmer) => hashed(&stemmer.stem(&lower)),
                None => hashed(&lower),
            });
        }
        terms
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

impl Default for Analysis {
    fn default() -> Self {
        Self::of(Language::default())
    }
}

impl PartialEq for Analysis {
    fn eq(&self, other: &Self) -> bool {
        self.language == other.language
    }
}

impl fmt::Debug for Analysis {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Analysis").field(&self.language).finish()
    }
}

/// Words by Unicode's rules, which give each ideograph its own, cut once more where the rules join words that people
/// search for one by one: `config.yaml`, `snake_case`, `don't`.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let joins = |c: char| c.is_ascii_punctuation() || matches!(c, '\u{2019}' | '\u{2018}' | '\u{b7}' | '\u{2027}');
    text.unicode_words().flat_map(move |word| word.split(joins)).filter(|word| !word.is_empty())
}

/// FNV-1a of 64 bits, folded to 32: the same on every machine and in every release.
fn hashed(stem: &str) -> TermId {
    let hash = stem
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
    let [a, b, c, d, e, f, g, h] = hash.to_be_bytes();
    TermId(u32::from_be_bytes([a ^ e, b ^ f, c ^ g, d ^ h]))
}
