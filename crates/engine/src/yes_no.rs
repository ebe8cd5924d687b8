//! Questions that one word answers, put to a language model: yes or no, and how sure is it?

mod entailment;
mod reranker;

use std::sync::Arc;

use futures::{StreamExt as _, TryStreamExt as _, stream};
use ibidem_ports::language_model::{LanguageModel, LikelyToken, ModelError, ModelFault, Prompt, PromptMessage};
use ibidem_words::{Speaker, unsteered};

pub use entailment::YesNoEntailment;
pub use reranker::YesNoReranker;

/// What the model is asked about each pair of texts, with a place for the one and a place for the other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct YesNoPrompt {
    text: String,
    places: [&'static str; 2],
}

impl YesNoPrompt {
    /// Whether a passage answers a question: `{question}` and `{passage}`.
    pub fn about_passages(text: &str) -> Result<Self, String> {
        Self::with_places(text, ["{question}", "{passage}"])
    }

    /// Whether a text supports a claim: `{premise}` and `{claim}`.
    pub fn about_claims(text: &str) -> Result<Self, String> {
        Self::with_places(text, ["{premise}", "{claim}"])
    }

    /// Refuses a prompt without both places: what has none of its own would never count.
    fn with_places(text: &str, places: [&'static str; 2]) -> Result<Self, String> {
        for place in places {
            if text.matches(place).count() != 1 {
                return Err(format!("must have {place} in it once"));
            }
        }
        Ok(Self { text: text.to_owned(), places })
    }

    /// Each is put in once: what a text says about places in prompts is data.
    fn filled(&self, [first, second]: &[String; 2]) -> String {
        let [first_place, second_place] = self.places;
        let in_its_place = |text: &str| text.replace(second_place, second);
        match self.text.split_once(first_place) {
            Some((before, after)) => format!("{}{first}{}", in_its_place(before), in_its_place(after)),
            None => self.text.clone(),
        }
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct YesNoSettings {
    pub prompt: YesNoPrompt,
    /// A model of the allow-list; none means the one that writes answers.
    pub model: Option<String>,
    /// Pairs the model is asked about at the same time.
    pub at_once: usize,
    /// A source's text is judged by its first characters, as every model's window ends somewhere.
    pub max_characters: usize,
}

/// Asks once for each pair: dear, but it needs no model beside the one that writes. In no bounded time of its own.
struct YesNo {
    model: Arc<dyn LanguageModel>,
    name: String,
    settings: YesNoSettings,
}

/// Why there is no judgement; each port says it in words of its own.
enum Trouble {
    Unavailable(String),
    Timeout(u64),
    Failed(String),
    TooLong(String),
}

impl YesNo {
    fn new(model: Arc<dyn LanguageModel>, settings: YesNoSettings) -> Self {
        let name = settings.model.clone().unwrap_or_else(|| model.default_model().to_owned());
        Self { model, name: format!("{name} (yes or no)"), settings }
    }

    /// As much of a source's text as is judged.
    fn beginning_of(&self, text: &str) -> String {
        text.chars().take(self.settings.max_characters).collect()
    }

    /// How likely a yes is for each pair, in their order. The texts of a pair are in the order of the prompt's places.
    async fn likelihoods(&self, pairs: impl Iterator<Item = [String; 2]>) -> Result<Vec<f32>, Trouble> {
        let unsteered = |pair: [String; 2]| pair.map(|text| unsteered(&text).into_owned());
        let contents: Vec<String> = pairs.map(|pair| self.settings.prompt.filled(&unsteered(pair))).collect();
        // The first that fails ends the others: there are no half judgements.
        let judgements = stream::iter(contents).map(|content| self.likelihood(content));
        judgements.buffered(self.settings.at_once.max(1)).try_collect().await
    }

    async fn likelihood(&self, content: String) -> Result<f32, Trouble> {
        let message = PromptMessage { role: Speaker::User, content };
        let prompt = Prompt {
            model: self.settings.model.clone(),
            messages: vec![message],
            temperature: 0.0,
            max_tokens: 1,
            form: None,
        };
        let tokens = self.model.first_tokens(prompt).await?;
        likelihood_of_yes(&tokens).ok_or_else(|| {
            let first: Vec<_> = tokens.iter().take(3).map(|token| token.text.as_str()).collect();
            Trouble::Failed(format!("asked for yes or no, {} would begin with {first:?}", self.name))
        })
    }
}

impl From<ModelError> for Trouble {
    fn from(error: ModelError) -> Self {
        match error {
            ModelError::Timeout(after) => Self::Timeout(after),
            ModelError::Unavailable(_)
            | ModelError::Own(ModelFault::NotAllowed { .. })
            | ModelError::Own(ModelFault::NotServed { .. })
            | ModelError::CircuitOpen { .. } => Self::Unavailable(error.to_string()),
            ModelError::Own(ModelFault::TooLong(reason)) => Self::TooLong(reason),
            ModelError::Own(ModelFault::Cut(cut)) => Self::Failed(cut.to_string()),
            ModelError::Own(ModelFault::Failed(_)) => Self::Failed(error.to_string()),
        }
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

#[cfg(test)]
mod tests;
