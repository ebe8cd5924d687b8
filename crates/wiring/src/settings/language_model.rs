//! The section `language_model`: a server, which of its models does what, and what fits into them.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use ibidem_adapters::openai::{Connection, OpenAiSettings, Protocol, SentAlong, Thinking};
use ibidem_ports::language_model::{ModelLimits, is_same_model};
use serde::Deserialize;

use super::Settings;
use super::models::text;
use super::read::Problems;
use super::value::{AtLeast, Given, HttpUrl, Millis, Word};

#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LanguageModelSettings {
    url: Option<HttpUrl>,
    protocol: Word<Protocol>,
    api_key: Option<String>,
    api_key_header: Option<String>,
    headers: BTreeMap<String, String>,
    ca_file: Option<PathBuf>,
    pub roles: ModelRoles,
    /// Another way to set the answering role.
    name: Given<String>,
    /// Where the planner was named before there were roles.
    planner: Option<String>,
    pub also_allowed: Vec<String>,
    pub timeout_ms: Millis,
    /// For roles that write a few words.
    pub planner_timeout_ms: Millis,
    window: AtLeast<u32, SMALLEST_WINDOW>,
    response: AtLeast<u32, 1>,
    thinking: Option<Word<Thinking>>,
    tokenizer: TokenizerSource,
    models: BTreeMap<String, KnownModel>,
}

/// Another server, with all that it wants to see of those who ask.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct ServerSettings {
    url: HttpUrl,
    #[serde(default)]
    protocol: Option<Word<Protocol>>,
    #[serde(default)]
    api_key: Option<String>,
    #[serde(default)]
    api_key_header: Option<String>,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    #[serde(default)]
    ca_file: Option<PathBuf>,
}

/// One that holds less has no room for the shortest of prompts.
const SMALLEST_WINDOW: u64 = 512;

/// Which model does what.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelRoles {
    answer: Given<String>,
    pub planner: Given<String>,
    pub judge: Given<String>,
    pub titles: Given<String>,
    pub fallback: Given<String>,
    pub out_of_corpus: Given<String>,
}

/// What is known of one model. What is left out is as for any other.
#[derive(Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct KnownModel {
    /// Where it is, if it is not on the server of the section.
    server: Option<ServerSettings>,
    window: Option<AtLeast<u32, SMALLEST_WINDOW>>,
    response: Option<AtLeast<u32, 1>>,
    thinking: Option<Word<Thinking>>,
    tokenizer: Option<TokenizerSource>,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Deserialize)]
#[serde(from = "String")]
pub enum TokenizerSource {
    Estimate,
    /// The model server is asked.
    Server,
    File(PathBuf),
}

impl From<String> for TokenizerSource {
    fn from(written: String) -> Self {
        match written.as_str() {
            "estimate" => Self::Estimate,
            "server" => Self::Server,
            _ => Self::File(written.into()),
        }
    }
}

impl Settings {
    /// None when no language model is configured: then the sources speak for themselves.
    pub fn language_model(&self) -> Option<&LanguageModelSettings> {
        self.language_model.url.as_ref().map(|_| &self.language_model)
    }
}

impl LanguageModelSettings {
    /// The server that has a model, asked for this one alone.
    pub fn server_of(&self, name: &str, timeout: Duration) -> OpenAiSettings {
        let connection = self.connection(name);
        OpenAiSettings { connection, model: name.to_owned(), also_allowed: Vec::new(), timeout }
    }

    /// Where a model is, and what is sent there.
    pub fn connection(&self, name: &str) -> Connection {
        if let Some(server) = self.known(name).and_then(|model| model.server.clone()) {
            let ServerSettings { url, protocol, api_key, api_key_header, headers, ca_file } = server;
            let protocol = protocol.map(Word::get).unwrap_or_default();
            return Connection { url: url.to_string(), protocol, api_key, api_key_header, headers, ca_file };
        }
        Connection {
            url: text(self.url.as_ref()),
            protocol: self.protocol.get(),
            api_key: self.api_key.clone(),
            api_key_header: self.api_key_header.clone(),
            headers: self.headers.clone(),
            ca_file: self.ca_file.clone(),
        }
    }

    /// What is sent with each request to a model.
    pub fn sent_along(&self, name: &str) -> SentAlong {
        let thinking = self.known(name).and_then(|model| model.thinking).or(self.thinking);
        SentAlong { window: Some(self.limits(name).window), thinking: thinking.map(Word::get) }
    }

    /// The model that writes answers.
    pub fn answer(&self) -> &str {
        self.roles.answer.as_deref().or(self.name.as_deref()).unwrap_or_default()
    }

    /// What fits into a model.
    pub fn limits(&self, name: &str) -> ModelLimits {
        let known = self.known(name);
        ModelLimits {
            window: known.and_then(|model| model.window).unwrap_or(self.window).get(),
            response: known.and_then(|model| model.response).unwrap_or(self.response).get(),
        }
    }

    /// How a model's tokens are counted.
    pub fn tokenizer(&self, name: &str) -> &TokenizerSource {
        self.known(name).and_then(|model| model.tokenizer.as_ref()).unwrap_or(&self.tokenizer)
    }

    fn known(&self, name: &str) -> Option<&KnownModel> {
        self.models.iter().find(|(known, _)| is_same_model(known, name)).map(|(_, known)| known)
    }

    /// What one question may wait for these models, one after the other.
    pub(super) fn longest_turn(&self) -> Duration {
        let answers = 1 + u32::from(self.roles.fallback.is_some());
        let short = 2 * u32::from(self.roles.planner.is_some()) + u32::from(self.roles.judge.is_some());
        self.timeout_ms.get() * answers + self.planner_timeout_ms.get() * short
    }

    pub(super) fn check(&self, problems: &mut Problems) {
        let is_renamed = self.planner.is_none();
        problems.unless(
            is_renamed,
            "language_model.planner",
            "is called `language_model.roles.planner` now; rename it",
        );
        let ModelRoles { answer, planner, judge, titles, fallback, out_of_corpus } = &self.roles;
        if self.url.is_none() {
            let others = [
                ("planner", planner),
                ("judge", judge),
                ("titles", titles),
                ("fallback", fallback),
                ("out_of_corpus", out_of_corpus),
            ];
            if let Some((role, _)) = others.iter().find(|(_, model)| model.is_some()) {
                let key = format!("language_model.roles.{role}");
                problems.note(&key, "needs `language_model.url`, the server that has the model");
            }
            return;
        }
        let is_one = answer.is_none() || self.name.is_none() || *answer == self.name;
        problems.unless(is_one, "language_model.name", "is short for `language_model.roles.answer`; set one of them");
        let is_named = answer.is_some() || self.name.is_some();
        let needed = "is needed with `language_model.url`: the model that writes answers";
        problems.unless(is_named, "language_model.roles.answer", needed);
        let answers = |model: &Given<String>| model.as_ref().is_some_and(|model| is_same_model(model, self.answer()));
        problems.unless(
            !answers(judge),
            "language_model.roles.judge",
            "is the model that writes answers; name another, or set `speak.confidence.judge: self` in the policy file to \
             let it rate its own answers",
        );
        problems.unless(
            !answers(fallback),
            "language_model.roles.fallback",
            "is the model that writes answers, which has failed when a fallback is needed; name another",
        );
        let any = ModelLimits { window: self.window.get(), response: self.response.get() };
        let known = self.models.keys().map(|name| (format!("language_model.models.{name}"), self.limits(name)));
        for (key, ModelLimits { window, response }) in known.chain([("language_model".to_owned(), any)]) {
            let problem = format!(
                "is {response}; it must be less than `{key}.window` ({window}), or no room is left for the question"
            );
            problems.unless(response < window, &format!("{key}.response"), &problem);
        }
    }
}
