//! A language model that says what it is told to say.

use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;

use ibidem_ports::language_model::{
    Cut, LanguageModel, LikelyToken, ModelError, ModelFault, Piece, Pieces, Prompt, Usage,
};

/// What a model does when it is asked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Script {
    /// These pieces, and the end.
    Says(Vec<String>),
    /// Another reply each time, and the last one again and again.
    SaysInTurn(Vec<String>),
    /// These bytes, which may be cut anywhere, and the end.
    Writes(Vec<Vec<u8>>),
    /// These pieces, and then nothing until the time is over.
    BreaksOffAfter(Vec<String>),
    /// These pieces, and an end that is not the model's own.
    IsCutAfter(Vec<String>, Cut),
    CannotBeReached,
    NotServed,
}

/// What it would begin with, prompt by prompt.
type Weighing = Box<dyn Fn(&Prompt) -> Result<Vec<LikelyToken>, ModelError> + Send + Sync>;

pub struct FakeModel {
    name: String,
    script: Script,
    weighing: Option<Weighing>,
    asked: Mutex<Vec<Prompt>>,
}

impl FakeModel {
    pub const NAME: &str = "scripted";

    pub fn new(script: Script) -> Self {
        Self { name: Self::NAME.to_owned(), script, weighing: None, asked: Mutex::default() }
    }

    /// Says nothing, but weighs what it would begin with.
    pub fn weighing(
        weighing: impl Fn(&Prompt) -> Result<Vec<LikelyToken>, ModelError> + Send + Sync + 'static,
    ) -> Self {
        Self { weighing: Some(Box::new(weighing)), ..Self::saying(&[]) }
    }

    pub fn saying(pieces: &[&str]) -> Self {
        Self::new(Script::Says(pieces.iter().map(|piece| (*piece).to_owned()).collect()))
    }

    /// Under another name.
    pub fn called(self, name: &str) -> Self {
        Self { name: name.to_owned(), ..self }
    }

    /// Every prompt it was given so far.
    pub fn prompts(&self) -> Vec<Prompt> {
        self.asked().clone()
    }

    /// Notes the prompt, unless it names another model.
    fn take(&self, prompt: Prompt) -> Result<Prompt, ModelError> {
        if let Some(model) = prompt.model.clone().filter(|model| *model != self.name) {
            return Err(ModelError::Own(ModelFault::NotAllowed { model, allowed: self.allowed() }));
        }
        self.asked().push(prompt.clone());
        Ok(prompt)
    }

    fn asked(&self) -> MutexGuard<'_, Vec<Prompt>> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl LanguageModel for FakeModel {
    fn default_model(&self) -> &str {
        &self.name
    }

    fn allowed(&self) -> Vec<String> {
        vec![self.name.clone()]
    }

    async fn served(&self) -> Result<Vec<String>, ModelError> {
        match &self.script {
            Script::CannotBeReached => Err(cannot_be_reached()),
            Script::NotServed => Ok(vec!["other".to_owned()]),
            Script::Says(_)
            | Script::SaysInTurn(_)
            | Script::Writes(_)
            | Script::BreaksOffAfter(_)
            | Script::IsCutAfter(..) => Ok(self.allowed()),
        }
    }

    async fn write(&self, prompt: Prompt) -> Result<Pieces, ModelError> {
        self.take(prompt)?;
        let done = |pieces: usize, cut: Option<Cut>| {
            let completion_tokens = u32::try_from(pieces).unwrap_or(u32::MAX);
            Ok(Piece::Done { usage: Some(Usage { prompt_tokens: 1, completion_tokens }), cut })
        };
        let as_bytes = |texts: &[String]| texts.iter().map(|text| text.clone().into_bytes()).collect();
        let (written, last): (Vec<Vec<u8>>, _) = match &self.script {
            Script::Says(texts) => (as_bytes(texts), done(texts.len(), None)),
            Script::SaysInTurn(replies) => {
                let place = self.asked().len().min(replies.len()).saturating_sub(1);
                (replies.get(place).map(|reply| reply.clone().into_bytes()).into_iter().collect(), done(1, None))
            }
            Script::Writes(texts) => (texts.clone(), done(texts.len(), None)),
            Script::IsCutAfter(texts, cut) => (as_bytes(texts), done(texts.len(), Some(*cut))),
            Script::BreaksOffAfter(texts) => (as_bytes(texts), Err(ModelError::Timeout(30_000))),
            Script::CannotBeReached => return Err(cannot_be_reached()),
            Script::NotServed => return Err(not_served()),
        };
        let pieces = written.into_iter().map(|piece| Ok(Piece::Text(piece))).chain([last]);
        Ok(Box::pin(futures::stream::iter(pieces.collect::<Vec<_>>())))
    }

    async fn first_tokens(&self, prompt: Prompt) -> Result<Vec<LikelyToken>, ModelError> {
        let prompt = self.take(prompt)?;
        if let Some(weighing) = &self.weighing {
            return weighing(&prompt);
        }
        match &self.script {
            // It knows what it will say.
            Script::Says(texts) | Script::BreaksOffAfter(texts) | Script::IsCutAfter(texts, _) => match texts.first() {
                Some(piece) => Ok(vec![LikelyToken { text: piece.clone(), logprob: 0.0 }]),
                None => Err(ModelError::Timeout(30_000)),
            },
            Script::SaysInTurn(_) | Script::Writes(_) => Err(ModelError::Timeout(30_000)),
            Script::CannotBeReached => Err(cannot_be_reached()),
            Script::NotServed => Err(not_served()),
        }
    }
}

fn cannot_be_reached() -> ModelError {
    ModelError::Unavailable("refused".to_owned())
}

fn not_served() -> ModelError {
    ModelError::Own(ModelFault::NotServed { model: FakeModel::NAME.to_owned(), served: vec!["other".to_owned()] })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_fake_behaves_as_a_language_model() {
        crate::suites::language_model::check(&FakeModel::saying(&["Hel", "lo."])).await;
    }
}
