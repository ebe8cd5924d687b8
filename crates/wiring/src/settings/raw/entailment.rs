//! The section `entailment`: one of three kinds.

use std::path::PathBuf;
use std::time::Duration;

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
    name: Option<String>,
    at_once: usize,
    timeout_ms: u64,
    prompt: String,
}

#[derive(Clone, Copy)]
enum Use {
    Lexical,
    Onnx,
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
        let uses = [("lexical", Use::Lexical), ("onnx", Use::Onnx), ("model", Use::Model)];
        let chosen = problems.one_of("entailment.use", &self.r#use, &uses)?;
        problems.at_least("entailment.timeout_ms", self.timeout_ms, 1);
        problems.at_least("entailment.max_tokens", self.max_tokens as u64, 32);
        problems.at_least("entailment.at_once", self.at_once as u64, 1);
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
            Use::Model => {
                let prompt = YesNoPrompt::about_claims(&self.prompt);
                let asked = RawYesNo { section: "entailment", name: self.name, at_once: self.at_once, prompt };
                EntailmentSource::Model(asked.check(model, problems)?)
            }
        };
        Some(EntailmentSettings { source, timeout: Duration::from_millis(self.timeout_ms) })
    }
}
