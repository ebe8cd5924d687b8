//! What is done with the cells of one table. It is pure, and the same cells always give the same figure.

use ibidem_words::{ComputedCondition, ComputedFunction, ComputedTest};

use super::asking::Order;
use super::cells::{Cell, DecimalSign, is_day};
use super::decimal::Decimal;
use super::table::{Row, Table};

/// What is to be computed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Formula {
    pub(crate) function: ComputedFunction,
    /// None where rows are counted.
    pub(crate) column: Option<usize>,
    pub(crate) conditions: Vec<ComputedCondition>,
}

/// What came of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Figure {
    /// As it is said, with its unit.
    pub(crate) written: String,
    /// The quotient does not end: it was rounded.
    pub(crate) is_rounded: bool,
    /// The places of the rows whose cells it comes from.
    pub(crate) rows: Vec<usize>,
    /// The places of those that decide: all, or the ones with the greatest or the least figure.
    pub(crate) decisive: Vec<usize>,
    /// The places of rows that were left out because they repeat others.
    pub(crate) totals: Vec<usize>,
    pub(crate) decimal_comma: bool,
}

/// Why a figure is not computed. Rows and columns are named by their place in the table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Obstacle {
    /// A cell that counts holds no figure.
    NoFigure { row: usize, column: usize },
    /// The cells of a column are in several units.
    Units { column: usize },
    /// It cannot be told which sign the decimals of a column follow.
    DecimalSign { column: usize },
    /// A row may repeat what others say.
    PerhapsTotal { row: usize },
    /// No row meets the conditions, or none has a figure.
    NoRows,
    /// What is to be counted stands in several rows.
    Repeated { column: usize },
    /// The figure has too many digits.
    TooLong,
}

impl Table {
    /// Whether decimals of a column follow a comma. `writes_points`: the document's reader wrote numbers itself.
    fn decimal_comma(&self, column: usize, writes_points: bool) -> Result<bool, Obstacle> {
        match self.decimal_sign(column) {
            DecimalSign::Point => Ok(false),
            DecimalSign::Comma => Ok(true),
            DecimalSign::Unclear if writes_points => Ok(false),
            DecimalSign::Unclear | DecimalSign::Mixed => Err(Obstacle::DecimalSign { column }),
        }
    }

    /// The rows that meet the conditions, and those left out because they repeat others.
    pub(crate) fn matching(
        &self,
        conditions: &[ComputedCondition],
        writes_points: bool,
    ) -> Result<(Vec<usize>, Vec<usize>), Obstacle> {
        let (mut matching, mut totals) = (Vec::new(), Vec::new());
        for (place, row) in self.rows.iter().enumerate() {
            let mut meets_all = true;
            for condition in conditions {
                meets_all = meets_all && self.meets(row, place, condition, writes_points)?;
            }
            if !meets_all {
                continue;
            }
            match self.is_total(row) {
                Some(false) => matching.push(place),
                Some(true) => totals.push(place),
                None => return Err(Obstacle::PerhapsTotal { row: place }),
            }
        }
        Ok((matching, totals))
    }

    fn meets(
        &self,
        row: &Row,
        place: usize,
        condition: &ComputedCondition,
        writes_points: bool,
    ) -> Result<bool, Obstacle> {
        let column = usize::try_from(condition.column).unwrap_or(usize::MAX);
        let text = row.cells.get(column).map_or("", String::as_str);
        if condition.test == ComputedTest::Is {
            return Ok(condition.values.iter().any(|value| value.to_lowercase() == text.to_lowercase()));
        }
        let cell = Cell::read(text, self.decimal_comma(column, writes_points)?);
        let stands = |how: &dyn Fn(&str) -> Option<std::cmp::Ordering>| {
            let orders: Option<Vec<_>> = condition.values.iter().map(|value| how(value)).collect();
            let orders = orders?;
            let first = *orders.first()?;
            Some(match condition.test {
                ComputedTest::Is | ComputedTest::Equals => first.is_eq(),
                ComputedTest::Above => first.is_gt(),
                ComputedTest::Below => first.is_lt(),
                ComputedTest::AtLeast => first.is_ge(),
                ComputedTest::AtMost => first.is_le(),
                ComputedTest::Between => first.is_ge() && orders.get(1)?.is_le(),
            })
        };
        let meets = match &cell {
            // A row that says nothing meets no condition.
            Cell::Blank => Some(false),
            Cell::Number { value, .. } => stands(&|other| Some(value.cmp(&Decimal::parse(other)?))),
            Cell::Day(day) => stands(&|other| is_day(other).then(|| day.as_str().cmp(other))),
            Cell::Words => None,
        };
        meets.ok_or(Obstacle::NoFigure { row: place, column })
    }

    pub(crate) fn compute(&self, formula: &Formula, writes_points: bool) -> Result<Figure, Obstacle> {
        let (matching, totals) = self.matching(&formula.conditions, writes_points)?;
        let figure = |written: String, rows: Vec<usize>| Figure {
            written,
            is_rounded: false,
            decisive: rows.clone(),
            rows,
            totals: totals.clone(),
            decimal_comma: false,
        };
        let Some(column) = formula.column else {
            return Ok(figure(matching.len().to_string(), matching));
        };
        let has_cell = |place: &usize| !self.rows[*place].cells[column].is_empty();
        let rows: Vec<usize> = matching.into_iter().filter(has_cell).collect();
        if formula.function == ComputedFunction::Count {
            let mut values: Vec<String> =
                rows.iter().map(|place| self.rows[*place].cells[column].to_lowercase()).collect();
            values.sort();
            let is_repeated = values.windows(2).any(|pair| pair[0] == pair[1]);
            return match is_repeated {
                true => Err(Obstacle::Repeated { column }),
                false => Ok(figure(rows.len().to_string(), rows)),
            };
        }
        let decimal_comma = self.decimal_comma(column, writes_points)?;
        let cells = self.figures(&rows, column, decimal_comma)?;
        let unit = self.unit(&cells, column)?;
        let rows: Vec<usize> = cells.iter().map(|(place, _)| *place).collect();
        let with_unit = |written: String| unit.as_ref().map_or(written.clone(), |unit| in_unit(&written, unit));
        let made = Figure { decimal_comma, ..figure(String::new(), rows) };
        match formula.function {
            ComputedFunction::Greatest | ComputedFunction::Least => {
                let is_least = formula.function == ComputedFunction::Least;
                let keys: Vec<&Cell> = cells.iter().map(|(_, cell)| cell).collect();
                let best = keys.iter().copied().reduce(|best, next| {
                    let order = compared(next, best);
                    if (is_least && order.is_lt()) || (!is_least && order.is_gt()) { next } else { best }
                });
                let best = best.ok_or(Obstacle::NoRows)?;
                let decisive = cells.iter().filter(|(_, cell)| compared(cell, best).is_eq()).map(|(place, _)| *place);
                let written = match best {
                    Cell::Number { value, .. } => with_unit(value.written(decimal_comma)),
                    Cell::Day(day) => day.clone(),
                    Cell::Blank | Cell::Words => return Err(Obstacle::NoRows),
                };
                Ok(Figure { written, decisive: decisive.collect(), ..made })
            }
            ComputedFunction::Sum | ComputedFunction::Average => {
                let mut sum = Decimal::ZERO;
                for (place, cell) in &cells {
                    let Cell::Number { value, .. } = cell else {
                        return Err(Obstacle::NoFigure { row: *place, column });
                    };
                    sum = sum.plus(*value).ok_or(Obstacle::TooLong)?;
                }
                let parts = u32::try_from(cells.len()).unwrap_or(u32::MAX);
                let (value, is_exact) = match formula.function {
                    ComputedFunction::Sum => (sum, true),
                    _ => sum.divided(parts).ok_or(Obstacle::TooLong)?,
                };
                Ok(Figure { written: with_unit(value.written(decimal_comma)), is_rounded: !is_exact, ..made })
            }
            ComputedFunction::Count => Ok(made),
        }
    }

    /// The rows by their figures in one column; those without a figure come last.
    pub(crate) fn sorted(&self, rows: &[usize], order: Order, writes_points: bool) -> Result<Vec<usize>, Obstacle> {
        let comma = self.decimal_comma(order.column, writes_points)?;
        let mut figures = self.figures(rows, order.column, comma)?;
        self.unit(&figures, order.column)?;
        figures.sort_by(|(_, one), (_, other)| {
            let rising = compared(one, other);
            if order.greatest_first { rising.reverse() } else { rising }
        });
        let sorted: Vec<usize> = figures.into_iter().map(|(place, _)| place).collect();
        let without = rows.iter().copied().filter(|place| !sorted.contains(place));
        Ok(sorted.iter().copied().chain(without.collect::<Vec<_>>()).collect())
    }

    /// The figures of a column, those cells left out that hold nothing. All are numbers, or all are days.
    fn figures(&self, rows: &[usize], column: usize, decimal_comma: bool) -> Result<Vec<(usize, Cell)>, Obstacle> {
        let mut cells: Vec<(usize, Cell)> = Vec::new();
        for place in rows {
            let cell = Cell::read(&self.rows[*place].cells[column], decimal_comma);
            let fits = match (&cell, cells.first().map(|(_, first)| first)) {
                (Cell::Blank, _) => continue,
                (Cell::Words, _) => false,
                (cell, Some(first)) => std::mem::discriminant(cell) == std::mem::discriminant(first),
                (_, None) => true,
            };
            if !fits {
                return Err(Obstacle::NoFigure { row: *place, column });
            }
            cells.push((*place, cell));
        }
        if cells.is_empty() { Err(Obstacle::NoRows) } else { Ok(cells) }
    }

    /// The one unit of these cells: their own, or that of the column.
    fn unit(&self, cells: &[(usize, Cell)], column: usize) -> Result<Option<String>, Obstacle> {
        let own = |cell: &Cell| match cell {
            Cell::Number { unit, .. } => unit.clone(),
            _ => None,
        };
        let first = cells.first().and_then(|(_, cell)| own(cell));
        let of_column = &self.columns[column].unit;
        let is_one = cells.iter().all(|(_, cell)| own(cell) == first);
        let agrees = match (&first, of_column) {
            (Some(own), Some(column)) => is_same_unit(own, column),
            _ => true,
        };
        if is_one && agrees { Ok(first.or_else(|| of_column.clone())) } else { Err(Obstacle::Units { column }) }
    }
}

fn compared(one: &Cell, other: &Cell) -> std::cmp::Ordering {
    match (one, other) {
        (Cell::Number { value, .. }, Cell::Number { value: other, .. }) => value.cmp(other),
        (Cell::Day(day), Cell::Day(other)) => day.cmp(other),
        _ => std::cmp::Ordering::Equal,
    }
}

/// Whether two units are one: `€` and `EUR`.
pub(super) fn is_same_unit(one: &str, other: &str) -> bool {
    let code = |unit: &str| match unit.to_lowercase().as_str() {
        "€" | "euro" | "euros" => "eur".to_owned(),
        "$" | "dollar" | "dollars" => "usd".to_owned(),
        "£" | "pound" | "pounds" => "gbp".to_owned(),
        unit => unit.to_owned(),
    };
    code(one) == code(other)
}

/// `34.90 EUR`, `19%`, `24 months`.
fn in_unit(written: &str, unit: &str) -> String {
    match unit {
        "%" | "‰" => format!("{written}{unit}"),
        unit => format!("{written} {unit}"),
    }
}
