//! What reads passages together with the question: the section `reranker`.

use std::path::PathBuf;
use std::time::Duration;

use ibidem_adapters::http_reranker::{HttpRerankerSettings, RerankForm};
use ibidem_adapters::onnx::{ModelFiles, PairModelSettings};
use ibidem_engine::policy::Policy;
use ibidem_engine::yes_no::{YesNoPrompt, YesNoSettings};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use super::Settings;
use super::models::{check_url, text, yes_no};
use super::read::Problems;
use super::value::{AtLeast, HttpUrl, Millis, Within, Word};
use crate::models::{READER, READER_MULTILINGUAL};

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RerankerSettings {
    r#use: Word<RerankerUse>,
    folder: PathBuf,
    max_tokens: AtLeast<usize, 32>,
    url: Option<HttpUrl>,
    form: Word<RerankForm>,
    name: Option<String>,
    api_key: Option<String>,
    raw_scores: bool,
    batch_size: AtLeast<usize, 1>,
    at_once: AtLeast<usize, 1>,
    /// For all passages of a question, by each of the two that may read.
    pub timeout_ms: Millis,
    #[serde(deserialize_with = "about_passages")]
    prompt: YesNoPrompt,
    second: SecondReader,
}

/// A reader that reads the best few again, where a folder is named.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct SecondReader {
    folder: Option<PathBuf>,
    /// So many are read in one go; what is read again is read together.
    best: Within<usize, 1, 8>,
    languages: Word<Languages>,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Languages {
    English,
    All,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum RerankerUse {
    Reader,
    Onnx,
    Http,
    Model,
    None,
}

fn about_passages<'de, D: Deserializer<'de>>(deserializer: D) -> Result<YesNoPrompt, D::Error> {
    YesNoPrompt::about_passages(&String::deserialize(deserializer)?).map_err(D::Error::custom)
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RerankerSource {
    /// The readers that come with the program.
    BuiltIn(Box<BuiltInReaders>),
    Onnx(PairModelSettings),
    Http(HttpRerankerSettings),
    /// The language model, asked for yes or no.
    Model(YesNoSettings),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BuiltInReaders {
    pub english: PairModelSettings,
    /// For pairs of which either text is in another language.
    pub others: PairModelSettings,
}

/// A reader that reads the best few again.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SecondReaderSettings {
    pub model: PairModelSettings,
    /// How many of a question.
    pub best: usize,
    /// It knows English and no other language.
    pub english_alone: bool,
}

impl Settings {
    /// Whether a question and its passages are read together under this policy.
    pub fn reads_passages(&self, policy: &Policy) -> bool {
        self.reranker.r#use.get() != RerankerUse::None && policy.rules.gather.rerank.is_some()
    }

    /// None when nobody reads passages together with the question: then their vectors decide.
    pub fn reranker(&self) -> Option<RerankerSource> {
        let RerankerSettings { folder, max_tokens, name, prompt, at_once, .. } = self.reranker.clone();
        let in_process = |files, name: Option<&String>| self.embedding.alike(files, name, max_tokens);
        Some(match self.reranker.r#use.get() {
            RerankerUse::None => return None,
            RerankerUse::Reader => RerankerSource::BuiltIn(Box::new(BuiltInReaders {
                english: in_process(ModelFiles::BuiltIn(READER), name.as_ref()),
                others: in_process(ModelFiles::BuiltIn(READER_MULTILINGUAL), None),
            })),
            RerankerUse::Onnx => RerankerSource::Onnx(in_process(ModelFiles::Folder(folder), name.as_ref())),
            RerankerUse::Http => RerankerSource::Http(HttpRerankerSettings {
                url: text(self.reranker.url.as_ref()),
                form: self.reranker.form.get(),
                model: name.unwrap_or_else(|| "rerank server".to_owned()),
                api_key: self.reranker.api_key.clone(),
                raw_scores: self.reranker.raw_scores,
                batch_size: self.reranker.batch_size.get(),
                at_once: at_once.get(),
            }),
            RerankerUse::Model => RerankerSource::Model(yes_no(prompt, name, at_once)),
        })
    }

    /// None when nobody reads the best few again.
    pub fn second_reader(&self) -> Option<SecondReaderSettings> {
        let RerankerSettings { second: SecondReader { folder, best, languages }, max_tokens, .. } = &self.reranker;
        Some(SecondReaderSettings {
            model: self.embedding.alike(ModelFiles::Folder(folder.clone()?), None, *max_tokens),
            best: best.get(),
            english_alone: languages.get() == Languages::English,
        })
    }

    /// What one question may wait for reading.
    pub(super) fn longest_reading(&self) -> Duration {
        let readers = u32::from(self.reranker().is_some()) + u32::from(self.second_reader().is_some());
        self.reranker.timeout_ms.get() * readers
    }

    pub(super) fn check_reranker(&self, problems: &mut Problems) {
        let RerankerSettings { r#use, url, form, name, second, .. } = &self.reranker;
        let chosen = r#use.get();
        let is_http = chosen == RerankerUse::Http;
        check_url("reranker", is_http, url.as_ref(), "http://127.0.0.1:8081/rerank", problems);
        problems.unless(
            !is_http || form.get() == RerankForm::Tei || name.is_some(),
            "reranker.name",
            "is needed unless `reranker.form` is tei: the model to ask for",
        );
        problems.unless(
            second.folder.is_none() || chosen != RerankerUse::None,
            "reranker.second.folder",
            "is named, and `reranker.use` is none: there is no first reader",
        );
        self.check_yes_no("reranker", chosen == RerankerUse::Model, name.as_ref(), problems);
    }
}
