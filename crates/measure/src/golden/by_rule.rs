//! Whether a policy's rules send each question where its category says: they need no corpus and no model.

use ibidem_engine::policy::GatherRules;
use ibidem_engine::route::lists::asked_list;
use ibidem_engine::route::rules::{Route, route};

use super::{Category, NumberedQuery, Problem};

/// The term that a question asks for, by these rules.
pub fn asked_term(query: &str, rules: &GatherRules) -> Option<String> {
    let terminology = rules.terminology.as_ref()?;
    match route(query, &rules.document_classes, terminology.longest_term_words) {
        Route::Terminology { term } => Some(term),
        Route::Corpus => None,
    }
}

/// Questions about terms must be seen as such, and no others; lists must be lists.
///
/// A question that fails here is in the wrong category, or shows a fault of the rules: either way somebody must look
/// before figures are made of it.
pub fn check(queries: &[NumberedQuery], rules: &GatherRules) -> Vec<Problem> {
    let mut problems = Vec::new();
    for placed in queries {
        let query = &placed.query;
        let what = match (query.category.is_terminology(), asked_term(&query.query, rules)) {
            (true, None) => Some("by the policy's rules this is no question about a term".to_owned()),
            (false, Some(term)) => Some(format!("by the policy's rules this is a question about the term {term:?}")),
            _ => None,
        };
        problems.extend(what.map(|what| Problem::of(placed, what)));
        let is_list = asked_list(&query.query, &rules.document_classes).is_some();
        if rules.lists.is_some() && is_list != (query.category == Category::NonTerminologyList) {
            let what = if is_list { "this asks for a list" } else { "this does not ask for a list" };
            problems.push(Problem::of(placed, format!("by the policy's rules {what}")));
        }
    }
    problems
}
