//! A table that was read whole: its columns, and its rows as they stand in the document's text.

use ibidem_language::computing::is_total;
use ibidem_words::Sha256Hash;

use super::cells::{Cell, DecimalSign, decimal_sign};

/// What parts the cells of a row in the text: readers let no cell have it.
const BETWEEN_CELLS: char = '|';

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Table {
    /// The line that names the columns.
    head: String,
    pub(crate) columns: Vec<Column>,
    pub(crate) rows: Vec<Row>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Column {
    /// As the head has it, with its unit.
    pub(crate) title: String,
    /// Without its unit.
    pub(crate) name: String,
    pub(crate) unit: Option<String>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Row {
    line: String,
    pub(crate) cells: Vec<String>,
}

impl Table {
    /// `head` and each row are lines of the text. None where a row has more cells than the head.
    pub(crate) fn of<'a>(head: &'a str, rows: impl Iterator<Item = &'a str>) -> Option<Self> {
        let titles = cells_of(head);
        let columns: Vec<Column> = titles.iter().map(|title| Column::of(title)).collect();
        let row = |line: &str| {
            let mut cells = cells_of(line);
            if cells.len() > columns.len() {
                return None;
            }
            cells.resize(columns.len(), String::new());
            Some(Row { line: line.to_owned(), cells })
        };
        let rows = rows.map(row).collect::<Option<Vec<Row>>>()?;
        Some(Self { head: head.to_owned(), columns, rows })
    }

    /// A table of which nothing is known.
    pub(crate) fn empty() -> Self {
        Self { head: String::new(), columns: Vec::new(), rows: Vec::new() }
    }

    /// The table that begins with its head in a stretch of a document's text. The head is repeated there, and labels may
    /// stand between the rows.
    pub(crate) fn in_text(text: &str) -> Option<Self> {
        let head = text.lines().next()?.trim();
        let mut rows = Vec::new();
        for block in text.split("\n\n") {
            let mut lines = block.lines().map(str::trim).skip_while(|line| line.is_empty());
            if lines.next() == Some(head) {
                rows.extend(lines.filter(|line| !line.is_empty()));
            }
        }
        Self::of(head, rows.into_iter())
    }

    /// Covers every cell.
    pub(crate) fn sha256(&self) -> Sha256Hash {
        let lines: Vec<&str> =
            [self.head.as_str()].into_iter().chain(self.rows.iter().map(|row| row.line.as_str())).collect();
        Sha256Hash::of(lines.join("\n").as_bytes())
    }

    pub(crate) fn cells_in(&self, column: usize) -> impl Iterator<Item = &str> {
        self.rows.iter().filter_map(move |row| row.cells.get(column)).map(String::as_str)
    }

    /// The sign before decimals, by a column or, where that does not say, by the others.
    pub(super) fn decimal_sign(&self, column: usize) -> DecimalSign {
        match decimal_sign(self.cells_in(column)) {
            DecimalSign::Unclear => {}
            own => return own,
        }
        let others = (0..self.columns.len()).filter(|other| *other != column);
        let has_sign = |other: &usize| self.cells_in(*other).any(|cell| cell.contains(['.', ',']));
        let mut said = others.filter(has_sign).map(|other| decimal_sign(self.cells_in(other)));
        match said.find(|sign| *sign != DecimalSign::Unclear) {
            Some(sign @ (DecimalSign::Comma | DecimalSign::Mixed)) => sign,
            Some(DecimalSign::Point) if self.has_decimals_elsewhere(column) => DecimalSign::Point,
            _ => DecimalSign::Unclear,
        }
    }

    /// Whether another column has a number whose decimals follow a point.
    fn has_decimals_elsewhere(&self, column: usize) -> bool {
        let others = (0..self.columns.len()).filter(|other| *other != column);
        others.flat_map(|other| self.cells_in(other)).any(|cell| {
            matches!(Cell::read(cell, false), Cell::Number { .. }) && matches!(Cell::read(cell, true), Cell::Words)
        })
    }

    /// Whether a column holds figures, and words in some cells at most.
    pub(super) fn is_of_figures(&self, column: usize) -> bool {
        let comma = self.decimal_sign(column) == DecimalSign::Comma;
        let mut read = self.cells_in(column).map(|cell| Cell::read(cell, comma)).filter(|cell| *cell != Cell::Blank);
        let (figures, all) = read.by_ref().fold((0_usize, 0_usize), |(figures, all), cell| {
            (figures + usize::from(matches!(cell, Cell::Number { .. } | Cell::Day(_))), all + 1)
        });
        figures * 2 > all
    }

    /// Whether a row repeats what others say; none where that is not sure.
    pub(super) fn is_total(&self, row: &Row) -> Option<bool> {
        let label = row.cells.iter().find(|cell| !cell.is_empty()).map_or("", String::as_str);
        match is_total(label) {
            // What stands in several rows, or is of words alone in another column, is a name.
            None if label.split_whitespace().count() > 3 => Some(false),
            sure => sure,
        }
    }
}

impl Column {
    fn of(title: &str) -> Self {
        let bracketed = title.strip_suffix([')', ']']).and_then(|rest| rest.rsplit_once(['(', '[']));
        let (name, unit) = match bracketed {
            Some((name, unit)) if !unit.is_empty() && !unit.contains(char::is_whitespace) => (name, Some(unit)),
            _ => (title, None),
        };
        Self {
            title: title.to_owned(),
            name: name.trim().trim_end_matches(':').to_owned(),
            unit: unit.map(str::to_owned),
        }
    }
}

fn cells_of(line: &str) -> Vec<String> {
    line.split(BETWEEN_CELLS).map(|cell| cell.trim().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str =
        "Product | Price (EUR)\nDSL | 1.50\n\nOffice\n\nProduct | Price (EUR)\nFibre |\nCable | 2\n\nA note";

    #[test]
    fn a_table_is_found_again_in_its_text() {
        let table = Table::in_text(TEXT).unwrap();
        let cells: Vec<Vec<String>> = table.rows.iter().map(|row| row.cells.clone()).collect();
        assert_eq!(cells, [["DSL", "1.50"], ["Fibre", ""], ["Cable", "2"]]);
        assert_eq!((table.columns[1].name.as_str(), table.columns[1].unit.as_deref()), ("Price", Some("EUR")));
        let same = Table::of("Product | Price (EUR)", ["DSL | 1.50", "Fibre |", "Cable | 2"].into_iter()).unwrap();
        assert_eq!(same.sha256(), table.sha256());
        assert_eq!(Table::of("A | B", ["1 | 2 | 3"].into_iter()), None);
    }

    #[test]
    fn signs_are_settled_by_the_table() {
        let sign = |head: &str, rows: &[&str]| Table::of(head, rows.iter().copied()).unwrap().decimal_sign(0);
        assert_eq!(sign("A", &["1.234"]), DecimalSign::Unclear);
        assert_eq!(sign("A | B", &["1.234 | 3,5"]), DecimalSign::Comma);
        assert_eq!(sign("A | B", &["1.234 | 3.5"]), DecimalSign::Point);
        assert_eq!(sign("A | B", &["1.234 | 35"]), DecimalSign::Unclear);
    }
}
