//! The adapters against the real servers and models of `stack/up`.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "all of this is tests")]

mod bucket;
mod claim_inputs;
mod degraded;
mod http_embedder;
mod http_entailment;
mod http_reranker;
#[path = "../loopback/mod.rs"]
mod loopback;
mod onnx;
mod onnx_entailment;
mod onnx_reranker;
mod openai;
mod qdrant;
mod qdrant_recall;
mod qdrant_shards;
mod reader;
mod tiny_model;
mod tokens;
mod yes_no;
mod yes_no_entailment;

/// A setting of the running stack. Without it there is nothing to test against, and a test that
/// silently does nothing is worse than one that fails.
fn setting(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| panic!("{name} is not set; run `stack/up`, then `eval \"$(stack/env)\"`"))
}

/// The folder of a published cross-encoder, where it was fetched; CI always has it.
#[expect(clippy::print_stderr, reason = "whoever runs the tests must see what did not run")]
fn marco() -> Option<std::path::PathBuf> {
    let folder = std::env::var_os("IBIDEM_STACK_MARCO").map(Into::into);
    if folder.is_none() {
        eprintln!("did not run: there is no ms-marco-MiniLM-L-12-v2 here (`stack/up --with marco` fetches it)");
    }
    folder
}

/// The folder of multilingual-e5-small, where it was fetched; CI always has it.
#[expect(clippy::print_stderr, reason = "whoever runs the tests must see what did not run")]
fn e5() -> Option<std::path::PathBuf> {
    let folder = std::env::var_os("IBIDEM_STACK_E5").map(Into::into);
    if folder.is_none() {
        eprintln!("did not run: there is no multilingual-e5-small here (`stack/up --with e5` makes it)");
    }
    folder
}
