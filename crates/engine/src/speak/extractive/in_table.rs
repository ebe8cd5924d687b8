//! A sentence that names a figure and does not say it, with the rows of the table that do.

use crate::candidate::Candidate;
use ibidem_language::rows::{AskedRow, column_named_by, rows_of};
use ibidem_language::sentences::sentence_places;

use super::super::footnotes::Footnotes;
use super::super::markup::sanitize;
use super::Quotation;
use crate::columns::spelled_out;

/// A column of more rows is no answer that anybody would read.
const MOST_ROWS: usize = 12;

/// The first of the quoted sentences and the column that spells it out: of the rows that the question names, or of all.
/// None where it says what is asked itself, or no table does.
pub(super) fn in_table<'t>(
    query: &str,
    footnotes: &Footnotes<'_>,
    texts: &'t [String],
    quoted: &[Quotation<'t>],
) -> Option<Vec<Quotation<'t>>> {
    let pick = quoted.first().filter(|pick| pick.row.is_none())?;
    let notes: Vec<(u32, &Candidate)> = footnotes.notes().collect();
    let candidates: Vec<&Candidate> = notes.iter().map(|(_, candidate)| *candidate).collect();
    let (_, naming) = notes.iter().find(|(number, _)| *number == pick.number)?;
    let table = spelled_out(query, naming, pick.sentence, &candidates)?;
    let ((number, candidate), text) = (notes.get(table)?, texts.get(table)?);
    let head = candidate.passage.above.head.as_ref().map(|head| sanitize(&head.text, &[]));
    let above = naming.passage.section.as_deref().unwrap_or_default();
    let places = sentence_places(text);
    let asked = AskedRow::of(query);
    let rows = rows_of(text, head.as_deref()).into_iter().filter_map(|row| {
        let column = column_named_by(row.head(), pick.sentence, above)?;
        let place = places.iter().position(|bytes| bytes.contains(&row.bytes.start))?;
        let (sentence, row) = (&text[places[place].clone()], text.get(row.bytes)?);
        let is_named = asked.naming(row).is_sure();
        Some((is_named, Quotation { number: *number, place, sentence, row: Some(row), column: Some(column) }))
    });
    let rows: Vec<(bool, Quotation<'t>)> = rows.collect();
    let any_named = rows.iter().any(|(is_named, _)| *is_named);
    let rows: Vec<Quotation<'t>> =
        rows.into_iter().filter(|(is_named, _)| *is_named || !any_named).map(|(_, row)| row).collect();
    if rows.is_empty() || rows.len() > MOST_ROWS {
        return None;
    }
    Some([*pick].into_iter().chain(rows).collect())
}
