//! A language model that says what it is told to say.

use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;

use crate::ports::language_model::{LanguageModel, ModelError, Piece, Pieces, Prompt, Usage};

/// What a model does when it is asked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Script {
    /// These pieces, and the end.
    Says(Vec<String>),
    /// These pieces, and then nothing until the time is over.
    BreaksOffAfter(Vec<String>),
    CannotBeReached,
    NotServed,
    /// Never says anything.
    Hangs,
}

pub struct FakeModel {
    script: Script,
    asked: Mutex<Vec<Prompt>>,
}

impl FakeModel {
    pub const NAME: &str = "scripted";

    pub fn new(script: Script) -> Self {
        Self { script, asked: Mutex::default() }
    }

    pub fn saying(pieces: &[&str]) -> Self {
        Self::new(Script::Says(pieces.iter().map(|piece| (*piece).to_owned()).collect()))
    }

    /// Every prompt it was given so far.
    pub fn prompts(&self) -> Vec<Prompt> {
        self.asked().clone()
    }

    fn asked(&self) -> MutexGuard<'_, Vec<Prompt>> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl LanguageModel for FakeModel {
    fn default_model(&self) -> &str {
        Self::NAME
    }

    fn allowed(&self) -> Vec<String> {
        vec![Self::NAME.to_owned()]
    }

    async fn write(&self, prompt: Prompt) -> Result<Pieces, ModelError> {
        if let Some(model) = prompt.model.clone().filter(|model| model != Self::NAME) {
            return Err(ModelError::NotAllowed { model, allowed: self.allowed() });
        }
        self.asked().push(prompt);
        let (said, last) = match &self.script {
            Script::Says(said) => {
                let usage =
                    Usage { prompt_tokens: 1, completion_tokens: u32::try_from(said.len()).unwrap_or(u32::MAX) };
                (said, Ok(Piece::Done { usage: Some(usage) }))
            }
            Script::BreaksOffAfter(said) => (said, Err(ModelError::Timeout(30_000))),
            Script::CannotBeReached => return Err(ModelError::Connection("refused".to_owned())),
            Script::Hangs => return Ok(Box::pin(futures::stream::pending())),
            Script::NotServed => {
                return Err(ModelError::NotServed { model: Self::NAME.to_owned(), served: vec!["other".to_owned()] });
            }
        };
        let pieces = said.iter().map(|text| Ok(Piece::Text(text.clone().into_bytes()))).chain([last]);
        Ok(Box::pin(futures::stream::iter(pieces.collect::<Vec<_>>())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_fake_behaves_as_a_language_model() {
        crate::suites::language_model::check(&FakeModel::saying(&["Hel", "lo."])).await;
    }
}
