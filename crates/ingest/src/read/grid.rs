//! The cells of a sheet, and how they become text: its notes as paragraphs, its tables row by row under their heads.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::manuscript::{Manuscript, collapsed};
use super::{LONGEST_HEADING, LONGEST_TEXT, ReadError, SheetTable};

mod figures;
mod heads;
#[cfg(test)]
mod tests;

use heads::{Form, Head};

/// The most cells of one file that hold something.
const MOST_CELLS: usize = 2_000_000;

/// Every row is written under its table's head, so that it is a passage which says by itself what it says, and a changed
/// cell changes no other. Where that would make the text of a table longer than this, so many rows stand under each head.
const LONGEST_ROW_BY_ROW: usize = LONGEST_TEXT / 2;
const ROWS_TOGETHER: usize = 16;
/// Labels inside a table are headings for the rows below them, unless there are more.
const MOST_LABELS: usize = 1_000;
/// So many words are no note.
const LONGEST_LABEL: usize = 6;
/// The heading of a sheet is of the level above.
const LABEL_LEVEL: u8 = 2;
/// Characters between two cells in the text.
const BETWEEN_CELLS: usize = 3;

/// What the cells of one file may still come to.
pub(super) struct Allowance {
    cells: usize,
    characters: usize,
}

impl Default for Allowance {
    fn default() -> Self {
        Self { cells: MOST_CELLS, characters: LONGEST_TEXT }
    }
}

impl Allowance {
    fn take(&mut self, characters: usize) -> Result<(), ReadError> {
        self.take_all(1, characters)
    }

    pub(super) fn take_all(&mut self, cells: usize, characters: usize) -> Result<(), ReadError> {
        let too_large =
            |what: &'static str, limit: &str| ReadError::TooLarge { what: what.into(), limit: limit.to_owned() };
        self.cells = self.cells.checked_sub(cells).ok_or_else(|| too_large("its cells", "2 million cells"))?;
        self.characters = self
            .characters
            .checked_sub(cells.saturating_mul(characters))
            .ok_or_else(|| too_large("the text of its cells", "16 million characters"))?;
        Ok(())
    }
}

/// Cells that are shown as one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Merged {
    pub(super) rows: (u32, u32),
    pub(super) columns: (u32, u32),
}

type Row = BTreeMap<u32, String>;

/// The cells of one sheet that hold something, by row and column.
#[derive(Default)]
pub(super) struct Grid {
    rows: BTreeMap<u32, Row>,
    merged: Vec<Merged>,
    /// What people call it; none where the file is one table without sheets.
    pub(super) sheet: Option<String>,
    /// What people number each row by, counted from 1, where that does not follow from its place.
    pub(super) numbers: Vec<u32>,
    /// Some of its cells could not be read.
    pub(super) is_partial: bool,
}

impl Grid {
    pub(super) fn put(
        &mut self,
        row: u32,
        column: u32,
        text: &str,
        allowance: &mut Allowance,
    ) -> Result<(), ReadError> {
        self.fill(row..row.saturating_add(1), column..column.saturating_add(1), text, allowance)
    }

    /// Puts the same text into all cells of an area.
    pub(super) fn fill(
        &mut self,
        rows: Range<u32>,
        columns: Range<u32>,
        text: &str,
        allowance: &mut Allowance,
    ) -> Result<(), ReadError> {
        // A row is written with this sign between its cells: inside one it would shift them.
        let text = collapsed(text).replace('|', "¦");
        if text.is_empty() {
            return Ok(());
        }
        allowance.take_all(rows.len().saturating_mul(columns.len()), text.chars().count())?;
        for row in rows {
            let cells = self.rows.entry(row).or_default();
            cells.extend(columns.clone().map(|column| (column, text.clone())));
        }
        Ok(())
    }

    /// Merged cells hold their words once. A column that is merged over several rows names each of these rows.
    pub(super) fn merge(&mut self, merged: Merged, allowance: &mut Allowance) -> Result<(), ReadError> {
        let (first, last) = merged.rows;
        let column = merged.columns.0;
        let words = self.rows.get(&first).and_then(|row| row.get(&column)).cloned();
        if let Some(words) = words.filter(|_| last > first) {
            for (_, row) in self.rows.range_mut(first.saturating_add(1)..=last) {
                allowance.take(words.chars().count())?;
                row.entry(column).or_insert_with(|| words.clone());
            }
        }
        self.merged.push(merged);
        Ok(())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Writes what stands apart on the sheet, from the top to the bottom and from left to right.
    pub(super) fn write(&self, manuscript: &mut Manuscript) {
        let mut above = Above::default();
        for block in self.blocks() {
            if manuscript.is_overfull() {
                return;
            }
            self.write_block(&block, &mut above, manuscript);
        }
    }

    /// Parts of the sheet between empty rows, and between empty columns where both sides do not share their rows.
    fn blocks(&self) -> Vec<Block<'_>> {
        let rows = self.rows.iter().map(|(number, row)| {
            (*number, row.iter().map(|(column, text)| (*column, text.as_str())).collect::<BTreeMap<_, _>>())
        });
        let whole = Block { rows: rows.collect() };
        let parts = whole.between_empty_rows().into_iter().flat_map(|block| block.between_empty_columns());
        parts.flat_map(|block| block.between_empty_rows()).collect()
    }

    fn write_block(&self, block: &Block<'_>, above_table: &mut Above, manuscript: &mut Manuscript) {
        let Some(table) = block.table() else {
            return write_lines(block.rows.iter().map(|(_, row)| line_of(row)), manuscript);
        };
        let (above, below) = (&block.rows[..table.start], &block.rows[table.end..]);
        for (_, row) in above {
            paragraph(&line_of(row), manuscript);
        }
        let rows = &block.rows[table];
        match heads::form_of(rows, &self.merged, above_table.head.as_ref()) {
            Form::Table { head, first_row, continues } => {
                let rows = &rows[first_row..];
                let mut read = self.sheet_table(&head, rows);
                read.continues = continues && above_table.has_rows;
                read.labels = below.iter().filter(|(_, row)| may_be_row(row)).count().try_into().unwrap_or(u32::MAX);
                write_table(&head, rows, read, |row| self.number(row), manuscript);
                *above_table = Above { head: Some(head), has_rows: !rows.is_empty() };
            }
            Form::Pairs => write_lines(rows.iter().map(|(_, row)| line_of(row)), manuscript),
        }
        for (_, row) in below {
            paragraph(&line_of(row), manuscript);
        }
    }

    /// The table without its rows.
    fn sheet_table(&self, head: &Head, rows: &[NumberedRow<'_>]) -> SheetTable {
        let (first, last) = (rows.first().map(|(number, _)| *number), rows.last().map(|(number, _)| *number));
        let repeats = |merged: &&Merged| {
            let (top, bottom) = merged.rows;
            bottom > top && first.is_some_and(|first| bottom >= first) && last.is_some_and(|last| top <= last)
        };
        let merged: BTreeSet<u32> = self.merged.iter().filter(repeats).map(|merged| merged.columns.0).collect();
        SheetTable {
            sheet: self
                .sheet
                .as_deref()
                .map(|sheet| collapsed(&ibidem_words::seen(sheet)).chars().take(LONGEST_HEADING).collect()),
            columns: head.columns().collect(),
            merged: head.columns().filter(|column| merged.contains(column)).collect(),
            is_partial: self.is_partial,
            continues: false,
            labels: 0,
            rows: Vec::with_capacity(rows.len()),
            end: 0,
        }
    }

    /// What people number a row by.
    fn number(&self, row: u32) -> u32 {
        let place = usize::try_from(row).ok();
        place.and_then(|place| self.numbers.get(place)).copied().unwrap_or_else(|| row.saturating_add(1))
    }
}

/// The characters of a table whose every row stands under the head.
fn row_by_row(head: &Head, rows: &[NumberedRow<'_>]) -> usize {
    let cells = rows.iter().flat_map(|(_, row)| row.values());
    let text: usize = cells.map(|text| text.chars().count() + BETWEEN_CELLS).sum();
    text + rows.len() * head.length()
}

/// The last table that was written.
#[derive(Default)]
struct Above {
    head: Option<Head>,
    has_rows: bool,
}

/// Rows that stand together, with their numbers.
struct Block<'a> {
    rows: Vec<NumberedRow<'a>>,
}

type NumberedRow<'a> = (u32, BTreeMap<u32, &'a str>);

impl<'a> Block<'a> {
    fn between_empty_rows(self) -> Vec<Self> {
        let mut blocks: Vec<Self> = Vec::new();
        let mut expected = None;
        for (number, row) in self.rows {
            match blocks.last_mut().filter(|_| expected == Some(number)) {
                Some(block) => block.rows.push((number, row)),
                None => blocks.push(Self { rows: vec![(number, row)] }),
            }
            expected = number.checked_add(1);
        }
        blocks
    }

    /// Two tables beside each other have a column between them that is empty, and seldom end in the same row. Where they
    /// do, it is one table with a gap.
    fn between_empty_columns(self) -> Vec<Self> {
        let columns: BTreeSet<u32> = self.rows.iter().flat_map(|(_, row)| row.keys().copied()).collect();
        let mut groups: Vec<BTreeSet<u32>> = Vec::new();
        for column in columns {
            match groups.last_mut().filter(|group| group.last().is_some_and(|last| last + 1 == column)) {
                Some(group) => drop(group.insert(column)),
                None => groups.push(BTreeSet::from([column])),
            }
        }
        let rows_of = |group: &BTreeSet<u32>| -> Vec<u32> {
            let has = |row: &BTreeMap<u32, &str>| row.keys().any(|column| group.contains(column));
            self.rows.iter().filter(|(_, row)| has(row)).map(|(number, _)| *number).collect()
        };
        let is_apart = groups.len() > 1
            && groups.len() <= MOST_BESIDE
            && groups.iter().all(|group| group.len() > 1)
            && groups.windows(2).all(|pair| rows_of(&pair[0]) != rows_of(&pair[1]));
        if !is_apart {
            return vec![self];
        }
        let part = |group: &BTreeSet<u32>| {
            let inside = |row: &BTreeMap<u32, &'a str>| -> BTreeMap<u32, &'a str> {
                row.iter().filter(|(column, _)| group.contains(column)).map(|(column, text)| (*column, *text)).collect()
            };
            let rows = self.rows.iter().map(|(number, row)| (*number, inside(row)));
            Self { rows: rows.filter(|(_, row)| !row.is_empty()).collect() }
        };
        groups.iter().map(part).collect()
    }

    /// The rows from the first to the last that have several cells: what is above and below are notes. So are lines with
    /// a word or two above a wide table.
    fn table(&self) -> Option<Range<usize>> {
        let has_several = |(_, row): &NumberedRow<'_>| row.len() > 1;
        let first = self.rows.iter().position(has_several)?;
        let end = self.rows.iter().rposition(has_several)? + 1;
        let widest = self.rows[first..end].iter().map(|(_, row)| row.len()).max()?;
        let is_note = |(_, row): &&NumberedRow<'_>| widest >= WIDE && row.len() * 2 <= widest && row.len() <= 2;
        let notes = self.rows[first..end].iter().take_while(is_note).count();
        Some(first + notes..end)
    }
}

/// More tables do not stand beside each other.
const MOST_BESIDE: usize = 20;
/// A table of so many columns is wide.
const WIDE: usize = 4;

/// The cells of a line that is no row of a table: `Valid from: 2027-01-01`.
fn line_of(row: &BTreeMap<u32, &str>) -> String {
    let mut cells = row.values();
    match (cells.next(), cells.next(), row.len()) {
        (Some(label), Some(value), 2) => format!("{}: {value}", label.trim_end_matches(':')),
        _ => row.values().copied().collect::<Vec<_>>().join("; "),
    }
}

fn paragraph(words: &str, manuscript: &mut Manuscript) {
    manuscript.end_block();
    manuscript.words(words);
    manuscript.end_block();
}

/// Lines that follow each other in one block.
fn write_lines(lines: impl Iterator<Item = String>, manuscript: &mut Manuscript) {
    manuscript.end_block();
    let mut is_first = true;
    for line in lines {
        if manuscript.is_overfull() {
            return;
        }
        if !std::mem::take(&mut is_first) {
            manuscript.line_break();
        }
        manuscript.words(&line);
    }
    manuscript.end_block();
}

/// `read` is the table without its rows; `number` says what people number a row by.
fn write_table(
    head: &Head,
    rows: &[NumberedRow<'_>],
    mut read: SheetTable,
    number: impl Fn(u32) -> u32,
    manuscript: &mut Manuscript,
) {
    let labels = group_labels(head, rows);
    let are_headings = labels.len() <= MOST_LABELS;
    let together = if row_by_row(head, rows) <= LONGEST_ROW_BY_ROW { 1 } else { ROWS_TOGETHER };
    read.labels = read.labels.saturating_add(u32::try_from(labels.len()).unwrap_or(u32::MAX));
    // The head stands above the first row, above the first one below a label, and above every row or few.
    let mut below_head = together;
    let mut begins_at = 0;
    for (place, (row_number, row)) in rows.iter().enumerate() {
        if manuscript.is_overfull() {
            return;
        }
        if labels.contains(&place) {
            manuscript.close_table();
            match are_headings {
                true => manuscript.heading(LABEL_LEVEL, &line_of(row)),
                false => paragraph(&line_of(row), manuscript),
            }
            below_head = together;
            continue;
        }
        if below_head >= together {
            manuscript.close_table();
            begins_at = manuscript.length();
            manuscript.open_table();
            write_row(head.names(), manuscript);
            below_head = 0;
        }
        write_row(head.columns().map(|column| row.get(&column).copied().unwrap_or_default()), manuscript);
        below_head += 1;
        read.rows.push((begins_at, number(*row_number)));
    }
    if rows.is_empty() {
        manuscript.open_table();
        write_row(head.names(), manuscript);
    }
    manuscript.close_table();
    read.end = manuscript.length();
    if !labels.is_empty() && are_headings {
        manuscript.end_section(LABEL_LEVEL);
    }
    if !read.rows.is_empty() {
        manuscript.sheet_table(read);
    }
}

/// Whether a line below a table may be a row of it that has one cell: it is no sentence.
fn may_be_row(row: &BTreeMap<u32, &str>) -> bool {
    let words = row.values().flat_map(|cell| cell.split_whitespace()).count();
    let ends_as_sentence = row.values().next_back().is_some_and(|cell| cell.ends_with(['.', '!', '?', ':', '*']));
    words <= LONGEST_LABEL && !ends_as_sentence
}

fn write_row<'a>(cells: impl Iterator<Item = &'a str>, manuscript: &mut Manuscript) {
    manuscript.open_row();
    for cell in cells {
        manuscript.words(cell);
        manuscript.close_cell();
    }
    manuscript.close_row();
}

/// Rows with nothing but a label in their first column, where they are few: the rows below them belong together.
fn group_labels(head: &Head, rows: &[NumberedRow<'_>]) -> BTreeSet<usize> {
    let first_column = head.columns().next();
    let is_label = |row: &BTreeMap<u32, &str>| row.len() == 1 && row.keys().next().copied() == first_column;
    let labels: BTreeSet<usize> = (0..rows.len()).filter(|place| is_label(&rows[*place].1)).collect();
    if labels.len() * 3 > rows.len() { BTreeSet::new() } else { labels }
}
