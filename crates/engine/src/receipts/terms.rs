//! A cited definition: whether the vocabulary still has it.

use ibidem_ports::degrade::{Deadline, Part};
use ibidem_ports::vocabulary::{Concept, Lookup, Vocabulary};
use ibidem_words::{ReceiptSource, Sha256Hash};

use super::report::Outcome;
use super::source::SourceState;
use crate::speak::markup::sanitize;

pub(super) async fn look_up(
    uri: &str,
    sentence: &str,
    source: &ReceiptSource,
    vocabulary: Option<&Part<dyn Vocabulary>>,
) -> SourceState {
    let Some(vocabulary) = vocabulary else {
        return SourceState::only(Outcome::NotChecked, "no vocabulary is configured here (`terminology`)");
    };
    let Some(label) = label_in(sentence) else {
        return SourceState::only(Outcome::Tampered, "the sentence does not read as a definition");
    };
    let concepts = match vocabulary.call(Deadline::NONE, |vocabulary| vocabulary.lookup(label)).await {
        Ok(Lookup::Found { concept, see_also }) => [vec![concept], see_also].concat(),
        Ok(Lookup::Ambiguous(concepts)) => concepts,
        Ok(Lookup::Unknown) => Vec::new(),
        Err(error) => return SourceState::only(Outcome::NotChecked, error.to_string()),
    };
    let Some(concept) = concepts.into_iter().find(|concept| concept.uri == uri) else {
        return SourceState::only(
            Outcome::Withdrawn,
            format!("the vocabulary has no concept {label:?} with that address"),
        );
    };
    compare(concept, source)
}

/// `busbar section (gridterms): “A conductor …”[1]`, perhaps as an item of a list.
fn label_in(sentence: &str) -> Option<&str> {
    let (name, _) = sentence.trim_start().trim_start_matches("- ").split_once(": “")?;
    Some(name.rsplit_once(" (")?.0)
}

fn compare(concept: Concept, source: &ReceiptSource) -> SourceState {
    let Some(definition) = concept.definition else {
        return SourceState::only(Outcome::Changed, "the concept has no definition any more");
    };
    if Sha256Hash::of(definition.text.as_bytes()) != source.passage_sha256 {
        return SourceState::only(Outcome::Changed, "the vocabulary has another definition now");
    }
    let name = format!("{} ({})", concept.label, concept.vocabulary);
    SourceState {
        // As it may be shown: without markup.
        definition: Some(format!(
            "{}: “{}”",
            sanitize(&name, &[]),
            sanitize(&definition.text, &[definition.text.as_str()])
        )),
        text: definition.text,
        title: concept.label,
        ..SourceState::only(Outcome::Holds, format!("the vocabulary {} says so", concept.vocabulary))
    }
}
