//! The section `language_model`: a server, which of its models does what, and what fits into them.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use ibidem_adapters::openai::OpenAiSettings;
use ibidem_ports::language_model::ModelLimits;
use ibidem_ports::language_model::is_same_model;
use serde::Deserialize;

use super::super::checked::{KnownModel, LanguageModelSettings, TokenizerSource};
use super::Problems;

/// A window that holds less has no room for the shortest of prompts.
const SMALLEST_WINDOW: u32 = 512;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawLanguageModel {
    url: Option<String>,
    api_key: Option<String>,
    roles: RawRoles,
    name: Option<String>,
    /// Where the planner was named before there were roles.
    #[serde(default)]
    planner: Option<String>,
    also_allowed: Vec<String>,
    timeout_ms: u64,
    planner_timeout_ms: u64,
    window: u32,
    response: u32,
    tokenizer: String,
    models: BTreeMap<String, RawModel>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawRoles {
    answer: Option<String>,
    planner: Option<String>,
    judge: Option<String>,
    titles: Option<String>,
    fallback: Option<String>,
    out_of_corpus: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawModel {
    #[serde(default)]
    window: Option<u32>,
    #[serde(default)]
    response: Option<u32>,
    #[serde(default)]
    tokenizer: Option<String>,
}

impl RawLanguageModel {
    pub(super) fn check(self, problems: &mut Problems) -> Option<LanguageModelSettings> {
        if self.planner.is_some() {
            problems.note("language_model.planner", "is called `language_model.roles.planner` now; rename it");
        }
        let RawRoles { answer, planner, judge, titles, fallback, out_of_corpus } = self.roles;
        // An empty variable means: not set.
        let [answer, planner, judge, titles, fallback, out_of_corpus, name] =
            [answer, planner, judge, titles, fallback, out_of_corpus, self.name]
                .map(|model| model.filter(|model| !model.trim().is_empty()));
        let others = [
            ("planner", &planner),
            ("judge", &judge),
            ("titles", &titles),
            ("fallback", &fallback),
            ("out_of_corpus", &out_of_corpus),
        ];
        let named = others.iter().find(|(_, model)| model.is_some());
        let Some(url) = self.url else {
            if let Some((role, _)) = named {
                let key = format!("language_model.roles.{role}");
                problems.note(&key, "needs `language_model.url`, the server that has the model");
            }
            return None;
        };
        problems.url("language_model.url", &url, &["http://", "https://"]);
        problems.at_least("language_model.timeout_ms", self.timeout_ms, 1);
        problems.at_least("language_model.planner_timeout_ms", self.planner_timeout_ms, 1);
        if let (Some(answer), Some(name)) = (&answer, &name)
            && answer != name
        {
            problems.note("language_model.name", "is short for `language_model.roles.answer`; set one of them");
        }
        let Some(answer) = answer.or(name) else {
            let problem = "is needed with `language_model.url`: the model that writes answers";
            problems.note("language_model.roles.answer", problem);
            return None;
        };
        let is_answering = |model: &Option<String>| model.as_ref().is_some_and(|model| is_same_model(model, &answer));
        if is_answering(&judge) {
            let problem = "is the model that writes answers; name another, or set `speak.confidence.judge: self` in the \
                           policy file to let it rate its own answers";
            problems.note("language_model.roles.judge", problem);
        }
        if is_answering(&fallback) {
            let problem = "is the model that writes answers, which has failed when a fallback is needed; name another";
            problems.note("language_model.roles.fallback", problem);
        }
        let any =
            RawModel { window: Some(self.window), response: Some(self.response), tokenizer: Some(self.tokenizer) };
        let any = any.check("language_model", None, problems);
        let known = self.models.into_iter().map(|(name, model)| {
            let checked = model.check(&format!("language_model.models.{name}"), Some(&any), problems);
            (name, checked)
        });
        let known = known.collect();
        Some(LanguageModelSettings {
            server: OpenAiSettings {
                url: url.trim_end_matches('/').to_owned(),
                api_key: self.api_key,
                model: answer,
                also_allowed: self.also_allowed,
                timeout: Duration::from_millis(self.timeout_ms),
            },
            planner,
            judge,
            titles,
            fallback,
            out_of_corpus,
            short_timeout: Duration::from_millis(self.planner_timeout_ms),
            any,
            known,
        })
    }
}

impl RawModel {
    /// What is left out is as for any other model.
    fn check(self, key: &str, any: Option<&KnownModel>, problems: &mut Problems) -> KnownModel {
        let of_any = any.map(|any| any.limits).unwrap_or_default();
        let limits = ModelLimits {
            window: self.window.unwrap_or(of_any.window),
            response: self.response.unwrap_or(of_any.response),
        };
        problems.at_least(&format!("{key}.window"), limits.window.into(), SMALLEST_WINDOW.into());
        problems.at_least(&format!("{key}.response"), limits.response.into(), 1);
        if limits.response >= limits.window {
            let problem = format!(
                "is {}; it must be less than `{key}.window` ({}), or no room is left for the question",
                limits.response, limits.window
            );
            problems.note(&format!("{key}.response"), &problem);
        }
        let tokenizer = match (self.tokenizer.as_deref(), any) {
            (Some("estimate"), _) | (None, None) => TokenizerSource::Estimate,
            (Some("server"), _) => TokenizerSource::Server,
            (Some(path), _) => TokenizerSource::File(PathBuf::from(path)),
            (None, Some(any)) => any.tokenizer.clone(),
        };
        KnownModel { limits, tokenizer }
    }
}
