//! What a golden set must be like, whatever it is run against.

use std::collections::{BTreeMap, BTreeSet};

use ibidem_words::Reason;

use super::{
    COLLECTIONS, Category, Expected, GoldenQuery, GoldenRoute, NumberedQuery, Problem, Source, TIMEOUT_TRIGGER,
    VOCABULARY, is_about_evidence,
};

/// With fewer, one question more or less moves every figure by more than the drop that a check looks for.
const FEWEST: usize = 60;
/// As the engine's contract has it.
const LONGEST_QUERY: usize = 4_000;

/// Everything that is wrong with these questions: each by itself, and all together.
pub fn lint(queries: &[NumberedQuery]) -> Vec<Problem> {
    let mut problems = Vec::new();
    for placed in queries {
        let mut found = Vec::new();
        form(&placed.query, &mut found);
        outcome(&placed.query.expected, &mut found);
        of_category(&placed.query, &mut found);
        problems.extend(found.into_iter().map(|what| Problem::of(placed, what)));
    }
    twice(queries, "the id is also that of", |query| query.id.clone(), &mut problems);
    let words = |query: &GoldenQuery| query.query.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    twice(queries, "the query is also that of", words, &mut problems);
    problems.sort_by_key(|problem| problem.line);
    problems.extend(together(queries));
    problems
}

fn form(query: &GoldenQuery, problems: &mut Vec<String>) {
    let plain = |sign: char| sign.is_ascii_uppercase() || sign.is_ascii_digit() || sign == '-';
    if query.id.is_empty() || !query.id.chars().all(plain) {
        problems.push("an id is made of capital letters, digits and hyphens, as GS-HIT-01".to_owned());
    }
    if query.query.trim().is_empty() || query.query.chars().count() > LONGEST_QUERY {
        problems.push(format!("a query has 1 to {LONGEST_QUERY} characters"));
    }
    let plain = |sign: char| sign.is_ascii_lowercase() || sign.is_ascii_digit() || sign == '_';
    if query.tags.iter().any(|tag| tag.is_empty() || !tag.chars().all(plain)) {
        problems.push("a tag is made of small letters, digits and underscores".to_owned());
    }
    for (what, values) in
        [("tags", &query.tags), ("doc_types", &query.expected.doc_types), ("doc_ids", &query.expected.doc_ids)]
    {
        if values.iter().collect::<BTreeSet<_>>().len() < values.len() {
            problems.push(format!("{what} has an entry twice"));
        }
    }
    if query.tags.is_empty() {
        problems.push("there is no tag".to_owned());
    }
}

/// Whether what is expected can be at all.
fn outcome(expected: &Expected, problems: &mut Vec<String>) {
    match (expected.abstain, expected.reason) {
        (true, None) => problems.push("it abstains, so `reason` must say why".to_owned()),
        (false, Some(_)) => problems.push("it is answered, so there is no `reason`".to_owned()),
        _ => {}
    }
    if !expected.abstain && (expected.doc_types.is_empty() || expected.doc_ids.is_empty()) {
        problems.push("it is answered, so `doc_types` and `doc_ids` must say from what".to_owned());
    }
    for unknown in expected.doc_types.iter().filter(|name| !COLLECTIONS.contains(&name.as_str())) {
        problems.push(format!("{unknown:?} is no collection; there are {}", COLLECTIONS.join(", ")));
    }
    match expected.route.collection() {
        Some(collection) if expected.doc_types.iter().any(|name| name != collection) => {
            problems.push(format!("this route leads to {collection} alone; for several collections it is `tree`"));
        }
        _ => {}
    }
    if expected.source.is_some() != (expected.route == GoldenRoute::Skosmos && !expected.abstain) {
        problems.push("`source` is SKOSMOS where the vocabulary answers, and is left out elsewhere".to_owned());
    }
}

/// What each category is there to show.
fn of_category(query: &GoldenQuery, problems: &mut Vec<String>) {
    let GoldenQuery { category, expected, .. } = query;
    let mut must = |holds: bool, what: &str| {
        if !holds {
            problems.push(format!("{category}: {what}"));
        }
    };
    must(
        category.is_terminology() == (expected.route == GoldenRoute::Skosmos),
        "questions about terms, and no others, have the route `skosmos`",
    );
    must(
        (*category == Category::TerminologyTimeout) == query.query.contains(TIMEOUT_TRIGGER),
        &format!("questions about {TIMEOUT_TRIGGER}, and no others, are late"),
    );
    let refused_as = match category {
        Category::TerminologyMiss => Some(Reason::TerminologyNotFound),
        Category::TerminologyAmbiguous => Some(Reason::TerminologyAmbiguous),
        Category::TerminologyTimeout => Some(Reason::TerminologyTimeout),
        Category::EntityNotFound => Some(Reason::EntityNotFound),
        _ => None,
    };
    match (category, refused_as) {
        (_, Some(reason)) => {
            must(expected.abstain && expected.reason == Some(reason), "it abstains, for the reason of its name");
        }
        (Category::Unanswerable, _) => {
            must(expected.abstain, "it abstains");
            must(
                expected.reason.is_none_or(is_about_evidence),
                "its reason is about the evidence, such as low_confidence",
            );
        }
        _ => must(!expected.abstain, "it is answered"),
    }
    match category {
        Category::TerminologyHit => {
            must(expected.source == Some(Source::Skosmos), "its `source` is SKOSMOS");
            must(expected.doc_types == [VOCABULARY] && expected.doc_ids.len() == 1, "it is answered by one concept");
        }
        Category::TerminologyAmbiguous => must(expected.doc_ids.len() > 1, "`doc_ids` has all the meanings"),
        Category::AdrRetrieval => must(expected.route == GoldenRoute::Adr, "its route is `adr`"),
        Category::PrincipleRetrieval => must(expected.route == GoldenRoute::Principle, "its route is `principle`"),
        Category::PolicyRetrieval => must(expected.route == GoldenRoute::Policy, "its route is `policy`"),
        Category::CrossCollection => {
            must(expected.route == GoldenRoute::Tree, "its route is `tree`");
            must(expected.doc_types.len() > 1, "it has at least two of `doc_types`");
        }
        Category::TerminologyMiss
        | Category::TerminologyTimeout
        | Category::EntityNotFound
        | Category::Unanswerable => {
            must(expected.doc_ids.is_empty(), "there is nothing to cite, so there are no `doc_ids`");
        }
        Category::NonTerminologyDefine | Category::NonTerminologyList | Category::SemanticSearch => {}
    }
}

/// Names every question that has something in common with an earlier one that must be its own.
fn twice(queries: &[NumberedQuery], what: &str, of: impl Fn(&GoldenQuery) -> String, problems: &mut Vec<Problem>) {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for placed in queries {
        match seen.get(&of(&placed.query)) {
            Some(line) => problems.push(Problem::of(placed, format!("{what} line {line}"))),
            None => {
                seen.insert(of(&placed.query), placed.line);
            }
        }
    }
}

fn together(queries: &[NumberedQuery]) -> Vec<Problem> {
    let mut problems = Vec::new();
    if queries.len() < FEWEST {
        problems.push(format!("there are {} questions of at least {FEWEST}", queries.len()));
    }
    for (category, minimum) in Category::MINIMUMS {
        let count = queries.iter().filter(|placed| placed.query.category == category).count();
        if count < minimum {
            problems.push(format!("{category} has {count} questions of at least {minimum}"));
        }
    }
    for collection in COLLECTIONS {
        let answers = |placed: &&NumberedQuery| {
            let expected = &placed.query.expected;
            !expected.abstain && expected.doc_types.iter().any(|name| name == collection)
        };
        if !queries.iter().any(|placed| answers(&placed)) {
            problems.push(format!("no question is answered from {collection}"));
        }
    }
    problems.into_iter().map(Problem::of_the_set).collect()
}
