//! CSV and TSV: a table with its head, whatever parts its cells.

use csv::{ReaderBuilder, StringRecord, Trim};
use ibidem_ports::intake::Format;

use super::grid::{Allowance, Grid};
use super::manuscript::{Manuscript, TitleHeading};
use super::{ReadDocument, ReadError, Stated};

/// What may stand between two cells, in the order in which it is tried.
const DELIMITERS: [u8; 4] = *b",;\t|";

/// So much of the file decides what stands between its cells.
const LOOKED_AT: usize = 64 * 1024;
const RECORDS_LOOKED_AT: usize = 100;

pub(super) fn extract(text: &str) -> Result<ReadDocument, ReadError> {
    let (named, text) = named_delimiter(text);
    let delimiter = named.unwrap_or_else(|| delimiter(text));
    let mut grid = Grid::default();
    let mut allowance = Allowance::default();
    let mut row = 0;
    let mut numbering = Numbering { text, next: 1 + u32::from(named.is_some()) };
    for record in records(text, delimiter) {
        let record = record?;
        let number = numbering.number_of(&record);
        // Between two lines of one file an empty one ends no table.
        if record.iter().all(|cell| cell.trim().is_empty()) {
            continue;
        }
        for (column, cell) in (0_u32..).zip(&record) {
            grid.put(row, column, cell, &mut allowance)?;
        }
        grid.numbers.push(number);
        row += 1;
    }
    let mut manuscript = Manuscript::new(TitleHeading::No);
    grid.write(&mut manuscript);
    manuscript.finish(Format::Csv, Stated::default())
}

fn records(text: &str, delimiter: u8) -> impl Iterator<Item = Result<StringRecord, ReadError>> {
    let reader =
        ReaderBuilder::new().has_headers(false).flexible(true).delimiter(delimiter).from_reader(text.as_bytes());
    let damaged = |error: csv::Error| ReadError::unreadable(Format::Csv, format!("a line of it is damaged ({error})"));
    reader.into_records().map(move |record| record.map_err(damaged))
}

/// Numbers records as a program for sheets numbers its rows: empty lines count, and the lines inside one cell do not.
struct Numbering<'t> {
    text: &'t str,
    next: u32,
}

impl Numbering<'_> {
    fn number_of(&mut self, record: &StringRecord) -> u32 {
        let at = record.position().and_then(|position| usize::try_from(position.byte()).ok()).unwrap_or(0);
        let (before, rest) = self.text.split_at_checked(at).unwrap_or((self.text, ""));
        // The library passes over the empty lines before a record, and over the second half of the line end above it.
        let rest = rest.strip_prefix('\n').filter(|_| before.ends_with('\r')).unwrap_or(rest);
        let empty = rest.chars().take_while(|sign| matches!(sign, '\r' | '\n')).filter(|sign| *sign == '\n').count();
        let number = self.next.saturating_add(u32::try_from(empty).unwrap_or(u32::MAX));
        self.next = number.saturating_add(1);
        number
    }
}

/// The rows of a table inside another document, as far as they can be read. Writers put a space between a delimiter and a
/// quote.
pub(super) fn rows_inside(text: &str, delimiter: u8) -> Vec<Vec<String>> {
    let sign = char::from(delimiter);
    let text = text.replace(&format!("{sign} \""), &format!("{sign}\""));
    let mut reader = ReaderBuilder::new();
    reader.has_headers(false).flexible(true).trim(Trim::All).delimiter(delimiter);
    let records = reader.from_reader(text.as_bytes()).into_records().map_while(Result::ok);
    records.map(|record| record.iter().map(str::to_owned).collect()).collect()
}

/// Spreadsheet programs understand a first line `sep=;`.
fn named_delimiter(text: &str) -> (Option<u8>, &str) {
    let Some((line, rest)) = text.split_once('\n') else { return (None, text) };
    match line.trim_end().strip_prefix("sep=").map(str::as_bytes) {
        Some([delimiter]) => (Some(*delimiter), rest),
        _ => (None, text),
    }
}

/// What parts the most lines into the same number of cells; of several, what makes the most cells.
fn delimiter(text: &str) -> u8 {
    let start = &text[..text.floor_char_boundary(LOOKED_AT)];
    let mut best = (0, 0);
    let mut found = DELIMITERS[0];
    for delimiter in DELIMITERS {
        let widths: Vec<usize> =
            records(start, delimiter).take(RECORDS_LOOKED_AT).flatten().map(|record| record.len()).collect();
        let several = widths.iter().filter(|width| **width > 1);
        let rated = several.map(|width| (widths.iter().filter(|other| *other == width).count(), *width)).max();
        if let Some(rated) = rated.filter(|rated| *rated > best) {
            best = rated;
            found = delimiter;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(csv: &str) -> String {
        extract(csv).unwrap().text
    }

    #[test]
    fn whatever_parts_the_cells_the_table_is_the_same() {
        let expected = "Product | Monthly (EUR) | From\nDSL 50 | 34,90 | Berlin, Mitte\n\nProduct | Monthly (EUR) | From\nDSL 100 | 39,90 |";
        for csv in [
            "Product,Monthly (EUR),From\nDSL 50,\"34,90\",\"Berlin, Mitte\"\nDSL 100,\"39,90\",\n",
            "Product;Monthly (EUR);From\r\nDSL 50;34,90;Berlin, Mitte\r\n\r\nDSL 100;39,90;\r\n",
            "Product\tMonthly (EUR)\tFrom\nDSL 50\t34,90\tBerlin, Mitte\nDSL 100\t39,90\t",
            "sep=;\r\nProduct;Monthly (EUR);From\r\nDSL 50;34,90;Berlin, Mitte\r\nDSL 100;39,90;",
        ] {
            assert_eq!(text(csv), expected, "{csv}");
        }
    }

    #[test]
    fn quoted_cells_hold_quotes_and_lines() {
        let csv = "Name,Note\nA,\"says \"\"hi\"\", and\nwaves\"\nB,\"never closed\nC,x";
        assert_eq!(text(csv), "Name | Note\nA | says \"hi\", and waves\n\nName | Note\nB | never closed C,x");
    }

    #[test]
    fn lines_without_cells_are_lines() {
        assert_eq!(text("one\ntwo\n\nthree"), "one\ntwo\nthree");
        assert_eq!(extract(" \n\n;;\n"), Err(ReadError::NoText { format: Format::Csv }));
    }

    #[test]
    fn rows_are_numbered_as_in_a_program_for_sheets() {
        let rows = |csv: &str| extract(csv).unwrap().tables[0].rows.iter().map(|(_, row)| *row).collect::<Vec<_>>();
        assert_eq!(rows("A,B\nx,1\ny,2\n"), [2, 3]);
        assert_eq!(rows("A,B\n\nx,1\n,\n\ny,2\n"), [3, 6]);
        assert_eq!(rows("A,B\n\"two\nlines\",1\ny,2\n"), [2, 3]);
        assert_eq!(rows("A,B\r\n\r\nx,1\r\ny,2\r\n"), [3, 4]);
        assert_eq!(rows("sep=;\nA;B\nx;1\n"), [3]);
    }

    #[test]
    fn notes_stand_around_the_table() {
        let csv = "Price list 2027;;\nDraft;;\nProduct;Monthly;Term\nDSL;1,00;12\nCable;2,00;24\nWithout VAT;;";
        assert_eq!(
            text(csv),
            "Price list 2027\n\nDraft\n\nProduct | Monthly | Term\nDSL | 1,00 | 12\n\nProduct | Monthly | Term\nCable | 2,00 | 24\n\nWithout VAT"
        );
    }
}
