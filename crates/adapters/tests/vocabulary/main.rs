//! The Skosmos client and the watched vocabulary, over HTTP, against servers that are slow, down and wrong.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "all of this is tests")]

#[path = "../loopback/mod.rs"]
mod loopback;
mod recorded;
mod server;
mod watched;
mod wrong;

use std::time::Duration;

use ibidem_adapters::skosmos::{Skosmos, SkosmosSettings};

/// Settings for some vocabularies of the server at this address; for all of them, when none is named.
fn settings(url: &str, vocabularies: &[&str]) -> SkosmosSettings {
    let vocabularies = vocabularies.iter().map(|id| (*id).to_owned()).collect();
    // Long, for busy machines: the tests of lateness set their own.
    let timeout = Duration::from_secs(10);
    SkosmosSettings { url: url.to_owned(), vocabularies, language: "en".to_owned(), timeout }
}

fn client(url: &str, vocabularies: &[&str]) -> Skosmos {
    connected(settings(url, vocabularies))
}

fn connected(settings: SkosmosSettings) -> Skosmos {
    // As the binary does at its start.
    let _ = rustls::crypto::ring::default_provider().install_default();
    Skosmos::new(settings).unwrap()
}
