//! Tables of AsciiDoc: cells between bars, told into rows by the number of columns.

use super::inline::{Places, words};
use crate::read::grid::Allowance;
use crate::read::manuscript::Manuscript;
use crate::read::markup::write_table;
use crate::read::{ReadError, csv};

/// More columns or repeated cells than any table has.
const MOST_COLUMNS: usize = 500;

/// What parts the cells of a table.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Cells {
    Bars,
    Commas,
    Colons,
}

struct Cell {
    words: String,
    columns: usize,
    rows: usize,
    times: usize,
}

/// Writes the lines between the marks of a table. `attributes`: the line above it.
pub(super) fn write(
    lines: &[String],
    (attributes, cells): (&str, Cells),
    allowance: &mut Allowance,
    places: &Places,
    manuscript: &mut Manuscript,
) -> Result<(), ReadError> {
    let rows = match cells {
        Cells::Bars => rows(lines, columns(attributes), allowance)?,
        Cells::Commas => csv::rows_inside(&lines.join("\n"), b','),
        Cells::Colons => csv::rows_inside(&lines.join("\n"), b':'),
    };
    write_table(&rows, |cell| words(cell, places), manuscript);
    Ok(())
}

/// `cols="1,2a,3*"`: how many columns the table says it has.
fn columns(attributes: &str) -> Option<usize> {
    let (_, list) = attributes.split_once("cols=")?;
    let list = match list.strip_prefix(['"', '\'']) {
        Some(quoted) => quoted.split(['"', '\'']).next().unwrap_or_default(),
        None => list.split([',', ']']).next().unwrap_or_default(),
    };
    let times = |column: &str| column.split_once('*').and_then(|(times, _)| times.trim().parse().ok()).unwrap_or(1);
    let separator = if list.contains(';') { ';' } else { ',' };
    Some(list.split(separator).map(times).fold(0_usize, usize::saturating_add).clamp(1, MOST_COLUMNS))
}

fn rows(lines: &[String], columns: Option<usize>, allowance: &mut Allowance) -> Result<Vec<Vec<String>>, ReadError> {
    let mut cells: Vec<Cell> = Vec::new();
    let mut of_first_line = None;
    for line in lines {
        let before = cells.len();
        add_cells(line, &mut cells);
        for cell in &cells[before..] {
            allowance.take_all(cell.times.saturating_mul(cell.columns).saturating_mul(cell.rows), cell.words.len())?;
        }
        if cells.len() > before && of_first_line.is_none() {
            of_first_line = Some(cells[before..].iter().map(|cell| cell.columns * cell.times).sum());
        }
    }
    Ok(placed(cells, columns.or(of_first_line).unwrap_or(1).clamp(1, MOST_COLUMNS)))
}

/// The cells in rows. A cell that goes over several rows says the same in each, as its words hold for each.
fn placed(cells: Vec<Cell>, columns: usize) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    let mut row: Vec<String> = Vec::new();
    // What a cell of an earlier row says in the rows below it, and in how many.
    let mut above: Vec<(usize, String)> = vec![(0, String::new()); columns];
    for cell in cells {
        for _ in 0..cell.times {
            fill_from_above(&mut row, &mut above);
            if row.len() >= columns {
                rows.push(std::mem::take(&mut row));
                fill_from_above(&mut row, &mut above);
            }
            for column in 0..cell.columns {
                let words = if column == 0 { cell.words.trim() } else { "" };
                if let Some(below) = above.get_mut(row.len()) {
                    *below = (cell.rows - 1, words.to_owned());
                    row.push(words.to_owned());
                }
            }
        }
    }
    if !row.is_empty() {
        rows.push(row);
    }
    rows
}

fn fill_from_above(row: &mut Vec<String>, above: &mut [(usize, String)]) {
    while let Some((left, words)) = above.get_mut(row.len()).filter(|(left, _)| *left > 0) {
        *left -= 1;
        row.push(words.clone());
    }
}

/// Adds the cells that begin on the line. Words before the first belong to the cell before.
fn add_cells(line: &str, cells: &mut Vec<Cell>) {
    let mut rest = line;
    let mut specification = Specification::default();
    let mut is_first = true;
    loop {
        let bar = bar(rest);
        let part = &rest[..bar.unwrap_or(rest.len())];
        // What stands between two cells may end in what the next one is.
        let (words, next) = if bar.is_some() { specification_at_end(part) } else { (part, Specification::default()) };
        let words = words.replace("\\|", "|");
        match cells.last_mut() {
            Some(cell) if is_first => {
                cell.words.push('\n');
                cell.words.push_str(words.trim());
            }
            _ if is_first => {}
            _ => {
                let Specification { columns, rows, times } = specification;
                cells.push(Cell { words, columns, rows, times });
            }
        }
        let Some(bar) = bar else { return };
        specification = next;
        is_first = false;
        rest = &rest[bar + 1..];
    }
}

fn bar(text: &str) -> Option<usize> {
    text.match_indices('|').map(|(at, _)| at).find(|at| !text[..*at].ends_with('\\'))
}

#[derive(Clone, Copy)]
struct Specification {
    columns: usize,
    rows: usize,
    times: usize,
}

impl Default for Specification {
    fn default() -> Self {
        Self { columns: 1, rows: 1, times: 1 }
    }
}

/// `2+`, `.3+`, `3*`, `^.^s`, `a`: over how many columns and rows a cell goes, how often it is repeated, how it is set.
fn specification_at_end(part: &str) -> (&str, Specification) {
    let start = part.rfind(char::is_whitespace).map_or(0, |space| space + 1);
    let written = &part[start..];
    let (span, style) = match written.find(['+', '*']) {
        Some(end) => written.split_at(end + 1),
        None => ("", written),
    };
    let style = style.trim_start_matches(['<', '^', '>', '.']);
    let is_style = style.len() <= 1 && style.chars().all(|sign| "adehlmsv".contains(sign));
    let is_span = span.chars().all(|sign| sign.is_ascii_digit() || matches!(sign, '.' | '+' | '*'));
    if written.is_empty() || !is_style || !is_span {
        return (part, Specification::default());
    }
    let number = |digits: &str| digits.parse::<usize>().unwrap_or(1).clamp(1, MOST_COLUMNS);
    let (counts, is_repeated) = (span.trim_end_matches(['+', '*']), span.ends_with('*'));
    let (columns, rows) = counts.split_once('.').unwrap_or((counts, ""));
    let specification = match is_repeated {
        true => Specification { times: number(columns), ..Specification::default() },
        false => Specification { columns: number(columns), rows: number(rows), times: 1 },
    };
    (&part[..start], specification)
}
