//! The section `entailment`: one of four kinds.

use std::path::PathBuf;
use std::time::Duration;

use ibidem_adapters::http_entailment::{EntailmentForm, HttpEntailmentSettings};
use ibidem_adapters::onnx::{ModelFiles, OnnxSettings};
use ibidem_adapters::openai::OpenAiSettings;
use ibidem_engine::yes_no::YesNoPrompt;
use serde::Deserialize;

use super::super::checked::{EntailmentSettings, EntailmentSource};
use super::Problems;
use super::pair_models::{RawPairModel, RawYesNo};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawEntailment {
    r#use: String,
    folder: PathBuf,
    max_tokens: usize,
    url: Option<String>,
    form: String,
    api_key: Option<String>,
    batch_size: usize,
    name: Option<String>,
    at_once: usize,
    words_first: bool,
    timeout_ms: u64,
    prompt: String,
}

#[derive(Clone, Copy)]
enum Use {
    Lexical,
    Onnx,
    Http,
    Model,
}

impl RawEntailment {
    /// A model in this process is arranged as the embedding model is; the yes or no is the language model's.
    pub(super) fn check(
        self,
        embedding: Option<&OnnxSettings>,
        model: Option<&OpenAiSettings>,
        problems: &mut Problems,
    ) -> Option<EntailmentSettings> {
        let uses = [("lexical", Use::Lexical), ("onnx", Use::Onnx), ("http", Use::Http), ("model", Use::Model)];
        let chosen = problems.one_of("entailment.use", &self.r#use, &uses)?;
        problems.at_least("entailment.timeout_ms", self.timeout_ms, 1);
        problems.at_least("entailment.max_tokens", self.max_tokens as u64, 32);
        problems.at_least("entailment.batch_size", self.batch_size as u64, 1);
        problems.at_least("entailment.at_once", self.at_once as u64, 1);
        let timeout = Duration::from_millis(self.timeout_ms);
        // Words and vectors have nobody to agree with but themselves.
        let words_first = self.words_first && !matches!(chosen, Use::Lexical);
        let source = match chosen {
            Use::Lexical => EntailmentSource::Lexical,
            Use::Onnx => {
                let model = RawPairModel {
                    files: ModelFiles::Folder(self.folder),
                    name: self.name,
                    max_tokens: self.max_tokens,
                };
                EntailmentSource::Onnx(model.arranged_as(embedding?))
            }
            Use::Http => EntailmentSource::Http(self.http(problems)?),
            Use::Model => {
                let prompt = YesNoPrompt::about_claims(&self.prompt);
                let asked = RawYesNo { section: "entailment", name: self.name, at_once: self.at_once, prompt };
                EntailmentSource::Model(asked.check(model, problems)?)
            }
        };
        Some(EntailmentSettings { source, words_first, timeout })
    }

    fn http(self, problems: &mut Problems) -> Option<HttpEntailmentSettings> {
        let forms = [("tei", EntailmentForm::Tei), ("pairs", EntailmentForm::Pairs)];
        let form = problems.one_of("entailment.form", &self.form, &forms)?;
        let Some(url) = self.url else {
            let problem =
                "is needed with `entailment.use: http`: the whole address, for example http://127.0.0.1:8082/predict";
            problems.note("entailment.url", problem);
            return None;
        };
        problems.url("entailment.url", &url, &["http://", "https://"]);
        if form == EntailmentForm::Pairs && self.name.is_none() {
            problems.note("entailment.name", "is needed with `entailment.form: pairs`: the model to ask for");
        }
        Some(HttpEntailmentSettings {
            url,
            form,
            model: self.name.unwrap_or_else(|| "entailment server".to_owned()),
            api_key: self.api_key,
            batch_size: self.batch_size,
            at_once: self.at_once,
        })
    }
}
