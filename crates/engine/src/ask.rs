//! A question's life, on one screen: route, gather, sift, speak.

use std::sync::Arc;

use ibidem_ports::clock;
use ibidem_ports::degrade::{Deadline, Part};
use ibidem_ports::language_model::ModelError;
use ibidem_ports::on_behalf;
use ibidem_ports::records::{DecisionRecord, TurnRecord};
use ibidem_words::{Answer, Identity, KeyInForce, Reason, Refusal, Seal, SubjectId};
use tracing::{Instrument as _, trace_span};

use crate::draft::Draft;
use crate::evidence::{SiftedSearch, evidence};
use crate::explain::{self, Explanation};
use crate::follow_up;
use crate::listener::{Listener, Nobody};
use crate::nearest::Near;
use crate::offers::that_lead_to_an_answer;
pub use crate::outcome::Spoken;
use crate::outcome::{Clarified, Decided, Outcome, Refused, Retrieval};
use crate::parts::Parts;
use crate::policy::Policy;
use crate::replay::{decision_record, turn_numbers};
use crate::route::classes::class_of;
use crate::route::terminology::UndefinedTerm;
use crate::route::{Way, route};
use crate::search::{SearchError, Searcher, UnknownCollections};
use crate::sift::{SiftOutcome, Sifted};
use crate::speak::verify::lexical::LexicalEntailment;
use crate::speak::{out_of_corpus, refused as without_a_part, speak};
use crate::time_limit;
use crate::title;
use crate::turn::{Asked, SearchFailed, TurnLog};

/// Answers questions with the parts it has.
#[derive(Clone)]
pub struct Engine {
    pub parts: Parts,
    /// Signs receipts; none where the installation has no key.
    pub signing_key: KeyInForce,
}

/// What is wrong with how it was asked. A refusal is no error but an answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AskError {
    /// The asker named a model that is not allowed, or not served.
    #[error(transparent)]
    Model(ModelError),
    /// The asker named collections that have no document that the asker may see.
    #[error(transparent)]
    Collections(#[from] UnknownCollections),
}

impl Engine {
    /// Makes an engine with nothing but documents to search; sentences are checked by their words.
    pub fn new(searcher: Searcher) -> Self {
        Self::of(Parts::new(searcher, Part::bare(Arc::new(LexicalEntailment::by_words()))))
    }

    pub fn of(parts: Parts) -> Self {
        Self { parts, signing_key: KeyInForce::default() }
    }

    /// Replaces some of the parts.
    #[must_use]
    pub fn with(mut self, change: impl FnOnce(&mut Parts)) -> Self {
        change(&mut self.parts);
        self
    }
    /// Asks, and makes the record of it: what every way in does.
    pub async fn turn(
        &self,
        identity: &Identity,
        asked: Asked,
        listener: &mut dyn Listener,
    ) -> Result<(Answer, TurnRecord), AskError> {
        let started = clock::now();
        let (at, policy, question) = (asked.at, asked.policy.clone(), asked.question.clone());
        let by = Some(identity.subject().id());
        let spoken = self.ask_as(by, asked, listener).await?;
        let Spoken { answer, draft, failure, stages, search, tool_calls } = spoken;
        let draft = draft.as_ref();
        let took = started.elapsed();
        let numbers = turn_numbers(&answer, draft, stages, search.as_ref(), took);
        let class = Some(class_of(&question));
        let decision = decision_record(&answer, draft, search, &policy.rules.speak);
        let record = TurnRecord {
            tenant: identity.tenant(),
            subject: identity.subject().clone(),
            asked_at: at,
            duration_ms: u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
            policy_hash: policy.hash,
            question,
            answer: answer.to_keep(),
            decision: DecisionRecord { class, tool_calls, ..decision },
            draft: draft.map(|draft| draft.raw.clone()),
            markers_dropped: draft.map_or(0, |draft| draft.markers.dropped()),
            sentences_dropped: draft.map_or(0, Draft::dropped_sentences),
            failure,
            numbers,
        };
        Ok((answer, record))
    }

    /// An answer with its receipt, within the request's time. A refusal is an answer too.
    ///
    /// Nobody in particular asks: no tool that changes something is called. Whoever wants that takes a [`Self::turn`],
    /// which is recorded.
    pub async fn ask(&self, asked: Asked, listener: &mut dyn Listener) -> Result<Spoken, AskError> {
        self.ask_as(None, asked, listener).await
    }

    async fn ask_as(
        &self,
        by: Option<SubjectId>,
        asked: Asked,
        listener: &mut dyn Listener,
    ) -> Result<Spoken, AskError> {
        on_behalf::of(asked.scope.tenant(), self.answered(by, asked, listener)).await
    }

    async fn answered(
        &self,
        by: Option<SubjectId>,
        asked: Asked,
        listener: &mut dyn Listener,
    ) -> Result<Spoken, AskError> {
        self.parts.searcher.check_collections(&asked.scope, &asked.question.collections).await?;
        let (asked_at, policy, question) = (asked.at, asked.policy.in_force(), asked.question.query.clone());
        let asked = Asked { policy: asked.policy.clone().in_language_of(&question), ..asked };
        let (asked, rewritten_question) = Box::pin(follow_up::self_contained(&self.parts, asked)).await;
        let late = asked.clone();
        let spoken = time_limit::kept(&late, Box::pin(spoken(&self.parts, by, asked, listener)))
            .await
            .map_err(AskError::Model)?;
        let reader = spoken.search.as_ref().and_then(|search| search.read_by.clone());
        let answer = Answer { rewritten_question, ..spoken.answer };
        let key = self.signing_key.now();
        let answer = answer.sealed(Seal { question: &question, asked_at, policy, reader, key: key.as_deref() });
        Ok(Spoken { answer, ..spoken })
    }

    /// What a conversation that begins with this question is called, by the model for titles; none without one.
    pub async fn title(&self, policy: &Policy, question: &str, deadline: Deadline) -> Option<String> {
        title::written(self.parts.roles.titles.as_ref()?, &policy.rules.conversations.title, question, deadline).await
    }

    /// Routes, gathers and sifts as for an answer, and tells what happened instead of answering.
    pub async fn explain(&self, asked: Asked) -> Result<Explanation, SearchError> {
        on_behalf::of(asked.scope.tenant(), self.explained(asked)).await
    }

    async fn explained(&self, asked: Asked) -> Result<Explanation, SearchError> {
        let (asked, _) = follow_up::self_contained(&self.parts, asked).await;
        let head = explain::ExplanationHead {
            question: asked.question.query.clone(),
            policy: asked.policy.rules.name.clone(),
        };
        let (request_id, texts) = (asked.request_id, asked.policy.rules.wording.texts());
        let question = asked.clone();
        match route(&self.parts, None, asked, &mut Nobody).await {
            Way::Decided(decided) => {
                let decided = that_lead_to_an_answer(&self.parts, &question, *decided).await;
                Ok(head.by_rule(decided.sealed(request_id, texts).answer))
            }
            Way::Failed(asked, error) => Ok(head.by_rule(unavailable(&asked, &error).sealed(request_id, texts).answer)),
            Way::Search(asked, named, _) => {
                let found = evidence(&self.parts, asked, &named).await.map_err(|failed| failed.error)?;
                Ok(head.searched(&named, found))
            }
        }
    }
}

/// Route, gather, sift, speak. Fails only when the asker named a model that cannot be had.
async fn spoken(
    parts: &Parts,
    by: Option<SubjectId>,
    asked: Asked,
    listener: &mut dyn Listener,
) -> Result<Spoken, ModelError> {
    // Before anything is searched: a mistake of the asker costs nothing.
    if let Some(named) = asked.question.model.as_deref() {
        parts.roles.check_named(named, asked.deadline).await?;
    }
    let (request_id, texts) = (asked.request_id, asked.policy.rules.wording.texts());
    let question = asked.clone();
    let began = clock::now();
    let way = Box::pin(route(parts, by, asked, listener)).instrument(trace_span!("route")).await;
    let mut stages = vec![("route", began.elapsed())];
    let (decided, search) = match way {
        Way::Decided(decided) => (*decided, None),
        Way::Failed(asked, error) => (unavailable(&asked, &error), None),
        Way::Search(asked, named, undefined) => match Box::pin(evidence(parts, asked, &named)).await {
            Err(SearchFailed { asked, error, search }) => (unavailable(&asked, &error), Some(search)),
            Ok(SiftedSearch { outcome, mut search, .. }) => {
                let began = clock::now();
                let spoken = decided(parts, outcome, undefined.as_ref(), listener);
                let decided = spoken.instrument(trace_span!("speak")).await?;
                search.stages.push(("speak", began.elapsed()));
                let failures = search.failures.join("; ");
                let failure = decided.failure.or((!failures.is_empty()).then_some(failures));
                (Decided { failure, ..decided }, Some(search))
            }
        },
    };
    stages.extend(search.iter().flat_map(|search| search.stages.iter().copied()));
    let decided = if decided.outcome.offers_something() {
        let began = clock::now();
        let checked = that_lead_to_an_answer(parts, &question, decided).instrument(trace_span!("offer")).await;
        stages.push(("offer", began.elapsed()));
        checked
    } else {
        decided
    };
    Ok(Spoken { stages, search, ..decided.sealed(request_id, texts) })
}

/// What is said of what the gates found.
async fn decided(
    parts: &Parts,
    outcome: SiftOutcome,
    undefined: Option<&UndefinedTerm>,
    listener: &mut dyn Listener,
) -> Result<Decided, ModelError> {
    let near = Near::of(outcome.sifted());
    let mut decided = match outcome {
        SiftOutcome::Enough(sifted) => speak(parts, sifted, listener).await?,
        // A part is away: what the question comes to is not known, so nobody answers it from what they know either.
        SiftOutcome::Refused { sifted, refusal } if refusal.reason == Reason::RetrievalUnavailable => {
            let Sifted { asked, evidence, log, .. } = sifted;
            without_a_part(&asked.policy, refusal, &evidence, log)
        }
        SiftOutcome::Refused { sifted, refusal } | SiftOutcome::TooThin { sifted, refusal } => {
            refused(parts, sifted, refusal, undefined, listener).await
        }
        SiftOutcome::Unclear { sifted, refusal, text } => asked_back(sifted, refusal, text, listener),
    };
    if let Some(term) = undefined {
        decided.log.trace.insert(0, term.gate());
    }
    Ok(match near {
        Some(near) => near.added_to(parts, decided).await,
        None => decided,
    })
}

/// What the documents do not answer. A term that no vocabulary defines either is refused as a term.
async fn refused(
    parts: &Parts,
    sifted: Sifted,
    refusal: Refusal,
    undefined: Option<&UndefinedTerm>,
    listener: &mut dyn Listener,
) -> Decided {
    let Some((term, vocabulary)) = undefined.zip(parts.vocabulary.as_ref()) else {
        return out_of_corpus(parts, sifted, refusal, listener).await;
    };
    let words = term.words(&sifted.asked);
    let offers = term.offers(vocabulary, &sifted.asked).await;
    let refusal = term.refusal(&sifted.asked, Some(&refusal));
    let mut decided = out_of_corpus(parts, sifted, refusal, listener).await;
    if let Outcome::Refused(refused) = &mut decided.outcome {
        (refused.text, refused.offers) = (words, offers);
    }
    decided
}

/// The asker is asked for what is missing.
fn asked_back(sifted: Sifted, refusal: Refusal, text: String, listener: &mut dyn Listener) -> Decided {
    listener.sentence(&text, Vec::new());
    let base = crate::speak::confidence::retrieval_base(&sifted.asked.policy, &sifted.evidence);
    let Refusal { reason, explanation, suggestions } = refusal;
    let clarified = Clarified {
        text,
        reason: Some(reason),
        explanation: Some(explanation),
        offers: Vec::new(),
        details: suggestions,
        quoted: None,
    };
    Decided::plainly(Outcome::Clarified(clarified), Retrieval::searched(base), sifted.log)
}

/// Without evidence nothing is answered.
fn unavailable(asked: &Asked, error: &SearchError) -> Decided {
    let part = match error {
        SearchError::Index(_) => "the index",
        SearchError::Catalogue(_) => "the catalogue",
        SearchError::Embed(_) => "the embedding model",
    };
    let refusal = Refusal {
        reason: Reason::RetrievalUnavailable,
        explanation: format!("Parts that answered (0 of 1): {part} does not answer"),
        suggestions: vec![asked.policy.rules.wording.texts().again.clone()],
    };
    let mut log = TurnLog::default();
    match error {
        SearchError::Index(error) => log.not_asked(error),
        SearchError::Embed(error) => log.not_asked(error),
        SearchError::Catalogue(_) => {}
    }
    let refused = Outcome::Refused(Refused::under(&asked.policy, refusal));
    Decided { failure: Some(error.to_string()), ..Decided::plainly(refused, Retrieval::searched(0.0), log) }
}
