//! Terminology first: a term's definition, word for word from the vocabulary. No lane runs, no model.
//!
//! A term that no vocabulary defines is a question for the documents, unless the policy says otherwise. Where they do not
//! answer either, it is refused as a term.

use ibidem_ports::degrade::{Fault as _, Part};
use ibidem_ports::vocabulary::{Concept, Lookup, Vocabulary, VocabularyError, VocabularyFault};
use ibidem_words::Fallback;
use ibidem_words::{
    CharSpan, Citation, CitedSource, GateRecord, Offer, Reason, Receipt, ReceiptSource, Refusal, SentenceCheck,
    Sha256Hash, Stretch, StretchKind, Verdict,
};
use uuid::Uuid;

use crate::listener::Listener;
use crate::no_look_alike;
use crate::outcome::{Cited, Clarified, Decided, Outcome, Refused, Retrieval, Writing};
use crate::policy::TerminologyRules;
use crate::speak::markup::sanitize;
use crate::turn::{Asked, TurnLog};

/// A concept whose definition can be quoted.
struct QuotableConcept {
    concept: Concept,
    definition: String,
}

/// A term that no vocabulary defines.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct UndefinedTerm {
    term: String,
    /// With the numbers.
    explanation: String,
}

/// What a vocabulary says of a term.
pub(crate) enum Defined {
    Decided(Box<Decided>),
    /// Nothing, and the documents may be asked.
    Nowhere(UndefinedTerm),
}

/// Answers a question about a term.
pub(crate) async fn define(
    vocabulary: &Part<dyn Vocabulary>,
    asked: &Asked,
    term: &str,
    listener: &mut dyn Listener,
) -> Defined {
    let lookup = vocabulary.call(asked.deadline, |vocabulary| vocabulary.lookup(term)).await;
    let lookup = in_one_vocabulary(vocabulary, asked, term, lookup).await;
    let failure = lookup.as_ref().err().map(ToString::to_string);
    let decided = match lookup {
        Ok(Lookup::Found { concept, .. }) => match quoted(concept) {
            Some(found) => cite(asked, &found, listener),
            None => {
                return nowhere(vocabulary, asked, term, format!("{term:?} has no definition (0 of at least 1)")).await;
            }
        },
        Ok(Lookup::Ambiguous(concepts)) => clarify(asked, term, concepts, listener),
        Ok(Lookup::Unknown) => {
            let explanation = format!("{term:?} is in no vocabulary (0 of at least 1 concept)");
            return nowhere(vocabulary, asked, term, explanation).await;
        }
        Err(error) => unavailable(asked, &error),
    };
    Defined::Decided(Box::new(Decided { failure, ..decided }))
}

/// A term with its vocabulary behind it in brackets, as a clarification offers it: the meaning that it has there.
async fn in_one_vocabulary(
    vocabulary: &Part<dyn Vocabulary>,
    asked: &Asked,
    term: &str,
    lookup: Result<Lookup, VocabularyError>,
) -> Result<Lookup, VocabularyError> {
    let parted = term.strip_suffix(')').and_then(|rest| rest.rsplit_once(" ("));
    let Some((bare, id)) = parted.filter(|_| matches!(lookup, Ok(Lookup::Unknown))) else { return lookup };
    let meanings = match vocabulary.call(asked.deadline, |vocabulary| vocabulary.lookup(bare)).await? {
        Lookup::Ambiguous(concepts) => concepts,
        Lookup::Found { concept, .. } => vec![concept],
        Lookup::Unknown => Vec::new(),
    };
    let is_of_it = |concept: &Concept| concept.vocabulary.eq_ignore_ascii_case(id);
    Ok(Lookup::among(meanings.into_iter().filter(is_of_it).collect()))
}

async fn nowhere(vocabulary: &Part<dyn Vocabulary>, asked: &Asked, term: &str, explanation: String) -> Defined {
    let undefined = UndefinedTerm { term: term.to_owned(), explanation };
    if !rules(asked).is_some_and(|rules| rules.vocabulary_only) {
        return Defined::Nowhere(undefined);
    }
    let offers = undefined.offers(vocabulary, asked).await;
    let mut decided = refused(&undefined.words(asked), undefined.refusal(asked, None), Vec::new());
    if let Outcome::Refused(refused) = &mut decided.outcome {
        refused.offers = offers;
    }
    Defined::Decided(Box::new(decided))
}

impl UndefinedTerm {
    /// What is said of it.
    pub(crate) fn words(&self, asked: &Asked) -> String {
        rules(asked).map_or_else(String::new, |rules| rules.wording.not_found.trim().to_owned())
    }

    /// What was found of it, before the documents were asked.
    pub(crate) fn gate(&self) -> GateRecord {
        gate(0, Verdict::Warn)
    }

    /// The question with each of the closest terms in place of this one.
    pub(crate) async fn offers(&self, vocabulary: &Part<dyn Vocabulary>, asked: &Asked) -> Vec<Offer> {
        let Some(rules) = rules(asked).filter(|rules| rules.suggestions > 0) else { return Vec::new() };
        // Offers are a kindness: a backend that cannot make any is no reason to fail.
        let closest = vocabulary.aside(asked.deadline, |own| own.closest(&self.term, rules.suggestions)).await;
        let offer = |term: String| Offer {
            text: rules.wording.suggestion.replace("{term}", &term),
            query: with_term(&asked.question.query, &self.term, &term),
        };
        closest.unwrap_or_default().into_iter().map(offer).collect()
    }

    /// Refuses it, and says why the documents do not answer either where they were asked.
    pub(crate) fn refusal(&self, asked: &Asked, of_documents: Option<&Refusal>) -> Refusal {
        let suggestions = asked.policy.rules.wording.next_steps.clone();
        let explanation = match of_documents {
            Some(refusal) => format!("{}. {}", self.explanation, refusal.explanation),
            None => self.explanation.clone(),
        };
        Refusal { reason: Reason::TerminologyNotFound, explanation, suggestions }
    }
}

/// The question with another term in place of the one that it asks about.
fn with_term(query: &str, term: &str, other: &str) -> String {
    let lower = query.to_lowercase();
    // Letters whose small form is longer would move the place.
    let at = lower.find(term).filter(|at| lower.len() == query.len() && query.is_char_boundary(*at));
    match at.and_then(|at| Some((query.get(..at)?, query.get(at + term.len()..)?))) {
        Some((before, after)) => format!("{before}{other}{after}"),
        None => format!("define {other}"),
    }
}

fn quoted(concept: Concept) -> Option<QuotableConcept> {
    let definition = concept.definition.as_ref()?.text.clone();
    Some(QuotableConcept { concept, definition })
}

impl QuotableConcept {
    /// Its definition, without what never goes out.
    fn render(&self) -> String {
        sanitize(&self.definition, &[self.definition.as_str()])
    }
}

/// What names a concept in an answer: its label and its vocabulary.
fn named(concept: &Concept) -> String {
    sanitize(&format!("{} ({})", concept.label, concept.vocabulary), &[])
}

/// How a vocabulary is told of: it was asked, and it answered.
const LOOKED_UP: Retrieval = Retrieval { base: 1.0, is_by_rule: true };

fn cite(asked: &Asked, found: &QuotableConcept, listener: &mut dyn Listener) -> Decided {
    let text = format!("{}: “{}”[1]", named(&found.concept), found.render());
    let citation = citation(asked, 1, found);
    listener.sentence(&text, vec![citation.clone()]);
    let receipt = Receipt::unsealed(None, vec![definition(text, &citation)]);
    let writing = Writing { passages: 1, ..Writing::default() };
    let cited = Cited { receipt, citations: vec![citation], confidence: None, writing };
    Decided::plainly(Outcome::Cited(cited), LOOKED_UP, TurnLog::of(gate(1, Verdict::Pass)))
}

/// Several meanings: each with its vocabulary and its definition, for the asker to choose.
fn clarify(asked: &Asked, term: &str, concepts: Vec<Concept>, listener: &mut dyn Listener) -> Decided {
    let count = concepts.len();
    let offer = |text: String| Offer { query: with_term(&asked.question.query, term, &text), text };
    let offers = concepts.iter().map(named).map(offer).collect();
    let asking = rules(asked).map_or_else(String::new, |rules| rules.wording.ambiguous.trim().to_owned());
    let mut citations = Vec::new();
    let mut stretches = vec![Stretch::policy(asking)];
    for concept in concepts {
        let name = named(&concept);
        let stretch = match quoted(concept) {
            Some(found) => {
                let marker = u32::try_from(citations.len() + 1).unwrap_or(u32::MAX);
                let citation = citation(asked, marker, &found);
                let stretch = definition(format!("\n- {name}: “{}”[{marker}]", found.render()), &citation);
                citations.push(citation);
                stretch
            }
            // A label of the vocabulary, which says nothing.
            None => {
                let check = SentenceCheck { by: "structure".to_owned(), ..SentenceCheck::verbatim() };
                Stretch { text: format!("\n- {name}"), kind: StretchKind::Structure, check, sources: Vec::new() }
            }
        };
        stretches.push(stretch);
    }
    let receipt = Receipt::unsealed(None, stretches);
    let text = receipt.text();
    listener.sentence(&text, citations.clone());
    let clarified = Clarified {
        text,
        reason: Some(Reason::TerminologyAmbiguous),
        explanation: None,
        offers,
        details: Vec::new(),
        quoted: Some((receipt, citations)),
    };
    Decided::plainly(Outcome::Clarified(clarified), LOOKED_UP, TurnLog::of(gate(count, Verdict::Warn)))
}

/// A definition, word for word, with the name it has in its vocabulary.
fn definition(text: String, citation: &Citation) -> Stretch {
    let sources = vec![ReceiptSource::from(citation)];
    Stretch { text, kind: StretchKind::Claim, check: SentenceCheck::verbatim(), sources }
}

fn unavailable(asked: &Asked, error: &VocabularyError) -> Decided {
    let wording = rules(asked).map(|rules| rules.wording.clone());
    let (reason, words, mut flags, explanation) = match error {
        VocabularyError::Timeout(limit) => (
            Reason::TerminologyTimeout,
            wording.map(|wording| wording.timeout),
            vec![Fallback::SkosmosTimeout],
            format!("The vocabulary did not answer within its time ({limit} ms)"),
        ),
        // What is wrong with the server is the operator's business, and in the log.
        VocabularyError::Unavailable(_) | VocabularyError::CircuitOpen { .. } => (
            Reason::TerminologyError,
            wording.map(|wording| wording.error),
            Vec::new(),
            "Vocabularies that answered (0 of 1): the term could not be looked up".to_owned(),
        ),
        VocabularyError::Own(VocabularyFault::InvalidTerm) => {
            (Reason::TerminologyNotFound, wording.map(|wording| wording.not_found), Vec::new(), error.to_string())
        }
    };
    error.raise_if_not_asked(&mut flags);
    let refusal = Refusal { reason, explanation, suggestions: vec![asked.policy.rules.wording.texts().again.clone()] };
    refused(&words.unwrap_or_default(), refusal, flags)
}

fn refused(words: &str, refusal: Refusal, fallback_reasons: Vec<Fallback>) -> Decided {
    let log = TurnLog { fallback_reasons, ..TurnLog::of(gate(0, Verdict::Stop)) };
    let refused = Refused::saying(words.trim().to_owned(), refusal);
    Decided::plainly(Outcome::Refused(refused), Retrieval::searched(0.0), log)
}

fn rules(asked: &Asked) -> Option<&TerminologyRules> {
    asked.policy.rules.gather.terminology.as_ref()
}

fn gate(concepts: usize, verdict: Verdict) -> GateRecord {
    GateRecord { gate: "terminology".to_owned(), verdict, observed: concepts as f64, threshold: 1.0 }
}

/// A concept's definition as a source: its URI in place of a document's id.
fn citation(asked: &Asked, marker: u32, found: &QuotableConcept) -> Citation {
    let QuotableConcept { concept, definition } = found;
    let length = u32::try_from(definition.chars().count()).unwrap_or(u32::MAX);
    let citation = Citation {
        marker,
        source_id: CitedSource::Concept(concept.uri.clone()),
        document_id: Uuid::new_v5(&Uuid::NAMESPACE_URL, concept.uri.as_bytes()),
        document_name: named(concept),
        version: 1,
        // When it was looked up: vocabularies do not say when they changed.
        updated_at: asked.at,
        chunk_index: 0,
        page_number: None,
        section: Some(concept.label.clone()),
        cells: None,
        relevance_score: 1.0,
        snippet: no_look_alike::snippet_of(definition),
        snippet_full: definition.clone(),
        span: CharSpan { start: 0, end: length },
        document_sha256: Sha256Hash::of(definition.as_bytes()),
        address: None,
        collection: None,
        file: None,
        link: Some(concept.uri.clone()),
        status: None,
        replaced_by: Vec::new(),
        tool: None,
    };
    no_look_alike::citation(citation)
}
