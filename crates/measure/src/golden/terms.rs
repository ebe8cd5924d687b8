//! Whether the vocabulary has what a golden set says of its terms.

use ibidem_engine::policy::GatherRules;
use ibidem_ports::vocabulary::{Lookup, Vocabulary, VocabularyError};

use super::by_rule::asked_term;
use super::{Category, NumberedQuery, Problem};

/// Looks every term up: a hit is one concept with a definition, a miss none, an ambiguous term several, and they are
/// those that `doc_ids` names. Terms that are late by themselves are left out.
pub async fn check(
    queries: &[NumberedQuery],
    rules: &GatherRules,
    vocabulary: &dyn Vocabulary,
) -> Result<Vec<Problem>, VocabularyError> {
    let mut problems = Vec::new();
    for placed in queries {
        let query = &placed.query;
        if !query.category.is_terminology() || query.category == Category::TerminologyTimeout {
            continue;
        }
        let Some(term) = asked_term(&query.query, rules) else { continue };
        let (category, mut concepts) = match vocabulary.lookup(&term).await? {
            Lookup::Found { concept, .. } if concept.definition.is_some() => {
                (Category::TerminologyHit, vec![concept.uri])
            }
            Lookup::Ambiguous(concepts) => {
                (Category::TerminologyAmbiguous, concepts.into_iter().map(|concept| concept.uri).collect())
            }
            Lookup::Found { .. } | Lookup::Unknown => (Category::TerminologyMiss, Vec::new()),
        };
        let mut named = query.expected.doc_ids.clone();
        named.sort();
        concepts.sort();
        if category != query.category {
            problems.push(Problem::of(placed, format!("for the vocabulary, {term:?} is a {category}: {concepts:?}")));
        } else if concepts != named {
            problems.push(Problem::of(placed, format!("for the vocabulary, {term:?} is {concepts:?}")));
        }
    }
    Ok(problems)
}
