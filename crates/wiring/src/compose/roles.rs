//! The language models: which has which role, with what it takes and how that is counted.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use ibidem_adapters::openai::{Connection, OpenAiModel};
use ibidem_adapters::tokens::{ServerTokenizer, ServerTokenizerSettings, TokenizerFile};
use ibidem_engine::roles::Planner;
use ibidem_engine::roles::{NamedModel, Roles};
use ibidem_ports::degrade::Part;
use ibidem_ports::language_model::Estimate;
use ibidem_ports::language_model::Tokenizer;

use crate::settings::{LanguageModelSettings, TokenizerSource};

/// For all texts of a prompt: a server that counts takes milliseconds.
const COUNTING: Duration = Duration::from_secs(1);

/// A model on its server, with the time limit of answers.
pub fn model(settings: &LanguageModelSettings, name: &str) -> anyhow::Result<OpenAiModel> {
    within(settings, name, settings.timeout_ms.get())
}

fn within(settings: &LanguageModelSettings, name: &str, timeout: Duration) -> anyhow::Result<OpenAiModel> {
    let server = OpenAiModel::new(settings.server_of(name, timeout)).context("check `language_model`")?;
    Ok(server.sending(settings.sent_along(name)))
}

/// A model's server, asked to count.
pub fn server_tokenizer(settings: &LanguageModelSettings, name: &str) -> anyhow::Result<ServerTokenizer> {
    let settings = ServerTokenizerSettings { connection: settings.connection(name), timeout: COUNTING };
    ServerTokenizer::new(settings).map_err(anyhow::Error::msg)
}

/// Every role of the settings; none without a model server.
pub async fn roles(settings: Option<&LanguageModelSettings>) -> anyhow::Result<Roles> {
    let Some(settings) = settings else { return Ok(Roles::default()) };
    let mut models = Models { settings, servers: Vec::new(), tokenizers: Vec::new() };
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

/// Each server has one client, and each tokenizer is loaded once, however many models have it.
struct Models<'a> {
    settings: &'a LanguageModelSettings,
    servers: Vec<(Connection, OpenAiModel)>,
    /// With the server that counts, where one does.
    tokenizers: Vec<(TokenizerSource, Option<Connection>, Arc<dyn Tokenizer>)>,
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
            model: Part::bare(Arc::new(self.on_its_server(name, timeout)?)),
            limits: settings.limits(name),
            tokenizer: Part::bare(self.tokenizer(name, settings.tokenizer(name)).await?),
        })
    }

    fn on_its_server(&mut self, name: &str, timeout: Duration) -> anyhow::Result<OpenAiModel> {
        let connection = self.settings.connection(name);
        if let Some((_, server)) = self.servers.iter().find(|(known, _)| *known == connection) {
            return Ok(server.other(name, timeout).sending(self.settings.sent_along(name)));
        }
        let server = within(self.settings, name, timeout)?;
        self.servers.push((connection, server.clone()));
        Ok(server)
    }

    async fn tokenizer(&mut self, name: &str, source: &TokenizerSource) -> anyhow::Result<Arc<dyn Tokenizer>> {
        let server = (*source == TokenizerSource::Server).then(|| self.settings.connection(name));
        let known = self.tokenizers.iter().find(|(known, asked, _)| known == source && *asked == server);
        if let Some((.., tokenizer)) = known {
            return Ok(Arc::clone(tokenizer));
        }
        let tokenizer: Arc<dyn Tokenizer> = match source {
            TokenizerSource::Estimate => Arc::new(Estimate),
            TokenizerSource::Server => Arc::new(server_tokenizer(self.settings, name)?),
            TokenizerSource::File(path) => {
                let path = path.clone();
                let loaded = tokio::task::spawn_blocking(move || TokenizerFile::load(&path)).await?;
                Arc::new(loaded.context("check `language_model.tokenizer` and those of `language_model.models`")?)
            }
        };
        self.tokenizers.push((source.clone(), server, Arc::clone(&tokenizer)));
        Ok(tokenizer)
    }
}
