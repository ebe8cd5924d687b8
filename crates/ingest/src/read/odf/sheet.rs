//! ODS: sheets by what their cells show, which the file keeps beside what they hold.

use ibidem_ports::intake::Format;

use super::inline::{self, UNREAD};
use super::{Opened, Styles};
use crate::read::grid::{Grid, Merged};
use crate::read::package::xml::{Attributes, Part, Step};
use crate::read::sheets::{Sheets, iso_moment};
use crate::read::{ReadDocument, ReadError};

/// The most rows or columns that any program knows: more is claimed, and never meant.
const LARGEST_SHEET: u32 = 1 << 20;

pub(super) fn extract(opened: &Opened) -> Result<ReadDocument, ReadError> {
    let mut sheets = Sheets::default();
    let mut part = Part::new(&opened.content, Format::Ods);
    while let Some(step) = part.step()? {
        let Step::Open { name, attributes } = step else { continue };
        if name != "table" {
            continue;
        }
        let sheet = attributes.get("name").unwrap_or_default().to_owned();
        if opened.styles.is_hidden(attributes.get("style-name")) {
            sheets.leave_out(sheet);
            part.pass_over()?;
        } else {
            read(&mut part, &opened.styles, sheet, &mut sheets)?;
        }
    }
    let mut document = sheets.write(Format::Ods, opened.properties.stated())?;
    document.title = opened.properties.title();
    Ok(document)
}

/// Where the next cell stands, and the rows that the one being read stands for.
#[derive(Default)]
struct At {
    row: u32,
    column: u32,
    rows: u32,
}

fn read(part: &mut Part<'_>, styles: &Styles, name: String, sheets: &mut Sheets) -> Result<(), ReadError> {
    let mut grid = Grid::default();
    let mut merged = Vec::new();
    let mut at = At::default();
    let mut tables = 1_usize;
    while let Some(step) = part.step()? {
        match step {
            Step::Open { name, attributes } => match name.as_str() {
                // Pictures and charts have tables of their own, of what they show.
                "shapes" | "frame" => part.pass_over()?,
                name if UNREAD.contains(&name) => part.pass_over()?,
                "table" => tables += 1,
                "table-row" => {
                    at.column = 0;
                    at.rows = number(&attributes, "number-rows-repeated");
                }
                "table-cell" | "covered-table-cell" => {
                    let text = cell(part, styles, &attributes)?;
                    merged.extend(merged_from(&at, &attributes));
                    put(&text, &mut at, number(&attributes, "number-columns-repeated"), &mut grid, sheets)?;
                }
                _ => {}
            },
            Step::Close { name } if name == "table-row" => at.row = at.row.saturating_add(at.rows),
            Step::Close { name } if name == "table" => {
                tables -= 1;
                if tables == 0 {
                    break;
                }
            }
            Step::Close { .. } | Step::Text(_) => {}
        }
    }
    sheets.add(name, grid, &merged)
}

/// A cell may stand for several beside each other and below each other; an empty one for any number.
fn put(text: &str, at: &mut At, columns: u32, grid: &mut Grid, sheets: &mut Sheets) -> Result<(), ReadError> {
    let rows = at.row..at.row.saturating_add(at.rows);
    let places = at.column..at.column.saturating_add(columns);
    grid.fill(rows, places, text, &mut sheets.allowance)?;
    at.column = at.column.saturating_add(columns);
    Ok(())
}

fn merged_from(at: &At, cell: &Attributes) -> Option<Merged> {
    let (columns, rows) = (number(cell, "number-columns-spanned"), number(cell, "number-rows-spanned"));
    let last = |first: u32, count: u32| first.saturating_add(count - 1);
    (columns > 1 || rows > 1)
        .then(|| Merged { rows: (at.row, last(at.row, rows)), columns: (at.column, last(at.column, columns)) })
}

fn number(attributes: &Attributes, name: &str) -> u32 {
    attributes.get(name).and_then(|number| number.parse().ok()).unwrap_or(1).clamp(1, LARGEST_SHEET)
}

/// What the cell shows. Days are written the same everywhere, whatever the form they are shown in.
fn cell(part: &mut Part<'_>, styles: &Styles, attributes: &Attributes) -> Result<String, ReadError> {
    let mut lines: Vec<String> = Vec::new();
    let mut depth = 1_usize;
    while depth > 0 {
        match part.step()? {
            Some(Step::Open { name, .. }) => match name.as_str() {
                name if UNREAD.contains(&name) || name == "frame" => part.pass_over()?,
                "p" => lines.push(inline::words(part, styles, 1)?.text),
                _ => depth += 1,
            },
            Some(Step::Close { .. }) => depth -= 1,
            Some(Step::Text(_)) => {}
            None => break,
        }
    }
    let shown = lines.join(" ");
    let value = |name: &str| attributes.get(name).map(str::to_owned);
    Ok(match attributes.get("value-type") {
        Some("date") => value("date-value").map_or(shown, |date| iso_moment(&date)),
        Some("boolean") => value("boolean-value").map_or(shown, |value| value.to_uppercase()),
        // Some programs write the value alone.
        Some("float" | "percentage" | "currency") if shown.is_empty() => value("value").unwrap_or_default(),
        _ => shown,
    })
}
