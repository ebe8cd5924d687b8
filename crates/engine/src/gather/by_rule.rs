//! Which way a question takes, by rule: what is answered, asked back or refused without searching the documents.
//!
//! An address comes first, then a list, then a term, then the topic. No model decides any of it.

use std::ops::ControlFlow;

use super::addresses::{self, Resolved};
use super::list::{asked_list, list};
use super::named;
use super::route::{Route, route};
use super::terminology::define;
use super::topics::{self, Placed};
use crate::ask::{Engine, unavailable};
use crate::speak::{Listener, Spoken};
use crate::turn::Asked;

/// Either what was said, or the question with the documents it names, to be searched for.
pub(crate) type Way = ControlFlow<Box<Spoken>, (Asked, Resolved)>;

fn said(spoken: Spoken) -> Way {
    ControlFlow::Break(Box::new(spoken))
}

impl Engine {
    pub(crate) async fn by_rule(&self, asked: Asked, listener: &mut dyn Listener) -> Way {
        let policy = asked.policy.clone();
        let rules = &policy.rules.gather;
        let query = asked.question.query.clone();

        let (asked, resolved) = self.by_address(asked, listener).await?;
        if !resolved.documents.is_empty() {
            return ControlFlow::Continue((asked, resolved));
        }
        if let Some((rules, request)) = rules.lists.as_ref().zip(asked_list(&query, &rules.document_classes)) {
            let answer = list(self.searcher.catalogue.as_ref(), asked, &request, rules, listener).await;
            return said(match answer {
                Ok(answer) => Spoken::plainly(answer),
                Err((asked, error)) => unavailable(asked, &error.into()),
            });
        }
        if let Some((rules_of_terms, vocabulary)) = rules.terminology.as_ref().zip(self.vocabulary.as_deref())
            && let Route::Terminology { term } =
                route(&query, &rules.document_classes, rules_of_terms.longest_term_words)
        {
            return said(define(vocabulary, asked, &term, listener).await);
        }
        let asked = self.by_topic(asked, listener).await?;
        ControlFlow::Continue((asked, resolved))
    }

    /// Resolves the addresses that the question names. Nothing but addresses is answered with the documents' own words.
    async fn by_address(&self, asked: Asked, listener: &mut dyn Listener) -> Way {
        let policy = asked.policy.clone();
        let Some(rules) = &policy.rules.gather.addresses else {
            return ControlFlow::Continue((asked, Resolved::default()));
        };
        let catalogue = self.searcher.catalogue.as_ref();
        let query = asked.question.query.clone();
        let mentions = addresses::mentions(&query, rules);
        if mentions.is_empty() {
            return ControlFlow::Continue((asked, Resolved::default()));
        }
        let mut resolved = match addresses::resolve(catalogue, &asked.scope, &mentions).await {
            Ok(resolved) => resolved,
            Err(error) => return said(unavailable(asked, &error.into())),
        };
        let answer = if resolved.documents.is_empty() {
            named::not_found(catalogue, asked, rules, &mentions).await
        } else if addresses::is_bare(&query, &mentions) {
            match named::quoted(catalogue, asked.clone(), rules, &resolved, listener).await {
                Ok(Some(answer)) => Ok(answer),
                Ok(None) => named::not_found(catalogue, asked, rules, &mentions).await,
                Err(error) => Err(error),
            }
        } else {
            resolved.warnings = named::missing(rules, &resolved);
            return ControlFlow::Continue((asked, resolved));
        };
        said(match answer {
            Ok(answer) => Spoken::plainly(answer),
            Err((asked, error)) => unavailable(asked, &error.into()),
        })
    }

    /// Where the policy has topics: confines the search to the topic's collections, or asks back, or says what there is.
    async fn by_topic(&self, mut asked: Asked, listener: &mut dyn Listener) -> ControlFlow<Box<Spoken>, Asked> {
        let policy = asked.policy.clone();
        let Some(rules) = &policy.rules.gather.topics else { return ControlFlow::Continue(asked) };
        let embedder = self.searcher.embedder.as_ref();
        let answer = match topics::place(&self.exemplars, embedder, &asked, rules).await {
            Ok(Placed::Topic { topic, .. }) => {
                if asked.question.collections.is_empty() {
                    asked.question.collections.clone_from(&topic.collections);
                }
                return ControlFlow::Continue(asked);
            }
            Ok(Placed::Unclear { topics, confidence }) => topics::clarify(asked, rules, &topics, confidence, listener),
            Ok(Placed::Elsewhere { similarity }) => topics::out_of_scope(asked, rules, similarity),
            // Without meaning a topic cannot be told: searched without one, never guessed.
            Err(_) => return ControlFlow::Continue(asked),
        };
        ControlFlow::Break(Box::new(Spoken::plainly(answer)))
    }
}
