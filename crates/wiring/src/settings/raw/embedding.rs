//! The section `embedding`: a model in this process, or a server.

use std::path::PathBuf;
use std::time::Duration;

use ibidem_adapters::http_embedder::{HttpEmbedderSettings, InputTypes};
use ibidem_adapters::onnx::{OnnxSettings, Pooling, Prefixes};
use ibidem_words::SimilarityScale;
use serde::Deserialize;

use super::super::checked::{EmbeddingSettings, EmbeddingSource};
use super::Problems;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawEmbedding {
    r#use: String,
    model: PathBuf,
    tokenizer: PathBuf,
    runtime: PathBuf,
    name: String,
    max_tokens: usize,
    pooling: String,
    query_prefix: String,
    passage_prefix: String,
    similarity: RawSimilarity,
    sessions: usize,
    threads: usize,
    queue: usize,
    url: Option<String>,
    api_key: Option<String>,
    query_input_type: Option<String>,
    passage_input_type: Option<String>,
    batch_size: usize,
    at_once: usize,
    timeout_ms: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawSimilarity {
    zero: f64,
    one: f64,
    model: Option<String>,
}

#[derive(Clone, Copy)]
enum Use {
    Onnx,
    Http,
}

impl RawEmbedding {
    pub(super) fn check(self, problems: &mut Problems) -> Option<EmbeddingSettings> {
        problems.at_least("embedding.max_tokens", self.max_tokens as u64, 32);
        problems.at_least("embedding.sessions", self.sessions as u64, 1);
        problems.at_least("embedding.threads", self.threads as u64, 1);
        problems.at_least("embedding.queue", self.queue as u64, 1);
        problems.at_least("embedding.batch_size", self.batch_size as u64, 1);
        problems.at_least("embedding.at_once", self.at_once as u64, 1);
        problems.at_least("embedding.timeout_ms", self.timeout_ms, 1);
        let poolings = [("mean", Pooling::Mean), ("cls", Pooling::Cls)];
        let pooling = problems.one_of("embedding.pooling", &self.pooling, &poolings);
        let uses = [("onnx", Use::Onnx), ("http", Use::Http)];
        let chosen = problems.one_of("embedding.use", &self.r#use, &uses)?;
        let Some(scale) = SimilarityScale::new(self.similarity.zero, self.similarity.one) else {
            problems.note("embedding.similarity", "must have a `one` that is more than its `zero`");
            return None;
        };
        let prefixes = Prefixes { query: self.query_prefix, passage: self.passage_prefix };
        let source = match chosen {
            Use::Onnx => EmbeddingSource::Onnx,
            Use::Http => {
                let Some(url) = self.url else {
                    let problem = "is needed with `embedding.use: http`: the whole address, for example \
                                   http://127.0.0.1:8080/v1/embeddings";
                    problems.note("embedding.url", problem);
                    return None;
                };
                problems.url("embedding.url", &url, &["http://", "https://"]);
                EmbeddingSource::Http(Box::new(HttpEmbedderSettings {
                    url,
                    name: self.name.clone(),
                    api_key: self.api_key,
                    tokenizer: self.tokenizer.clone(),
                    max_tokens: self.max_tokens,
                    prefixes: prefixes.clone(),
                    input_types: InputTypes { query: self.query_input_type, passage: self.passage_input_type },
                    batch_size: self.batch_size,
                    at_once: self.at_once,
                    scale,
                }))
            }
        };
        let onnx = OnnxSettings {
            name: self.name,
            sessions: self.sessions,
            threads: self.threads,
            max_tokens: self.max_tokens,
            pooling: pooling?,
            prefixes,
            scale,
            queue: self.queue,
            ..OnnxSettings::of(self.model, self.tokenizer, self.runtime)
        };
        Some(EmbeddingSettings {
            onnx,
            source,
            scale_of: self.similarity.model,
            timeout: Duration::from_millis(self.timeout_ms),
        })
    }
}
