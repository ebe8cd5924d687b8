//! The language models: whether the server has those that have a role, what fits into them, and who counts it.

use ibidem_engine::roles::NamedModel;
use ibidem_ports::language_model::is_same_model;

use super::Finding;
use crate::compose;
use crate::settings::{LanguageModelSettings, TokenizerSource};

const PART: &str = "language model";

pub(super) async fn language_models(settings: Option<&LanguageModelSettings>) -> Vec<Finding> {
    let Some(settings) = settings else {
        return vec![Finding::ok(PART, "none configured; answers consist of sentences quoted from the documents")];
    };
    let roles = match compose::roles::roles(Some(settings)).await {
        Ok(roles) => roles,
        Err(error) => return vec![Finding::broken(PART, format!("{error:#}"), "correct `language_model`")],
    };
    let mut findings: Vec<Finding> = Vec::new();
    let mut servers = Vec::new();
    for (role, model) in roles.filled() {
        let connection = settings.connection(&model.name);
        let known = servers.iter().find(|(known, _)| *known == connection).map(|(_, listed)| Clone::clone(listed));
        let listed = match known {
            Some(listed) => listed,
            None => {
                let listed = listed(settings, &model.name).await;
                if let Err(error) = &listed {
                    let mend = "start the model server, or correct `language_model.url` (IBIDEM__LANGUAGE_MODEL__URL) or \
                                the model's `server`";
                    findings.push(Finding::broken(PART, error.clone(), mend));
                }
                servers.push((connection, listed.clone()));
                listed
            }
        };
        if let Ok(listed) = listed {
            findings.push(in_role(role, model, listed.as_deref()));
        }
    }
    if servers.iter().any(|(_, listed)| listed.is_ok()) {
        findings.push(counting(settings, &roles.filled()).await);
    }
    findings
}

/// What a server says of its models, or why it says nothing.
async fn listed(settings: &LanguageModelSettings, name: &str) -> Result<Option<Listed>, String> {
    let server = compose::roles::model(settings, name).map_err(|error| format!("{error:#}"))?;
    server.listed().await.map_err(|error| error.to_string())
}

/// Models with their windows, as far as a server says.
type Listed = Vec<(String, Option<u32>)>;

/// A model in its role, beside what the server says of it.
fn in_role(role: &str, model: &NamedModel, listed: Option<&[(String, Option<u32>)]>) -> Finding {
    let NamedModel { name, limits, tokenizer, .. } = model;
    let Some(listed) = listed else {
        let found = format!("{role}: {name}; its server has no list of models, so nobody knows whether it is there");
        return Finding::warning(PART, found, "ask a question, and see whether the model writes");
    };
    let Some((_, window)) = listed.iter().find(|(served, _)| is_same_model(served, name)) else {
        let served: Vec<_> = listed.iter().map(|(served, _)| served.as_str()).collect();
        let found = format!("{role}: {name} is not served; served are: {}", served.join(", "));
        let mend = format!(
            "load it on the model server (with Ollama: `ollama pull {name}`), or correct {}",
            if role == "also_allowed" { "`language_model.also_allowed`".to_owned() } else { key_of(role) }
        );
        return Finding::broken(PART, found, mend);
    };
    if let Some(window) = window.filter(|window| *window < limits.window) {
        let found = format!(
            "{role}: {name} is served with a window of {window} tokens, but the settings say {}",
            limits.window
        );
        let mend = "set `language_model.window`, or the model's in `language_model.models`, to what is served: longer \
                    prompts would be refused";
        return Finding::broken(PART, found, mend);
    }
    let found = format!(
        "{role}: {name}, window {}, {} of it for the answer, tokens by {}",
        limits.window,
        limits.response,
        tokenizer.port().name()
    );
    Finding::ok(PART, found)
}

fn key_of(role: &str) -> String {
    format!("`language_model.roles.{role}`")
}

/// Whether tokens are really counted.
async fn counting(settings: &LanguageModelSettings, filled: &[(&str, &NamedModel)]) -> Finding {
    const PART: &str = "tokens";
    let source = |name: &str| settings.tokenizer(name).clone();
    let mend = "set `language_model.tokenizer` to the path of the model's tokenizer.json, or to server where the model \
                server has /tokenize (llama.cpp has)";
    if let Some((_, model)) = filled.iter().find(|(_, model)| source(&model.name) == TokenizerSource::Server) {
        let asked = match compose::roles::server_tokenizer(settings, &model.name) {
            Ok(server) => server.ask("Ibidem is Latin for: in the same place.").await,
            Err(error) => Err(format!("{error:#}")),
        };
        if let Err(error) = asked {
            let found = format!("the model server does not count tokens: {error}; they are estimated");
            return Finding::warning(PART, found, mend);
        }
    }
    let estimated = filled.iter().filter(|(_, model)| source(&model.name) == TokenizerSource::Estimate);
    let estimated: Vec<_> = estimated.map(|(role, _)| *role).collect();
    if estimated.is_empty() {
        return Finding::ok(PART, "counted as the models count them");
    }
    let found = format!(
        "estimated for {}: never too few, for English about twice too many, so fewer passages fit into a prompt",
        estimated.join(", ")
    );
    Finding::warning(PART, found, mend)
}

#[cfg(test)]
mod tests;
