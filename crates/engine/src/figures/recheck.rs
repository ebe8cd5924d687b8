//! Computing a figure again from the text of a document: what a receipt says was computed, and what comes of it now.

use ibidem_words::{CharSpan, Computation};

use super::compute::Formula;
use super::table::Table;

/// Whether the table that stands at that place comes to the same figure; if not, why.
pub(crate) fn same_figure(computation: &Computation, text: &str, sentence: &str) -> Result<(), String> {
    let stretch = characters(computation.table, text).ok_or("there is no table at that place")?;
    let table = Table::in_text(stretch).ok_or("what stands at that place is no table")?;
    check(computation, &table, sentence)
}

/// Whether a later text has the same table somewhere.
pub(crate) fn stands_in(computation: &Computation, former: &str, text: &str) -> bool {
    let head = characters(computation.table, former).and_then(|stretch| stretch.lines().next());
    let Some(head) = head.filter(|head| !head.trim().is_empty()) else { return false };
    // Where the table begins: tables of one head are taken apart by their number of rows.
    let begins = text.match_indices(head).map(|(at, _)| at);
    begins.take(1).any(|at| {
        Table::in_text(&text[at..]).is_some_and(|mut table| {
            table.rows.truncate(usize::try_from(computation.rows).unwrap_or(usize::MAX));
            table.sha256() == computation.rows_sha256
        })
    })
}

fn check(computation: &Computation, table: &Table, sentence: &str) -> Result<(), String> {
    if table.sha256() != computation.rows_sha256 {
        return Err("the table at that place has other cells".to_owned());
    }
    let formula = Formula {
        function: computation.function,
        column: computation.column.map(|column| usize::try_from(column).unwrap_or(usize::MAX)),
        conditions: computation.conditions.clone(),
    };
    let places = formula.column.into_iter().chain(formula.conditions.iter().map(|own| own.column as usize));
    if places.max().is_some_and(|column| column >= table.columns.len()) {
        return Err("the table has no such column".to_owned());
    }
    let figure = table
        .compute(&formula, computation.decimal_points)
        .map_err(|_| "the figure cannot be computed from the table".to_owned())?;
    let cells = u32::try_from(figure.rows.len()).unwrap_or(u32::MAX);
    if figure.written != computation.figure || cells != computation.cells {
        return Err(format!("the table comes to {} of {cells} cells", figure.written));
    }
    if sentence.contains(&computation.figure) && sentence.contains(&computation.range) {
        Ok(())
    } else {
        Err("the sentence says another figure, or other cells".to_owned())
    }
}

fn characters(span: CharSpan, text: &str) -> Option<&str> {
    let (start, end) = (usize::try_from(span.start).ok()?, usize::try_from(span.end).ok()?);
    let mut places = text.char_indices().map(|(place, _)| place).chain([text.len()]);
    let first = places.by_ref().nth(start)?;
    let last = if end > start { places.nth(end - start - 1)? } else { first };
    text.get(first..last)
}
