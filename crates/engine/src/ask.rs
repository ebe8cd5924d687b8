//! A question's life, on one screen.

use std::sync::Arc;
use std::time::Instant;

use crate::gather::gather;
use crate::gather::route::{DocumentClasses, Route, route};
use crate::gather::terminology::define;
use crate::ports::language_model::{LanguageModel, ModelError};
use crate::ports::records::TurnRecord;
use crate::ports::vocabulary::Vocabulary;
use crate::search::{SearchError, Searcher};
use crate::sift::sift;
use crate::speak::{Listener, Spoken, refuse, speak};
use crate::turn::{Asked, Sieve, Sifted};
use crate::words::{Answer, Identity, Reason, Refusal};

/// Everything asking needs.
#[derive(Clone)]
pub struct Engine {
    pub searcher: Searcher,
    /// None when no model is configured: then the sources speak for themselves.
    pub model: Option<Arc<dyn LanguageModel>>,
    /// None when no vocabulary is configured: then questions about terms are questions like any other.
    pub vocabulary: Option<Arc<dyn Vocabulary>>,
}

/// What is wrong with how it was asked. A refusal is no error but an answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AskError {
    /// The asker named a model that is not allowed, or not served.
    #[error(transparent)]
    Model(ModelError),
}

impl Engine {
    /// Gather, sift, speak. A refusal is an answer too.
    pub async fn ask(&self, asked: Asked, listener: &mut dyn Listener) -> Result<Spoken, AskError> {
        self.check_model(asked.question.model.as_deref())?;
        if let Some((vocabulary, term)) = self.asked_term(&asked) {
            return Ok(define(vocabulary, asked, &term, listener).await);
        }
        let gathered = match gather(&self.searcher, asked).await {
            Ok(gathered) => gathered,
            Err((asked, error)) => return Ok(unavailable(asked, &error)),
        };
        match sift(gathered) {
            Sieve::Through(sifted) => speak(self.model.as_deref(), sifted, listener).await,
            Sieve::Stopped { sifted, refusal } => Ok(Spoken::plainly(refuse(sifted, &refusal))),
        }
    }

    /// Asks, and makes the record of it: what every way in does.
    pub async fn turn(
        &self,
        identity: &Identity,
        asked: Asked,
        listener: &mut dyn Listener,
    ) -> Result<(Answer, TurnRecord), AskError> {
        let started = Instant::now();
        let (at, policy_hash, question) = (asked.at, asked.policy.hash, asked.question.clone());
        let Spoken { answer, draft, failure } = self.ask(asked, listener).await?;
        let draft = draft.as_ref();
        let record = TurnRecord {
            tenant: identity.tenant,
            subject: identity.subject.clone(),
            asked_at: at,
            duration_ms: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
            policy_hash,
            question,
            answer: answer.clone(),
            draft: draft.map(|draft| draft.raw.clone()),
            markers_dropped: draft.map_or(0, |draft| draft.markers.dropped()),
            sentences_dropped: draft.map_or(0, |draft| draft.dropped_sentences),
            failure,
        };
        Ok((answer, record))
    }

    /// The term that is asked about, where there is a vocabulary to ask.
    fn asked_term(&self, asked: &Asked) -> Option<(&dyn Vocabulary, String)> {
        let rules = asked.policy.rules.gather.terminology.as_ref()?;
        let vocabulary = self.vocabulary.as_deref()?;
        let classes = DocumentClasses::named(rules.document_classes.iter().map(String::as_str));
        match route(&asked.question.query, &classes, rules.longest_term_words) {
            Route::Terminology { term } => Some((vocabulary, term)),
            Route::Corpus => None,
        }
    }

    /// Before anything is searched: a mistake of the asker costs nothing.
    fn check_model(&self, named: Option<&str>) -> Result<(), AskError> {
        let Some(named) = named else { return Ok(()) };
        let allowed = self.model.as_ref().map_or_else(Vec::new, |model| model.allowed());
        if allowed.iter().any(|allowed| allowed == named) {
            return Ok(());
        }
        Err(AskError::Model(ModelError::NotAllowed { model: named.to_owned(), allowed }))
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
    let fallback_reasons = Vec::new();
    let sifted = Sifted { asked, evidence: Vec::new(), fallback_reasons, trace: Vec::new(), warnings: Vec::new() };
    Spoken { failure: Some(error.to_string()), ..Spoken::plainly(refuse(sifted, &refusal)) }
}
