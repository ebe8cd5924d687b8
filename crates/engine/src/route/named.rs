//! Answers about documents that the asker named: the documents themselves, or that there are none of that name.

use std::collections::{BTreeMap, BTreeSet};

use crate::candidate::Candidate;
use ibidem_language::asking::SUCCESSOR;
use ibidem_language::markers::with_marker;
use ibidem_language::sentences::Sentence;
use ibidem_ports::catalogue::{AddressedDocument, Catalogue, CatalogueError, CataloguePassage};
use ibidem_words::{AddressKey, DocumentId, GateRecord, Offer, PassageKey, Reason, Refusal, Verdict};

use super::addresses::{Mention, Wanted, nearest};
use super::{matter, titled};
use crate::draft::CheckedSentence;
use crate::listener::Listener;
use crate::outcome::{Decided, Refused};
use crate::policy::AddressRules;
use crate::speak::markup::sanitize;
use crate::speak::quote;
use crate::turn::{Asked, NamedDocuments, TurnLog};

/// None of the addresses exists: never a guess, but the nearest that do.
pub(crate) async fn not_found(
    catalogue: &dyn Catalogue,
    asked: &Asked,
    rules: &AddressRules,
    mentions: &[Mention<'_>],
) -> Result<Decided, CatalogueError> {
    let mut offers = Vec::new();
    for mention in mentions {
        let near = nearest(catalogue, &asked.scope, mention, rules.suggestions).await?;
        let texts = titled::suggestions(catalogue, &asked.scope, &near, &rules.wording.suggestion).await?;
        for (address, text) in near.into_iter().zip(texts).take(rules.suggestions) {
            // The same question of the other document, or else what that says from its beginning.
            let whole = asked.policy.rules.wording.texts().whole_document.replace("{address}", &address);
            let same = asked.question.query.replace(&mention.written, &address);
            offers.extend([same, whole].map(|query| Offer { text: text.clone(), query }));
        }
    }
    let written = mentions.iter().map(|mention| mention.written.as_str()).collect::<Vec<_>>().join(", ");
    let refusal = Refusal {
        reason: Reason::EntityNotFound,
        explanation: format!("{written} is the address of no document (0 of at least 1)"),
        suggestions: asked.policy.rules.wording.next_steps.clone(),
    };
    let text = rules.wording.not_found.trim().replace("{address}", &written);
    let refused = Refused { offers, ..Refused::saying(text, refusal) };
    Ok(Decided::refused_by_rule(refused, gate(0)))
}

/// What became of quoting documents.
pub(crate) enum DocumentQuotation {
    Decided(Box<Decided>),
    /// They are not there any more.
    Withdrawn,
    /// They do not have, by their words, what is asked for.
    WithoutIt,
}

/// Passages of a document that are looked through for what is asked for.
const MOST_LOOKED_THROUGH: usize = 60;

/// The documents' own words, with no search and no model: from their beginning, those below the headings that are asked
/// for, or what they say about something by its own words.
pub(crate) async fn quoted(
    catalogue: &dyn Catalogue,
    asked: &Asked,
    rules: &AddressRules,
    resolved: &NamedDocuments,
    wanted: &Wanted,
    listener: &mut dyn Listener,
) -> Result<DocumentQuotation, CatalogueError> {
    let mut documents = resolved.documents.clone();
    let mut read = first_passages(catalogue, asked, rules, &documents, wanted).await?;
    if matches!(wanted, Wanted::Parts(parts) if parts.contains(&SUCCESSOR)) {
        let replaced_by = read.iter().flat_map(|passage| &passage.validity.replaced_by);
        let keys: BTreeSet<AddressKey> = replaced_by.filter_map(|address| AddressKey::of(address)).collect();
        let successors = catalogue.addressed(&asked.scope, None, &keys.into_iter().collect::<Vec<_>>()).await?;
        let known: BTreeSet<DocumentId> = documents.iter().map(|named| named.document).collect();
        documents.extend(successors.into_iter().filter(|successor| !known.contains(&successor.document)));
        read = first_passages(catalogue, asked, rules, &documents, wanted).await?;
    }
    // Withdrawn between the two reads: as if it had never been there. What asks for more than the document is searched for.
    if read.is_empty() {
        return Ok(if matches!(wanted, Wanted::Matter(_)) {
            DocumentQuotation::WithoutIt
        } else {
            DocumentQuotation::Withdrawn
        });
    }
    let mut warnings = resolved.warnings.clone();
    let mut all: u64 = documents.iter().map(|named| u64::from(named.passages)).sum();
    let mut quoted: Vec<(CataloguePassage, Vec<String>)> = match wanted {
        Wanted::Whole => read.into_iter().map(whole).collect(),
        Wanted::Parts(parts) => read.into_iter().filter(|passage| is_part(passage, parts)).map(whole).collect(),
        Wanted::Matter(wanted) => matter::passages_about(wanted, read),
    };
    if *wanted != Wanted::Whole {
        all = quoted.len() as u64;
        let is_quoted =
            |named: &&AddressedDocument| quoted.iter().any(|(one, _)| one.passage.document == named.document);
        let (speaking, silent): (Vec<_>, Vec<_>) = documents.iter().partition(is_quoted);
        let must_all_speak = matches!(wanted, Wanted::Parts(_));
        if speaking.is_empty() || (must_all_speak && !silent.is_empty()) {
            return Ok(DocumentQuotation::WithoutIt);
        }
        if !silent.is_empty() && !rules.wording.silent.trim().is_empty() {
            let addresses: Vec<&str> = silent.iter().map(|named| named.address.as_str()).collect();
            warnings.push(rules.wording.silent.replace("{addresses}", &addresses.join(", ")));
        }
        // Of several documents each gets its share, and a range of short ones is quoted whole.
        let each = share(rules, &documents);
        let mut counts: BTreeMap<DocumentId, usize> = BTreeMap::new();
        quoted.retain(|(passage, _)| {
            let count = counts.entry(passage.passage.document).or_default();
            *count += 1;
            *count <= each
        });
    }
    let covered = quoted.len() as f64 / all.max(1) as f64;
    if all > quoted.len() as u64 {
        let shortened = rules.wording.shortened.replace("{quoted}", &quoted.len().to_string());
        warnings.push(shortened.replace("{all}", &all.to_string()));
    }
    let claims = (1_u32..).zip(&quoted).flat_map(|(number, (_, texts))| {
        texts.iter().map(move |text| Sentence::claim(with_marker(text.trim(), number) + "\n\n", vec![number]))
    });
    let sentences: Vec<CheckedSentence> = claims.map(CheckedSentence::verbatim).collect();
    let evidence: Vec<Candidate> = quoted
        .into_iter()
        .map(|(passage, _)| Candidate { addressed: true, forced: true, ..Candidate::unscored(passage) })
        .collect();
    let log = TurnLog { warnings, ..TurnLog::of(gate(resolved.documents.len())) };
    Ok(DocumentQuotation::Decided(Box::new(quote(asked, &evidence, log, &sentences, covered, listener))))
}

/// A passage, and all of its text.
pub(super) fn whole(passage: CataloguePassage) -> (CataloguePassage, Vec<String>) {
    let text = sanitize(&passage.text, &[passage.text.as_str()]);
    (passage, vec![text])
}

/// The passages that each of the documents may be quoted with.
fn share(rules: &AddressRules, documents: &[AddressedDocument]) -> usize {
    let of_all = if documents.len() > 1 { rules.quoted_of_several() } else { rules.quoted_passages };
    (of_all / documents.len().max(1)).min(rules.quoted_passages).max(1)
}

/// The first passages of documents, in order: each document's share, or as many as are looked through.
async fn first_passages(
    catalogue: &dyn Catalogue,
    asked: &Asked,
    rules: &AddressRules,
    documents: &[AddressedDocument],
    wanted: &Wanted,
) -> Result<Vec<CataloguePassage>, CatalogueError> {
    let most = if *wanted == Wanted::Whole { share(rules, documents) } else { MOST_LOOKED_THROUGH };
    let keys = first_keys(documents, most);
    let mut read = catalogue.visible(&asked.scope, &keys).await?;
    if read.len() < keys.len() {
        read = read_again(catalogue, asked, documents, most).await?;
    }
    let place = |document: DocumentId| documents.iter().position(|named| named.document == document);
    read.sort_by_key(|passage| (place(passage.passage.document), passage.passage.chunk_index));
    Ok(read)
}

/// Documents may have been replaced since they were looked up: their new versions are read. What was withdrawn is not.
async fn read_again(
    catalogue: &dyn Catalogue,
    asked: &Asked,
    documents: &[AddressedDocument],
    most: usize,
) -> Result<Vec<CataloguePassage>, CatalogueError> {
    let addresses: Vec<AddressKey> = documents.iter().map(|named| named.key.clone()).collect();
    let mut now = catalogue.addressed(&asked.scope, None, &addresses).await?;
    now.retain(|named| documents.iter().any(|known| known.document == named.document));
    catalogue.visible(&asked.scope, &first_keys(&now, most)).await
}

fn first_keys(documents: &[AddressedDocument], most: usize) -> Vec<PassageKey> {
    let most = u32::try_from(most).unwrap_or(u32::MAX);
    let of_document = |named: &AddressedDocument| {
        let (document, version) = (named.document, named.version);
        (0..named.passages.min(most)).map(move |chunk_index| PassageKey { document, version, chunk_index })
    };
    documents.iter().flat_map(of_document).collect()
}

/// Whether a passage stands below one of these headings.
fn is_part(passage: &CataloguePassage, parts: &[&str]) -> bool {
    let is_asked = |heading: &str| {
        let words = heading.trim_start_matches(|sign: char| !sign.is_alphabetic()).trim_end_matches([':', ' ']);
        parts.contains(&words.to_lowercase().as_str())
    };
    passage.section.as_deref().is_some_and(|section| section.split(" > ").any(is_asked))
}

/// What is said beside an answer about the addresses that do exist: which do not, and what was not looked up.
pub fn missing(rules: &AddressRules, resolved: &NamedDocuments) -> Vec<String> {
    let some = !resolved.missing.is_empty();
    let missing = some.then(|| rules.wording.partly.replace("{addresses}", &resolved.missing.join(", ")));
    let shortened = resolved
        .shortened
        .iter()
        .map(|(range, count)| rules.wording.range.replace("{range}", range).replace("{count}", &count.to_string()));
    missing.into_iter().chain(shortened).collect()
}

fn gate(documents: usize) -> GateRecord {
    let verdict = if documents == 0 { Verdict::Stop } else { Verdict::Pass };
    GateRecord { gate: "address".to_owned(), verdict, observed: documents as f64, threshold: 1.0 }
}
