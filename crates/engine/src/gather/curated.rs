//! Curated memory: what curators pinned, and what they noted, called up by how close the question comes to their words.
//!
//! The two are not alike. A pin speaks for the sources it names, so it must surely be meant. A note only helps, so it
//! may come along sooner, and is never quoted.

use ibidem_words::degrade::Part;
use ibidem_words::ports::catalogue::{CatalogueError, CataloguePassage};
use ibidem_words::ports::index::IndexHit;
use ibidem_words::ports::memory::{Memory, Remembered};
use ibidem_words::ports::reranker::Reranker;
use ibidem_words::{Candidate, MemoryId, MemoryKind, Promise, SimilarityScale, as_shown};

use crate::policy::CuratedRules;
use crate::turn::{Asked, CuratedMatch};

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
}

/// An entry and the point of it that came closest.
struct Called {
    remembered: Remembered,
    similarity: f64,
    phrase: String,
}

pub(super) async fn recall(
    memory: &dyn Memory,
    reranker: Option<&Part<dyn Reranker>>,
    asked: &Asked,
    rules: &CuratedRules,
    hits: &[IndexHit],
    scale: SimilarityScale,
) -> Result<Recalled, CatalogueError> {
    let least = rules.note.min(rules.pin_reranked);
    let close = closest_of_each(hits, least, scale);
    if close.is_empty() {
        return Ok(Recalled::default());
    }
    let entries: Vec<MemoryId> = close.iter().map(|(entry, ..)| *entry).collect();
    let remembered = memory.recall(&asked.scope, &entries).await?;
    let called: Vec<Called> = close.iter().filter_map(|close| called(close, &remembered)).collect();
    let (score, failure) = reranked(reranker, asked, rules, &called).await;
    let mut recalled = Recalled { failure, ..Recalled::default() };
    for (called, score) in called.into_iter().zip(score) {
        recalled.weigh(called, score, rules);
    }
    Ok(recalled)
}

/// The closest point of each entry, the closest entry first, equal ones by entry.
fn closest_of_each(hits: &[IndexHit], least: f64, scale: SimilarityScale) -> Vec<(MemoryId, f64, u32, u32)> {
    let mut close: Vec<(MemoryId, f64, u32, u32)> = hits
        .iter()
        .filter_map(|hit| {
            let similarity = as_shown(scale.similarity(f64::from(hit.cosine?)));
            Some((MemoryId(hit.passage.document.0), similarity, hit.passage.version, hit.passage.chunk_index))
        })
        .filter(|(_, similarity, ..)| *similarity >= least)
        .collect();
    close.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)).then(one.3.cmp(&other.3)));
    let mut seen = std::collections::BTreeSet::new();
    close.retain(|(entry, ..)| seen.insert(*entry));
    close
}

/// None when the entry is gone, hidden, or was rewritten since the index last heard of it.
fn called(close: &(MemoryId, f64, u32, u32), remembered: &[Remembered]) -> Option<Called> {
    let (entry, similarity, version, point) = *close;
    let remembered = remembered.iter().find(|one| one.entry.id == entry && one.version == version)?.clone();
    // The triggers come first, and after them the passages of a note.
    let phrase = usize::try_from(point).ok().and_then(|point| remembered.entry.triggers.get(point));
    let phrase = phrase.or(remembered.entry.triggers.first())?.clone();
    Some(Called { remembered, similarity, phrase })
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
        let Called { remembered, similarity, phrase } = called;
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
            self.suffices |=
                pinned || (similarity >= rules.sufficient_note && references >= rules.sufficient_references);
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
