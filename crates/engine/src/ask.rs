//! A question's life, on one screen.

use std::sync::Arc;

use crate::gather::gather;
use crate::ports::language_model::LanguageModel;
use crate::ports::records::TurnRecord;
use crate::search::{SearchError, Searcher};
use crate::sift::sift;
use crate::speak::{Listener, Spoken, refuse, speak};
use crate::turn::{Asked, Sieve, Sifted};
use crate::words::{Identity, Reason, Refusal};

/// Everything asking needs.
#[derive(Clone)]
pub struct Engine {
    pub searcher: Searcher,
    /// None when no model is configured: then the sources speak for themselves.
    pub model: Option<Arc<dyn LanguageModel>>,
}

impl Engine {
    /// Gather, sift, speak. A refusal is an answer too: this never fails.
    pub async fn ask(&self, asked: Asked, listener: &mut dyn Listener) -> Spoken {
        let gathered = match gather(&self.searcher, asked).await {
            Ok(gathered) => gathered,
            Err((asked, error)) => return unavailable(asked, &error),
        };
        match sift(gathered) {
            Sieve::Through(sifted) => speak(self.model.as_deref(), sifted, listener).await,
            Sieve::Stopped { sifted, refusal } => {
                let policy = sifted.asked.policy.clone();
                Spoken { answer: refuse(sifted, &policy, &refusal), draft: None }
            }
        }
    }
}

/// Without evidence nothing is answered.
fn unavailable(asked: Asked, error: &SearchError) -> Spoken {
    let part = match error {
        SearchError::Index(_) => "the index",
        SearchError::Catalogue(_) => "the catalogue",
        SearchError::Embed(_) => "the embedding model",
    };
    let refusal = Refusal {
        reason: Reason::RetrievalUnavailable,
        explanation: format!("Parts that answered (0 of 1): {part} does not answer"),
        suggestions: vec!["Ask again in a moment.".to_owned()],
    };
    let policy = asked.policy.clone();
    let fallback_reasons = Vec::new();
    let sifted = Sifted { asked, evidence: Vec::new(), fallback_reasons, trace: Vec::new(), warnings: Vec::new() };
    Spoken { answer: refuse(sifted, &policy, &refusal), draft: None }
}

/// What is kept of a turn.
pub fn record(identity: &Identity, asked: &Asked, spoken: &Spoken, duration_ms: u64) -> TurnRecord {
    let draft = spoken.draft.as_ref();
    TurnRecord {
        tenant: identity.tenant,
        subject: identity.subject.clone(),
        asked_at: asked.at,
        duration_ms,
        policy_hash: asked.policy.hash,
        question: asked.question.clone(),
        answer: spoken.answer.clone(),
        draft: draft.map(|draft| draft.raw.clone()),
        markers_dropped: draft.map_or(0, |draft| draft.markers.dropped()),
        sentences_dropped: draft.map_or(0, |draft| draft.dropped_sentences),
    }
}
