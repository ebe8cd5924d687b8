//! An embedding model that knows words but not their meaning: texts are close if they share words.

use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;

use ibidem_ports::embedder::{EmbedError, EmbedFault, Embedder, EmbeddingModel, TokenCounter};
use ibidem_words::{ModelHash, Sha256Hash, SimilarityScale};

/// The tokens that real models put around every text.
const SPECIAL_TOKENS: usize = 2;

pub struct FakeEmbedder {
    model: EmbeddingModel,
    is_down: AtomicBool,
}

impl FakeEmbedder {
    pub fn new(dimensions: usize, max_tokens: usize) -> Self {
        let hash = Sha256Hash::of(format!("fake embedding, {dimensions} dimensions, {max_tokens} tokens").as_bytes());
        let scale = SimilarityScale::COSINE;
        let model = EmbeddingModel { name: "fake".to_owned(), hash: ModelHash(hash), dimensions, max_tokens, scale };
        Self { model, is_down: AtomicBool::new(false) }
    }

    /// The same model, whose cosines mean something else.
    #[must_use]
    pub fn on_scale(mut self, scale: SimilarityScale) -> Self {
        self.model.scale = scale;
        self
    }

    /// Makes every call fail until told otherwise.
    pub fn set_down(&self, is_down: bool) {
        self.is_down.store(is_down, Ordering::Relaxed);
    }

    fn check_up(&self) -> Result<(), EmbedError> {
        if self.is_down.load(Ordering::Relaxed) {
            return Err(EmbedError::Unavailable("the fake was told to be down".to_owned()));
        }
        Ok(())
    }

    /// The sum of the vectors of the words, so that a longer text loses no word.
    fn embed(&self, text: &str) -> Vec<f32> {
        let mut sum = vec![0.0; self.model.dimensions];
        // Stands for the special tokens, and keeps an empty text from having no direction.
        add_word(&mut sum, "", 0.1);
        for word in words(text) {
            add_word(&mut sum, &word, 1.0);
        }
        let length = sum.iter().map(|value| value * value).sum::<f32>().sqrt();
        sum.iter().map(|value| value / length).collect()
    }
}

#[async_trait]
impl Embedder for FakeEmbedder {
    fn model(&self) -> &EmbeddingModel {
        &self.model
    }

    async fn embed_passages(&self, texts: Vec<String>) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.check_up()?;
        let limit = self.model.max_tokens;
        for (index, text) in texts.iter().enumerate() {
            let tokens = self.count(text);
            if tokens > limit {
                return Err(EmbedError::Own(EmbedFault::TooLong { index, tokens, limit }));
            }
        }
        Ok(texts.iter().map(|text| self.embed(text)).collect())
    }

    async fn embed_queries(&self, texts: Vec<String>) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.check_up()?;
        Ok(texts.iter().map(|text| self.embed(text)).collect())
    }
}

impl TokenCounter for FakeEmbedder {
    fn count(&self, text: &str) -> usize {
        words(text).count() + SPECIAL_TOKENS
    }
}

/// The fakes' idea of words: runs of letters and digits, in lower case.
pub(super) fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase)
}

/// Adds a direction that depends on nothing but the word.
fn add_word(sum: &mut [f32], word: &str, weight: f32) {
    let digest = Sha256Hash::of(word.as_bytes());
    let mut seed = [0; 8];
    seed.copy_from_slice(&digest.as_bytes()[..8]);
    let mut state = u64::from_le_bytes(seed);
    for value in sum {
        // The step of SplitMix64: well spread, and the same everywhere.
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        let sign = if mixed & 1 == 0 { 1.0 } else { -1.0 };
        *value += sign * weight;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_fake_behaves_as_an_embedder() {
        let fake = FakeEmbedder::new(64, 32);
        crate::suites::embedder::embedder_suite(&fake, &fake).await;
    }

    #[tokio::test]
    async fn a_fake_that_is_down_says_so() {
        let fake = FakeEmbedder::new(8, 32);
        fake.set_down(true);
        let answer = fake.embed_queries(vec!["anything".to_owned()]).await;
        assert!(matches!(answer, Err(EmbedError::Unavailable(_))));
    }
}
