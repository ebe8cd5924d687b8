//! Lists of documents, from the catalogue, in one order, and no model.

use crate::candidate::Candidate;
use ibidem_language::markers::with_marker;
use ibidem_language::sentences::Sentence;
use ibidem_language::significant_terms;
use ibidem_ports::catalogue::{Catalogue, CatalogueError, DocumentFilter, DocumentList, ListedDocument};
use ibidem_words::{GateRecord, PassageKey, Reason, Refusal, SentenceCheck, Verdict};

use super::rules::{after_command, words};
use crate::draft::CheckedSentence;
use crate::listener::Listener;
use crate::outcome::{Decided, Refused};
use crate::policy::{DocumentClasses, ListRules};
use crate::speak::markup::sanitize;
use crate::speak::quote;
use crate::turn::{Asked, TurnLog};

/// What is to be listed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ListRequest {
    /// A collection's name; all of them when none is named.
    pub collection: Option<String>,
    /// Words that the documents must have.
    pub about: Option<String>,
}

/// "List ADRs about security", "show all principles"; none when nothing that can be listed is asked for.
pub fn asked_list(query: &str, classes: &DocumentClasses) -> Option<ListRequest> {
    let query = query.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    let all = words(&query);
    let rest = after_command(&all)?;
    let names_documents = |word: &&str| matches!(*word, "document" | "documents") || classes.collection(word).is_some();
    let place = rest.iter().position(names_documents)?;
    let after = match &rest[place + 1..] {
        [] => "",
        ["about" | "on" | "for" | "regarding" | "concerning" | "with" | "containing" | "mentioning", about @ ..]
        | ["related", "to", about @ ..]
        | ["that" | "which", "mention" | "concern" | "contain" | "are", "about", about @ ..]
        | ["that" | "which", "mention" | "concern" | "contain", about @ ..] => &about.join(" "),
        // Something else is asked of them: a question for the documents.
        _ => return None,
    };
    let terms: Vec<String> = significant_terms(&format!("{} {after}", rest[..place].join(" "))).into_iter().collect();
    Some(ListRequest {
        collection: classes.collection(rest[place]).map(str::to_owned),
        about: (!terms.is_empty()).then(|| terms.join(" ")),
    })
}

/// Answers with the list, or says that there is nothing to list.
pub(crate) async fn list(
    catalogue: &dyn Catalogue,
    asked: &Asked,
    request: &ListRequest,
    rules: &ListRules,
    listener: &mut dyn Listener,
) -> Result<Decided, CatalogueError> {
    let collections = match &request.collection {
        Some(collection) => vec![collection.clone()],
        None => asked.question.collections.iter().map(|collection| collection.as_str().to_owned()).collect(),
    };
    let filter = DocumentFilter { collections, about: request.about.clone(), most: rules.most };
    let mut listed = catalogue.list(&asked.scope, &filter).await?;
    let mut passages = catalogue.visible(&asked.scope, &first_passages(&listed)).await?;
    // What was replaced between the two reads is listed as it is now, and what was withdrawn is not listed.
    if passages.len() < listed.documents.len() {
        listed = catalogue.list(&asked.scope, &filter).await?;
        passages = catalogue.visible(&asked.scope, &first_passages(&listed)).await?;
    }
    let DocumentList { documents, total } = listed;
    let read =
        |document: &ListedDocument| passages.iter().find(|read| read.passage == first_passage(document)).cloned();
    let evidence: Vec<(ListedDocument, Candidate)> = documents
        .into_iter()
        .filter_map(|document| read(&document).map(|passage| (document, passage)))
        .map(|(document, passage)| (document, Candidate { addressed: true, ..Candidate::unscored(passage) }))
        .collect();
    if evidence.is_empty() {
        return Ok(nothing(asked, request, rules));
    }
    Ok(list_answer(asked, rules, total, evidence, listener))
}

fn first_passages(list: &DocumentList) -> Vec<PassageKey> {
    list.documents.iter().map(first_passage).collect()
}

fn nothing(asked: &Asked, request: &ListRequest, rules: &ListRules) -> Decided {
    let refusal = Refusal {
        reason: Reason::NoResults,
        explanation: format!("Documents{} that can be listed (0 of at least 1)", described(request)),
        suggestions: asked.policy.rules.wording.next_steps.clone(),
    };
    let text = rules.wording.nothing.trim().to_owned();
    Decided::refused_by_rule(Refused::saying(text, refusal), gate(0, Verdict::Stop))
}

fn list_answer(
    asked: &Asked,
    rules: &ListRules,
    total: u64,
    listed: Vec<(ListedDocument, Candidate)>,
    listener: &mut dyn Listener,
) -> Decided {
    let (documents, evidence): (Vec<ListedDocument>, Vec<Candidate>) = listed.into_iter().unzip();
    let wording = &rules.wording;
    let mut warnings = Vec::new();
    if total > documents.len() as u64 {
        let shortened = wording.shortened.replace("{listed}", &documents.len().to_string());
        warnings.push(shortened.replace("{all}", &total.to_string()));
    }
    let heading = wording.heading.trim().replace("{count}", &total.to_string());
    let mut sentences = vec![CheckedSentence::policy(format!("{heading}\n"))];
    for (number, document) in (1_u32..).zip(&documents) {
        let sentence = Sentence::claim(with_marker(&format!("- {}\n", named(document)), number), vec![number]);
        sentences.push(CheckedSentence { sentence, check: SentenceCheck::catalogue() });
    }
    let log = TurnLog { warnings, ..TurnLog::of(gate(documents.len(), Verdict::Pass)) };
    let covered = documents.len() as f64 / total.max(1) as f64;
    quote(asked, &evidence, log, &sentences, covered, listener)
}

fn gate(documents: usize, verdict: Verdict) -> GateRecord {
    GateRecord { gate: "list".to_owned(), verdict, observed: documents as f64, threshold: 1.0 }
}

fn described(request: &ListRequest) -> String {
    let within = request.collection.as_ref().map(|collection| format!(" in {collection}"));
    let about = request.about.as_ref().map(|about| format!(" with the words {about:?}"));
    format!("{}{}", within.unwrap_or_default(), about.unwrap_or_default())
}

fn first_passage(document: &ListedDocument) -> PassageKey {
    PassageKey { document: document.document, version: document.version, chunk_index: 0 }
}

fn named(document: &ListedDocument) -> String {
    let name = match &document.address {
        Some(address) if !document.title.contains(address.as_str()) => format!("{address} — {}", document.title),
        _ => document.title.clone(),
    };
    // A title is one line, and no markup.
    sanitize(&name, &[]).split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_for_documents_are_lists_and_others_are_questions() {
        let classes = DocumentClasses::named(["ADR", "Principle", "Policy"]);
        let list = |collection: Option<&str>, about: Option<&str>| {
            Some(ListRequest { collection: collection.map(str::to_owned), about: about.map(str::to_owned) })
        };
        for (query, expected) in [
            ("List ADRs about security", list(Some("ADR"), Some("security"))),
            ("show all principles", list(Some("Principle"), None)),
            ("Please show me the policies on data retention!", list(Some("Policy"), Some("data retention"))),
            ("list security ADRs", list(Some("ADR"), Some("security"))),
            ("could you list all documents that mention TLS", list(None, Some("tls"))),
            ("list ADRs which are about queues", list(Some("ADR"), Some("queues"))),
            ("List the steps to reset a router", None),
            ("show how ADRs are written", None),
            ("What ADRs are there?", None),
            ("list", None),
        ] {
            assert_eq!(asked_list(query, &classes), expected, "{query}");
        }
    }
}
