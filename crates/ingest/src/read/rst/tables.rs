//! Tables of reStructuredText, which are drawn with signs.

use std::collections::BTreeSet;

use super::inline::{Names, words};
use crate::read::csv;
use crate::read::manuscript::{Manuscript, collapsed};
use crate::read::markup::write_table;

/// Rows with the words of their cells, as they are written.
pub(super) type Rows = Vec<Vec<String>>;

pub(super) fn write(rows: &Rows, names: &Names, manuscript: &mut Manuscript) {
    write_table(rows, |cell| words(&collapsed(cell), names), manuscript);
}

pub(super) fn begins_grid(line: &str) -> bool {
    line.len() > 2 && line.starts_with('+') && line.ends_with('+') && line.bytes().all(|byte| b"+-=".contains(&byte))
}

/// Lines that begin with `+` or `|`. Cells lie between bars that stand under a corner of the drawing.
pub(super) fn grid(lines: &[&str]) -> Rows {
    let lines: Vec<Vec<char>> = lines.iter().map(|line| line.chars().collect()).collect();
    let borders = lines.iter().filter(|line| line.first() == Some(&'+'));
    let corners: BTreeSet<usize> = borders.flat_map(|line| places(line, '+')).collect();
    let corners: Vec<usize> = corners.into_iter().collect();
    let mut rows = Rows::new();
    let mut row: Vec<String> = vec![String::new(); corners.len().saturating_sub(1)];
    for line in &lines {
        let mut is_border = line.first() == Some(&'+');
        let edges: Vec<(usize, usize)> = corners
            .iter()
            .enumerate()
            .filter(|(_, at)| matches!(line.get(**at), Some('|' | '+')))
            .map(|(column, at)| (column, *at))
            .collect();
        for pair in edges.windows(2) {
            let [(column, start), (_, end)] = pair else { continue };
            let inside: String = line[start + 1..*end].iter().collect();
            if !inside.is_empty() && inside.chars().all(|sign| matches!(sign, '-' | '=' | '+')) {
                is_border = true;
            } else if let Some(cell) = row.get_mut(*column) {
                cell.push_str(inside.trim());
                cell.push(' ');
            }
        }
        if is_border && row.iter().any(|cell| !cell.trim().is_empty()) {
            let columns = row.len();
            rows.push(std::mem::replace(&mut row, vec![String::new(); columns]));
        }
    }
    if row.iter().any(|cell| !cell.trim().is_empty()) {
        rows.push(row);
    }
    rows
}

fn places(line: &[char], sign: char) -> Vec<usize> {
    line.iter().enumerate().filter(|(_, found)| **found == sign).map(|(at, _)| at).collect()
}

pub(super) fn begins_simple(line: &str) -> bool {
    line.starts_with("==") && line.contains(" =") && line.bytes().all(|byte| byte == b'=' || byte == b' ')
}

/// How many lines a table has that begins with a line of `=`: to its third such line, or to the second if it has no head.
pub(super) fn simple_length(lines: &[&str]) -> usize {
    let mut borders = lines.iter().enumerate().filter(|(_, line)| begins_simple(line)).map(|(at, _)| at).skip(1);
    let ends = |at: &usize| lines.get(at + 1).is_none_or(|line| line.is_empty());
    borders.find(ends).map_or(lines.len(), |at| at + 1)
}

/// Cells lie under the runs of `=`. A line without words in the first column goes on with the row above.
pub(super) fn simple(lines: &[&str]) -> Rows {
    let Some(border) = lines.first() else { return Rows::new() };
    let is_start = |at: &usize| {
        border.as_bytes().get(*at) == Some(&b'=') && (*at == 0 || border.as_bytes().get(at - 1) == Some(&b' '))
    };
    let starts: Vec<usize> = (0..border.len()).filter(is_start).collect();
    let mut rows = Rows::new();
    for line in lines.iter().filter(|line| !begins_simple(line) && !line.is_empty()) {
        if line.bytes().all(|byte| byte == b'-' || byte == b' ') {
            continue;
        }
        let signs: Vec<char> = line.chars().collect();
        let cell = |column: usize| -> String {
            let start = starts[column].min(signs.len());
            let end = starts.get(column + 1).map_or(signs.len(), |next| (*next).min(signs.len()));
            signs[start..end].iter().collect()
        };
        let cells: Vec<String> = (0..starts.len()).map(cell).collect();
        match rows.last_mut().filter(|_| cells.first().is_some_and(|first| first.trim().is_empty())) {
            Some(row) => row.iter_mut().zip(&cells).for_each(|(above, cell)| {
                above.push(' ');
                above.push_str(cell.trim());
            }),
            None => rows.push(cells),
        }
    }
    rows
}

/// `* - cell`: a list of lists.
pub(super) fn of_lists(lines: &[&str]) -> Rows {
    let mut rows = Rows::new();
    for line in lines {
        let line = line.trim_start();
        let begins_row = line.strip_prefix("* -").or_else(|| line.strip_prefix("- *"));
        if let Some(words) = begins_row {
            rows.push(vec![words.trim().to_owned()]);
        } else if let Some(row) = rows.last_mut() {
            match line.strip_prefix("- ").or_else(|| line.strip_prefix("* ")).or((line == "-").then_some("")) {
                Some(words) => row.push(words.to_owned()),
                None => row.iter_mut().last().into_iter().for_each(|cell| {
                    cell.push(' ');
                    cell.push_str(line);
                }),
            }
        }
    }
    rows
}

pub(super) fn of_commas(header: Option<&str>, lines: &[&str]) -> Rows {
    let text: String = header.into_iter().chain(lines.iter().copied()).flat_map(|line| [line, "\n"]).collect();
    csv::rows_inside(&text, b',')
}
