//! Answers about documents that the asker named: the documents themselves, or that there are none of that name.

use ibidem_language::markers::with_marker;
use ibidem_language::sentences::Sentence;
use ibidem_words::ports::catalogue::{Catalogue, CatalogueError};
use ibidem_words::{Candidate, GateRecord, PassageKey, Reason, Refusal, Verdict};

use super::addresses::{Mention, nearest};
use super::titled;
use crate::draft::Said;
use crate::listener::Listener;
use crate::outcome::{Decided, Refused};
use crate::policy::AddressRules;
use crate::speak::markup::shown;
use crate::speak::quote;
use crate::turn::{Asked, NamedDocuments, TurnLog};

/// None of the addresses exists: never a guess, but the nearest that do.
pub(crate) async fn not_found(
    catalogue: &dyn Catalogue,
    asked: &Asked,
    rules: &AddressRules,
    mentions: &[Mention<'_>],
) -> Result<Decided, CatalogueError> {
    let mut suggestions = Vec::new();
    for mention in mentions {
        let near = nearest(catalogue, &asked.scope, mention, rules.suggestions).await?;
        suggestions.extend(titled::suggestions(catalogue, &asked.scope, &near, &rules.wording.suggestion).await?);
    }
    suggestions.truncate(rules.suggestions);
    if suggestions.is_empty() {
        suggestions.clone_from(&asked.policy.rules.wording.next_steps);
    }
    let written = mentions.iter().map(|mention| mention.written.as_str()).collect::<Vec<_>>().join(", ");
    let refusal = Refusal {
        reason: Reason::EntityNotFound,
        explanation: format!("{written} is the address of no document (0 of at least 1)"),
        suggestions,
    };
    let text = rules.wording.not_found.trim().replace("{address}", &written);
    Ok(Decided::refused_by_rule(Refused::saying(text, refusal), gate(0)))
}

/// The documents' own words, from their beginning, with no search and no model.
pub(crate) async fn quoted(
    catalogue: &dyn Catalogue,
    asked: &Asked,
    rules: &AddressRules,
    resolved: &NamedDocuments,
    listener: &mut dyn Listener,
) -> Result<Option<Decided>, CatalogueError> {
    // Of several documents each gets its share, and a range of short ones is quoted whole.
    let each = (rules.quoted_passages / resolved.documents.len().max(1)).max(1);
    let keys: Vec<PassageKey> = resolved
        .documents
        .iter()
        .flat_map(|named| {
            let passages = named.passages.min(u32::try_from(each).unwrap_or(u32::MAX));
            (0..passages).map(|chunk_index| PassageKey {
                document: named.document,
                version: named.version,
                chunk_index,
            })
        })
        .collect();
    let mut read = catalogue.visible(&asked.scope, &keys).await?;
    // Withdrawn between the two reads: as if it had never been there.
    if read.is_empty() {
        return Ok(None);
    }
    read.sort_by_key(|passage| keys.iter().position(|key| *key == passage.passage));
    let all: u64 = resolved.documents.iter().map(|named| u64::from(named.passages)).sum();
    let mut warnings = missing(rules, resolved);
    if all > read.len() as u64 {
        let shortened = rules.wording.shortened.replace("{quoted}", &read.len().to_string());
        warnings.push(shortened.replace("{all}", &all.to_string()));
    }
    let sentences: Vec<Sentence> = (1_u32..)
        .zip(&read)
        .map(|(number, passage)| {
            let text = shown(&passage.text, &[passage.text.as_str()]);
            Sentence::claim(with_marker(text.trim(), number) + "\n\n", vec![number])
        })
        .collect();
    let evidence: Vec<Candidate> = read
        .into_iter()
        .map(|passage| Candidate { addressed: true, forced: true, ..Candidate::unscored(passage) })
        .collect();
    let log = TurnLog { warnings, ..TurnLog::of(gate(resolved.documents.len())) };
    let said: Vec<Said> = sentences.into_iter().map(Said::verbatim).collect();
    Ok(Some(quote(asked, &evidence, log, &said, listener)))
}

/// What is said beside an answer about the addresses that do exist.
pub fn missing(rules: &AddressRules, resolved: &NamedDocuments) -> Vec<String> {
    let some = !resolved.missing.is_empty();
    some.then(|| rules.wording.partly.replace("{addresses}", &resolved.missing.join(", "))).into_iter().collect()
}

fn gate(documents: usize) -> GateRecord {
    let verdict = if documents == 0 { Verdict::Stop } else { Verdict::Pass };
    GateRecord { gate: "address".to_owned(), verdict, observed: documents as f64, threshold: 1.0 }
}
