//! The first movement: which way a question takes, by rule. No model decides any of it.
//!
//! The asker's word for a call that was proposed comes first. Then come small talk, a tool that the words of the question
//! name, an address, a list, a figure, a term, and the topic, which may have a tool too. What a rule answers, asks back or refuses is
//! never searched for.

pub mod addresses;
pub(crate) mod classes;
pub mod lists;
mod matter;
pub mod named;
pub mod rules;
mod small_talk;
pub mod terminology;
mod titled;
pub(crate) mod tools;
pub mod topics;

use std::ops::ControlFlow;

use ibidem_words::SubjectId;
use lists::asked_list;
use named::DocumentQuotation;
use rules::{Route, route as by_words};
use terminology::{Defined, UndefinedTerm};
use topics::TopicRoute;

use crate::figures;
use crate::listener::Listener;
use crate::outcome::Decided;
use crate::parts::Parts;
use crate::policy::{Otherwise, Topic};
use crate::search::SearchError;
use crate::turn::{Asked, NamedDocuments};

/// Where a question goes.
pub(crate) enum Way {
    /// It is searched for, with the documents that it names, and perhaps the term that no vocabulary defines.
    Search(Asked, NamedDocuments, Option<UndefinedTerm>),
    /// It was decided by rule, and nothing is gathered.
    Decided(Box<Decided>),
    /// A rule needed a part that does not answer.
    Failed(Asked, SearchError),
}

/// Goes on to the next rule, or has found the way.
type Step<T> = ControlFlow<Way, T>;

/// Whether what is asked would be looked up in another system.
pub(crate) fn calls_a_tool(parts: &Parts, asked: &Asked) -> bool {
    tools::asked_for(parts, asked, &asked.policy.rules.gather).is_some()
}

fn decided(decided: Decided) -> Way {
    Way::Decided(Box::new(decided))
}

/// `by` is whose word can confirm a call that changes something; none where nobody's can.
pub(crate) async fn route(parts: &Parts, by: Option<SubjectId>, asked: Asked, listener: &mut dyn Listener) -> Way {
    match found(parts, by, asked, listener).await {
        ControlFlow::Break(way) => way,
        ControlFlow::Continue((asked, named, undefined)) => Way::Search(asked, named, undefined),
    }
}

async fn found(
    parts: &Parts,
    by: Option<SubjectId>,
    asked: Asked,
    listener: &mut dyn Listener,
) -> Step<(Asked, NamedDocuments, Option<UndefinedTerm>)> {
    let policy = asked.policy.clone();
    let rules = &policy.rules.gather;
    let query = asked.question.query.clone();

    if let Some(token) = &asked.question.confirmation {
        return ControlFlow::Break(decided(tools::confirmed(parts, by, &asked, token, listener).await));
    }
    if let Some(replied) = rules.small_talk.as_ref().and_then(|rules| small_talk::reply(&query, rules, listener)) {
        return ControlFlow::Break(decided(replied));
    }
    if let Some(tool) = tools::asked_for(parts, &asked, rules) {
        return ControlFlow::Break(decided(tools::looked_up(parts, tool, by, &asked, listener).await));
    }
    let (asked, named) = by_address(parts, asked, listener).await?;
    if !named.documents.is_empty() {
        return ControlFlow::Continue((asked, named, None));
    }
    if let Some((rules, request)) = rules.lists.as_ref().zip(asked_list(&query, &rules.document_classes)) {
        let listed = lists::list(parts.searcher.catalogue.as_ref(), &asked, &request, rules, listener).await;
        return ControlFlow::Break(match listed {
            Ok(listed) => decided(listed),
            Err(error) => Way::Failed(asked, error.into()),
        });
    }
    if let Some(rules) = &rules.figures {
        let computed = figures::computed(parts.searcher.catalogue.as_ref(), &asked, rules, listener).await;
        match computed {
            Ok(Some(computed)) => return ControlFlow::Break(decided(computed)),
            Ok(None) => {}
            Err(error) => return ControlFlow::Break(Way::Failed(asked, error.into())),
        }
    }
    let mut undefined = None;
    if let Some((rules_of_terms, vocabulary)) = rules.terminology.as_ref().zip(parts.vocabulary.as_ref())
        && let Route::Terminology { term } =
            by_words(&query, &rules.document_classes, rules_of_terms.longest_term_words)
    {
        match terminology::define(vocabulary, &asked, &term, listener).await {
            Defined::Decided(defined) => return ControlFlow::Break(Way::Decided(defined)),
            Defined::Nowhere(term) => undefined = Some(term),
        }
    }
    let asked = by_topic(parts, by, asked, listener).await?;
    ControlFlow::Continue((asked, named, undefined))
}

/// Resolves the addresses that the question names. Where the documents themselves are asked for, they answer with their own
/// words.
async fn by_address(parts: &Parts, asked: Asked, listener: &mut dyn Listener) -> Step<(Asked, NamedDocuments)> {
    let policy = asked.policy.clone();
    let Some(rules) = &policy.rules.gather.addresses else {
        return ControlFlow::Continue((asked, NamedDocuments::default()));
    };
    let catalogue = parts.searcher.catalogue.as_ref();
    let query = asked.question.query.clone();
    let mentions = addresses::mentions(&query, rules);
    if mentions.is_empty() {
        return ControlFlow::Continue((asked, NamedDocuments::default()));
    }
    let (mut resolved, mentions) = match addresses::resolve(catalogue, &asked.scope, mentions).await {
        Ok(resolved) => resolved,
        Err(error) => return ControlFlow::Break(Way::Failed(asked, error.into())),
    };
    if mentions.is_empty() {
        return ControlFlow::Continue((asked, NamedDocuments::default()));
    }
    resolved.warnings = named::missing(rules, &resolved);
    let answered = if resolved.documents.is_empty() {
        named::not_found(catalogue, &asked, rules, &mentions).await
    } else if let Some(wanted) = addresses::asked_for(&query, &mentions) {
        match named::quoted(catalogue, &asked, rules, &resolved, &wanted, listener).await {
            Ok(DocumentQuotation::Decided(quoted)) => Ok(*quoted),
            Ok(DocumentQuotation::Withdrawn) => named::not_found(catalogue, &asked, rules, &mentions).await,
            Ok(DocumentQuotation::WithoutIt) => return ControlFlow::Continue((asked, resolved)),
            Err(error) => Err(error),
        }
    } else {
        return ControlFlow::Continue((asked, resolved));
    };
    ControlFlow::Break(match answered {
        Ok(answered) => decided(answered),
        Err(error) => Way::Failed(asked, error.into()),
    })
}

/// Where the policy has topics: confines the search to the topic's collections, or asks its tool, or asks back, or says
/// what there is.
async fn by_topic(parts: &Parts, by: Option<SubjectId>, mut asked: Asked, listener: &mut dyn Listener) -> Step<Asked> {
    let policy = asked.policy.clone();
    let gather = &policy.rules.gather;
    let Some(rules) = &gather.topics else { return ControlFlow::Continue(asked) };
    // A topic whose tool cannot be had is as if it were not there.
    let is_there: Vec<bool> = rules
        .topics
        .iter()
        .map(|topic| topic.tool.is_none() || tools::of_topic(parts, &asked, gather, topic).is_some())
        .collect();
    let searches_otherwise = rules.otherwise == Otherwise::Search;
    let mut there = rules.topics.iter().zip(&is_there).filter(|(_, is_there)| **is_there);
    let leads_elsewhere = there.any(|(topic, _)| topic.tool.is_some() || !topic.collections.is_empty());
    if searches_otherwise && !leads_elsewhere {
        return ControlFlow::Continue(asked);
    }
    let (embedder, question) = (&parts.searcher.embedder, asked.clone());
    ControlFlow::Break(match topics::place(&parts.exemplars, embedder, &asked, rules, &is_there).await {
        Ok(TopicRoute::Topic { topic, .. }) => {
            if let Some(tool) = tools::of_topic(parts, &asked, gather, topic) {
                return ControlFlow::Break(decided(tools::looked_up(parts, tool, by, &asked, listener).await));
            }
            if asked.question.collections.is_empty() {
                asked.question.collections.clone_from(&topic.collections);
            }
            return ControlFlow::Continue(asked);
        }
        Ok(_) if searches_otherwise => return ControlFlow::Continue(asked),
        Ok(TopicRoute::Unclear { topics, confidence }) => {
            decided(topics::clarify(&question, rules, &topics, confidence, listener))
        }
        Ok(TopicRoute::Elsewhere { similarity }) => {
            let there = rules.topics.iter().zip(is_there).filter(|(_, is_there)| *is_there);
            let there: Vec<&Topic> = there.map(|(topic, _)| topic).collect();
            decided(topics::out_of_scope(rules, &there, similarity))
        }
        // Without meaning a topic cannot be told: searched without one, never guessed.
        Err(_) => return ControlFlow::Continue(asked),
    })
}
