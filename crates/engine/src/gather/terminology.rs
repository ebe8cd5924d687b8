//! Terminology first: a term's definition, word for word from the vocabulary, or a refusal. No lane runs, no model.

use ibidem_words::degrade::flags;
use ibidem_words::ports::vocabulary::{Concept, Lookup, Vocabulary, VocabularyError};
use ibidem_words::{
    Action, Answer, CharSpan, Citation, CitedSource, GateRecord, Reason, Receipt, ReceiptSource, Refusal,
    RetrievalQuality, SentenceCheck, Sha256Hash, Stretch, StretchKind, Transparency, Verdict,
};
use uuid::Uuid;

use crate::policy::TerminologyRules;
use crate::speak::markup::shown;
use crate::speak::{Listener, Spoken, refuse};
use crate::turn::{Asked, Sifted};

/// A concept whose definition can be quoted.
struct Quoted {
    concept: Concept,
    definition: String,
}

/// Answers a question about a term.
pub async fn define(vocabulary: &dyn Vocabulary, asked: Asked, term: &str, listener: &mut dyn Listener) -> Spoken {
    let lookup = vocabulary.lookup(term).await;
    let failure = lookup.as_ref().err().map(ToString::to_string);
    let answer = match lookup {
        Ok(Lookup::Found { concept, .. }) => match quoted(concept) {
            Some(found) => cite(&asked, &found, listener),
            None => not_found(vocabulary, asked, term, &format!("{term:?} has no definition (0 of at least 1)")).await,
        },
        Ok(Lookup::Ambiguous(concepts)) => clarify(&asked, concepts, listener),
        Ok(Lookup::Unknown) => {
            not_found(vocabulary, asked, term, &format!("{term:?} is in no vocabulary (0 of at least 1 concept)")).await
        }
        Err(error) => unavailable(asked, &error),
    };
    Spoken { failure, ..Spoken::plainly(answer) }
}

fn quoted(concept: Concept) -> Option<Quoted> {
    let definition = concept.definition.as_ref()?.text.clone();
    Some(Quoted { concept, definition })
}

impl Quoted {
    /// Its definition, without what never goes out.
    fn shown(&self) -> String {
        shown(&self.definition, &[self.definition.as_str()])
    }
}

/// What names a concept in an answer: its label and its vocabulary.
fn named(concept: &Concept) -> String {
    shown(&format!("{} ({})", concept.label, concept.vocabulary), &[])
}

fn cite(asked: &Asked, found: &Quoted, listener: &mut dyn Listener) -> Answer {
    let text = format!("{}: “{}”[1]", named(&found.concept), found.shown());
    let citation = citation(asked, 1, found);
    listener.sentence(&text, vec![citation.clone()]);
    let stretch = definition(text, &citation);
    Answer { action: Action::Cite, ..spoken(asked, vec![citation], vec![stretch], gate(1, Verdict::Pass)) }
}

/// Several meanings: each with its vocabulary and its definition, for the asker to choose.
fn clarify(asked: &Asked, concepts: Vec<Concept>, listener: &mut dyn Listener) -> Answer {
    let count = concepts.len();
    let suggestions = concepts.iter().map(named).collect();
    let asking = rules(asked).map_or_else(String::new, |rules| rules.wording.ambiguous.trim().to_owned());
    let mut citations = Vec::new();
    let mut stretches = vec![Stretch::policy(asking)];
    for concept in concepts {
        let name = named(&concept);
        let stretch = match quoted(concept) {
            Some(found) => {
                let marker = u32::try_from(citations.len() + 1).unwrap_or(u32::MAX);
                let citation = citation(asked, marker, &found);
                let stretch = definition(format!("\n- {name}: “{}”[{marker}]", found.shown()), &citation);
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
    let answer = Answer {
        action: Action::Clarify,
        reason: Some(Reason::TerminologyAmbiguous),
        suggestions,
        ..spoken(asked, citations, stretches, gate(count, Verdict::Warn))
    };
    listener.sentence(&answer.answer, answer.citations.clone());
    answer
}

/// A definition, word for word, with the name it has in its vocabulary.
fn definition(text: String, citation: &Citation) -> Stretch {
    let sources = vec![ReceiptSource::from(citation)];
    Stretch { text, kind: StretchKind::Claim, check: SentenceCheck::verbatim(), sources }
}

async fn not_found(vocabulary: &dyn Vocabulary, asked: Asked, term: &str, explanation: &str) -> Answer {
    let wanted = rules(&asked).map_or(0, |rules| rules.suggestions);
    // Suggestions are a kindness: a backend that cannot make any is no reason to fail.
    let closest = if wanted == 0 { Vec::new() } else { vocabulary.closest(term, wanted).await.unwrap_or_default() };
    let suggestion = |term: String| rules(&asked).map(|rules| rules.wording.suggestion.replace("{term}", &term));
    let mut suggestions: Vec<String> = closest.into_iter().filter_map(suggestion).collect();
    suggestions.extend(asked.policy.rules.wording.next_steps.iter().cloned());
    let refusal = Refusal { reason: Reason::TerminologyNotFound, explanation: explanation.to_owned(), suggestions };
    let words = rules(&asked).map_or_else(String::new, |rules| rules.wording.not_found.clone());
    refused(asked, &refusal, &words, Vec::new())
}

fn unavailable(asked: Asked, error: &VocabularyError) -> Answer {
    let wording = rules(&asked).map(|rules| rules.wording.clone());
    let (reason, words, mut flags, explanation) = match error {
        VocabularyError::Timeout(limit) => (
            Reason::TerminologyTimeout,
            wording.map(|wording| wording.timeout),
            vec![flags::SKOSMOS_TIMEOUT.to_owned()],
            format!("The vocabulary did not answer within its time ({limit} ms)"),
        ),
        // What is wrong with the server is the operator's business, and in the log.
        VocabularyError::Unavailable(_) | VocabularyError::CircuitOpen { .. } => (
            Reason::TerminologyError,
            wording.map(|wording| wording.error),
            Vec::new(),
            "Vocabularies that answered (0 of 1): the term could not be looked up".to_owned(),
        ),
        VocabularyError::InvalidTerm => {
            (Reason::TerminologyNotFound, wording.map(|wording| wording.not_found), Vec::new(), error.to_string())
        }
    };
    flags::not_asked(&mut flags, error);
    let refusal = Refusal { reason, explanation, suggestions: vec!["Ask again in a moment.".to_owned()] };
    refused(asked, &refusal, &words.unwrap_or_default(), flags)
}

fn refused(asked: Asked, refusal: &Refusal, words: &str, fallback_reasons: Vec<String>) -> Answer {
    let trace = vec![gate(0, Verdict::Stop)];
    let sifted = Sifted { fallback_reasons, trace, ..Sifted::unsearched(asked) };
    Answer { answer: words.trim().to_owned(), ..refuse(sifted, refusal) }
}

fn rules(asked: &Asked) -> Option<&TerminologyRules> {
    asked.policy.rules.gather.terminology.as_ref()
}

fn gate(concepts: usize, verdict: Verdict) -> GateRecord {
    GateRecord { gate: "terminology".to_owned(), verdict, observed: concepts as f64, threshold: 1.0 }
}

/// A concept's definition as a source: its URI in place of a document's id.
fn citation(asked: &Asked, marker: u32, found: &Quoted) -> Citation {
    let Quoted { concept, definition } = found;
    let length = u32::try_from(definition.chars().count()).unwrap_or(u32::MAX);
    Citation {
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
        relevance_score: 1.0,
        snippet: Citation::snippet_of(definition),
        snippet_full: definition.clone(),
        span: CharSpan { start: 0, end: length },
        document_sha256: Sha256Hash::of(definition.as_bytes()),
    }
}

fn spoken(asked: &Asked, citations: Vec<Citation>, stretches: Vec<Stretch>, gate: GateRecord) -> Answer {
    let receipt = Receipt::unsealed(None, stretches);
    Answer {
        request_id: asked.request_id,
        action: Action::Cite,
        answer: receipt.text(),
        refused: false,
        refusal_reason: None,
        reason: None,
        grounded: !citations.is_empty(),
        context_chunks_used: citations.len(),
        citations,
        confidence: None,
        retrieval_quality: RetrievalQuality::of(1.0, Vec::new()),
        transparency: Transparency { statement: None, show_to_user: false },
        route_to: None,
        suggestions: Vec::new(),
        warnings: Vec::new(),
        model_used: None,
        context_tokens_used: 0,
        generation_time_ms: 0,
        trace: vec![gate],
        receipt: Some(receipt),
    }
}
