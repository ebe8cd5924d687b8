//! Support by words: how many of a claim's words a window has.

use async_trait::async_trait;

use crate::ports::entailment::{Entailment, EntailmentError, Judgement, Pair, Support};
use crate::words::{same_word, significant_terms};

#[derive(Default)]
pub struct LexicalEntailment;

impl LexicalEntailment {
    pub fn new(_: Option<std::sync::Arc<dyn crate::ports::embedder::Embedder>>) -> Self {
        Self
    }

    pub fn by_words() -> Self {
        Self
    }
}

#[async_trait]
impl Entailment for LexicalEntailment {
    fn name(&self) -> &str {
        "lexical"
    }

    async fn judge(&self, pairs: Vec<Pair>) -> Result<Vec<Judgement>, EntailmentError> {
        let judged = pairs.iter().map(|pair| {
            let claim = significant_terms(&pair.claim);
            let premise = significant_terms(&pair.premise);
            let found = claim.iter().filter(|term| premise.iter().any(|word| same_word(word, term))).count();
            #[expect(clippy::cast_precision_loss, reason = "words of a sentence are few")]
            let score = if claim.is_empty() { 0.0 } else { found as f32 / claim.len() as f32 };
            let support = if score >= 0.5 { Support::Supported } else { Support::Unknown };
            Judgement { support, score }
        });
        Ok(judged.collect())
    }
}
