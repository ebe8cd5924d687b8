//! Where the rows of sheets begin and end in a text: each is a passage of its own, and knows where it stood on its sheet.

use std::iter::Peekable;
use std::ops::Range;
use std::vec::IntoIter;

use ibidem_words::SheetRows;

use super::stretches::byte_offsets;
use crate::read::{ReadDocument, SheetTable};

/// Rows under one head.
struct Unit<'a> {
    /// Its place in the text, in characters.
    characters: Range<usize>,
    table: &'a SheetTable,
    /// Its rows among those of that part of the table.
    rows: Range<usize>,
    number: u32,
    before: u32,
    of: u32,
}

/// The rows of a document's sheets, asked for from its beginning to its end.
pub(super) struct SheetParts<'a> {
    /// Where a passage must begin or end, in bytes of the text.
    boundaries: Peekable<IntoIter<usize>>,
    units: Vec<Unit<'a>>,
    /// The place of the rows that were asked for last.
    at: usize,
}

impl<'a> SheetParts<'a> {
    pub(super) fn of(document: &'a ReadDocument) -> Self {
        let mut units: Vec<Unit<'a>> = Vec::new();
        for (number, parts) in (0..).zip(document.tables.chunk_by(|_, next| next.continues)) {
            let of = narrow(parts.iter().map(|part| part.rows.len()).sum());
            let mut before = 0;
            for table in parts {
                let mut rows = 0..0;
                for together in table.rows.chunk_by(|one, next| one.0 == next.0) {
                    rows = rows.end..rows.end + together.len();
                    let end = table.rows.get(rows.end).map_or(table.end, |(at, _)| *at);
                    let characters = together[0].0..end;
                    units.push(Unit { characters, table, rows: rows.clone(), number, before, of });
                    before += narrow(together.len());
                }
            }
        }
        let mut characters: Vec<usize> =
            units.iter().flat_map(|unit| [unit.characters.start, unit.characters.end]).collect();
        characters.dedup();
        let boundaries = byte_offsets(&document.text, characters.into_iter());
        Self { boundaries: boundaries.into_iter().peekable(), units, at: 0 }
    }

    /// The boundaries inside a stretch, counted from its beginning.
    pub(super) fn boundaries(&mut self, stretch: &Range<usize>) -> Vec<usize> {
        let mut inside = Vec::new();
        while let Some(at) = self.boundaries.next_if(|at| *at < stretch.end) {
            inside.extend(at.checked_sub(stretch.start).filter(|at| *at > 0));
        }
        inside
    }

    /// The rows that stand between these characters.
    pub(super) fn rows_at(&mut self, start: usize, end: usize) -> Option<SheetRows> {
        // The last rows that begin before its end: a label above them may stand in it too.
        while self.units.get(self.at + 1).is_some_and(|next| next.characters.start < end) {
            self.at += 1;
        }
        let unit = self.units.get(self.at).filter(|unit| unit.characters.start < end && unit.characters.end > start)?;
        let table = unit.table;
        Some(SheetRows {
            sheet: table.sheet.clone(),
            table: unit.number,
            columns: table.columns.clone(),
            merged: table.merged.clone(),
            rows: table.rows[unit.rows.clone()].iter().map(|(_, number)| *number).collect(),
            before: unit.before,
            of: unit.of,
            labels: table.labels,
            is_partial: table.is_partial,
        })
    }
}

fn narrow(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
