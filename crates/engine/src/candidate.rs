//! Candidates, with every score they earned on the way.

use ibidem_language::Terms;
use ibidem_ports::catalogue::CataloguePassage;
use ibidem_ports::reranker::Relevance;
use ibidem_words::{CharSpan, Promise, SimilarityScale, as_shown};

use crate::word_overlap::WordOverlap;

/// A passage that may support an answer.
#[derive(Clone, PartialEq, Debug)]
pub struct Candidate {
    pub passage: CataloguePassage,
    /// How similar it is to the closest of the question's variants, as a cosine.
    pub cosine: Option<f32>,
    /// The cosine on the scale that policies speak of, where that is not the cosine itself.
    pub scaled: Option<f64>,
    pub bm25: Option<f32>,
    pub fused: f64,
    /// What the reranker gave it, 0 to 1.
    pub rerank: Option<f32>,
    /// What the first reader gave it, where a second one decided.
    pub read_first: Option<f32>,
    /// The characters of its text that answer the question, where a reader says so.
    pub answer: Option<CharSpan>,
    /// What the reader found for a question that was taken apart: for the whole of it, and then for each part. Empty
    /// otherwise.
    pub readings: Vec<Relevance>,
    /// What similarity a curator's choice lends it.
    pub curated: Option<f64>,
    /// The asker named its document.
    pub addressed: bool,
    /// It was named, and is judged on its text all the same. Records of older versions do not have this.
    pub on_its_text: bool,
    /// Brought by a lane whose hits are kept whatever their cosine: the asker typed its words or its address, or a
    /// curator chose it.
    pub forced: bool,
    /// Says why gathering promised it a place. Records of older versions do not have this.
    pub promised: Option<Promise>,
    /// What the gates need of its words, where they were read already.
    pub overlap: Option<WordOverlap>,
}

impl Candidate {
    /// Makes a candidate of a passage as the catalogue has it, with no score yet.
    pub fn unscored(passage: CataloguePassage) -> Self {
        Self {
            passage,
            cosine: None,
            scaled: None,
            bm25: None,
            fused: 0.0,
            rerank: None,
            read_first: None,
            answer: None,
            readings: Vec::new(),
            curated: None,
            addressed: false,
            on_its_text: false,
            forced: false,
            promised: None,
            overlap: None,
        }
    }

    /// Adds a promise to what it was promised before.
    #[must_use]
    pub fn promised(self, promise: Promise) -> Self {
        Self { promised: self.promised.max(Some(promise)), ..self }
    }

    /// Sets a cosine of a model whose cosines have this scale.
    #[must_use]
    pub fn near(self, cosine: Option<f32>, scale: SimilarityScale) -> Self {
        let scaled = cosine.filter(|_| !scale.is_cosine()).map(|cosine| scale.similarity(f64::from(cosine)));
        Self { cosine, scaled, ..self }
    }

    /// Reads its words, unless that was done.
    pub fn overlap_with(&mut self, terms: &Terms) -> &WordOverlap {
        self.overlap.get_or_insert_with(|| WordOverlap::of(&self.passage, terms))
    }

    /// How likely it answers the question, where it was read together with the question. A curator's choice for this
    /// question counts as much as its match.
    pub fn answering(&self) -> Option<f64> {
        let read = as_shown(f64::from(self.rerank?));
        Some(self.curated.map_or(read, |curated| curated.max(read)))
    }

    /// A reader finds it likelier to answer than not.
    pub fn is_likely_to_answer(&self) -> bool {
        const LIKELIER_THAN_NOT: f64 = 0.5;
        self.answering().is_some_and(|likely| likely >= LIKELIER_THAN_NOT)
    }

    /// Returns the candidate as it was read for the whole of a question that was taken apart, or for a part of it: 0
    /// for the whole, then the parts. It stays as it is where it was not read so.
    #[must_use]
    pub fn as_read_for(&self, place: usize) -> Self {
        let Some(read) = self.readings.get(place) else { return self.clone() };
        Self { rerank: Some(read.score), answer: read.answer, ..self.clone() }
    }

    /// It is of a document that the asker named, and a reader has judged its text.
    pub fn is_named_and_read(&self) -> bool {
        self.addressed && self.on_its_text && self.rerank.is_some()
    }

    /// The similarity gates look at. A document that the asker named is what was asked for: it is as near as it answers,
    /// where a reader has read it, and else as near as can be. A curator's choice
    /// counts as much as its match; otherwise it is the cosine on the model's scale, or, where meaning was not searched, the
    /// share of the question's words that it has.
    pub fn similarity(&self) -> f64 {
        if self.addressed {
            return self.answering().filter(|_| self.on_its_text).unwrap_or(1.0);
        }
        let by_words = || self.overlap.as_ref().map_or(0.0, |overlap| overlap.coverage);
        let by_meaning = self.scaled.or(self.cosine.map(f64::from));
        let own = by_meaning.map_or_else(by_words, as_shown);
        self.curated.map_or(own, |curated| curated.max(own))
    }
}
