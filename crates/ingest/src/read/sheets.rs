//! Sheets of a workbook: each is a section under its name, with its notes and tables.

use std::io::Cursor;
use std::panic::{UnwindSafe, catch_unwind};

use calamine::{Data, DataRef, Dimensions, Reader as _, Sheet, SheetType, SheetVisible, Xls, Xlsx};
use ibidem_ports::intake::Format;

use super::grid::{Allowance, Grid, Merged};
use super::manuscript::{Manuscript, TitleHeading, collapsed};
use super::package::Package;
use super::{ReadDocument, ReadError, Stated};

mod compound;
mod numbers;
#[cfg(test)]
mod tests;

pub(super) use numbers::iso_moment;

/// A remark names so many sheets that were left out.
const MOST_NAMED: usize = 10;
const LONGEST_NAME: usize = 31;

pub(super) fn extract_xlsx(bytes: &[u8]) -> Result<ReadDocument, ReadError> {
    guarded(Format::Xlsx, || read_xlsx(bytes))
}

pub(super) fn extract_xls(bytes: &[u8]) -> Result<ReadDocument, ReadError> {
    compound::check_chains(bytes)?;
    guarded(Format::Xls, || read_xls(bytes))
}

/// The library indexes into broken files where it should look first: what it does not survive is a damaged file.
fn guarded(
    format: Format,
    read: impl FnOnce() -> Result<ReadDocument, ReadError> + UnwindSafe,
) -> Result<ReadDocument, ReadError> {
    catch_unwind(read).unwrap_or_else(|_| {
        Err(ReadError::unreadable(format, "it is damaged; open it in a spreadsheet program and save it again"))
    })
}

fn read_xlsx(bytes: &[u8]) -> Result<ReadDocument, ReadError> {
    let mut package = Package::open(bytes, Format::Xlsx)?;
    // The library unpacks what it needs without a bound.
    package.check_unpacked()?;
    let properties = package.properties("docProps/core.xml")?;
    let unreadable = |error: calamine::XlsxError| unreadable(Format::Xlsx, &error);
    let mut book = Xlsx::new(Cursor::new(bytes)).map_err(unreadable)?;
    let mut sheets = Sheets::default();
    for sheet in sheets.shown(book.sheets_metadata()) {
        let mut grid = grid_of_xlsx(&mut book, &sheet, &mut sheets.allowance)?;
        let without_value = formulas_without_value(&mut book, &sheet)?;
        grid.is_partial = without_value > 0;
        sheets.formulas_without_value += without_value;
        let merged = book.merge_cells_by_sheet_name(&sheet).map_err(unreadable)?;
        sheets.add(sheet, grid, &places(&merged))?;
    }
    let mut document = sheets.write(Format::Xlsx, properties.stated())?;
    document.title = properties.title();
    Ok(document)
}

/// The cells are taken one by one: a sheet that claims to be huge costs no more than it holds.
fn grid_of_xlsx(book: &mut Xlsx<Cursor<&[u8]>>, sheet: &str, allowance: &mut Allowance) -> Result<Grid, ReadError> {
    let unreadable = |error: calamine::XlsxError| unreadable(Format::Xlsx, &error);
    let mut grid = Grid::default();
    let mut cells = book.worksheet_cells_reader(sheet).map_err(unreadable)?;
    while let Some((cell, style)) = cells.next_cell_with_style_id().map_err(unreadable)? {
        let format = cells.styles().get(style).and_then(|style| style.number_format.as_ref());
        let text = shown_in_xlsx(cell.get_value(), format.map(|format| format.format_code.as_str()));
        let (row, column) = cell.get_position();
        grid.put(row, column, &text, allowance)?;
    }
    Ok(grid)
}

/// A file that no spreadsheet program has saved has formulas, and nobody has computed them.
fn formulas_without_value(book: &mut Xlsx<Cursor<&[u8]>>, sheet: &str) -> Result<usize, ReadError> {
    let unreadable = |error: calamine::XlsxError| unreadable(Format::Xlsx, &error);
    let mut cells = book.worksheet_cells_reader(sheet).map_err(unreadable)?;
    let mut count = 0;
    while let Some(cell) = cells.next_cell_with_formula_metadata().map_err(unreadable)? {
        count += usize::from(cell.formula.is_some() && matches!(cell.value, DataRef::Empty));
    }
    Ok(count)
}

fn read_xls(bytes: &[u8]) -> Result<ReadDocument, ReadError> {
    let mut book = Xls::new(Cursor::new(bytes)).map_err(|error| unreadable(Format::Xls, &error))?;
    let mut sheets = Sheets::default();
    for sheet in sheets.shown(book.sheets_metadata()) {
        let mut grid = Grid::default();
        let range = book.worksheet_range(&sheet).map_err(|error| unreadable(Format::Xls, &error))?;
        let (top, left) = range.start().unwrap_or_default();
        for (row, column, value) in range.used_cells() {
            let place = |first: u32, further: usize| first.saturating_add(u32::try_from(further).unwrap_or(u32::MAX));
            grid.put(place(top, row), place(left, column), &shown_in_xls(value), &mut sheets.allowance)?;
        }
        let merged = book.merge_cells_by_sheet_name(&sheet).unwrap_or_default();
        sheets.add(sheet, grid, &places(&merged))?;
    }
    sheets.write(Format::Xls, Stated::default())
}

fn places(merged: &[Dimensions]) -> Vec<Merged> {
    let place =
        |cells: &Dimensions| Merged { rows: (cells.start.0, cells.end.0), columns: (cells.start.1, cells.end.1) };
    merged.iter().map(place).collect()
}

/// The sheets of one file, in their order.
#[derive(Default)]
pub(super) struct Sheets {
    pub(super) allowance: Allowance,
    sheets: Vec<(String, Grid)>,
    hidden: Vec<String>,
    formulas_without_value: usize,
}

impl Sheets {
    /// The names of the sheets that are shown. Whoever hides one does not mean it to be read, and nobody who opens the file
    /// at a citation would find it.
    fn shown(&mut self, all: &[Sheet]) -> Vec<String> {
        let (shown, hidden): (Vec<&Sheet>, Vec<&Sheet>) = all
            .iter()
            .filter(|sheet| sheet.typ == SheetType::WorkSheet)
            .partition(|sheet| sheet.visible == SheetVisible::Visible);
        self.hidden.extend(hidden.into_iter().map(|sheet| sheet.name.clone()));
        shown.into_iter().map(|sheet| sheet.name.clone()).collect()
    }

    pub(super) fn leave_out(&mut self, name: String) {
        self.hidden.push(name);
    }

    pub(super) fn add(&mut self, name: String, mut grid: Grid, merged: &[Merged]) -> Result<(), ReadError> {
        grid.sheet = Some(name.clone());
        for merged in merged {
            grid.merge(*merged, &mut self.allowance)?;
        }
        self.sheets.push((name, grid));
        Ok(())
    }

    pub(super) fn write(self, format: Format, stated: Stated) -> Result<ReadDocument, ReadError> {
        let mut manuscript = Manuscript::new(TitleHeading::No);
        let is_unnamed = self.sheets.len() == 1 && self.sheets.iter().all(|(name, _)| is_given_by_program(name));
        for (name, grid) in self.sheets.iter().filter(|(_, grid)| !grid.is_empty()) {
            if !is_unnamed {
                manuscript.heading(1, name);
            }
            grid.write(&mut manuscript);
        }
        let mut document = manuscript.finish(format, stated)?;
        document.remarks.extend(remark_on_hidden(&self.hidden));
        document.remarks.extend(remark_on_formulas(self.formulas_without_value));
        Ok(document)
    }
}

/// `Sheet1`, `Tabelle1`: the only sheet of a file that nobody named.
fn is_given_by_program(name: &str) -> bool {
    name.strip_suffix('1').is_some_and(|word| !word.is_empty() && word.chars().all(char::is_alphabetic))
}

fn remark_on_hidden(hidden: &[String]) -> Option<String> {
    let named: Vec<String> = hidden.iter().take(MOST_NAMED).map(|name| name_in_remark(name)).collect();
    let further = if hidden.len() > named.len() { " and others" } else { "" };
    let sheets = if hidden.len() == 1 { "sheet was" } else { "sheets were" };
    (!hidden.is_empty()).then(|| format!("{} hidden {sheets} left out: {}{further}", hidden.len(), named.join(", ")))
}

fn remark_on_formulas(without_value: usize) -> Option<String> {
    let advice = "open the file in a spreadsheet program and save it";
    match without_value {
        0 => None,
        1 => Some(format!("1 cell has a formula without its value and was left out: {advice}")),
        _ => Some(format!("{without_value} cells have formulas without their values and were left out: {advice}")),
    }
}

fn name_in_remark(name: &str) -> String {
    collapsed(&ibidem_words::seen(name)).chars().take(LONGEST_NAME).collect()
}

fn shown_in_xlsx(value: &DataRef<'_>, format: Option<&str>) -> String {
    match value {
        DataRef::Float(number) => numbers::formatted(*number, format),
        // Whole numbers of a sheet are far below the greatest that this holds.
        #[expect(clippy::cast_precision_loss, reason = "Excel keeps fifteen digits")]
        DataRef::Int(number) => numbers::formatted(*number as f64, format),
        DataRef::String(words) => words.clone(),
        DataRef::SharedString(words) => (*words).to_owned(),
        DataRef::Bool(yes) => boolean(*yes),
        DataRef::DateTime(moment) => numbers::moment(moment),
        DataRef::DateTimeIso(moment) => numbers::iso_moment(moment),
        DataRef::DurationIso(duration) => duration.clone(),
        DataRef::Error(error) => error.to_string(),
        DataRef::Empty => String::new(),
    }
}

fn shown_in_xls(value: &Data) -> String {
    match value {
        Data::Float(number) => numbers::formatted(*number, None),
        Data::Int(number) => number.to_string(),
        Data::String(words) => words.clone(),
        Data::Bool(yes) => boolean(*yes),
        Data::DateTime(moment) => numbers::moment(moment),
        Data::DateTimeIso(moment) => numbers::iso_moment(moment),
        Data::DurationIso(duration) => duration.clone(),
        Data::Error(error) => error.to_string(),
        Data::Empty => String::new(),
    }
}

/// As sheets show it.
fn boolean(yes: bool) -> String {
    if yes { "TRUE" } else { "FALSE" }.to_owned()
}

fn unreadable(format: Format, error: &dyn std::fmt::Display) -> ReadError {
    let reason = format!("{error}; if it is protected by a password, save it without one");
    ReadError::unreadable(format, reason)
}
