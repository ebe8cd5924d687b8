//! The language models: which has which role, with what it takes and how that is counted.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use ibidem_adapters::openai::{OpenAiModel, OpenAiSettings};
use ibidem_adapters::tokens::{ServerTokenizer, ServerTokenizerSettings, TokenizerFile};
use ibidem_engine::roles::Planner;
use ibidem_engine::roles::{NamedModel, Roles};
use ibidem_ports::degrade::Part;
use ibidem_ports::language_model::Estimate;
use ibidem_ports::language_model::Tokenizer;

use crate::settings::{LanguageModelSettings, TokenizerSource};

/// For all texts of a prompt: a server that counts takes milliseconds.
const COUNTING: Duration = Duration::from_secs(1);

/// The model server, asked for the answering model unless a prompt names another.
pub fn model_server(settings: &LanguageModelSettings) -> anyhow::Result<OpenAiModel> {
    OpenAiModel::new(settings.server()).context("check `language_model`")
}

/// The model server, asked to count.
pub fn server_tokenizer(settings: &LanguageModelSettings) -> anyhow::Result<ServerTokenizer> {
    let OpenAiSettings { url, api_key, .. } = settings.server();
    ServerTokenizer::new(ServerTokenizerSettings { url, api_key, timeout: COUNTING }).map_err(anyhow::Error::msg)
}

/// Every role of the settings; none without a model server.
pub async fn roles(settings: Option<&LanguageModelSettings>) -> anyhow::Result<Roles> {
    let Some(settings) = settings else { return Ok(Roles::default()) };
    let mut models = Models { settings, server: model_server(settings)?, tokenizers: HashMap::new() };
    let (long, short) = (settings.timeout_ms.get(), settings.planner_timeout_ms.get());
    let roles = &settings.roles;
    let mut also_allowed = Vec::new();
    for name in &settings.also_allowed {
        also_allowed.push(models.named(name, long).await?);
    }
    let planner = models.in_role(&roles.planner, short).await?;
    Ok(Roles {
        answer: Some(models.named(settings.answer(), long).await?),
        also_allowed,
        planner: planner.map(|model| Arc::new(Planner::new(model))),
        judge: models.in_role(&roles.judge, short).await?,
        titles: models.in_role(&roles.titles, short).await?,
        fallback: models.in_role(&roles.fallback, long).await?,
        out_of_corpus: models.in_role(&roles.out_of_corpus, long).await?,
    })
}

/// Models of one server; each tokenizer is loaded once, however many have it.
struct Models<'a> {
    settings: &'a LanguageModelSettings,
    server: OpenAiModel,
    tokenizers: HashMap<TokenizerSource, Arc<dyn Tokenizer>>,
}

impl Models<'_> {
    async fn in_role(&mut self, name: &Option<String>, timeout: Duration) -> anyhow::Result<Option<NamedModel>> {
        match name {
            Some(name) => self.named(name, timeout).await.map(Some),
            None => Ok(None),
        }
    }

    async fn named(&mut self, name: &str, timeout: Duration) -> anyhow::Result<NamedModel> {
        let settings = self.settings;
        Ok(NamedModel {
            name: name.to_owned(),
            model: Part::bare(Arc::new(self.server.other(name, timeout))),
            limits: settings.limits(name),
            tokenizer: Part::bare(self.tokenizer(settings.tokenizer(name)).await?),
        })
    }

    async fn tokenizer(&mut self, source: &TokenizerSource) -> anyhow::Result<Arc<dyn Tokenizer>> {
        if let Some(tokenizer) = self.tokenizers.get(source) {
            return Ok(Arc::clone(tokenizer));
        }
        let tokenizer: Arc<dyn Tokenizer> = match source {
            TokenizerSource::Estimate => Arc::new(Estimate),
            TokenizerSource::Server => Arc::new(server_tokenizer(self.settings)?),
            TokenizerSource::File(path) => {
                let path = path.clone();
                let loaded = tokio::task::spawn_blocking(move || TokenizerFile::load(&path)).await?;
                Arc::new(loaded.context("check `language_model.tokenizer` and those of `language_model.models`")?)
            }
        };
        self.tokenizers.insert(source.clone(), Arc::clone(&tokenizer));
        Ok(tokenizer)
    }
}
