//! A language model as a reranker: is this the passage that was asked for, yes or no, and how sure is it?

use std::sync::Arc;

use async_trait::async_trait;
use futures::{StreamExt as _, TryStreamExt as _, stream};

use crate::ports::language_model::{LanguageModel, LikelyToken, ModelError, Prompt, PromptMessage};
use crate::ports::reranker::{RerankError, Reranker};
use crate::words::Speaker;

/// Where the question and the passage go in a prompt.
const QUESTION: &str = "{question}";
const PASSAGE: &str = "{passage}";

/// What the model is asked about each passage, with a place for the question and one for the passage.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct YesNoPrompt(String);

impl YesNoPrompt {
    /// Refuses a prompt without both places: every passage would get the same score.
    pub fn parse(text: &str) -> Result<Self, String> {
        for place in [QUESTION, PASSAGE] {
            if text.matches(place).count() != 1 {
                return Err(format!("must have {place} in it once"));
            }
        }
        Ok(Self(text.to_owned()))
    }

    /// Each is put in once: what a passage says about places in prompts is data.
    fn filled(&self, question: &str, passage: &str) -> String {
        let in_its_place = |text: &str| text.replace(PASSAGE, passage);
        match self.0.split_once(QUESTION) {
            Some((before, after)) => format!("{}{question}{}", in_its_place(before), in_its_place(after)),
            None => self.0.clone(),
        }
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct YesNoSettings {
    pub prompt: YesNoPrompt,
    /// A model of the allow-list; none means the one that writes answers.
    pub model: Option<String>,
    /// Passages the model is asked about at the same time.
    pub at_once: usize,
    /// A passage is judged by its first characters, as every reranker's window ends somewhere.
    pub max_characters: usize,
}

/// Asks once for each passage: dear, but it needs no model beside the one that writes. In no bounded time of its own.
pub struct YesNoReranker {
    model: Arc<dyn LanguageModel>,
    name: String,
    settings: YesNoSettings,
}

impl YesNoReranker {
    pub fn new(model: Arc<dyn LanguageModel>, settings: YesNoSettings) -> Self {
        let name = settings.model.clone().unwrap_or_else(|| model.default_model().to_owned());
        Self { model, name: format!("{name} (yes or no)"), settings }
    }

    async fn judge(&self, content: String) -> Result<f32, RerankError> {
        let message = PromptMessage { role: Speaker::User, content };
        let prompt =
            Prompt { model: self.settings.model.clone(), messages: vec![message], temperature: 0.0, max_tokens: 1 };
        let tokens = self.model.first_tokens(prompt).await.map_err(|error| in_other_words(&error))?;
        likelihood_of_yes(&tokens).ok_or_else(|| {
            let said: Vec<_> = tokens.iter().take(3).map(|token| token.text.as_str()).collect();
            RerankError::Failed(format!("asked for yes or no, {} would begin with {said:?}", self.name))
        })
    }
}

#[async_trait]
impl Reranker for YesNoReranker {
    fn name(&self) -> &str {
        &self.name
    }

    async fn score(&self, question: &str, texts: Vec<String>) -> Result<Vec<f32>, RerankError> {
        let contents = texts.into_iter().map(|text| {
            let passage: String = text.chars().take(self.settings.max_characters).collect();
            self.settings.prompt.filled(question, &passage)
        });
        let contents: Vec<String> = contents.collect();
        // The first that fails ends the others: there are no half judgements.
        let judgements = stream::iter(contents).map(|content| self.judge(content));
        judgements.buffered(self.settings.at_once.max(1)).try_collect().await
    }
}

/// How likely yes is against no, over all their spellings; `None` when the model considers neither.
pub fn likelihood_of_yes(tokens: &[LikelyToken]) -> Option<f32> {
    let weight = |word: &str| -> f64 {
        let spellings = tokens.iter().filter(|token| is_spelling(&token.text, word));
        spellings.map(|token| token.logprob.exp()).sum()
    };
    let (yes, no) = (weight("yes"), weight("no"));
    let share = yes / (yes + no);
    #[expect(clippy::cast_possible_truncation, reason = "rounding to the precision of a score is meant")]
    share.is_finite().then_some(share as f32)
}

/// Tokenizers write the space before a word in several ways, and models the word in any case.
fn is_spelling(token: &str, word: &str) -> bool {
    let bare = token.trim_matches(|c: char| !c.is_alphanumeric());
    bare.eq_ignore_ascii_case(word)
}

fn in_other_words(error: &ModelError) -> RerankError {
    match error {
        ModelError::Timeout(after) => RerankError::Timeout(*after),
        ModelError::Connection(_) | ModelError::NotAllowed { .. } | ModelError::NotServed { .. } => {
            RerankError::Unavailable(error.to_string())
        }
        ModelError::TooLong(_) | ModelError::Failed(_) => RerankError::Failed(error.to_string()),
    }
}

#[cfg(test)]
mod tests;
