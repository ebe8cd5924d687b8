//! The language models: whether the server has those that have a role, what fits into them, who counts it, and what
//! models of their size are good for.

use ibidem_adapters::openai::Protocol;
use ibidem_engine::roles::NamedModel;
use ibidem_ports::language_model::is_same_model;

use super::Finding;
use crate::compose;
use crate::settings::{LanguageModelSettings, TokenizerSource};

const PART: &str = "language model";

pub(super) async fn language_models(settings: Option<&LanguageModelSettings>) -> Vec<Finding> {
    let Some(settings) = settings else {
        let found = "none configured; answers consist of sentences quoted from the documents (config/models/none.yaml; the \
                     files beside it are for small, large and hosted models)";
        return vec![Finding::ok(PART, found)];
    };
    let roles = match compose::roles::roles(Some(settings)).await {
        Ok(roles) => roles,
        Err(error) => return vec![Finding::broken(PART, format!("{error:#}"), "correct `language_model`")],
    };
    let mut findings: Vec<Finding> = Vec::new();
    let mut servers = Vec::new();
    for (role, model) in roles.filled() {
        let connection = settings.connection(&model.name);
        let known = servers.iter().find(|(known, _)| known == &connection).map(|(_, listed)| Clone::clone(listed));
        let listed = match known {
            Some(listed) => listed,
            None => {
                let listed = listed(settings, &model.name).await;
                if let Err(error) = &listed {
                    let mend = "start the model server, or correct `language_model.url` (IBIDEM__LANGUAGE_MODEL__URL) or \
                                the model's `server`";
                    findings.push(Finding::broken(PART, error.clone(), mend));
                }
                servers.push((connection.clone(), listed.clone()));
                listed
            }
        };
        if let Ok(listed) = listed {
            findings.push(in_role(role, model, connection.protocol, listed.as_deref()));
        }
    }
    findings.extend(size_of(settings.answer()).map(|size| fitting(settings.answer(), size)));
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
fn in_role(role: &str, model: &NamedModel, protocol: Protocol, listed: Option<&[(String, Option<u32>)]>) -> Finding {
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
    // Ollama loads it anew with the window that is asked for.
    let is_served_with = window.filter(|_| protocol == Protocol::OpenAi);
    if let Some(window) = is_served_with.filter(|window| *window < limits.window) {
        let found = format!(
            "{role}: {name} is served with a window of {window} tokens, but the settings say {}",
            limits.window
        );
        let mend = "set `language_model.window`, or the model's in `language_model.models`, to what is served: longer \
                    prompts would be refused or cut. With Ollama, set `language_model.protocol: ollama` instead, and it \
                    loads the model with the window of the settings";
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

/// Parameters of a model in billions, as its name says them: `qwen3:4b`, `Llama-3.1-8B-Instruct`, `gemma3:270m`.
fn size_of(name: &str) -> Option<f64> {
    let lower = name.to_lowercase();
    let parts = lower.split(|sign: char| !sign.is_ascii_alphanumeric() && sign != '.');
    let sizes = parts.filter_map(|part| {
        let number = |unit: char| part.strip_suffix(unit)?.parse::<f64>().ok().filter(|number| *number > 0.0);
        number('b').or_else(|| Some(number('m')? / 1_000.0))
    });
    sizes.reduce(f64::max)
}

/// What a model of so many billion parameters is mostly good for. What this one is, the probe says.
fn fitting(name: &str, billions: f64) -> Finding {
    let (good_for, file) = match billions {
        ..1.0 => ("nothing here: quotations without a model are better", "none"),
        1.0..8.0 => ("choosing sentences (`speak.mode: choose`)", "small"),
        _ => ("writing by schema (`speak.notes_by: schema`), planning and judging", "large"),
    };
    let found = format!(
        "{name} has {billions} billion parameters by its name; models of that size are mostly good for {good_for}: \
         config/models/{file}.yaml. `ibidem models --probe` tries this one"
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
