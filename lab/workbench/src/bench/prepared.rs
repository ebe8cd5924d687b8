//! Vectors that are there already: synthetic ones, found by the digest of a text.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use async_trait::async_trait;
use ibidem_ports::curate::Window;
use ibidem_ports::embedder::{EmbedError, Embedder, EmbeddingModel, TokenCounter};
use ibidem_words::{ModelHash, Sha256Hash, SimilarityScale};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom as _;
use rand::{RngExt as _, SeedableRng as _};

const DIMENSIONS: usize = 384;
/// Directions in which texts really differ. Independent random values in every dimension would make all
/// points equally far from each other: no graph finds anything among those, and no real model makes them.
const MEANINGS: usize = 24;
const NOISE: f32 = 0.1;
/// How much of each of two real vectors of unit length a vector like them has, and how much it is beside in each of its
/// dimensions: about a fifth of its length in all.
const BETWEEN: [f32; 2] = [0.8, 0.5];
const BESIDE: f32 = 0.01;
/// Tokens that a word counts for, as the usual tokenizers do on average: 4 for 3 words.
const TOKENS_FOR_WORDS: (usize, usize) = (4, 3);

/// An embedder in whose place nothing is computed that is not prepared.
pub(super) struct PreparedEmbedder {
    model: EmbeddingModel,
    made_of: MadeOf,
    queries: RwLock<HashMap<String, Vec<f32>>>,
}

enum MadeOf {
    /// How each meaning shows in the dimensions.
    Meanings(Vec<[f32; DIMENSIONS]>),
    /// Vectors that a real model made.
    Real(Vec<Vec<f32>>),
}

impl PreparedEmbedder {
    pub(super) fn new(max_tokens: usize) -> Self {
        let hash = ModelHash(Sha256Hash::of(b"ibidem bench, prepared vectors 1"));
        let model = EmbeddingModel {
            name: "prepared".to_owned(),
            hash,
            dimensions: DIMENSIONS,
            max_tokens,
            scale: SimilarityScale::COSINE,
        };
        let mut random = StdRng::seed_from_u64(20_261_115);
        let meanings = (0..MEANINGS).map(|_| std::array::from_fn(|_| bell(&mut random))).collect();
        Self { model, made_of: MadeOf::Meanings(meanings), queries: RwLock::default() }
    }

    /// One whose vectors lie as those of a real model do: each is between two of its vectors, chosen by lot, nearer to the
    /// first, and a little beside.
    pub(super) fn like(real: &EmbeddingModel, vectors: Vec<Vec<f32>>) -> Self {
        let bits: Vec<u8> = vectors.iter().flatten().flat_map(|value| value.to_le_bytes()).collect();
        let model = EmbeddingModel {
            name: format!("like {}", real.name),
            hash: ModelHash(Sha256Hash::of(&bits)),
            ..real.clone()
        };
        Self { model, made_of: MadeOf::Real(vectors), queries: RwLock::default() }
    }

    pub(super) fn window(embedder: &Arc<Self>) -> Window {
        Window { counter: Arc::clone(embedder) as Arc<dyn TokenCounter>, max_tokens: embedder.model.max_tokens }
    }

    pub(super) fn prepare(&self, queries: &[String]) {
        let made = queries.iter().map(|query| (query.clone(), self.vector(query)));
        self.queries.write().unwrap_or_else(PoisonError::into_inner).extend(made);
    }

    /// The same text always has the same vector, of unit length.
    pub(super) fn vector(&self, text: &str) -> Vec<f32> {
        let mut random = StdRng::from_seed(*Sha256Hash::of(text.as_bytes()).as_bytes());
        let mut sum = vec![0.0_f32; self.model.dimensions];
        let mut add = |weight: f32, part: &[f32]| sum.iter_mut().zip(part).for_each(|(sum, one)| *sum += weight * one);
        let noise = match &self.made_of {
            MadeOf::Meanings(meanings) => {
                meanings.iter().for_each(|meaning| add(bell(&mut random), meaning));
                NOISE
            }
            MadeOf::Real(vectors) => {
                for weight in BETWEEN {
                    add(weight, vectors.choose(&mut random).map_or(&[], Vec::as_slice));
                }
                BESIDE
            }
        };
        sum.iter_mut().for_each(|value| *value += noise * bell(&mut random));
        let length = sum.iter().map(|value| value * value).sum::<f32>().sqrt().max(f32::MIN_POSITIVE);
        sum.iter().map(|value| value / length).collect()
    }
}

/// Close to the normal distribution: the sum of four even ones, with variance 1.
fn bell(random: &mut StdRng) -> f32 {
    let sum: f32 = (0..4).map(|_| random.random::<f32>() - 0.5).sum();
    sum * 3_f32.sqrt()
}

#[async_trait]
impl Embedder for PreparedEmbedder {
    fn model(&self) -> &EmbeddingModel {
        &self.model
    }

    async fn embed_passages(&self, texts: Vec<String>) -> Result<Vec<Vec<f32>>, EmbedError> {
        Ok(texts.iter().map(|text| self.vector(text)).collect())
    }

    async fn embed_queries(&self, texts: Vec<String>) -> Result<Vec<Vec<f32>>, EmbedError> {
        let prepared = self.queries.read().unwrap_or_else(PoisonError::into_inner);
        let vector = |text: String| {
            prepared.get(&text).cloned().ok_or_else(|| EmbedError::Unavailable(format!("{text:?} is not prepared")))
        };
        texts.into_iter().map(vector).collect()
    }
}

impl TokenCounter for PreparedEmbedder {
    fn count(&self, text: &str) -> usize {
        let (tokens, words) = TOKENS_FOR_WORDS;
        text.split_whitespace().count() * tokens / words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_like_real_ones_are_near_them_and_of_unit_length() {
        let real = PreparedEmbedder::new(256);
        let vectors: Vec<Vec<f32>> = (0..50).map(|number| real.vector(&number.to_string())).collect();
        let like = PreparedEmbedder::like(real.model(), vectors.clone());
        assert_ne!(like.model().hash, real.model().hash);
        for text in ["one", "two", "three"] {
            let made = like.vector(text);
            let product = |other: &Vec<f32>| made.iter().zip(other).map(|(one, other)| one * other).sum::<f32>();
            assert!((product(&made) - 1.0).abs() < 1e-4);
            let nearest = vectors.iter().map(product).fold(-1.0, f32::max);
            assert!((0.6..0.999).contains(&nearest), "{nearest}");
        }
    }

    #[tokio::test]
    async fn a_text_has_one_unit_vector_and_only_prepared_queries_have_any() {
        let embedder = PreparedEmbedder::new(256);
        let passages = embedder.embed_passages(vec!["one".to_owned(), "two".to_owned()]).await.unwrap();
        let length = passages[0].iter().map(|value| value * value).sum::<f32>();
        assert!((length - 1.0).abs() < 1e-4, "{length}");
        assert_ne!(passages[0], passages[1]);
        assert!(embedder.embed_queries(vec!["one".to_owned()]).await.is_err());
        embedder.prepare(&["one".to_owned()]);
        assert_eq!(embedder.embed_queries(vec!["one".to_owned()]).await.unwrap(), passages[..1]);
    }
}
