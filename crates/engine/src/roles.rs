//! Which model does what. The settings name them; a question keeps those it began with to its end.

mod planner;

use std::sync::Arc;

use futures::StreamExt as _;
use ibidem_ports::degrade::{Deadline, Part};
use ibidem_ports::language_model::{
    Estimate, LanguageModel, ModelError, ModelFault, ModelLimits, Piece, Prompt, PromptMessage, ReplyForm, Tokenizer,
    is_same_model,
};

pub use planner::Planner;

/// Written bytes that are read: a model that goes on and on is cut short.
const MOST_BYTES: usize = 16 * 1024;

/// A model by its name, with what fits into it and how that is counted.
#[derive(Clone)]
pub struct NamedModel {
    pub name: String,
    pub model: Part<dyn LanguageModel>,
    pub limits: ModelLimits,
    pub tokenizer: Part<dyn Tokenizer>,
}

impl NamedModel {
    /// Wraps a model of which nothing is known but its name.
    pub fn unknown(model: Arc<dyn LanguageModel>) -> Self {
        Self::of(Part::bare(model))
    }

    /// The same, of a model that is asked with care.
    pub fn of(model: Part<dyn LanguageModel>) -> Self {
        let name = model.port().default_model().to_owned();
        Self { name, model, limits: ModelLimits::default(), tokenizer: Part::bare(Arc::new(Estimate)) }
    }

    /// All that it says to these messages, at temperature 0, as far as it is read.
    pub async fn say(
        &self,
        messages: Vec<PromptMessage>,
        max_tokens: u32,
        deadline: Deadline,
    ) -> Result<String, ModelError> {
        self.reply(Prompt { model: None, messages, temperature: 0.0, max_tokens, form: None }, deadline).await
    }

    /// The same in a form that it is bound to where its server can do that: whoever reads it must expect anything.
    pub async fn fill(
        &self,
        form: ReplyForm,
        messages: Vec<PromptMessage>,
        max_tokens: u32,
        deadline: Deadline,
    ) -> Result<String, ModelError> {
        let form = Some(form);
        self.reply(Prompt { model: None, messages, temperature: 0.0, max_tokens, form }, deadline).await
    }

    /// All that it replies to a prompt, as far as it is read.
    pub(crate) async fn reply(&self, prompt: Prompt, deadline: Deadline) -> Result<String, ModelError> {
        let prompt = Prompt { model: Some(self.name.clone()), ..prompt };
        let mut pieces = self.model.write(deadline, prompt).await?;
        let mut written = Vec::new();
        while let Some(piece) = pieces.next().await {
            match piece? {
                Piece::Text(text) => written.extend(text),
                Piece::Done { .. } => break,
            }
            if written.len() > MOST_BYTES {
                break;
            }
        }
        Ok(String::from_utf8_lossy(&written).into_owned())
    }

    /// Fails when its server says that it does not have it, and when the server cannot be asked.
    pub async fn check_served(&self, deadline: Deadline) -> Result<(), ModelError> {
        let served = self.model.aside(deadline, |model| model.served()).await?;
        if served.iter().any(|served| is_same_model(served, &self.name)) {
            return Ok(());
        }
        Err(ModelError::Own(ModelFault::NotServed { model: self.name.clone(), served }))
    }
}

/// Holds the models in force. A role with no model is skipped.
#[derive(Clone, Default)]
pub struct Roles {
    /// Writes answers.
    pub answer: Option<NamedModel>,
    /// Write answers when the asker names them.
    pub also_allowed: Vec<NamedModel>,
    /// Puts questions in other words and outlines answers.
    pub planner: Option<Arc<Planner>>,
    /// Gives an answer of another model a number.
    pub judge: Option<NamedModel>,
    /// Names conversations.
    pub titles: Option<NamedModel>,
    /// Writes when the answering model has failed before its first sentence.
    pub fallback: Option<NamedModel>,
    /// Answers from what it knows, where a policy wants that.
    pub out_of_corpus: Option<NamedModel>,
}

impl Roles {
    /// Holds a model that writes answers, and no other.
    pub fn answering(model: NamedModel) -> Self {
        Self { answer: Some(model), ..Self::default() }
    }

    /// The models that may write answers, the one of the role first.
    pub fn writers(&self) -> impl Iterator<Item = &NamedModel> {
        self.answer.iter().chain(&self.also_allowed)
    }

    /// The model that writes, which the asker may have named; none when no model is configured.
    pub fn writer(&self, named: Option<&str>) -> Result<Option<&NamedModel>, ModelError> {
        let Some(named) = named else { return Ok(self.answer.as_ref()) };
        match self.writers().find(|model| is_same_model(&model.name, named)) {
            Some(model) => Ok(Some(model)),
            None => {
                let allowed = self.writers().map(|model| model.name.clone()).collect();
                Err(ModelError::Own(ModelFault::NotAllowed { model: named.to_owned(), allowed }))
            }
        }
    }

    /// Whether a model that an asker names may be named, and is there. A server that cannot be asked is no mistake of
    /// the asker's: what stands in for it is said when it is needed.
    pub async fn check_named(&self, named: &str, deadline: Deadline) -> Result<(), ModelError> {
        let Some(model) = self.writer(Some(named))? else { return Ok(()) };
        match model.check_served(deadline).await {
            Err(error @ ModelError::Own(ModelFault::NotServed { .. })) => Err(error),
            _ => Ok(()),
        }
    }

    /// Every role that somebody has, by its name in the settings.
    pub fn filled(&self) -> Vec<(&'static str, &NamedModel)> {
        let planner = self.planner.as_ref().map(|planner| planner.model());
        let roles = [
            ("answer", self.answer.as_ref()),
            ("planner", planner),
            ("judge", self.judge.as_ref()),
            ("titles", self.titles.as_ref()),
            ("fallback", self.fallback.as_ref()),
            ("out_of_corpus", self.out_of_corpus.as_ref()),
        ];
        let also = self.also_allowed.iter().map(|model| ("also_allowed", model));
        roles.into_iter().filter_map(|(role, model)| Some((role, model?))).chain(also).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ibidem_testing::fakes::{FakeModel, Script};

    fn model(name: &str) -> NamedModel {
        NamedModel { name: name.to_owned(), ..NamedModel::unknown(Arc::new(FakeModel::saying(&["Oil."]))) }
    }

    fn roles() -> Roles {
        Roles { also_allowed: vec![model("large:8b")], ..Roles::answering(model(FakeModel::NAME)) }
    }

    #[test]
    fn test_validate_model_allowed() {
        let roles = roles();
        for (named, writes) in [
            (None, FakeModel::NAME),
            (Some(FakeModel::NAME), FakeModel::NAME),
            (Some("scripted:latest"), FakeModel::NAME),
            (Some("large:8b"), "large:8b"),
        ] {
            assert_eq!(roles.writer(named).unwrap().unwrap().name, writes, "{named:?}");
        }
        assert!(Roles::default().writer(None).unwrap().is_none());
    }

    #[test]
    fn test_validate_model_not_allowed() {
        for named in ["large", "large:8b:latest ", ""] {
            let Err(error) = roles().writer(Some(named)) else { panic!("{named:?} was allowed") };
            let expected = format!("the model {named:?} is not allowed; allowed are: scripted, large:8b");
            assert_eq!(error.to_string(), expected);
        }
    }

    #[tokio::test]
    async fn a_model_that_is_listed_and_not_served_is_an_error_that_says_how_to_get_it() {
        let roles = roles();
        assert_eq!(roles.check_named(FakeModel::NAME, Deadline::NONE).await, Ok(()));
        let error = roles.check_named("large:8b", Deadline::NONE).await.unwrap_err().to_string();
        assert!(error.contains("`ollama pull large:8b`") && error.ends_with("served are: scripted"), "{error}");
        assert!(matches!(
            roles.check_named("other", Deadline::NONE).await,
            Err(ModelError::Own(ModelFault::NotAllowed { .. }))
        ));
    }

    #[tokio::test]
    async fn a_server_that_cannot_be_asked_is_no_mistake_of_the_askers() {
        let away = NamedModel::unknown(Arc::new(FakeModel::new(Script::CannotBeReached)));
        assert!(matches!(away.check_served(Deadline::NONE).await, Err(ModelError::Unavailable(_))));
        assert_eq!(Roles::answering(away).check_named(FakeModel::NAME, Deadline::NONE).await, Ok(()));
    }

    #[test]
    fn every_filled_role_is_named() {
        let roles = Roles { judge: Some(model("j")), planner: Some(Arc::new(Planner::new(model("p")))), ..roles() };
        let filled: Vec<_> = roles.filled().into_iter().map(|(role, model)| (role, model.name.as_str())).collect();
        let expected = [("answer", FakeModel::NAME), ("planner", "p"), ("judge", "j"), ("also_allowed", "large:8b")];
        assert_eq!(filled, expected);
    }
}
