//! Whether an answer about a term says what the vocabulary says, and nothing else.

use ibidem_ports::vocabulary::{Concept, Lookup, Vocabulary, VocabularyError};
use ibidem_words::{Answer, CitedSource};

/// Asks the vocabulary again: the answer must cite the concept it finds, and be its definition, word for word.
pub async fn is_the_vocabularys(
    answer: &Answer,
    term: Option<&str>,
    vocabulary: &dyn Vocabulary,
) -> Result<bool, VocabularyError> {
    let Some(term) = term else { return Ok(false) };
    Ok(match vocabulary.lookup(term).await? {
        Lookup::Found { concept, .. } => says_so(answer, &concept),
        Lookup::Ambiguous(_) | Lookup::Unknown => false,
    })
}

fn says_so(answer: &Answer, concept: &Concept) -> bool {
    let Some(definition) = &concept.definition else { return false };
    let is_cited = |source: &CitedSource| matches!(source, CitedSource::Concept(uri) if *uri == concept.uri);
    let cites = !answer.citations.is_empty() && answer.citations.iter().all(|citation| is_cited(&citation.source_id));
    let Some((before, after)) = answer.answer.split_once(definition.text.as_str()) else { return false };
    // Around the definition there is the concept's name, and the marker.
    let name = before.replacen(&concept.label, "", 1).replacen(&concept.vocabulary, "", 1);
    let rest = format!("{name}{}", after.replacen("[1]", "", 1));
    cites && !rest.chars().any(char::is_alphanumeric)
}
