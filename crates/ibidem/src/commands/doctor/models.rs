//! The models that judge: each is loaded or asked, and judges once.

use std::time::Instant;

use ibidem_ports::degrade::{Deadline, Part};
use ibidem_ports::embedder::Embedder;
use ibidem_ports::entailment::Pair;
use ibidem_ports::reranker::{RerankError, Reranker};

use super::Finding;
use crate::compose;
use crate::settings::{EntailmentSource, RerankerSource, Settings};

/// Whether it judges is what counts, not how.
pub(super) async fn reranker(settings: &Settings) -> Finding {
    const PART: &str = "reranker";
    let Some(configured) = settings.reranker() else {
        return Finding::ok(PART, "none configured; passages are ordered by vector similarity");
    };
    let mend = match &configured {
        RerankerSource::BuiltIn(_) => {
            "correct `embedding.runtime`, on which the readers run; or set `reranker.use: none`"
        }
        RerankerSource::Onnx(_) => "correct `reranker.folder`; docs/models.md lists models and how to get them",
        RerankerSource::Http(_) => {
            "start the rerank server, or correct `reranker.url`, `.form`, `.name` and `.api_key`"
        }
        RerankerSource::Model(_) => {
            "fix the language model, or raise `reranker.timeout_ms`; or set `reranker.use: none`"
        }
    };
    let reranker = match compose::reranker(settings).await {
        Ok(Some(reranker)) => reranker,
        Ok(None) => return Finding::ok(PART, "none configured"),
        Err(error) => return Finding::broken(PART, format!("{error:#}"), mend),
    };
    let took = match judged(&reranker).await {
        Ok(took) => took,
        Err(error) => return Finding::broken(PART, error.to_string(), mend),
    };
    if let RerankerSource::Http(http) = &configured
        && let Some(found) = wrong_scale(&reranker, http.raw_scores).await
    {
        return Finding::broken(PART, found, "correct `reranker.raw_scores`, or name a model that reranks");
    }
    Finding::ok(PART, format!("{}, one passage judged in {took} ms", reranker.port().name()))
}

/// A probability that was taken for a logit comes to something from here to [`MOST_OF_PROBABILITY`].
const LEAST_OF_PROBABILITY: f32 = 0.5;
const MOST_OF_PROBABILITY: f32 = 0.732;

/// What is wrong with the scores of a passage that answers and one that does not.
async fn wrong_scale(reranker: &Part<dyn Reranker>, raw_scores: bool) -> Option<String> {
    let passages = ["Ibidem is Latin for: in the same place.", "The office is closed on the first of May."];
    let passages = passages.map(str::to_owned).to_vec();
    let scores = reranker.call(Deadline::NONE, |reranker| reranker.score("What does ibidem mean?", passages)).await;
    let [right, wrong] = scores.ok()?[..] else { return None };
    if right <= wrong {
        return Some(format!("it gives a passage that answers {right:.3}, and one that does not {wrong:.3}"));
    }
    let is_squeezed = |score: f32| (LEAST_OF_PROBABILITY..=MOST_OF_PROBABILITY).contains(&score);
    (raw_scores && is_squeezed(right) && is_squeezed(wrong))
        .then(|| "its scores are probabilities, and the settings say that they are logits".to_owned())
}

/// What reads the best few again; nothing is said where none is configured.
pub(super) async fn second_reader(settings: &Settings) -> Option<Finding> {
    const PART: &str = "second reader";
    let mend = "correct `reranker.second.folder`, or set it to null; docs/models.md lists models and how to get them";
    let second = match compose::second_reader(settings).await {
        Ok(second) => second?,
        Err(error) => return Some(Finding::broken(PART, format!("{error:#}"), mend)),
    };
    Some(match judged(&second.reader).await {
        Ok(took) => {
            let (name, best) = (second.reader.port().name(), second.best);
            Finding::ok(PART, format!("{name} reads the best {best} again, one passage judged in {took} ms"))
        }
        Err(error) => Finding::broken(PART, error.to_string(), mend),
    })
}

/// How long an English passage takes, in milliseconds. A German one is judged too: another model may be there for it.
async fn judged(reranker: &Part<dyn Reranker>) -> Result<u128, RerankError> {
    let mut took = 0;
    for (question, passage) in [
        ("Was heißt ibidem auf Deutsch?", "Ibidem ist Latein und heißt auf Deutsch: am selben Ort."),
        ("What does ibidem mean?", "Ibidem is Latin for: in the same place."),
    ] {
        let passages = vec![passage.to_owned()];
        reranker.port().prepare(question, &passages).await;
        let began = Instant::now();
        reranker.call(Deadline::NONE, |reranker| reranker.score(question, passages)).await?;
        took = began.elapsed().as_millis();
    }
    Ok(took)
}

/// Which of them verifies, and that it judges.
pub(super) async fn entailment(settings: &Settings, embedder: Option<Part<dyn Embedder>>) -> Finding {
    const PART: &str = "entailment";
    let mend = match settings.entailment() {
        EntailmentSource::Lexical => "fix the embedding model, or raise `entailment.timeout_ms`",
        EntailmentSource::Onnx(_) => "correct `entailment.folder`; docs/models.md lists models and how to get them",
        EntailmentSource::Http(_) => {
            "start the entailment server, or correct `entailment.url`, `.form`, `.name` and `.api_key`"
        }
        EntailmentSource::Model(_) => {
            "fix the language model, or raise `entailment.timeout_ms`; or set `entailment.use: lexical`"
        }
    };
    let entailment = match compose::entailment(settings, embedder).await {
        Ok(entailment) => entailment,
        Err(error) => return Finding::broken(PART, format!("{error:#}"), mend),
    };
    let began = Instant::now();
    let premise = "Ibidem is Latin for: in the same place.".to_owned();
    let pair = Pair { premise, claim: "Ibidem is Latin.".to_owned() };
    match entailment.call(Deadline::NONE, |entailment| entailment.classify(vec![pair])).await {
        Ok(_) => {
            let took = began.elapsed().as_millis();
            Finding::ok(PART, format!("{} verifies, one sentence judged in {took} ms", entailment.port().name()))
        }
        Err(error) => Finding::broken(PART, error.to_string(), mend),
    }
}

#[cfg(test)]
mod tests;
