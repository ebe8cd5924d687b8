//! What a model server says of itself beside the protocol: what it is, how much its models hold, and how it reranks.

use std::fmt;

use ibidem_ports::language_model::is_same_model;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{LARGEST_REPLY, OpenAiModel, OpenAiSettings, PATIENCE};
use crate::bounded;

/// A program that serves models.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ServerKind {
    LlamaCpp,
    Ollama,
    Vllm,
    LmStudio,
    LiteLlm,
    TextEmbeddingsInference,
    Infinity,
    /// It says nothing that tells it from others.
    #[default]
    Other,
}

impl fmt::Display for ServerKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::LlamaCpp => "llama.cpp",
            Self::Ollama => "Ollama",
            Self::Vllm => "vLLM",
            Self::LmStudio => "LM Studio",
            Self::LiteLlm => "LiteLLM",
            Self::TextEmbeddingsInference => "text-embeddings-inference",
            Self::Infinity => "Infinity",
            Self::Other => "a server that does not say what it is",
        })
    }
}

/// What a server says of itself.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct AboutServer {
    pub kind: ServerKind,
    pub version: Option<String>,
    /// What its models hold as they are loaded, by their names; without a name it is every model's.
    windows: Vec<(Option<String>, u32)>,
}

impl AboutServer {
    /// What a model holds as it is loaded, as far as the server says.
    pub fn window(&self, model: &str) -> Option<u32> {
        let is_its = |name: &Option<String>| name.as_ref().is_none_or(|name| is_same_model(name, model));
        self.windows.iter().find(|(name, _)| is_its(name)).map(|(_, window)| *window)
    }

    fn of(kind: ServerKind, version: Option<&Value>) -> Self {
        let version = version.and_then(Value::as_str).map(str::to_owned);
        Self { kind, version, windows: Vec::new() }
    }

    fn with_windows(self, models: Option<&Value>, name: &str, window: &str) -> Self {
        let models = models.and_then(Value::as_array).into_iter().flatten();
        let windows = models.filter_map(|model| {
            let window = model[window].as_u64().and_then(|window| u32::try_from(window).ok())?;
            Some((Some(model[name].as_str()?.to_owned()), window))
        });
        Self { windows: windows.collect(), ..self }
    }
}

/// How a server reranks.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Reranks {
    pub scale: RerankScale,
    /// What `reranker.form` is for it.
    pub form: &'static str,
    /// What `reranker.url` is for it.
    pub url: String,
}

/// How a server scores passages.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RerankScale {
    /// From 0 to 1.
    Probabilities,
    /// Any number.
    Logits,
    /// It gives a passage that does not answer as much as one that does.
    Useless,
}

impl RerankScale {
    /// By the scores of a text that answers and one that does not.
    fn of(scores: [f64; 2]) -> Self {
        let [right, wrong] = scores;
        match scores.iter().all(|score| (0.0..=1.0).contains(score)) {
            _ if right <= wrong => Self::Useless,
            true => Self::Probabilities,
            false => Self::Logits,
        }
    }
}

/// A question, the text that answers it, and one that does not.
const RERANKED: (&str, [&str; 2]) = (
    "How much oil does the gearbox hold?",
    ["The gearbox holds 1.8 litres of oil.", "The office is closed on the first of May and at Easter."],
);

impl OpenAiModel {
    /// What the server is and holds, by what only servers of its kind answer.
    pub async fn about(&self) -> AboutServer {
        if let Some(version) = self.beside("/api/version").await {
            let about = AboutServer::of(ServerKind::Ollama, version.get("version"));
            let loaded = self.beside("/api/ps").await.unwrap_or_default();
            return about.with_windows(loaded.get("models"), "name", "context_length");
        }
        if let Some(props) = self.beside("/props").await {
            let window = props["default_generation_settings"]["n_ctx"].as_u64();
            let window = window.and_then(|window| u32::try_from(window).ok()).filter(|window| *window > 0);
            let about = AboutServer::of(ServerKind::LlamaCpp, props.get("build_info"));
            return AboutServer { windows: window.map(|window| (None, window)).into_iter().collect(), ..about };
        }
        if let Some(models) = self.beside("/api/v0/models").await {
            let about = AboutServer::of(ServerKind::LmStudio, None);
            return about.with_windows(models.get("data"), "id", "loaded_context_length");
        }
        if let Some(info) = self.beside("/info").await.filter(|info| info.get("model_id").is_some()) {
            let about = AboutServer::of(ServerKind::TextEmbeddingsInference, info.get("version"));
            return about.with_windows(Some(&json!([info])), "model_id", "max_input_length");
        }
        if let Some(models) = self.named_at("/models").await.filter(|models| owner(models) == Some("infinity")) {
            return AboutServer::of(ServerKind::Infinity, models.get("version"));
        }
        if self.beside("/health/liveliness").await.is_some_and(|alive| alive.is_string()) {
            return AboutServer::of(ServerKind::LiteLlm, None);
        }
        match self.beside("/version").await {
            Some(version) => AboutServer::of(ServerKind::Vllm, version.get("version")),
            None => AboutServer::default(),
        }
    }

    /// How it scores a passage that answers and one that does not; none of a server that does not rerank.
    pub async fn reranks(&self) -> Option<Reranks> {
        let (query, documents) = RERANKED;
        let OpenAiSettings { model, connection, .. } = &self.settings;
        let forms = [
            (
                "cohere",
                connection.address("/rerank"),
                json!({ "model": model, "query": query, "documents": documents }),
            ),
            (
                "tei",
                connection.address_beside("/rerank"),
                json!({ "query": query, "texts": documents, "raw_scores": false }),
            ),
            (
                "score",
                connection.address_beside("/score"),
                json!({ "model": model, "text_1": query, "text_2": documents }),
            ),
        ];
        for (form, url, asked) in forms {
            let Some(reply) = self.posted(url.clone(), asked).await else { continue };
            let Some(scores) = scores(&reply) else { continue };
            let is_voyage = form == "cohere" && reply.get("data").is_some();
            let form = if is_voyage { "voyage" } else { form };
            return Some(Reranks { scale: RerankScale::of(scores), form, url });
        }
        None
    }

    /// How many numbers it makes of a text; none of a server that embeds nothing.
    pub async fn embedding_dimensions(&self) -> Option<usize> {
        let asked = json!({ "model": self.settings.model, "input": [RERANKED.0] });
        let reply = self.posted(self.settings.connection.address("/embeddings"), asked).await?;
        reply["data"][0]["embedding"].as_array().map(Vec::len).filter(|dimensions| *dimensions > 0)
    }

    async fn named_at(&self, path: &str) -> Option<Value> {
        let connection = &self.settings.connection;
        json_of(connection.authorised(self.client.get(connection.address(path)))).await
    }

    async fn beside(&self, path: &str) -> Option<Value> {
        let connection = &self.settings.connection;
        json_of(connection.authorised(self.client.get(connection.address_beside(path)))).await
    }

    async fn posted(&self, address: String, body: Value) -> Option<Value> {
        json_of(self.settings.connection.authorised(self.client.post(address).json(&body))).await
    }
}

/// What a server replies where it knows the path, as JSON.
async fn json_of(request: reqwest::RequestBuilder) -> Option<Value> {
    let asked = async {
        let reply = request.send().await.ok().filter(|reply| reply.status().is_success())?;
        serde_json::from_slice(&bounded::body(reply, LARGEST_REPLY).await.ok()?).ok()
    };
    tokio::time::timeout(PATIENCE, asked).await.ok().flatten()
}

fn owner(models: &Value) -> Option<&str> {
    models["data"][0]["owned_by"].as_str()
}

/// The scores of two texts in their order, in the forms of Cohere, Jina, Voyage and text-embeddings-inference.
fn scores(reply: &Value) -> Option<[f64; 2]> {
    let results = ["results", "data"].iter().find_map(|name| reply.get(name)).unwrap_or(reply).as_array()?;
    let of = |place: u64| {
        let result = results.iter().find(|result| result["index"].as_u64() == Some(place))?;
        ["relevance_score", "score"].iter().find_map(|name| result[name].as_f64())
    };
    Some([of(0)?, of(1)?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_read_in_the_forms_of_four_servers() {
        for (what, reply) in [
            (
                "Cohere, Jina",
                json!({ "results": [{ "index": 1, "relevance_score": 0.1 }, { "index": 0, "relevance_score": 0.9 }] }),
            ),
            (
                "Voyage",
                json!({ "data": [{ "index": 0, "relevance_score": 0.9 }, { "index": 1, "relevance_score": 0.1 }] }),
            ),
            ("text-embeddings-inference", json!([{ "index": 0, "score": 0.9 }, { "index": 1, "score": 0.1 }])),
        ] {
            assert_eq!(scores(&reply), Some([0.9, 0.1]), "{what}");
        }
        assert_eq!(scores(&json!({ "error": "no" })), None);
    }

    #[test]
    fn a_scale_is_found_by_one_right_and_one_wrong_text() {
        for (scores, scale) in [
            ([0.9, 0.1], RerankScale::Probabilities),
            ([4.0, -9.0], RerankScale::Logits),
            ([1.4, 0.2], RerankScale::Logits),
            ([0.4, 0.4], RerankScale::Useless),
            ([-3.0, 2.0], RerankScale::Useless),
        ] {
            assert_eq!(RerankScale::of(scores), scale, "{scores:?}");
        }
    }

    #[test]
    fn a_window_is_the_models_own_or_everybodys() {
        let models = json!([{ "name": "llama3.2:latest", "context_length": 4096 }, { "name": "other" }]);
        let about = AboutServer::of(ServerKind::Ollama, None).with_windows(Some(&models), "name", "context_length");
        assert_eq!((about.window("llama3.2"), about.window("other")), (Some(4096), None));
        let about = AboutServer { windows: vec![(None, 8192)], ..AboutServer::default() };
        assert_eq!(about.window("any"), Some(8192));
    }
}
