//! The models: each is loaded or asked, and made to work once.

use std::sync::Arc;
use std::time::{Duration, Instant};

use ibidem_adapters::onnx::OnnxEmbedder;
use ibidem_engine::ports::embedder::Embedder;
use ibidem_engine::ports::entailment::Pair;

use super::Finding;
use crate::compose;
use crate::settings::{EntailmentSource, RerankerSource, Settings};

/// How long a model server may take to name its models.
const PATIENCE: Duration = Duration::from_secs(3);

pub(super) async fn embedding(settings: &Settings, findings: &mut Vec<Finding>) -> Option<Arc<OnnxEmbedder>> {
    match compose::embedder(settings).await {
        Ok(embedder) => {
            let model = embedder.model();
            let found = format!(
                "{}, {} dimensions, {} tokens, hash {}",
                model.name,
                model.dimensions,
                model.max_tokens,
                model.hash.0.short(12)
            );
            findings.push(Finding::ok("embedding", found));
            Some(embedder)
        }
        Err(error) => {
            let mend =
                "set `embedding.model`, `embedding.tokenizer` and `embedding.runtime`; `stack/fetch` brings all three";
            findings.push(Finding::broken("embedding", error.to_string(), mend));
            None
        }
    }
}

/// The models that answer, and the one that plans where there is one: all of them must be served.
pub(super) async fn language_model(settings: &Settings) -> Vec<Finding> {
    const PART: &str = "language model";
    const PLANNER: &str = "planner";
    let mut settings = settings.clone();
    let planner = settings.planner.take().map(|planner| planner.model);
    let Some(model) = settings.language_model.as_mut() else {
        return vec![Finding::ok(PART, "none configured; answers are made of the sources' own sentences")];
    };
    model.timeout = model.timeout.min(PATIENCE);
    let mut answering = model.also_allowed.clone();
    answering.insert(0, model.model.clone());
    let served = match compose::language_model(&settings) {
        Ok(Some(model)) => model.served().await.map_err(|error| error.to_string()),
        Ok(None) => Ok(Vec::new()),
        Err(error) => Err(error.to_string()),
    };
    let served = match served {
        Ok(served) => served,
        Err(error) => {
            let mend = "start the model server, or correct `language_model.url` (IBIDEM__LANGUAGE_MODEL__URL)";
            let unseen = planner.map(|_| Finding::warning(PLANNER, "not looked at", "mend the language model first"));
            return std::iter::once(Finding::broken(PART, error, mend)).chain(unseen).collect();
        }
    };
    let mend = "load it on the model server, or correct `language_model.name` and `.also_allowed`";
    let answering = all_served(PART, answering, &served, mend);
    let mend = "load it on the model server, or correct `language_model.planner`";
    let planner = planner.map(|planner| all_served(PLANNER, vec![planner], &served, mend));
    std::iter::once(answering).chain(planner).collect()
}

fn all_served(part: &'static str, wanted: Vec<String>, served: &[String], mend: &str) -> Finding {
    let (found, missing): (Vec<String>, Vec<String>) = wanted.into_iter().partition(|name| served.contains(name));
    if missing.is_empty() {
        return Finding::ok(part, found.join(", "));
    }
    Finding::broken(part, format!("{} not served; served are: {}", missing.join(", "), served.join(", ")), mend)
}

/// Whether it judges is what counts, not how.
pub(super) async fn reranker(settings: &Settings) -> Finding {
    const PART: &str = "reranker";
    let Some(configured) = &settings.reranker else {
        return Finding::ok(PART, "none configured; passages are ordered by their vectors");
    };
    let mend = match configured.source {
        RerankerSource::Onnx(_) => "correct `reranker.folder`; docs/models.md names models and how to get them",
        RerankerSource::Http(_) => {
            "start the rerank server, or correct `reranker.url`, `.form`, `.name` and `.api_key`"
        }
        RerankerSource::Model(_) => {
            "mend the language model, or raise `reranker.timeout_ms`; or set `reranker.use: none`"
        }
    };
    let reranker = match compose::reranker(settings).await {
        Ok(Some(reranker)) => reranker,
        Ok(None) => return Finding::ok(PART, "none configured"),
        Err(error) => return Finding::broken(PART, format!("{error:#}"), mend),
    };
    let began = Instant::now();
    let passage = "Ibidem is Latin for: in the same place.".to_owned();
    match reranker.score("What does ibidem mean?", vec![passage]).await {
        Ok(_) => {
            let found = format!("{}, one passage judged in {} ms", reranker.name(), began.elapsed().as_millis());
            Finding::ok(PART, found)
        }
        Err(error) => Finding::broken(PART, error.to_string(), mend),
    }
}

/// Which of the three verifies, and that it judges.
pub(super) async fn entailment(settings: &Settings, embedder: Option<Arc<OnnxEmbedder>>) -> Finding {
    const PART: &str = "entailment";
    let mend = match settings.entailment.source {
        EntailmentSource::Lexical => "mend the embedding model, or raise `entailment.timeout_ms`",
        EntailmentSource::Onnx(_) => "correct `entailment.folder`; docs/models.md names models and how to get them",
        EntailmentSource::Model(_) => {
            "mend the language model, or raise `entailment.timeout_ms`; or set `entailment.use: lexical`"
        }
    };
    let embedder = embedder.map(|embedder| embedder as Arc<dyn Embedder>);
    let entailment = match compose::entailment(settings, embedder).await {
        Ok(entailment) => entailment,
        Err(error) => return Finding::broken(PART, format!("{error:#}"), mend),
    };
    let began = Instant::now();
    let premise = "Ibidem is Latin for: in the same place.".to_owned();
    match entailment.judge(vec![Pair { premise, claim: "Ibidem is Latin.".to_owned() }]).await {
        Ok(_) => {
            let took = began.elapsed().as_millis();
            Finding::ok(PART, format!("{} verifies, one sentence judged in {took} ms", entailment.name()))
        }
        Err(error) => Finding::broken(PART, error.to_string(), mend),
    }
}

#[cfg(test)]
mod tests;
