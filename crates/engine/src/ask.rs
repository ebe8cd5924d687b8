//! A question's life, on one screen.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Instant;

use ibidem_words::degrade::{Deadline, flags};
use ibidem_words::ports::entailment::Entailment;
use ibidem_words::ports::language_model::ModelError;
use ibidem_words::ports::memory::Memory;
use ibidem_words::ports::owners::Owners;
use ibidem_words::ports::records::TurnRecord;
use ibidem_words::ports::request_time::RequestTime;
use ibidem_words::ports::reranker::Reranker;
use ibidem_words::ports::vocabulary::Vocabulary;
use ibidem_words::{Answer, Identity, Reason, Refusal, SigningKey};

use crate::gather::addresses::Resolved;
use crate::gather::topics::Exemplars;
use crate::gather::{gather, revocation};
use crate::policy::Policy;
use crate::replay::{decision_record, turn_numbers};
use crate::roles::Roles;
use crate::search::{SearchError, Searcher};
use crate::speak::verify::Verifier;
use crate::speak::verify::lexical::LexicalEntailment;
use crate::speak::{Draft, Listener, Spoken, ask_back, out_of_corpus, refuse, speak};
use crate::turn::{Asked, SearchRecord, Sieve, Sifted, Unsearchable};

/// Everything asking needs. A part that is not configured is gone without, by rule and not by chance.
#[derive(Clone)]
pub struct Engine {
    pub searcher: Searcher,
    /// Without a model that answers the sources speak for themselves; without a planner a question is searched as it
    /// was asked.
    pub roles: Arc<Roles>,
    /// None when no vocabulary is configured: then questions about terms are questions like any other.
    pub vocabulary: Option<Arc<dyn Vocabulary>>,
    /// None when no reranker is configured: then the cosine decides.
    pub reranker: Option<Arc<dyn Reranker>>,
    /// None when there is no curated memory.
    pub memory: Option<Arc<dyn Memory>>,
    pub exemplars: Arc<Exemplars>,
    /// Reads each sentence against the passages it cites.
    pub entailment: Arc<dyn Entailment>,
    /// None when nobody is named as the owner of anything.
    pub owners: Option<Arc<dyn Owners>>,
    /// Whom a question goes to when what it is about has no owner.
    pub admin_email: Option<String>,
    /// Signs receipts; none where the installation has no key.
    pub signing_key: Option<Arc<SigningKey>>,
    /// None when requests may take as long as their parts do.
    pub request_time: Option<Arc<dyn RequestTime>>,
    /// Of the one request that this is for.
    pub deadline: Option<Deadline>,
}

/// What is wrong with how it was asked. A refusal is no error but an answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AskError {
    /// The asker named a model that is not allowed, or not served.
    #[error(transparent)]
    Model(ModelError),
}

/// What gathering and sifting ended in, and how.
pub(crate) struct Sieved {
    pub(crate) sieve: Sieve,
    pub(crate) search: SearchRecord,
    pub(crate) reranked: bool,
}

impl Engine {
    /// With nothing but a library to search.
    pub fn new(searcher: Searcher) -> Self {
        Self {
            searcher,
            roles: Arc::default(),
            vocabulary: None,
            reranker: None,
            memory: None,
            exemplars: Arc::default(),
            entailment: Arc::new(LexicalEntailment::by_words()),
            owners: None,
            admin_email: None,
            signing_key: None,
            request_time: None,
            deadline: None,
        }
    }

    pub(crate) fn verifier(&self, policy: &Policy) -> Verifier<'_> {
        Verifier { rules: policy.rules.speak.verification, entailment: self.entailment.as_ref() }
    }

    /// An answer with its receipt, within the request's time. A refusal is an answer too.
    pub async fn ask(&self, asked: Asked, listener: &mut dyn Listener) -> Result<Spoken, AskError> {
        let (at, policy) = (asked.at, asked.policy.hash);
        let spoken = self.in_time(asked, listener).await?;
        let answer = spoken.answer.sealed(at, policy, self.signing_key.as_deref());
        Ok(Spoken { answer, ..spoken })
    }

    /// Gather, sift, speak.
    pub(crate) async fn spoken(&self, asked: Asked, listener: &mut dyn Listener) -> Result<Spoken, AskError> {
        self.check_model(asked.question.model.as_deref()).await?;
        let began = Instant::now();
        let way = self.by_rule(asked, listener).await;
        let routed = ("route", began.elapsed());
        let (asked, named) = match way {
            ControlFlow::Break(spoken) => return Ok(Spoken { stages: vec![routed], ..*spoken }),
            ControlFlow::Continue(searched) => searched,
        };
        let sieved = match self.evidence(asked, &named).await {
            Ok(sieved) => sieved,
            Err(Unsearchable { asked, error, search }) => {
                let stages = [vec![routed], search.stages.clone()].concat();
                return Ok(Spoken { stages, search: Some(search), ..unavailable(asked, &error) });
            }
        };
        let failures = sieved.search.failures.join("; ");
        let began = Instant::now();
        let spoken = match sieved.sieve {
            Sieve::Through(sifted) => speak(self, sifted, listener).await?,
            Sieve::Stopped { sifted, refusal } | Sieve::Thin { sifted, refusal } => {
                out_of_corpus(self, sifted, &refusal, listener).await
            }
            Sieve::Unclear { sifted, refusal, text } => Spoken::plainly(ask_back(sifted, &refusal, text, listener)),
        };
        let failure = spoken.failure.clone().or((!failures.is_empty()).then_some(failures));
        let stages = [vec![routed], sieved.search.stages.clone(), vec![("speak", began.elapsed())]].concat();
        Ok(Spoken { failure, stages, search: Some(sieved.search), ..spoken })
    }

    /// Gathers and sifts, confirmed by the catalogue; a pool that is thin and not hopeless is gathered once more, wider.
    pub(crate) async fn evidence(&self, asked: Asked, named: &Resolved) -> Result<Sieved, Unsearchable> {
        let mut asked = asked;
        let mut round = 0;
        let mut earlier = SearchRecord::default();
        loop {
            let mut gathered = match gather(self, asked, named, round).await {
                Ok(gathered) => gathered,
                Err(mut failed) => {
                    failed.search.follow(earlier);
                    return Err(failed);
                }
            };
            // Sifting needs no more of the record than the round, and may look several times.
            let of_round = SearchRecord { round, ..SearchRecord::default() };
            let mut search = std::mem::replace(&mut gathered.search, of_round);
            search.follow(std::mem::take(&mut earlier));
            let reranked = gathered.reranked;
            let began = Instant::now();
            let confirmed = revocation::confirmed(self.searcher.catalogue.as_ref(), gathered).await;
            search.stages.push(("sift", began.elapsed()));
            let sieve = match confirmed {
                Ok((sieve, pool)) => {
                    search.pools.push(pool);
                    sieve
                }
                Err((gathered, error)) => {
                    return Err(Unsearchable { asked: gathered.asked, error: error.into(), search });
                }
            };
            match sieve {
                Sieve::Thin { sifted, .. } if round == 0 => {
                    asked = sifted.asked;
                    round += 1;
                    earlier = search;
                }
                sieve => return Ok(Sieved { sieve, search, reranked }),
            }
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
        let (at, policy, question) = (asked.at, asked.policy.clone(), asked.question.clone());
        let Spoken { answer, draft, failure, stages, search } = self.ask(asked, listener).await?;
        let draft = draft.as_ref();
        let took = started.elapsed();
        let least_support = policy.rules.speak.verification.least_support;
        let numbers = turn_numbers(&answer, draft, stages, search.as_ref(), took);
        let decision = decision_record(&answer, draft, search, least_support);
        let record = TurnRecord {
            tenant: identity.tenant,
            subject: identity.subject.clone(),
            asked_at: at,
            duration_ms: u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
            policy_hash: policy.hash,
            question,
            answer: answer.clone(),
            decision,
            draft: draft.map(|draft| draft.raw.clone()),
            markers_dropped: draft.map_or(0, |draft| draft.markers.dropped()),
            sentences_dropped: draft.map_or(0, Draft::dropped_sentences),
            failure,
            numbers,
        };
        Ok((answer, record))
    }

    /// Before anything is searched: a mistake of the asker costs nothing.
    async fn check_model(&self, named: Option<&str>) -> Result<(), AskError> {
        let Some(named) = named else { return Ok(()) };
        self.roles.check_named(named).await.map_err(AskError::Model)
    }
}

/// Without evidence nothing is answered.
pub(crate) fn unavailable(asked: Asked, error: &SearchError) -> Spoken {
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
    let mut sifted = Sifted::unsearched(asked);
    match error {
        SearchError::Index(error) => flags::not_asked(&mut sifted.fallback_reasons, error),
        SearchError::Embed(error) => flags::not_asked(&mut sifted.fallback_reasons, error),
        SearchError::Catalogue(_) => {}
    }
    Spoken { failure: Some(error.to_string()), ..Spoken::plainly(refuse(sifted, &refusal)) }
}
