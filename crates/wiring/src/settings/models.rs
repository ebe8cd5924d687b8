//! The models that embed, rerank and verify. Each runs in this process, or on a server. Here is what embeds, and what the
//! sections of the others have in common.

use std::path::PathBuf;

use ibidem_adapters::http_embedder::{HttpEmbedderSettings, InputTypes};
use ibidem_adapters::onnx::{ModelFiles, OnnxSettings, PairModelSettings, Pooling, Prefixes};
use ibidem_engine::yes_no::{YesNoPrompt, YesNoSettings};
use ibidem_words::SimilarityScale;
use serde::Deserialize;

use super::Settings;
use super::read::Problems;
use super::value::{AtLeast, HttpUrl, Millis, Word};

/// How much of a source a language model is shown: several times what a passage has, well within any window.
const MOST_CHARACTERS: usize = 4_000;

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EmbeddingSettings {
    pub r#use: Word<EmbeddingUse>,
    pub model: PathBuf,
    pub tokenizer: PathBuf,
    pub runtime: PathBuf,
    pub name: String,
    pub max_tokens: AtLeast<usize, 32>,
    pub pooling: Word<Pooling>,
    pub query_prefix: String,
    pub passage_prefix: String,
    pub similarity: Similarity,
    pub sessions: AtLeast<usize, 1>,
    pub threads: AtLeast<usize, 1>,
    pub queue: AtLeast<usize, 1>,
    pub url: Option<HttpUrl>,
    pub api_key: Option<String>,
    pub query_input_type: Option<String>,
    pub passage_input_type: Option<String>,
    pub batch_size: AtLeast<usize, 1>,
    pub at_once: AtLeast<usize, 1>,
    pub timeout_ms: Millis,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EmbeddingUse {
    Onnx,
    Http,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Similarity {
    zero: f64,
    one: f64,
    /// The hash of the model that the two were measured with.
    pub model: Option<String>,
}

impl Similarity {
    fn scale(&self) -> Option<SimilarityScale> {
        SimilarityScale::new(self.zero, self.one)
    }
}

impl EmbeddingSettings {
    pub(super) fn check(&self, problems: &mut Problems) {
        let is_scale = self.similarity.scale().is_some();
        problems.unless(is_scale, "embedding.similarity", "must have a `one` that is more than its `zero`");
        let is_http = self.r#use.get() == EmbeddingUse::Http;
        check_url("embedding", is_http, self.url.as_ref(), "http://127.0.0.1:8080/v1/embeddings", problems);
    }

    /// The model in this process, or how one beside a server's would be arranged: other models in this process are
    /// arranged alike.
    pub fn onnx(&self) -> OnnxSettings {
        OnnxSettings {
            name: self.name.clone(),
            sessions: self.sessions.get(),
            threads: self.threads.get(),
            max_tokens: self.max_tokens.get(),
            pooling: self.pooling.get(),
            prefixes: Prefixes { query: self.query_prefix.clone(), passage: self.passage_prefix.clone() },
            scale: self.similarity.scale().unwrap_or_default(),
            queue: self.queue.get(),
            ..OnnxSettings::of(&self.model, &self.tokenizer, &self.runtime)
        }
    }

    /// A server in the form of OpenAI, where it is one.
    pub fn http(&self) -> Option<HttpEmbedderSettings> {
        let (query, passage) = (self.query_input_type.clone(), self.passage_input_type.clone());
        let OnnxSettings { name, tokenizer, max_tokens, prefixes, scale, .. } = self.onnx();
        (self.r#use.get() == EmbeddingUse::Http).then(|| HttpEmbedderSettings {
            url: text(self.url.as_ref()),
            name,
            api_key: self.api_key.clone(),
            tokenizer,
            max_tokens,
            prefixes,
            input_types: InputTypes { query, passage },
            batch_size: self.batch_size.get(),
            at_once: self.at_once.get(),
            scale,
        })
    }

    /// Another model of this process, on the same library, and with as many sessions and threads.
    pub(super) fn alike(
        &self,
        files: ModelFiles,
        name: Option<&String>,
        max_tokens: AtLeast<usize, 32>,
    ) -> PairModelSettings {
        let settings = PairModelSettings::of_files(files, &self.runtime);
        PairModelSettings {
            name: name.unwrap_or(&settings.name).clone(),
            sessions: self.sessions.get(),
            threads: self.threads.get(),
            max_tokens: max_tokens.get(),
            ..settings
        }
    }
}

impl Settings {
    /// The yes or no is the language model's.
    pub(super) fn check_yes_no(&self, section: &str, is_asked: bool, name: Option<&String>, problems: &mut Problems) {
        if !is_asked {
            return;
        }
        let Some(model) = self.language_model() else {
            let needed =
                format!("is needed with `{section}.use: model`: it names the server of the model that is asked");
            return problems.note("language_model.url", &needed);
        };
        let is_allowed = name.is_none_or(|name| name == model.answer() || model.also_allowed.contains(name));
        let problem = "must be `language_model.name` or one of `language_model.also_allowed`";
        problems.unless(is_allowed, &format!("{section}.name"), problem);
    }
}

pub(super) fn yes_no(prompt: YesNoPrompt, model: Option<String>, at_once: AtLeast<usize, 1>) -> YesNoSettings {
    YesNoSettings { prompt, model, at_once: at_once.get(), max_characters: MOST_CHARACTERS }
}

pub(super) fn check_url(section: &str, is_http: bool, url: Option<&HttpUrl>, example: &str, problems: &mut Problems) {
    let needed = format!("is needed with `{section}.use: http`: the whole address, for example {example}");
    problems.unless(!is_http || url.is_some(), &format!("{section}.url"), &needed);
}

/// The checks made sure that it is there where it is needed.
pub(super) fn text(url: Option<&HttpUrl>) -> String {
    url.map(|url| url.to_string()).unwrap_or_default()
}
