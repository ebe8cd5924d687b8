//! The section `reranker`: one of four kinds, or none.

use std::path::PathBuf;
use std::time::Duration;

use ibidem_adapters::http_reranker::{HttpRerankerSettings, RerankForm};
use ibidem_adapters::onnx::{ModelFiles, OnnxSettings};
use ibidem_adapters::openai::OpenAiSettings;
use ibidem_engine::yes_no::YesNoPrompt;
use serde::Deserialize;

use super::super::checked::{RerankerSettings, RerankerSource};
use super::Problems;
use super::pair_models::{RawPairModel, RawYesNo};
use crate::models::READER;

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
    Reader,
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
        let uses = [
            ("reader", Use::Reader),
            ("onnx", Use::Onnx),
            ("http", Use::Http),
            ("model", Use::Model),
            ("none", Use::None),
        ];
        let chosen = problems.one_of("reranker.use", &self.r#use, &uses)?;
        problems.at_least("reranker.timeout_ms", self.timeout_ms, 1);
        problems.at_least("reranker.max_tokens", self.max_tokens as u64, 32);
        problems.at_least("reranker.batch_size", self.batch_size as u64, 1);
        problems.at_least("reranker.at_once", self.at_once as u64, 1);
        let timeout = Duration::from_millis(self.timeout_ms);
        let source = match chosen {
            Use::None => return None,
            Use::Reader | Use::Onnx => {
                let files = match chosen {
                    Use::Reader => ModelFiles::BuiltIn(READER),
                    _ => ModelFiles::Folder(self.folder),
                };
                let model = RawPairModel { files, name: self.name, max_tokens: self.max_tokens };
                RerankerSource::Onnx(model.arranged_as(embedding?))
            }
            Use::Http => RerankerSource::Http(self.http(problems)?),
            Use::Model => {
                let prompt = YesNoPrompt::about_passages(&self.prompt);
                let asked = RawYesNo { section: "reranker", name: self.name, at_once: self.at_once, prompt };
                RerankerSource::Model(asked.check(model, problems)?)
            }
        };
        Some(RerankerSettings { source, timeout })
    }

    fn http(self, problems: &mut Problems) -> Option<HttpRerankerSettings> {
        let forms = [("cohere", RerankForm::Cohere), ("tei", RerankForm::Tei)];
        let form = problems.one_of("reranker.form", &self.form, &forms)?;
        let Some(url) = self.url else {
            let problem =
                "is needed with `reranker.use: http`: the whole address, for example http://127.0.0.1:8081/rerank";
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
}
