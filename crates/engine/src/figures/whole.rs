//! A table with all its rows, put together again from the passages that hold them.

use std::collections::BTreeMap;

use ibidem_ports::catalogue::CataloguePassage;
use ibidem_words::{CharSpan, ComputedFunction, SheetRows};

use super::asking::{Wanted, words_of};
use super::table::Table;
use crate::speak::markup::sanitize;

/// Why a table is not computed with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Gap {
    /// Cells or rows of it could not be read, or cannot be read now.
    Partial,
    /// It has more rows than are read for one question.
    TooLong,
    /// Cells of the column are merged over several rows, so that its figures would count several times.
    Merged { column: usize },
    /// A line with a single cell may be a row or a label.
    PerhapsRows,
}

pub(crate) struct WholeTable {
    pub(crate) table: Table,
    /// Of each row of the table the passage that holds it, by its place, and its number on the sheet.
    rows: Vec<(usize, u32)>,
    /// In the order of the document; never empty.
    passages: Vec<CataloguePassage>,
    sheet: SheetRows,
    gap: Option<Gap>,
}

impl WholeTable {
    /// The words of what names the table and its columns.
    pub(crate) fn words_known(first: &CataloguePassage) -> Vec<String> {
        let (head, _) = lines_of(first).unwrap_or_default();
        let sheet = first.above.rows.as_ref().and_then(|rows| rows.sheet.as_deref()).unwrap_or_default();
        [first.title.as_str(), sheet, head].into_iter().flat_map(words_of).collect()
    }

    /// A table that is known by its head and its first row: enough to know whether it is meant.
    pub(crate) fn with_gap(first: CataloguePassage, gap: Gap) -> Self {
        let (head, rows) = lines_of(&first).unwrap_or_default();
        let table = Table::of(head, rows.into_iter()).unwrap_or_else(Table::empty);
        let sheet = first.above.rows.clone().unwrap_or_default();
        Self { table, rows: Vec::new(), passages: vec![first], sheet, gap: Some(gap) }
    }

    /// `found` are passages of the same version of the document from the first one on, in any order.
    pub(crate) fn of(first: CataloguePassage, found: Vec<CataloguePassage>) -> Self {
        let number = first.above.rows.as_ref().map_or(0, |rows| rows.table);
        let is_of_table = |passage: &CataloguePassage| {
            passage.above.rows.as_ref().is_some_and(|rows| rows.table == number)
                && (passage.passage.document, passage.passage.version)
                    == (first.passage.document, first.passage.version)
        };
        let passages: BTreeMap<u32, CataloguePassage> =
            found.into_iter().filter(is_of_table).map(|passage| (passage.passage.chunk_index, passage)).collect();
        let passages: Vec<CataloguePassage> = passages.into_values().collect();
        Self::put_together(passages).unwrap_or_else(|| Self::with_gap(first, Gap::Partial))
    }

    /// None where a row is missing, stands there twice, or was cut.
    fn put_together(passages: Vec<CataloguePassage>) -> Option<Self> {
        let mut sheet = passages.first()?.above.rows.clone()?;
        let (head, _) = lines_of(passages.first()?)?;
        let mut lines: Vec<&str> = Vec::new();
        let mut rows: Vec<(usize, u32)> = Vec::new();
        for (place, passage) in passages.iter().enumerate() {
            let own = passage.above.rows.as_ref()?;
            let (own_head, of_passage) = lines_of(passage)?;
            let is_next = usize::try_from(own.before).ok()? == rows.len() && own_head == head;
            if !is_next || own.columns != sheet.columns {
                return None;
            }
            lines.extend(of_passage);
            rows.extend(own.rows.iter().map(|number| (place, *number)));
            sheet.labels = sheet.labels.max(own.labels);
            sheet.is_partial |= own.is_partial;
            sheet.merged.extend(own.merged.iter().copied());
        }
        let table = Table::of(head, lines.into_iter())?;
        let is_whole = rows.len() == usize::try_from(sheet.of).ok()? && table.columns.len() == sheet.columns.len();
        let gap = sheet.is_partial.then_some(Gap::Partial);
        is_whole.then_some(Self { table, rows, sheet, gap, passages })
    }

    /// Why this must not be computed from it.
    pub(crate) fn gap_for(&self, wanted: &Wanted) -> Option<Gap> {
        let merged = |column: usize| {
            let place = self.sheet.columns.get(column);
            place.is_some_and(|place| self.sheet.merged.contains(place)).then_some(Gap::Merged { column })
        };
        let own = match wanted {
            Wanted::Figure(formula) if formula.function == ComputedFunction::Count => {
                (self.sheet.labels > 0).then_some(Gap::PerhapsRows).or_else(|| merged(formula.column?))
            }
            Wanted::Figure(formula) => formula.column.and_then(merged),
            Wanted::Rows(_) => None,
        };
        self.gap.or(own)
    }

    /// What people call it: the document's title, and the name of the sheet where it has one that somebody gave it.
    pub(crate) fn name(&self) -> String {
        let first = &self.passages[0];
        let sheet = self.sheet.sheet.as_deref().filter(|sheet| {
            let sections = first.section.as_deref().unwrap_or_default();
            sections.split(" > ").next() == Some(*sheet) && *sheet != first.title
        });
        let name = sheet.map_or(first.title.clone(), |sheet| format!("{}, {sheet}", first.title));
        shown(&name)
    }

    /// The words of its name.
    pub(crate) fn names(&self) -> Vec<String> {
        let sheet = self.sheet.sheet.as_deref().unwrap_or_default();
        [self.passages[0].title.as_str(), sheet].into_iter().flat_map(words_of).collect()
    }

    pub(crate) fn column(&self, column: usize) -> String {
        self.table.columns.get(column).map(|column| shown(&column.title)).unwrap_or_default()
    }

    pub(crate) fn cell(&self, row: usize, column: usize) -> String {
        self.table.rows.get(row).and_then(|row| row.cells.get(column)).map(|cell| shown(cell)).unwrap_or_default()
    }

    /// The first cell of a row that holds something.
    pub(crate) fn label(&self, row: usize) -> String {
        let cells = self.table.rows.get(row).map(|row| row.cells.as_slice()).unwrap_or_default();
        cells.iter().find(|cell| !cell.is_empty()).map(|cell| shown(cell)).unwrap_or_default()
    }

    pub(crate) fn passage_of(&self, row: usize) -> Option<&CataloguePassage> {
        self.passages.get(self.rows.get(row)?.0)
    }

    pub(crate) fn first_passage(&self) -> &CataloguePassage {
        &self.passages[0]
    }

    /// What these cells are called on the sheet; whole rows where no column is named.
    pub(crate) fn range(&self, rows: &[usize], column: Option<usize>) -> String {
        let numbers: Vec<u32> = rows.iter().filter_map(|row| self.rows.get(*row)).map(|(_, number)| *number).collect();
        self.sheet.called(&numbers, column).unwrap_or_default()
    }

    /// A passage with all these cells as its own, for the citation of a figure.
    pub(crate) fn citing(&self, rows: &[usize], column: Option<usize>) -> Option<CataloguePassage> {
        let mut passage = self.passage_of(*rows.first().unwrap_or(&0))?.clone();
        let numbers = rows.iter().filter_map(|row| self.rows.get(*row)).map(|(_, number)| *number).collect();
        let columns = match column {
            Some(column) => self.sheet.columns.get(column).copied().into_iter().collect(),
            None => self.sheet.columns.clone(),
        };
        passage.above.rows = Some(SheetRows { rows: numbers, columns, ..self.sheet.clone() });
        Some(passage)
    }

    /// Where it stands in the document's text, from its head on.
    pub(crate) fn span(&self) -> Option<CharSpan> {
        let first = self.passages.first()?;
        let rows = first.above.rows.as_ref()?.rows.len();
        let lines: Vec<&str> = first.text.split('\n').collect();
        let before = lines.get(..lines.len().checked_sub(rows + 1)?)?;
        let characters: usize = before.iter().map(|line| line.chars().count() + 1).sum();
        let start = first.span.start + u32::try_from(characters).ok()?;
        Some(CharSpan { start, end: self.passages.last()?.span.end })
    }

    /// Its numbers were written by the reader of a workbook, and not by somebody's program for sheets.
    pub(crate) fn writes_points(&self) -> bool {
        let location = self.passages[0].source_location.to_lowercase();
        [".xlsx", ".xlsm", ".xls"].iter().any(|ending| location.ends_with(ending))
    }
}

/// The head and the rows that a passage holds: its last lines.
fn lines_of(passage: &CataloguePassage) -> Option<(&str, Vec<&str>)> {
    let rows = passage.above.rows.as_ref()?.rows.len();
    let lines: Vec<&str> = passage.text.lines().map(str::trim).collect();
    let head = lines.len().checked_sub(rows + 1)?;
    Some((lines.get(head).copied()?, lines[head + 1..].to_vec()))
}

/// A line without markup.
fn shown(words: &str) -> String {
    sanitize(words, &[]).split_whitespace().collect::<Vec<_>>().join(" ")
}
