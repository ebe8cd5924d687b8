//! Terms and their definitions, as an organisation's vocabularies have them.

mod closest;
mod text;

use std::collections::BTreeMap;

use async_trait::async_trait;

use crate::degrade::{Blame, OwnFault, PartError};

pub use closest::{Labels, closest_labels};
pub use text::{folded, in_language, name_in, normalised};

/// Terms longer than this are nobody's label; they only make requests too long for servers.
pub const LONGEST_TERM: usize = 500;

/// How a label belongs to its concept, best first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum LabelKind {
    /// The name of the concept.
    Preferred,
    /// Another name for it.
    Alternative,
    /// Found by, never shown: misspellings and old spellings.
    Hidden,
}

/// What a term means, word for word as the vocabulary has it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Definition {
    pub text: String,
    /// How the vocabulary tags the language, such as `en` or `en-GB`; none when it does not.
    pub language: Option<String>,
}

impl Definition {
    /// The one to quote: of the first of these languages that has any, otherwise one without a language.
    ///
    /// Statements have no order, so of several the fullest is taken, and every backend takes the same. One with a link
    /// in it is the last choice: where there are others, it names their source.
    pub fn best(definitions: &[Self], languages: &[&str]) -> Option<Self> {
        let fullest = |of: &dyn Fn(&Self) -> bool| {
            let fitting = definitions.iter().filter(|definition| of(definition) && !definition.text.trim().is_empty());
            let rank = |definition: &Self| (!definition.text.contains("://"), definition.text.len());
            fitting.max_by(|one, other| rank(one).cmp(&rank(other)).then_with(|| other.cmp(one))).cloned()
        };
        let in_any = languages.iter().find_map(|language| {
            fullest(&|definition| definition.language.as_deref().is_some_and(|tag| in_language(tag, language)))
        });
        in_any.or_else(|| fullest(&|definition| definition.language.is_none()))
    }
}

/// A concept that a term names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Concept {
    /// Identifies the concept: a citation of it resolves to this address.
    pub uri: String,
    /// Which vocabulary it belongs to, by id.
    pub vocabulary: String,
    /// The preferred label, or the one that matched where there is none.
    pub label: String,
    /// Which kind of label the term is.
    pub matched: LabelKind,
    pub definition: Option<Definition>,
}

/// A concept that another one is connected to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Connected {
    pub uri: String,
    pub label: String,
}

/// All that a vocabulary says of a concept, for people to read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Description {
    pub uri: String,
    /// Which vocabulary it belongs to, by id; empty when a server does not say.
    pub vocabulary: String,
    pub label: String,
    /// Its names in other languages and its other names, with their languages as tagged.
    pub other_labels: Vec<(String, Option<String>)>,
    pub definitions: Vec<Definition>,
    /// These three are ordered by label, up to `MOST_CONNECTED` each.
    pub broader: Vec<Connected>,
    pub narrower: Vec<Connected>,
    pub related: Vec<Connected>,
    /// Whether it was withdrawn: no lookup finds it then.
    pub deprecated: bool,
}

/// So many broader, narrower or related concepts of one are listed.
pub const MOST_CONNECTED: usize = 200;

impl Connected {
    /// Each once, by label, and no more than are listed.
    pub fn in_order(mut connected: Vec<Self>) -> Vec<Self> {
        connected.sort_by_cached_key(|one| (folded(&one.label), one.uri.clone()));
        connected.dedup_by(|one, other| one.uri == other.uri);
        connected.truncate(MOST_CONNECTED);
        connected
    }
}

/// What a vocabulary says about a term.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Lookup {
    Found {
        concept: Concept,
        /// Concepts that the term names less well.
        see_also: Vec<Concept>,
    },
    /// Several concepts, none of which the term names better than the others.
    Ambiguous(Vec<Concept>),
    Unknown,
}

impl Lookup {
    /// Decides between the concepts whose labels match: a preferred label beats an alternative one, which beats
    /// a hidden one. A concept that matches in several ways counts once, by its best.
    pub fn among(matches: Vec<Concept>) -> Self {
        let mut by_uri = BTreeMap::<String, Concept>::new();
        for found in matches {
            // Of two that match alike, the one that can be quoted.
            let rank = |concept: &Concept| (concept.matched, concept.definition.is_none());
            match by_uri.get(&found.uri) {
                Some(kept) if rank(kept) <= rank(&found) => {}
                _ => {
                    by_uri.insert(found.uri.clone(), found);
                }
            }
        }
        let mut concepts: Vec<Concept> = by_uri.into_values().collect();
        concepts.sort_by(|one, other| {
            (one.matched, &one.vocabulary, &one.uri).cmp(&(other.matched, &other.vocabulary, &other.uri))
        });
        let Some(best) = concepts.first().map(|concept| concept.matched) else { return Self::Unknown };
        let lesser = concepts.split_off(concepts.partition_point(|concept| concept.matched == best));
        match <[Concept; 1]>::try_from(concepts) {
            Ok([concept]) => Self::Found { concept, see_also: lesser },
            Err(several) => Self::Ambiguous(several),
        }
    }
}

/// Say that the term could not be verified. None of them means that the term is unknown.
pub type VocabularyError = PartError<VocabularyFault>;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum VocabularyFault {
    /// The asker's mistake: there is nothing to look up.
    #[error("a term has 1 to {LONGEST_TERM} characters")]
    InvalidTerm,
}

impl OwnFault for VocabularyFault {
    const PART: &'static str = "the vocabulary";
    const UNAVAILABLE: &'static str = "the vocabulary is unavailable";

    fn blame(&self) -> Blame {
        match self {
            Self::InvalidTerm => Blame::Others,
        }
    }
}

/// A term in the form in which it is looked up, or the reason why it cannot be.
pub fn checked(term: &str) -> Result<String, VocabularyFault> {
    let term = normalised(term);
    let fits = !term.is_empty() && term.chars().count() <= LONGEST_TERM;
    if fits { Ok(term) } else { Err(VocabularyFault::InvalidTerm) }
}

#[async_trait]
pub trait Vocabulary: Send + Sync {
    /// What the vocabulary says about a term: by its labels, regardless of case, and by nothing else.
    async fn lookup(&self, term: &str) -> Result<Lookup, VocabularyError>;

    /// The closest existing terms, best first; empty when the backend cannot say.
    async fn closest(&self, term: &str, limit: usize) -> Result<Vec<String>, VocabularyError>;

    /// All that the vocabulary says of the concept with this address, with names in this language where there are any;
    /// none when there is no such concept.
    async fn describe(&self, uri: &str, language: &str) -> Result<Option<Description>, VocabularyError>;
}

#[cfg(test)]
mod tests;
