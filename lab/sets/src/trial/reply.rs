//! What came back to a question, as a run writes it and as another pipeline may hand it in.

use std::collections::BTreeMap;

use ibidem_ports::catalogue::{Catalogue, CatalogueError};
use ibidem_words::Fallback;
use ibidem_words::{Action, Answer, CitedSource, DocumentId, PassageKey, Scope};
use serde::{Deserialize, Serialize};

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reply {
    /// Of the question.
    pub id: String,
    pub gave: Gave,
    /// What the asker reads.
    pub answer: String,
    /// The code of a refusal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// 0 to 100; null where nothing states one.
    #[serde(default)]
    pub confidence: Option<f64>,
    /// The documents that are cited, by where they come from: their paths, or the ends of them.
    #[serde(default)]
    pub sources: Vec<String>,
    /// The texts of the passages that are cited.
    #[serde(default)]
    pub passages: Vec<String>,
    /// What was skipped while it was searched for.
    #[serde(default)]
    pub simplified: Vec<String>,
    /// What each gate observed, and the parts of the confidence: what a number may be made of.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub observed: BTreeMap<String, f64>,
    pub seconds: f64,
}

/// What somebody who asked was given.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Gave {
    Answer,
    /// Also a question back, and a name to ask.
    Refusal,
    /// Words of the policy that answer nothing and refuse nothing.
    Reply,
}

/// The code of what is neither answered nor refused: nothing was asked of the documents.
const SMALL_TALK: &str = "small_talk";

impl Gave {
    fn of(answer: &Answer) -> Self {
        match (answer.action, answer.reason) {
            (_, Some(reason)) if reason.as_str() == SMALL_TALK => Self::Reply,
            (Action::Cite, _) => Self::Answer,
            _ => Self::Refusal,
        }
    }
}

impl Reply {
    /// Reads an answer; the catalogue says where its citations come from.
    pub async fn of(
        id: &str,
        answer: &Answer,
        seconds: f64,
        catalogue: &dyn Catalogue,
        scope: &Scope,
    ) -> Result<Self, CatalogueError> {
        let mut sources = Vec::new();
        let mut cited = Vec::new();
        for citation in &answer.citations {
            match &citation.source_id {
                CitedSource::Concept(uri) => sources.push(uri.clone()),
                CitedSource::Tool(call) => sources.push(call.to_string()),
                CitedSource::Passage(_) => cited.push(PassageKey {
                    document: DocumentId(citation.document_id),
                    version: citation.version,
                    chunk_index: citation.chunk_index,
                }),
            }
        }
        if !cited.is_empty() {
            let passages = catalogue.visible(scope, &cited).await?;
            sources.extend(passages.into_iter().map(|passage| passage.source_location));
        }
        sources.sort();
        sources.dedup();
        let flags = &answer.retrieval_quality.fallback_reasons;
        // That the sources' own sentences answer is asked for, and no loss.
        let lost: Vec<Fallback> = flags.iter().copied().filter(|flag| *flag != Fallback::Extractive).collect();
        let gave = Gave::of(answer);
        let confidence = answer.confidence.filter(|_| gave == Gave::Answer).map(|confidence| confidence.overall);
        Ok(Self {
            id: id.to_owned(),
            gave,
            answer: answer.answer.clone(),
            reason: answer.reason.map(|reason| reason.as_str().to_owned()),
            confidence: confidence.map(|confidence| (confidence * 10.0).round() / 10.0),
            sources,
            passages: answer.citations.iter().map(|citation| citation.snippet_full.clone()).collect(),
            observed: observed(answer),
            simplified: Fallback::names(&lost).into_iter().map(str::to_owned).collect(),
            seconds,
        })
    }

    /// Whether a document is cited: the ends of paths are compared, since a document is known by where it lay in the
    /// folder that was loaded.
    pub fn cites(&self, source: &str) -> bool {
        self.sources.iter().any(|cited| cited == source || source.ends_with(&format!("/{cited}")))
    }
}

fn observed(answer: &Answer) -> BTreeMap<String, f64> {
    let gates = answer.trace.iter().map(|record| (record.gate.clone(), record.observed));
    let parts = answer.confidence.map(|parts| {
        [
            ("retrieval_score", Some(parts.retrieval_score)),
            ("coverage_score", Some(parts.coverage_score)),
            ("llm_score", parts.llm_score),
        ]
        .into_iter()
        .filter_map(|(name, value)| Some((name.to_owned(), value?)))
    });
    gates.chain(parts.into_iter().flatten()).collect()
}
