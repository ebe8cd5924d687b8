//! Curated memory: what curators pinned, and what they noted, called up by how close the question comes to their words.
//!
//! The two are not alike. A pin speaks for the sources it names, so it must surely be meant. A note only helps, so it
//! may come along sooner, and is never quoted.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use crate::candidate::Candidate;
use ibidem_ports::catalogue::{CatalogueError, CataloguePassage};
use ibidem_ports::degrade::Part;
use ibidem_ports::index::IndexHit;
use ibidem_ports::memory::{Memory, PASSAGES_OF_A_DOCUMENT, Remembered};
use ibidem_ports::reranker::Reranker;
use ibidem_words::{DocumentId, MemoryId, MemoryKind, PassageKey, Promise, Reference, SimilarityScale, as_shown};

use crate::policy::CuratedRules;
use crate::turn::{Asked, CuratedMatch, VariantKind};

/// What curated memory has for a question.
#[derive(Default)]
pub(super) struct Recalled {
    /// Sources that may be cited, in the order of their entries' matches.
    pub(super) candidates: Vec<Candidate>,
    /// Notes' texts.
    pub(super) background: Vec<String>,
    pub(super) matches: Vec<CuratedMatch>,
    /// What the lanes bring is not needed.
    pub(super) suffices: bool,
    /// Why the reranker failed, where it was asked.
    pub(super) failure: Option<String>,
    /// The passages that a curator marked, each by itself.
    marked: HashSet<PassageKey>,
    /// The documents that a curator chose as a whole, with the similarity that each lends.
    documents: BTreeMap<DocumentId, f64>,
    /// What the reranker must give a passage to answer.
    least_read: f64,
}

/// An entry and the point of it that came closest.
struct Called {
    remembered: Remembered,
    similarity: f64,
    phrase: String,
    /// To a part of the question, not to all of it.
    is_of_part: bool,
}

/// The point of an entry that came closest to a form of the question.
struct Close {
    entry: MemoryId,
    similarity: f64,
    is_of_part: bool,
    version: u32,
    point: u32,
}

pub(super) async fn recall(
    memory: &dyn Memory,
    reranker: Option<&Part<dyn Reranker>>,
    asked: &Asked,
    rules: &CuratedRules,
    hits: &[(VariantKind, IndexHit)],
    scale: SimilarityScale,
) -> Result<Recalled, CatalogueError> {
    let least = rules.note.min(rules.pin_reranked);
    let close = closest_of_each(hits, least, scale);
    if close.is_empty() {
        return Ok(Recalled::default());
    }
    let entries: Vec<MemoryId> = close.iter().map(|close| close.entry).collect();
    let remembered = memory.recall(&asked.scope, &entries).await?;
    let called: Vec<Called> = close.iter().filter_map(|close| called(close, &remembered)).collect();
    let (score, failure) = reranked(reranker, asked, rules, &called).await;
    let mut recalled = Recalled { failure, least_read: rules.reranked, ..Recalled::default() };
    for (called, score) in called.into_iter().zip(score) {
        recalled.weigh(called, score, rules);
    }
    Ok(recalled)
}

/// The closest point of each entry, the closest entry first, equal ones by entry.
fn closest_of_each(hits: &[(VariantKind, IndexHit)], least: f64, scale: SimilarityScale) -> Vec<Close> {
    let mut close: Vec<Close> = hits
        .iter()
        .filter_map(|(kind, hit)| {
            let PassageKey { document, version, chunk_index: point } = hit.passage;
            let similarity = as_shown(scale.similarity(f64::from(hit.cosine?)));
            let is_of_part = *kind == VariantKind::SubQuestion;
            Some(Close { entry: MemoryId(document.0), similarity, is_of_part, version, point })
        })
        .filter(|close| close.similarity >= least)
        .collect();
    close.sort_by(|one, other| {
        let by_similarity = other.similarity.total_cmp(&one.similarity);
        let by_place = |close: &Close| (close.entry, close.is_of_part, close.point);
        by_similarity.then_with(|| by_place(one).cmp(&by_place(other)))
    });
    let mut seen = BTreeSet::new();
    close.retain(|close| seen.insert(close.entry));
    close
}

/// None when the entry is gone, hidden, or was rewritten since the index last heard of it.
fn called(close: &Close, remembered: &[Remembered]) -> Option<Called> {
    let Close { entry, similarity, is_of_part, version, point } = *close;
    let remembered = remembered.iter().find(|one| one.entry.id == entry && one.version == version)?.clone();
    // The triggers come first, and after them the passages of a note.
    let phrase = usize::try_from(point).ok().and_then(|point| remembered.entry.triggers.get(point));
    let phrase = phrase.or(remembered.entry.triggers.first())?.clone();
    Some(Called { remembered, similarity, phrase, is_of_part })
}

/// What the reranker gives each pin that it decides about, in one batch; nothing where there is none.
async fn reranked(
    reranker: Option<&Part<dyn Reranker>>,
    asked: &Asked,
    rules: &CuratedRules,
    called: &[Called],
) -> (Vec<Option<f32>>, Option<String>) {
    let is_reranked = |called: &Called| {
        called.remembered.entry.kind == MemoryKind::Pin && (rules.pin_reranked..rules.pin).contains(&called.similarity)
    };
    let phrases: Vec<String> =
        called.iter().filter(|called| is_reranked(called)).map(|called| called.phrase.clone()).collect();
    let nothing = called.iter().map(|_| None).collect();
    let Some(reranker) = reranker.filter(|_| !phrases.is_empty()) else { return (nothing, None) };
    match reranker.call(asked.deadline, |reranker| reranker.score(&asked.question.query, phrases)).await {
        Ok(scores) => {
            let mut scores = scores.into_iter();
            let given = called.iter().map(|called| if is_reranked(called) { scores.next() } else { None });
            (given.collect(), None)
        }
        Err(error) => (nothing, Some(error.to_string())),
    }
}

impl Recalled {
    fn weigh(&mut self, called: Called, score: Option<f32>, rules: &CuratedRules) {
        let Called { remembered, similarity, phrase, is_of_part } = called;
        let references = remembered.resolved;
        let pinned = remembered.entry.kind == MemoryKind::Pin;
        let accepted = if pinned {
            let is_approved = score.is_some_and(|score| f64::from(score) >= rules.reranked);
            // A pin whose sources the asker cannot have has nothing to say.
            references > 0 && (similarity >= rules.pin || (similarity >= rules.pin_reranked && is_approved))
        } else {
            similarity >= rules.note
        };
        if accepted {
            let lent = if pinned { similarity } else { rules.references };
            // What answers a part of the question leaves the others open.
            let is_enough =
                pinned || (similarity >= rules.sufficient_note && references >= rules.sufficient_references);
            self.suffices |= is_enough && !is_of_part;
            let is_marked = |passage: &PassageKey| {
                let marks = |reference: &Reference| *reference == Reference::Passage(passage.source_id());
                remembered.entry.references.iter().any(marks)
            };
            for passage in &remembered.passages {
                let key = passage.passage;
                if is_marked(&key) {
                    self.marked.insert(key);
                } else {
                    let lends = self.documents.entry(key.document).or_insert(lent);
                    *lends = lends.max(lent);
                }
            }
            self.background.extend(match remembered.entry.kind {
                MemoryKind::Note { text } => Some(text),
                MemoryKind::Pin => None,
            });
            for passage in remembered.passages {
                self.lend(passage, lent);
            }
        }
        let entry = remembered.entry.id;
        self.matches.push(CuratedMatch { entry, pinned, phrase, similarity, reranked: score, accepted, references });
    }

    /// Documents that are chosen as a whole.
    pub(super) fn whole_documents(&self) -> Vec<DocumentId> {
        self.documents.keys().copied().collect()
    }

    /// Takes the passages of such documents that come closest to the question, in place of their first ones.
    pub(super) fn take(&mut self, found: Vec<Candidate>) {
        let documents: HashSet<DocumentId> = found.iter().map(|candidate| candidate.passage.passage.document).collect();
        self.candidates.retain(|known| {
            let key = known.passage.passage;
            self.marked.contains(&key) || !documents.contains(&key.document)
        });
        for candidate in found {
            let key = candidate.passage.passage;
            let is_known = self.candidates.iter().any(|known| known.passage.passage == key);
            if let Some(lent) = self.documents.get(&key.document).filter(|_| !is_known) {
                let chosen = Candidate { curated: Some(*lent), forced: true, ..candidate };
                self.candidates.push(chosen.promised(Promise::Curator));
            }
        }
    }

    /// Whether a passage that a curator chose was read and answers.
    pub(super) fn answers(&self, candidates: &[Candidate]) -> bool {
        candidates.iter().any(|candidate| candidate.curated.is_some() && self.is_likely(candidate))
    }

    fn is_likely(&self, candidate: &Candidate) -> bool {
        candidate.rerank.is_some_and(|score| f64::from(score) >= self.least_read)
    }

    /// Takes the similarity that a curator's choice lends from passages that it was not meant for. Of a document that was
    /// chosen as a whole, these are the ones that do not answer. Where something else answers and nothing that a curator
    /// chose does, none lends anything: the question is answered as it would be without them. Where nothing answers at all,
    /// a curator knows better than the reader: what was marked counts, and the best of each document.
    pub(super) fn settle(&self, candidates: &mut [Candidate], is_read: bool) {
        if candidates.iter().all(|candidate| candidate.curated.is_none()) {
            return;
        }
        let chosen_answers = self.answers(candidates);
        let is_other = |candidate: &Candidate| candidate.curated.is_none() && self.is_likely(candidate);
        let others_answer = candidates.iter().any(is_other);
        let best = self.best_of_documents(candidates, if is_read { 1 } else { PASSAGES_OF_A_DOCUMENT as usize });
        for candidate in candidates.iter_mut().filter(|candidate| candidate.curated.is_some()) {
            let key = candidate.passage.passage;
            let is_marked = self.marked.contains(&key);
            let keeps = self.is_likely(candidate)
                || (chosen_answers && is_marked)
                || (!chosen_answers && !others_answer && (is_marked || best.contains(&key)));
            if keeps {
                continue;
            }
            candidate.curated = None;
            // What was marked keeps its place in the evidence.
            if !is_marked && candidate.promised == Some(Promise::Curator) {
                candidate.promised = None;
            }
        }
    }

    /// The best passages of each document that was chosen as a whole, by the reranker, or by meaning where none read them.
    fn best_of_documents(&self, candidates: &[Candidate], most: usize) -> HashSet<PassageKey> {
        let rank = |candidate: &Candidate| (candidate.rerank.unwrap_or(0.0), candidate.cosine.unwrap_or(0.0));
        let mut chosen: Vec<&Candidate> = candidates.iter().filter(|candidate| candidate.curated.is_some()).collect();
        chosen.sort_by(|one, other| {
            let ((read, cosine), (other_read, other_cosine)) = (rank(one), rank(other));
            let by_score = other_read.total_cmp(&read).then_with(|| other_cosine.total_cmp(&cosine));
            by_score.then_with(|| one.passage.passage.cmp(&other.passage.passage))
        });
        let mut of_document: BTreeMap<DocumentId, usize> = BTreeMap::new();
        let best = chosen.into_iter().map(|candidate| candidate.passage.passage).filter(|key| {
            let count = of_document.entry(key.document).or_default();
            *count += 1;
            *count <= most
        });
        best.collect()
    }

    fn lend(&mut self, passage: CataloguePassage, similarity: f64) {
        match self.candidates.iter_mut().find(|known| known.passage.passage == passage.passage) {
            Some(known) => known.curated = known.curated.map(|curated| curated.max(similarity)),
            None => self.candidates.push(Candidate {
                curated: Some(similarity),
                forced: true,
                promised: Some(Promise::Curator),
                ..Candidate::unscored(passage)
            }),
        }
    }
}

#[cfg(test)]
mod tests;
