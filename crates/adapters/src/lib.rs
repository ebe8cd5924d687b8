//! Everything outside this process but the database: a folder per system, a file per port or step.

mod bounded;
pub mod hand_over;
pub mod http_embedder;
pub mod http_entailment;
pub mod http_reranker;
pub mod mcp;
mod model_server;
pub mod object_store;
pub mod oidc;
pub mod onnx;
pub mod openai;
pub mod otlp;
pub mod qdrant;
pub mod second_try;
pub mod skos_files;
pub mod skosmos;
pub mod tokens;
pub mod watched_vocabulary;
