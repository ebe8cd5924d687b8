//! Candidates, with every score they earned on the way.

use crate::ports::catalogue::CataloguePassage;

/// A passage that may support an answer.
#[derive(Clone, PartialEq, Debug)]
pub struct Candidate {
    pub passage: CataloguePassage,
    pub cosine: Option<f32>,
    pub bm25: Option<f32>,
    pub fused: f64,
    /// Brought by a lane whose hits are kept whatever their cosine: the asker typed its words.
    pub forced: bool,
}

impl Candidate {
    /// The similarity gates look at; a candidate that has none, because meaning was not searched, has 0.
    pub fn similarity(&self) -> f64 {
        // Rounded as numbers are shown, so that what is said and what decided are the same number.
        self.cosine.map_or(0.0, |cosine| (f64::from(cosine) * 10_000.0).round() / 10_000.0)
    }
}
