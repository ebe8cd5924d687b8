//! Figures that are computed from one table, and rows that are picked from it: by rule, from every row of the table as the
//! catalogue has it for this asker now, and no model.
//!
//! A question that asks for more than one table says is refused or asked back with the reason, and never guessed. One that
//! no table is sure to be meant by goes on as any other question.

use ibidem_language::computing::Function;
use ibidem_ports::catalogue::{Catalogue, CatalogueError, CataloguePassage};
use ibidem_words::{GateRecord, PassageKey, Verdict};

use crate::listener::Listener;
use crate::outcome::Decided;
use crate::policy::FigureRules;
use crate::turn::Asked;

mod answer;
mod asking;
mod cells;
mod compute;
mod decimal;
pub(crate) mod recheck;
mod refusal;
mod table;
mod whole;

use asking::{Reading, Understood, Wanted, may_ask, understood, words_of};
use whole::{Gap, WholeTable};

/// An asker who sees more tables asks as any other: which one is meant is not looked for among so many.
const MOST_TABLES: usize = 2_000;
/// The tables whose words fit best are read whole; so many rows at most.
const MOST_READ: usize = 8;
const MOST_ROWS: u32 = 50_000;
/// Passages of a table beside its rows: notes and labels that stand between them.
const MOST_BETWEEN: u32 = 64;

/// A table that the question may mean, and how it is understood by it.
struct Candidate {
    table: WholeTable,
    understood: Understood,
}

/// The answer to a question for a figure; none where it is not sure to be one.
pub(crate) async fn computed(
    catalogue: &dyn Catalogue,
    asked: &Asked,
    rules: &FigureRules,
    listener: &mut dyn Listener,
) -> Result<Option<Decided>, CatalogueError> {
    let question = asked.question.query.as_str();
    if !may_ask(question) {
        return Ok(None);
    }
    let collections: Vec<String> =
        asked.question.collections.iter().map(|collection| collection.as_str().to_owned()).collect();
    let first_rows = catalogue.tables(&asked.scope, &collections, MOST_TABLES + 1).await?;
    if first_rows.len() > MOST_TABLES {
        return Ok(None);
    }
    let mut candidates = Vec::new();
    for first in likeliest(question, first_rows) {
        let table = read_whole(catalogue, asked, first).await?;
        let understood = understood(question, &table.table, &table.names());
        candidates.push(Candidate { table, understood });
    }
    Ok(decided(asked, rules, &candidates, listener))
}

/// The tables that share words with the question, those that share most first.
fn likeliest(question: &str, first_rows: Vec<CataloguePassage>) -> Vec<CataloguePassage> {
    let words = words_of(question);
    let shared = |passage: &CataloguePassage| {
        let known = WholeTable::words_known(passage);
        words.iter().filter(|word| known.iter().any(|own| ibidem_language::same_word(own, word))).count()
    };
    let mut likely: Vec<(usize, CataloguePassage)> =
        first_rows.into_iter().map(|passage| (shared(&passage), passage)).filter(|(shared, _)| *shared > 0).collect();
    // The order of equals is the catalogue's.
    likely.sort_by_key(|(shared, _)| std::cmp::Reverse(*shared));
    // Of several that fit as well either all are looked at or none: which one is meant must not depend on their order.
    if let Some(beyond) = likely.get(MOST_READ).map(|(shared, _)| *shared) {
        likely.retain(|(shared, _)| *shared > beyond);
    }
    likely.truncate(MOST_READ);
    likely.into_iter().map(|(_, passage)| passage).collect()
}

async fn read_whole(
    catalogue: &dyn Catalogue,
    asked: &Asked,
    first: CataloguePassage,
) -> Result<WholeTable, CatalogueError> {
    let of = first.above.rows.as_ref().map_or(0, |rows| rows.of);
    if of > MOST_ROWS {
        return Ok(WholeTable::with_gap(first, Gap::TooLong));
    }
    let PassageKey { document, version, chunk_index } = first.passage;
    let last = chunk_index.saturating_add(of).saturating_add(MOST_BETWEEN);
    let keys: Vec<PassageKey> =
        (chunk_index..last).map(|chunk_index| PassageKey { document, version, chunk_index }).collect();
    // Every row is confirmed at this moment: its document is visible and of this version, or the table is not whole.
    Ok(WholeTable::of(first, catalogue.visible(&asked.scope, &keys).await?))
}

fn decided(
    asked: &Asked,
    rules: &FigureRules,
    candidates: &[Candidate],
    listener: &mut dyn Listener,
) -> Option<Decided> {
    let is_sure = |candidate: &&Candidate| matches!(candidate.understood.reading, Reading::Sure(_));
    let rank = |candidate: &Candidate| (candidate.understood.names, candidate.understood.columns);
    let best = candidates.iter().filter(is_sure).map(rank).max();
    let sure: Vec<&Candidate> =
        candidates.iter().filter(is_sure).filter(|candidate| Some(rank(candidate)) == best).collect();
    // A table in which one of several columns may be meant may be meant as well.
    let as_well = |candidate: &&Candidate| {
        matches!(candidate.understood.reading, Reading::WhichColumn(_)) && Some(rank(candidate)) >= best
    };
    let rivals: Vec<&WholeTable> = candidates.iter().filter(as_well).map(|candidate| &candidate.table).collect();
    if let (Some(_), false) = (best, rivals.is_empty()) {
        let tables = sure.iter().map(|candidate| &candidate.table).chain(rivals).collect::<Vec<_>>();
        return Some(refusal::which_table(asked, rules, &tables, listener));
    }
    match sure.as_slice() {
        [one] => Some(of_table(asked, rules, one, listener)),
        [] => not_sure(asked, rules, candidates, listener),
        several => {
            let tables: Vec<&WholeTable> = several.iter().map(|candidate| &candidate.table).collect();
            Some(refusal::which_table(asked, rules, &tables, listener))
        }
    }
}

fn of_table(asked: &Asked, rules: &FigureRules, candidate: &Candidate, listener: &mut dyn Listener) -> Decided {
    // Its words say the language, also of a question that is too short to tell it otherwise.
    let translation = asked.policy.rules.in_other_languages.get(candidate.understood.language);
    let wording = translation.and_then(|texts| texts.figures.as_ref()).unwrap_or(&rules.wording);
    let rules = &FigureRules { wording: wording.clone(), ..rules.clone() };
    let table = &candidate.table;
    let Reading::Sure(wanted) = &candidate.understood.reading else {
        return refusal::unclear(asked, rules, table);
    };
    if let Some(gap) = table.gap_for(wanted) {
        return refusal::gap(asked, rules, table, &gap);
    }
    let found = match wanted {
        Wanted::Figure(formula) => answer::figure(asked, rules, table, formula, listener),
        Wanted::Rows(wanted) => answer::rows(asked, rules, table, wanted, listener),
    };
    found.unwrap_or_else(|obstacle| refusal::obstacle(asked, rules, table, &obstacle))
}

/// No table is sure to answer. Where the question names one, and asks for a figure of it, it is told why not.
fn not_sure(
    asked: &Asked,
    rules: &FigureRules,
    candidates: &[Candidate],
    listener: &mut dyn Listener,
) -> Option<Decided> {
    let question = asked.question.query.as_str();
    let asks_for_figure = asking::asks_for(question, |function| {
        matches!(function, Function::Sum | Function::Average | Function::Greatest | Function::Least)
    });
    let which: Vec<(&Candidate, &Vec<usize>)> = candidates
        .iter()
        .filter_map(|candidate| match &candidate.understood.reading {
            Reading::WhichColumn(columns) => Some((candidate, columns)),
            _ => None,
        })
        .collect();
    if let [(candidate, columns)] = which.as_slice() {
        return Some(refusal::which_column(rules, &candidate.table, columns, listener));
    }
    if !asks_for_figure {
        return None;
    }
    // All its words are the table's, and they come to nothing that one step computes.
    let unclear = candidates
        .iter()
        .find(|candidate| candidate.understood.reading == Reading::Unclear && candidate.understood.columns > 0);
    if let Some(candidate) = unclear {
        return Some(refusal::unclear(asked, rules, &candidate.table));
    }
    let named = candidates.iter().filter_map(|candidate| match &candidate.understood.reading {
        Reading::Unknown(words) if candidate.understood.names > 0 && candidate.understood.columns > 0 => {
            Some((words, candidate))
        }
        _ => None,
    });
    let (words, candidate) = named.min_by_key(|(words, _)| words.len())?;
    Some(refusal::unknown_words(asked, rules, &candidate.table, words))
}

fn gate(cells: usize, verdict: Verdict) -> GateRecord {
    GateRecord { gate: "figures".to_owned(), verdict, observed: cells as f64, threshold: 1.0 }
}
