//! A small corpus in the fakes, for tests of what searches and measures.

#![allow(clippy::unwrap_used, reason = "only tests use this")]

use std::sync::Arc;

use crate::fakes::{self, FakeCatalogue, FakeEmbedder, FakeIndex};
use ibidem_engine::search::Searcher;
use ibidem_ports::catalogue::CataloguePassage;
use ibidem_ports::degrade::Part;
use ibidem_ports::embedder::Embedder as _;
use ibidem_ports::index::{IndexDocument, IndexPoint, IndexWriter as _};
use ibidem_words::{CollectionName, DocumentId, Identity, PassageKey, Scope, Tag, TenantId};

/// The collection that its documents are in.
pub fn collection() -> CollectionName {
    "Set".parse().unwrap()
}

/// Of somebody who sees all of it.
pub fn scope(tenant: TenantId) -> Scope {
    Scope::of(&Identity::for_tests(tenant, "lab", [Tag::public()].into()))
}

/// Each document with its passages.
pub async fn searcher(tenant: TenantId, corpus: &[(&str, &[&str])]) -> (Searcher, Arc<FakeEmbedder>) {
    let embedder = Arc::new(FakeEmbedder::new(64, 64));
    let index = Arc::new(FakeIndex::new(64));
    let catalogue = Arc::new(FakeCatalogue::default());
    for (id, passages) in corpus {
        let source_location = format!("corpus.jsonl#{id}");
        let document = DocumentId::at(tenant, &collection(), &source_location);
        let mut points = Vec::new();
        for (chunk_index, text) in (0..).zip(*passages) {
            let passage = PassageKey { document, version: 1, chunk_index };
            let vector = embedder.embed_passages(vec![(*text).to_owned()]).await.unwrap().remove(0);
            points.push(IndexPoint { passage, vector, words: (*text).to_owned() });
            let stored = CataloguePassage {
                passage,
                title: (*id).to_owned(),
                source_location: source_location.clone(),
                ..fakes::passage(0, &collection(), text)
            };
            catalogue.put(tenant, vec![Tag::public()], stored);
        }
        let document =
            IndexDocument { tenant, document, collection: collection(), kind: None, tags: vec![Tag::public()], points };
        index.publish(vec![document]).await.unwrap();
    }
    (
        Searcher {
            embedder: Part::bare(embedder.clone()),
            index: Part::bare(index),
            catalogue: catalogue.clone(),
            words: catalogue,
        },
        embedder,
    )
}
