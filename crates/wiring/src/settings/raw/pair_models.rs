//! What reranker and entailment model have in common: a folder with a model, or the language model's yes or no.

use ibidem_adapters::onnx::{ModelFiles, OnnxSettings, PairModelSettings};
use ibidem_adapters::openai::OpenAiSettings;
use ibidem_engine::yes_no::{YesNoPrompt, YesNoSettings};

use super::Problems;

/// How much of a source a language model is shown: several times what a passage has, well within any window.
const MOST_CHARACTERS: usize = 4_000;

pub(super) struct RawPairModel {
    pub(super) files: ModelFiles,
    pub(super) name: Option<String>,
    pub(super) max_tokens: usize,
}

impl RawPairModel {
    /// On the same library, and with as many sessions and threads.
    pub(super) fn arranged_as(self, embedding: &OnnxSettings) -> PairModelSettings {
        let settings = PairModelSettings::of_files(self.files, &embedding.runtime);
        PairModelSettings {
            name: self.name.unwrap_or(settings.name),
            sessions: embedding.sessions,
            threads: embedding.threads,
            max_tokens: self.max_tokens,
            ..settings
        }
    }
}

pub(super) struct RawYesNo {
    pub(super) section: &'static str,
    pub(super) name: Option<String>,
    pub(super) at_once: usize,
    pub(super) prompt: Result<YesNoPrompt, String>,
}

impl RawYesNo {
    pub(super) fn check(self, model: Option<&OpenAiSettings>, problems: &mut Problems) -> Option<YesNoSettings> {
        let section = self.section;
        let Some(model) = model else {
            let problem =
                format!("is needed with `{section}.use: model`: it names the server of the model that is asked");
            problems.note("language_model.url", &problem);
            return None;
        };
        let is_allowed = |name: &String| *name == model.model || model.also_allowed.contains(name);
        if self.name.as_ref().is_some_and(|name| !is_allowed(name)) {
            let problem = "must be `language_model.name` or one of `language_model.also_allowed`";
            problems.note(&format!("{section}.name"), problem);
        }
        let prompt = match self.prompt {
            Ok(prompt) => prompt,
            Err(problem) => {
                problems.note(&format!("{section}.prompt"), &problem);
                return None;
            }
        };
        Some(YesNoSettings { prompt, model: self.name, at_once: self.at_once, max_characters: MOST_CHARACTERS })
    }
}
