//! Which rows of a table name its columns, and what those are called.

use std::collections::{BTreeMap, BTreeSet};

use super::figures::{is_blank_sign, is_figure, is_period, unit};
use super::{BETWEEN_CELLS, Merged, NumberedRow};

/// No real head has more rows.
const MOST_HEAD_ROWS: usize = 5;

/// How rows are laid out.
pub(super) enum Form {
    /// Under a head; `first_row` is the first one below it.
    /// `continues`: it has none of its own, and goes on under that of the table above.
    Table { head: Head, first_row: usize, continues: bool },
    /// Without a head: each row says by itself what it says, as `Company | Example Ltd` does.
    Pairs,
}

/// The columns of a table, each with its name.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Head {
    names: BTreeMap<u32, String>,
}

impl Head {
    pub(super) fn columns(&self) -> impl Iterator<Item = u32> {
        self.names.keys().copied()
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.names.values().map(String::as_str)
    }

    pub(super) fn length(&self) -> usize {
        self.names().map(|name| name.chars().count() + BETWEEN_CELLS).sum()
    }
}

/// `above` is the head of the table above this one on the sheet: rows that go on below an empty row stand under it too.
pub(super) fn form_of(rows: &[NumberedRow<'_>], merged: &[Merged], above: Option<&Head>) -> Form {
    let columns: BTreeSet<u32> = rows.iter().flat_map(|(_, row)| row.keys().copied()).collect();
    let begins_with_head = rows.first().is_some_and(|(_, row)| can_be_head(row));
    if !begins_with_head {
        return match above.filter(|head| columns.iter().all(|column| head.names.contains_key(column))) {
            Some(head) => Form::Table { head: head.clone(), first_row: 0, continues: true },
            None => Form::Pairs,
        };
    }
    if rows.len() == 1 || says_pairs(rows, &columns) {
        return Form::Pairs;
    }
    let height = height(rows, merged);
    let mut head =
        Head { names: columns.iter().map(|column| (*column, name(*column, &rows[..height], merged))).collect() };
    let first_row = if add_units(&mut head, rows.get(height)) { height + 1 } else { height };
    Form::Table { head, first_row, continues: false }
}

/// Columns are named by words, or by years and days behind the first one.
fn can_be_head(row: &BTreeMap<u32, &str>) -> bool {
    let no_figures = row.values().all(|cell| !is_figure(cell));
    let mut behind_first = row.values().skip(usize::from(row.values().next().is_some_and(|cell| !is_period(cell))));
    no_figures || (behind_first.len() > 0 && behind_first.all(|cell| is_period(cell)))
}

/// Of two columns the second has figures here and words there: no column of a table has, but values under labels do.
fn says_pairs(rows: &[NumberedRow<'_>], columns: &BTreeSet<u32>) -> bool {
    let Some(values) = columns.last().filter(|_| columns.len() == 2) else { return false };
    let cells = rows[1..].iter().filter_map(|(_, row)| row.get(values)).filter(|cell| !is_blank_sign(cell));
    let (figures, words): (Vec<&str>, Vec<&str>) = cells.partition(|cell| is_figure(cell));
    let all = figures.len() + words.len();
    figures.len() * 4 >= all && words.len() * 4 >= all && all > 1
}

/// How many rows the head has: as far down as its cells are merged, and one more below a cell over several columns.
fn height(rows: &[NumberedRow<'_>], merged: &[Merged]) -> usize {
    let most = rows.len().saturating_sub(1).min(MOST_HEAD_ROWS);
    let mut height = 1;
    loop {
        let (first, last) = (rows[0].0, rows[height - 1].0);
        let of_head = merged.iter().filter(|merged| (first..=last).contains(&merged.rows.0));
        let reaches_down = of_head.clone().any(|merged| merged.rows.1 > last);
        let is_group = |merged: &&Merged| merged.columns.1 > merged.columns.0 && merged.rows.1 == last;
        let has_groups = of_head.clone().any(|merged| is_group(&merged));
        let next_is_words = rows.get(height).is_some_and(|(_, row)| can_be_head(row));
        if height >= most || !(next_is_words && (reaches_down || has_groups)) {
            return height;
        }
        height += 1;
    }
}

/// What stands above a column in all rows of the head, the words of merged cells included.
fn name(column: u32, head: &[NumberedRow<'_>], merged: &[Merged]) -> String {
    let mut words: Vec<&str> = Vec::new();
    for (number, row) in head {
        let holds =
            |merged: &&Merged| merged.rows.0 == *number && (merged.columns.0..=merged.columns.1).contains(&column);
        let from_group = || row.get(&merged.iter().find(holds)?.columns.0);
        if let Some(cell) = row.get(&column).or_else(from_group)
            && words.last() != Some(cell)
        {
            words.push(cell);
        }
    }
    words.join(" ")
}

/// A row of units below the names belongs to them.
fn add_units(head: &mut Head, row: Option<&NumberedRow<'_>>) -> bool {
    let Some((_, row)) = row else { return false };
    let has_units = row.values().any(|cell| unit(cell).is_some());
    let is_units = has_units && row.values().all(|cell| unit(cell).is_some() || is_blank_sign(cell));
    if is_units {
        for (column, name) in &mut head.names {
            if let Some(unit) = row.get(column).and_then(|cell| unit(cell)) {
                *name = format!("{name} ({unit})").trim_start().to_owned();
            }
        }
    }
    is_units
}
