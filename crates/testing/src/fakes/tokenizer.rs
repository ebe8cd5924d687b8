//! A tokenizer to which every word is a token.

use async_trait::async_trait;

use ibidem_ports::language_model::Tokenizer;

/// What stands between white space is one token: numbers in tests can be counted by hand.
pub struct FakeTokenizer;

impl FakeTokenizer {
    pub fn tokens(text: &str) -> usize {
        text.split_whitespace().count()
    }
}

#[async_trait]
impl Tokenizer for FakeTokenizer {
    fn name(&self) -> &'static str {
        "words"
    }

    async fn count(&self, texts: Vec<String>) -> Vec<usize> {
        texts.iter().map(|text| Self::tokens(text)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ibidem_ports::language_model::Estimate;

    #[tokio::test]
    async fn the_fake_and_the_estimate_behave_as_tokenizers() {
        crate::suites::tokenizer::check(&FakeTokenizer).await;
        crate::suites::tokenizer::check(&Estimate).await;
    }
}
