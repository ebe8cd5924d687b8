//! Cells of sheets, and what people call them: `Tariffs!C7`.

use serde::{Deserialize, Serialize};

/// The rows of a table on a sheet that a passage holds, and where they stand there.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct SheetRows {
    /// None of a file that has no sheets: there rows are called by their number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sheet: Option<String>,
    /// Numbers the table among those of its document, from 0.
    pub table: u32,
    /// The place on the sheet of each column of the table, counted from 0.
    pub columns: Vec<u32>,
    /// Those of them in which cells are merged over several rows: these rows repeat what the sheet has once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub merged: Vec<u32>,
    /// The numbers of the rows on the sheet, counted from 1.
    pub rows: Vec<u32>,
    /// How many rows of the table come before these.
    pub before: u32,
    /// How many rows the whole table has.
    pub of: u32,
    /// How many rows with a single cell were taken for labels inside the table or for notes below it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub labels: u32,
    /// The sheet has cells that could not be read.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_partial: bool,
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// More stretches are called by the first and the last of their cells alone.
const MOST_STRETCHES: usize = 6;

impl SheetRows {
    /// What all cells of these rows are called, as programs for sheets write it: `Tariffs!A7:C7`, `row 7` where there is no
    /// sheet. None where there is no row or no column.
    pub fn cells(&self) -> Option<String> {
        self.called(&self.rows, None)
    }

    /// What cells in rows of these numbers are called, of one column by its place in the table, or of all:
    /// `Tariffs!C2:C15`, `Tariffs!C2:C4, C9`.
    pub fn called(&self, rows: &[u32], column: Option<usize>) -> Option<String> {
        let (left, right) = match column {
            Some(column) => (self.columns.get(column)?, self.columns.get(column)?),
            None => (self.columns.first()?, self.columns.last()?),
        };
        let mut stretches: Vec<(u32, u32)> = Vec::new();
        for row in rows {
            match stretches.last_mut().filter(|(_, last)| last.checked_add(1) == Some(*row)) {
                Some((_, last)) => *last = *row,
                None => stretches.push((*row, *row)),
            }
        }
        if stretches.len() > MOST_STRETCHES {
            stretches = vec![(*rows.first()?, *rows.last()?)];
        }
        let stretch = |(first, last): &(u32, u32)| match (self.sheet.is_some(), first == last) {
            (false, true) => format!("row {first}"),
            (false, false) => format!("rows {first}–{last}"),
            (true, is_one) if is_one && left == right => format!("{}{first}", column_letters(*left)),
            (true, _) => format!("{}{first}:{}{last}", column_letters(*left), column_letters(*right)),
        };
        let stretches: Vec<String> = stretches.iter().map(stretch).collect();
        if stretches.is_empty() {
            return None;
        }
        Some(self.sheet.as_deref().map(quoted_name).unwrap_or_default() + &stretches.join(", "))
    }
}

/// `Tariffs!`, `'Price list'!`.
fn quoted_name(sheet: &str) -> String {
    let is_plain = sheet.chars().all(|sign| sign.is_alphanumeric() || sign == '_');
    if is_plain { format!("{sheet}!") } else { format!("'{}'!", sheet.replace('\'', "''")) }
}

/// `A` of the first column, `AA` of the 27th.
fn column_letters(column: u32) -> String {
    let mut letters = Vec::new();
    let mut rest = u64::from(column) + 1;
    while rest > 0 {
        rest -= 1;
        letters.extend(char::from_digit(u32::try_from(rest % 26).unwrap_or(0) + 10, 36));
        rest /= 26;
    }
    letters.into_iter().rev().map(|letter| letter.to_ascii_uppercase()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(sheet: Option<&str>, columns: &[u32], rows: &[u32]) -> SheetRows {
        let sheet = sheet.map(str::to_owned);
        SheetRows { sheet, columns: columns.to_vec(), rows: rows.to_vec(), ..SheetRows::default() }
    }

    #[test]
    fn cells_are_called_as_programs_for_sheets_call_them() {
        for (sheet, columns, numbers, expected) in [
            (Some("Tariffs"), [0, 2].as_slice(), [7].as_slice(), "Tariffs!A7:C7"),
            (Some("Tariffs"), &[2], &[7], "Tariffs!C7"),
            (Some("Tariffs"), &[2], &[2, 3, 4], "Tariffs!C2:C4"),
            (Some("Tariffs"), &[2], &[2, 3, 9], "Tariffs!C2:C3, C9"),
            (Some("Tariffs"), &[2], &[1, 3, 5, 7, 9, 11, 13], "Tariffs!C1:C13"),
            (Some("Price list's"), &[26], &[1], "'Price list''s'!AA1"),
            (Some("X"), &[701, 702], &[1], "X!ZZ1:AAA1"),
            (None, &[0, 2], &[7], "row 7"),
            (None, &[0, 2], &[7, 8, 10], "rows 7–8, row 10"),
        ] {
            assert_eq!(rows(sheet, columns, numbers).cells().as_deref(), Some(expected));
        }
        let table = rows(Some("Tariffs"), &[0, 2], &[2]);
        assert_eq!(table.called(&[2, 3], Some(1)).as_deref(), Some("Tariffs!C2:C3"));
        assert_eq!((table.called(&[2], Some(2)), rows(Some("T"), &[], &[1]).cells()), (None, None));
    }
}
