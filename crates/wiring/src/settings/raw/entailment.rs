//! The section `entailment`: one of four kinds.

use std::path::PathBuf;
use std::time::Duration;

use ibidem_adapters::http_entailment::{EntailmentForm, HttpEntailmentSettings};
use ibidem_adapters::onnx::{ClaimInput, ModelFiles, OnnxSettings};
use ibidem_adapters::openai::OpenAiSettings;
use ibidem_engine::yes_no::YesNoPrompt;
use serde::Deserialize;

use super::super::checked::{EntailmentSettings, EntailmentSource, SecondVerifierSettings};
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
    input: String,
    words_first: bool,
    second: RawSecondVerifier,
    timeout_ms: u64,
    prompt: String,
}

/// An entailment model that decides where the first one is in doubt, where a folder is named.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawSecondVerifier {
    folder: Option<PathBuf>,
    input: String,
    from: f32,
    to: f32,
}

const INPUTS: [(&str, ClaimInput); 4] = [
    ("pair", ClaimInput::Pair),
    ("minicheck", ClaimInput::MiniCheck),
    ("factcg", ClaimInput::FactCg),
    ("lettucedetect", ClaimInput::LettuceDetect),
];

impl RawSecondVerifier {
    fn check(
        &self,
        max_tokens: usize,
        embedding: Option<&OnnxSettings>,
        problems: &mut Problems,
    ) -> Option<SecondVerifierSettings> {
        let input = problems.one_of("entailment.second.input", &self.input, &INPUTS)?;
        if !(0.0 <= self.from && self.from <= self.to && self.to <= 1.0) {
            let problem = format!(
                "must be from 0 to `entailment.second.to`, and that at most 1; they are {} and {}",
                self.from, self.to
            );
            problems.note("entailment.second.from", &problem);
        }
        let model = RawPairModel { files: ModelFiles::Folder(self.folder.clone()?), name: None, max_tokens };
        Some(SecondVerifierSettings { model: model.arranged_as(embedding?), input, doubt: self.from..=self.to })
    }
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
        let input = problems.one_of("entailment.input", &self.input, &INPUTS)?;
        let second = self.second.check(self.max_tokens, embedding, problems);
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
        Some(EntailmentSettings { source, input, words_first, second, timeout })
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
