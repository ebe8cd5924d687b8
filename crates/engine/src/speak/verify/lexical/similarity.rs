//! How near a claim is in meaning to the sentences of a premise, each embedded once.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use ibidem_language::sentences::sentences_of;
use ibidem_ports::degrade::{Deadline, Part};
use ibidem_ports::embedder::{EmbedError, Embedder};
use ibidem_words::SimilarityScale;

/// What a sentence means is settled long before this; a premise without a full stop is not read to its end.
const MOST_CHARACTERS: usize = 600;
/// Sentences of one premise that are looked at.
const MOST_SENTENCES: usize = 60;
/// Sentences whose vectors are kept: those of the passages of a few answers.
const MOST_KEPT: usize = 2_048;

pub(super) struct Similarity {
    embedder: Part<dyn Embedder>,
    /// An answer's sentences are held against the same passages one after the other.
    kept: Mutex<HashMap<String, Arc<Vec<f32>>>>,
}

/// The vectors of some texts, by text.
pub(super) struct Vectors {
    of: HashMap<String, Arc<Vec<f32>>>,
    scale: SimilarityScale,
}

impl Similarity {
    pub(super) fn new(embedder: Part<dyn Embedder>) -> Self {
        Self { embedder, kept: Mutex::default() }
    }

    /// The vectors of all claims and of all sentences of all premises, in one call for those that are not known yet.
    pub(super) async fn vectors(&self, claims: &[&str], premises: &[&str]) -> Result<Vectors, EmbedError> {
        let claims = claims.iter().map(|claim| beginning_of(claim));
        let wanted: HashSet<&str> = premises.iter().flat_map(|premise| sentences(premise)).chain(claims).collect();
        let mut found: HashMap<String, Arc<Vec<f32>>> = HashMap::new();
        let mut missing: Vec<String> = Vec::new();
        {
            let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
            for text in wanted {
                match kept.get(text) {
                    Some(vector) => drop(found.insert(text.to_owned(), Arc::clone(vector))),
                    None => missing.push(text.to_owned()),
                }
            }
        }
        // The same batch for the same pairs, however a set was ordered.
        missing.sort_unstable();
        if !missing.is_empty() {
            // As queries, because those may be longer than the model's window.
            // Whoever asks for the judgement gives up on all of it when the request's time is over.
            let texts = missing.clone();
            let vectors = self.embedder.call(Deadline::NONE, |embedder| embedder.embed_queries(texts)).await?;
            let made = missing.into_iter().zip(vectors.into_iter().map(Arc::new));
            let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
            for (text, vector) in made {
                if kept.len() >= MOST_KEPT {
                    kept.clear();
                }
                kept.insert(text.clone(), Arc::clone(&vector));
                found.insert(text, vector);
            }
        }
        Ok(Vectors { of: found, scale: self.embedder.port().model().scale })
    }
}

impl Vectors {
    /// Returns the similarity of the claim and the nearest sentence of the premise; 0 when there is none.
    pub(super) fn similarity(&self, claim: &str, premise: &str) -> f64 {
        let Some(claim) = self.of.get(beginning_of(claim)) else { return 0.0 };
        let each = sentences(premise).filter_map(|sentence| self.of.get(sentence));
        each.map(|sentence| self.scale.similarity(cosine(claim, sentence))).fold(0.0, f64::max)
    }
}

/// Vectors are of unit length.
fn cosine(one: &[f32], other: &[f32]) -> f64 {
    one.iter().zip(other).map(|(a, b)| f64::from(a * b)).sum()
}

fn sentences(premise: &str) -> impl Iterator<Item = &str> {
    sentences_of(premise).into_iter().take(MOST_SENTENCES).map(beginning_of)
}

fn beginning_of(text: &str) -> &str {
    let end = text.char_indices().nth(MOST_CHARACTERS).map_or(text.len(), |(end, _)| end);
    &text[..end]
}
