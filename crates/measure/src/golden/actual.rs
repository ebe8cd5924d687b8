//! What became of a question, in words that are the same on every machine: collections, addresses and URIs.

use std::collections::BTreeSet;

use ibidem_ports::catalogue::{Catalogue, CatalogueError};
use ibidem_words::{Action, Answer, CitedSource, DocumentId, PassageKey, Reason, Scope};
use serde::{Deserialize, Serialize};

use super::{GoldenRoute, VOCABULARY};

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Actual {
    pub action: Action,
    /// Where the answer comes from, by what it cites; none when it cites nothing.
    pub route: Option<GoldenRoute>,
    pub reason: Option<Reason>,
    /// The refusal's own words, with its numbers.
    pub refusal: Option<String>,
    pub doc_types: Vec<String>,
    /// Addresses of documents, or their titles where they have none, and URIs of concepts.
    pub doc_ids: Vec<String>,
}

impl Actual {
    /// Reads an answer; the catalogue says what its citations are called.
    pub async fn of(answer: &Answer, catalogue: &dyn Catalogue, scope: &Scope) -> Result<Self, CatalogueError> {
        let mut doc_types = BTreeSet::new();
        let mut doc_ids = BTreeSet::new();
        let mut passages = Vec::new();
        for citation in &answer.citations {
            match &citation.source_id {
                CitedSource::Concept(uri) => {
                    doc_types.insert(VOCABULARY.to_owned());
                    doc_ids.insert(uri.clone());
                }
                CitedSource::Tool(call) => {
                    doc_ids.insert(call.to_string());
                }
                CitedSource::Passage(_) => passages.push(PassageKey {
                    document: DocumentId(citation.document_id),
                    version: citation.version,
                    chunk_index: citation.chunk_index,
                }),
            }
        }
        if !passages.is_empty() {
            for passage in catalogue.visible(scope, &passages).await? {
                doc_types.insert(passage.collection.to_string());
                doc_ids.insert(passage.address.unwrap_or(passage.title));
            }
        }
        Ok(Self {
            action: answer.action,
            route: route_of(&doc_types),
            reason: answer.reason,
            refusal: answer.refusal_reason.clone(),
            doc_types: doc_types.into_iter().collect(),
            doc_ids: doc_ids.into_iter().collect(),
        })
    }

    /// What somebody was told with sources. A question back, a name to ask, and a refusal are none.
    pub fn is_answered(&self) -> bool {
        self.action == Action::Cite
    }
}

fn route_of(cited: &BTreeSet<String>) -> Option<GoldenRoute> {
    const ROUTES: [GoldenRoute; 4] =
        [GoldenRoute::Skosmos, GoldenRoute::Adr, GoldenRoute::Principle, GoldenRoute::Policy];
    let only = match cited.len() {
        0 => return None,
        1 => cited.first(),
        _ => None,
    };
    let leads_there = |route: &GoldenRoute| only.is_some_and(|only| route.collection() == Some(only));
    Some(ROUTES.into_iter().find(leads_there).unwrap_or(GoldenRoute::Tree))
}
