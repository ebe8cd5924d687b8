//! What says whether sentences follow from passages: the section `entailment`.

use std::ops::RangeInclusive;
use std::path::PathBuf;

use ibidem_adapters::http_entailment::{EntailmentForm, HttpEntailmentSettings};
use ibidem_adapters::onnx::{ClaimInput, ModelFiles, PairModelSettings};
use ibidem_engine::yes_no::{YesNoPrompt, YesNoSettings};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use super::Settings;
use super::models::{check_url, text, yes_no};
use super::read::Problems;
use super::value::{AtLeast, HttpUrl, Millis, Word};

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EntailmentSettings {
    r#use: Word<EntailmentUse>,
    folder: PathBuf,
    max_tokens: AtLeast<usize, 32>,
    url: Option<HttpUrl>,
    form: Word<EntailmentForm>,
    api_key: Option<String>,
    batch_size: AtLeast<usize, 1>,
    name: Option<String>,
    at_once: AtLeast<usize, 1>,
    /// How a model in this process was taught to read a passage and a sentence.
    input: Word<ClaimInput>,
    words_first: bool,
    second: SecondVerifier,
    /// For one sentence with all its passages.
    pub timeout_ms: Millis,
    #[serde(deserialize_with = "about_claims")]
    prompt: YesNoPrompt,
}

/// An entailment model that decides where the first one is in doubt, where a folder is named.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct SecondVerifier {
    folder: Option<PathBuf>,
    input: Word<ClaimInput>,
    from: f32,
    to: f32,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum EntailmentUse {
    Lexical,
    Onnx,
    Http,
    Model,
}

fn about_claims<'de, D: Deserializer<'de>>(deserializer: D) -> Result<YesNoPrompt, D::Error> {
    YesNoPrompt::about_claims(&String::deserialize(deserializer)?).map_err(D::Error::custom)
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum EntailmentSource {
    /// Words and vectors, and no model beside the embedding model.
    Lexical,
    Onnx(PairModelSettings),
    Http(HttpEntailmentSettings),
    /// The language model, asked for yes or no.
    Model(YesNoSettings),
}

/// An entailment model that decides where the first one is in doubt.
#[derive(Clone, PartialEq, Debug)]
pub struct SecondVerifierSettings {
    pub model: PairModelSettings,
    pub input: ClaimInput,
    /// The scores of the first one that settle nothing.
    pub doubt: RangeInclusive<f32>,
}

impl EntailmentSettings {
    /// Words and vectors must support a sentence too, and the model reads only what they support. They have nobody to
    /// agree with but themselves where they are all there is.
    pub fn words_first(&self) -> bool {
        self.words_first && self.r#use.get() != EntailmentUse::Lexical
    }

    pub fn input(&self) -> ClaimInput {
        self.input.get()
    }
}

impl Settings {
    pub fn entailment(&self) -> EntailmentSource {
        let EntailmentSettings { folder, max_tokens, name, prompt, at_once, .. } = self.entailment.clone();
        match self.entailment.r#use.get() {
            EntailmentUse::Lexical => EntailmentSource::Lexical,
            EntailmentUse::Onnx => {
                EntailmentSource::Onnx(self.embedding.alike(ModelFiles::Folder(folder), name.as_ref(), max_tokens))
            }
            EntailmentUse::Http => EntailmentSource::Http(HttpEntailmentSettings {
                url: text(self.entailment.url.as_ref()),
                form: self.entailment.form.get(),
                model: name.unwrap_or_else(|| "entailment server".to_owned()),
                api_key: self.entailment.api_key.clone(),
                batch_size: self.entailment.batch_size.get(),
                at_once: at_once.get(),
            }),
            EntailmentUse::Model => EntailmentSource::Model(yes_no(prompt, name, at_once)),
        }
    }

    /// None when nobody decides where the others are in doubt.
    pub fn second_verifier(&self) -> Option<SecondVerifierSettings> {
        let EntailmentSettings { second: SecondVerifier { folder, input, from, to }, max_tokens, .. } =
            &self.entailment;
        Some(SecondVerifierSettings {
            model: self.embedding.alike(ModelFiles::Folder(folder.clone()?), None, *max_tokens),
            input: input.get(),
            doubt: *from..=*to,
        })
    }

    pub(super) fn check_entailment(&self, problems: &mut Problems) {
        let EntailmentSettings { r#use, url, form, name, second: SecondVerifier { from, to, .. }, .. } =
            &self.entailment;
        let is_http = r#use.get() == EntailmentUse::Http;
        check_url("entailment", is_http, url.as_ref(), "http://127.0.0.1:8082/predict", problems);
        problems.unless(
            !is_http || form.get() != EntailmentForm::Pairs || name.is_some(),
            "entailment.name",
            "is needed with `entailment.form: pairs`: the model to ask for",
        );
        let bounds = format!("must be from 0 to `entailment.second.to`, and that at most 1; they are {from} and {to}");
        problems.unless(0.0 <= *from && from <= to && *to <= 1.0, "entailment.second.from", &bounds);
        self.check_yes_no("entailment", r#use.get() == EntailmentUse::Model, name.as_ref(), problems);
    }
}
