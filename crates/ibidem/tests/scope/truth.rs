//! What every asker should find, by looking at every document.

use std::collections::{BTreeMap, BTreeSet};

use ibidem_engine::search::Lanes;
use ibidem_ports::index::IndexHit;
use ibidem_words::{CollectionName, DocumentId, PassageKey, Scope, Tag, TenantId};

use crate::asking::{NO_LIMIT, Question};

/// Two ways of adding up the same cosine differ by less.
const ROUNDING: f32 = 1e-5;

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Passage {
    pub(crate) key: PassageKey,
    pub(crate) words: BTreeSet<String>,
    pub(crate) vector: Vec<f32>,
}

/// A document as it is at some time.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Document {
    pub(crate) id: DocumentId,
    pub(crate) tenant: TenantId,
    pub(crate) collection: CollectionName,
    pub(crate) source_location: String,
    pub(crate) tags: Vec<Tag>,
    pub(crate) removed: bool,
    /// Audiences of the version before and of the one to come, where one waits: who is not in both sees nothing.
    pub(crate) audiences: Vec<Vec<Tag>>,
    pub(crate) passages: Vec<Passage>,
}

impl Document {
    pub(crate) fn is_visible(&self, scope: &Scope) -> bool {
        let is_visible = !self.removed && scope.sees(self.tenant, &self.tags);
        let is_in_all = || self.audiences.iter().all(|tags| scope.sees(self.tenant, tags));
        assert!(!is_visible || is_in_all(), "{scope:?} sees {:?} of {:?}", self.id, self.audiences);
        is_visible
    }
}

/// Whether the dense lane brought what brute force brings. All else is always exact.
pub(crate) enum Closest {
    Exact,
    /// And in which case.
    Approximate(String),
}

/// The documents as they are, and as the index was last told.
#[derive(Default)]
pub(crate) struct Truth {
    pub(crate) documents: Vec<Document>,
    pub(crate) indexed: Vec<Document>,
}

pub(crate) fn words(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

fn cosine(one: &[f32], other: &[f32]) -> f32 {
    let product = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(x, y)| f64::from(x * y)).sum::<f64>();
    let cosine = product(one, other) / (product(one, one) * product(other, other)).sqrt();
    #[expect(clippy::cast_possible_truncation, reason = "it is compared with a cosine of this precision")]
    let cosine = cosine as f32;
    cosine
}

impl Truth {
    pub(crate) fn passages(&self) -> impl Iterator<Item = (&Document, &Passage)> {
        passages(&self.documents)
    }

    /// Whether the question has an answer among the documents that this asker may not see.
    pub(crate) fn hides_something(&self, scope: &Scope, question: &Question) -> bool {
        let asked = words(&question.query);
        let mut hidden = self.passages().filter(|(document, _)| !document.is_visible(scope));
        hidden.any(|(_, passage)| !passage.words.is_disjoint(&asked))
    }

    /// Each lane brings what it should of what the index was told, with the right scores, and nothing else.
    pub(crate) fn check_index_hits(&self, scope: &Scope, question: &Question, hits: &[IndexHit]) -> Closest {
        let case = || format!("{scope:?} asks {question:?}");
        let mut candidates = BTreeMap::new();
        for (document, passage) in passages(&self.indexed) {
            if document.is_visible(scope) && is_searched(document, question) {
                candidates.insert(passage.key, passage);
            }
        }
        let keys: BTreeSet<PassageKey> = hits.iter().map(|hit| hit.passage).collect();
        assert_eq!(keys.len(), hits.len(), "a passage came twice: {}", case());
        for key in &keys {
            assert!(candidates.contains_key(key), "LEAK of {key:?}: {}", case());
        }

        let asked = words(&question.query);
        let matching: BTreeSet<PassageKey> = candidates
            .values()
            .filter(|passage| !passage.words.is_disjoint(&asked))
            .map(|passage| passage.key)
            .collect();
        for hit in hits {
            let expected = cosine(&question.vector, &candidates[&hit.passage].vector);
            match hit.cosine {
                Some(found) => assert!((found - expected).abs() < ROUNDING, "{hit:?} is not {expected}: {}", case()),
                None => assert_eq!(question.lanes, Lanes::Lexical, "{}", case()),
            }
            match hit.bm25 {
                Some(found) => assert_eq!(found > 0.0, matching.contains(&hit.passage), "{hit:?}: {}", case()),
                None => assert_eq!(question.lanes, Lanes::Dense, "{}", case()),
            }
        }

        let by_lane = |rank: fn(&IndexHit) -> Option<u32>| {
            let ranked: BTreeMap<u32, &IndexHit> = hits.iter().filter_map(|hit| Some((rank(hit)?, hit))).collect();
            ranked.into_values().collect::<Vec<_>>()
        };
        let lexical = by_lane(|hit| hit.lexical_rank);
        let wanted = if question.lanes == Lanes::Dense { 0 } else { matching.len().min(question.limit) };
        assert_eq!(lexical.len(), wanted, "of {} passages with a word of it: {}", matching.len(), case());
        assert!(lexical.iter().all(|hit| matching.contains(&hit.passage)), "{}", case());

        let dense: Vec<f32> = by_lane(|hit| hit.dense_rank).iter().map(|hit| hit.cosine.unwrap()).collect();
        let wanted = if question.lanes == Lanes::Lexical { 0 } else { candidates.len().min(question.limit) };
        let mut exact: Vec<f32> =
            candidates.values().map(|passage| cosine(&question.vector, &passage.vector)).collect();
        exact.sort_by(|one, other| other.total_cmp(one));
        exact.truncate(wanted);
        // Rank by rank, since any of several equally close ones may take a place.
        let agree = |(found, exact): (&f32, &f32)| (found - exact).abs() < ROUNDING;
        if dense.len() == exact.len() && dense.iter().zip(&exact).all(agree) {
            return Closest::Exact;
        }
        assert!(
            dense.len() <= exact.len() && dense.iter().zip(&exact).all(|(found, exact)| *found < exact + ROUNDING),
            "{dense:?} beats brute force: {}",
            case()
        );
        Closest::Approximate(format!(
            "{} of {} passages, not {}: {}",
            dense.len(),
            candidates.len(),
            exact.len(),
            case()
        ))
    }

    /// What the catalogue reads out of everything that exists.
    pub(crate) fn check_readable(&self, scope: &Scope, read: &BTreeSet<PassageKey>) {
        let visible = self.passages().filter(|(document, _)| document.is_visible(scope));
        assert_eq!(*read, visible.map(|(_, passage)| passage.key).collect(), "{scope:?}");
    }

    pub(crate) fn check_listed(&self, scope: &Scope, listed: &BTreeSet<DocumentId>) {
        let visible = self.documents.iter().filter(|document| document.is_visible(scope));
        assert_eq!(*listed, visible.map(|document| document.id).collect(), "{scope:?}");
    }

    /// Of what the index brings only that is shown which is still so.
    pub(crate) fn check_search(&self, scope: &Scope, question: &Question, found: &BTreeSet<PassageKey>) {
        let case = || format!("{scope:?} asks {question:?}");
        let readable: BTreeSet<PassageKey> = self
            .passages()
            .filter(|(document, _)| document.is_visible(scope) && is_searched(document, question))
            .map(|(_, passage)| passage.key)
            .collect();
        if let Some(leak) = found.difference(&readable).next() {
            panic!("LEAK of {leak:?}: {}", case());
        }
        let asked = words(&question.query);
        let brought = passages(&self.indexed).filter(|(document, passage)| {
            let matches = question.lanes != Lanes::Lexical || !passage.words.is_disjoint(&asked);
            document.is_visible(scope) && is_searched(document, question) && matches
        });
        let expected: BTreeSet<PassageKey> =
            brought.map(|(_, passage)| passage.key).filter(|key| readable.contains(key)).collect();
        if question.limit == NO_LIMIT {
            assert_eq!(*found, expected, "{}", case());
        } else {
            assert!(found.is_subset(&expected) && found.len() <= question.limit, "{}", case());
            // On an index that agrees with the catalogue nothing shortens the list.
            if self.indexed == self.documents {
                assert_eq!(found.len(), expected.len().min(question.limit), "{}", case());
            }
        }
    }
}

fn passages(documents: &[Document]) -> impl Iterator<Item = (&Document, &Passage)> {
    documents.iter().flat_map(|document| document.passages.iter().map(move |passage| (document, passage)))
}

fn is_searched(document: &Document, question: &Question) -> bool {
    question.collections.is_empty() || question.collections.contains(&document.collection)
}
