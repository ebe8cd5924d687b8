//! The section `reranker`: one of three kinds, or none.

use std::path::PathBuf;
use std::time::Duration;

use ibidem_adapters::http_reranker::{HttpRerankerSettings, RerankForm};
use ibidem_adapters::onnx::{OnnxRerankerSettings, OnnxSettings};
use ibidem_adapters::openai::OpenAiSettings;
use ibidem_engine::yes_no::{YesNoPrompt, YesNoSettings};
use serde::Deserialize;

use super::super::checked::{RerankerSettings, RerankerSource};
use super::Problems;

/// How much of a passage a language model is shown: several times what one has, well within any window.
const MOST_CHARACTERS: usize = 4_000;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawReranker {
    r#use: String,
    folder: PathBuf,
    max_tokens: usize,
    url: Option<String>,
    form: String,
    name: Option<String>,
    api_key: Option<String>,
    raw_scores: bool,
    batch_size: usize,
    at_once: usize,
    timeout_ms: u64,
    prompt: String,
}

#[derive(Clone, Copy)]
enum Use {
    None,
    Onnx,
    Http,
    Model,
}

impl RawReranker {
    /// A cross-encoder is arranged as the embedding model is; the yes or no is the language model's.
    pub(super) fn check(
        self,
        embedding: Option<&OnnxSettings>,
        model: Option<&OpenAiSettings>,
        problems: &mut Problems,
    ) -> Option<RerankerSettings> {
        let uses = [("none", Use::None), ("onnx", Use::Onnx), ("http", Use::Http), ("model", Use::Model)];
        let chosen = problems.one_of("reranker.use", &self.r#use, &uses)?;
        problems.at_least("reranker.timeout_ms", self.timeout_ms, 1);
        problems.at_least("reranker.max_tokens", self.max_tokens as u64, 32);
        problems.at_least("reranker.batch_size", self.batch_size as u64, 1);
        problems.at_least("reranker.at_once", self.at_once as u64, 1);
        let timeout = Duration::from_millis(self.timeout_ms);
        let source = match chosen {
            Use::None => return None,
            Use::Onnx => RerankerSource::Onnx(self.onnx(embedding?)),
            Use::Http => RerankerSource::Http(self.http(problems)?),
            Use::Model => RerankerSource::Model(self.model(model, problems)?),
        };
        Some(RerankerSettings { source, timeout })
    }

    fn onnx(self, embedding: &OnnxSettings) -> OnnxRerankerSettings {
        let settings = OnnxRerankerSettings::of(self.folder, &embedding.runtime);
        OnnxRerankerSettings {
            name: self.name.unwrap_or(settings.name),
            sessions: embedding.sessions,
            threads: embedding.threads,
            max_tokens: self.max_tokens,
            ..settings
        }
    }

    fn http(self, problems: &mut Problems) -> Option<HttpRerankerSettings> {
        let forms = [("cohere", RerankForm::Cohere), ("tei", RerankForm::Tei)];
        let form = problems.one_of("reranker.form", &self.form, &forms)?;
        let Some(url) = self.url else {
            let problem =
                "is needed with `reranker.use: http`: the whole address, for instance http://127.0.0.1:8081/rerank";
            problems.note("reranker.url", problem);
            return None;
        };
        problems.url("reranker.url", &url, &["http://", "https://"]);
        if form == RerankForm::Cohere && self.name.is_none() {
            problems.note("reranker.name", "is needed with `reranker.form: cohere`: the model to ask for");
        }
        Some(HttpRerankerSettings {
            url,
            form,
            model: self.name.unwrap_or_else(|| "rerank server".to_owned()),
            api_key: self.api_key,
            raw_scores: self.raw_scores,
            batch_size: self.batch_size,
            at_once: self.at_once,
        })
    }

    fn model(self, model: Option<&OpenAiSettings>, problems: &mut Problems) -> Option<YesNoSettings> {
        let Some(model) = model else {
            problems.note("language_model.url", "is needed with `reranker.use: model`: it is the model that judges");
            return None;
        };
        let is_allowed = |name: &String| *name == model.model || model.also_allowed.contains(name);
        if self.name.as_ref().is_some_and(|name| !is_allowed(name)) {
            let problem = "must be `language_model.name` or one of `language_model.also_allowed`";
            problems.note("reranker.name", problem);
        }
        let prompt = match YesNoPrompt::about_passages(&self.prompt) {
            Ok(prompt) => prompt,
            Err(problem) => {
                problems.note("reranker.prompt", &problem);
                return None;
            }
        };
        Some(YesNoSettings { prompt, model: self.name, at_once: self.at_once, max_characters: MOST_CHARACTERS })
    }
}
