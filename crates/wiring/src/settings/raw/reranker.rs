//! The section `reranker`: one of four kinds, or none.

use std::path::PathBuf;
use std::time::Duration;

use ibidem_adapters::http_reranker::{HttpRerankerSettings, RerankForm};
use ibidem_adapters::onnx::{ModelFiles, OnnxSettings};
use ibidem_adapters::openai::OpenAiSettings;
use ibidem_engine::yes_no::YesNoPrompt;
use serde::Deserialize;

use super::super::checked::{BuiltInReaders, RerankerSettings, RerankerSource, SecondReaderSettings};
use super::Problems;
use super::pair_models::{RawPairModel, RawYesNo};
use crate::models::{READER, READER_MULTILINGUAL};

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
    second: RawSecondReader,
}

/// A reader that reads the best few again, where a folder is named.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawSecondReader {
    folder: Option<PathBuf>,
    best: usize,
    languages: String,
}

/// So many are read in one go; what is read again is read together.
const MOST_READ_AGAIN: usize = 8;

impl RawSecondReader {
    fn check(
        &self,
        max_tokens: usize,
        embedding: Option<&OnnxSettings>,
        problems: &mut Problems,
    ) -> Option<SecondReaderSettings> {
        let languages = [("english", true), ("all", false)];
        let english_alone = problems.one_of("reranker.second.languages", &self.languages, &languages)?;
        if !(1..=MOST_READ_AGAIN).contains(&self.best) {
            let problem = format!("is {}; it must be from 1 to {MOST_READ_AGAIN}", self.best);
            problems.note("reranker.second.best", &problem);
        }
        let model = RawPairModel { files: ModelFiles::Folder(self.folder.clone()?), name: None, max_tokens };
        Some(SecondReaderSettings { model: model.arranged_as(embedding?), best: self.best, english_alone })
    }
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
        let second = self.second.check(self.max_tokens, embedding, problems);
        let source = match chosen {
            Use::None => {
                if second.is_some() {
                    problems.note(
                        "reranker.second.folder",
                        "is named, and `reranker.use` is none: there is no first reader",
                    );
                }
                return None;
            }
            Use::Reader => {
                let arranged = |built_in, name| {
                    let model =
                        RawPairModel { files: ModelFiles::BuiltIn(built_in), name, max_tokens: self.max_tokens };
                    Some(model.arranged_as(embedding?))
                };
                let (english, others) = (arranged(READER, self.name)?, arranged(READER_MULTILINGUAL, None)?);
                RerankerSource::BuiltIn(Box::new(BuiltInReaders { english, others }))
            }
            Use::Onnx => {
                let files = ModelFiles::Folder(self.folder);
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
        Some(RerankerSettings { source, second, timeout })
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
