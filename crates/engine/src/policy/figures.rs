//! What a policy says about figures that are computed from tables.

use serde::Deserialize;

#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FigureRules {
    /// The most rows that are listed.
    pub most_rows: usize,
    pub wording: FigureWording,
}

/// How a figure is said. Holes are `{column}`, `{table}`, `{with}` (the conditions), `{figure}`, `{rounded}`, `{from}` (the
/// cells) and `{rows}` (how many the table has).
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FigureWording {
    /// Says how many rows there are.
    pub count: String,
    /// Says how many cells of a column hold something.
    pub count_of_column: String,
    pub sum: String,
    pub average: String,
    pub greatest: String,
    pub least: String,
    /// Says that the figure comes from these cells, with their number in place of `{cells}` and their names in place of
    /// `{range}`.
    pub cells: String,
    /// The same of a single cell.
    pub one_cell: String,
    /// Says that it comes from no cell.
    pub no_cells: String,
    /// Stands behind a figure that was rounded.
    pub rounded: String,
    /// Says which rows were taken, with what they have in place of `{conditions}`.
    pub with: String,
    /// A condition on `{column}`, with its figure in place of `{value}`.
    pub above: String,
    pub below: String,
    pub at_least: String,
    pub at_most: String,
    /// The same with two figures, the second in place of `{other}`.
    pub between: String,
    /// Stands between words of which one is enough.
    pub or: String,
    /// Says that `{listed}` rows follow, those with the greatest figures in `{column}` first.
    pub greatest_first: String,
    pub least_first: String,
    /// Said beside rows that are not all, with the numbers in place of `{listed}` and `{all}`.
    pub shortened: String,
    /// Said beside a figure where rows that repeat others were left out, with these in place of `{rows}`.
    pub left_out: String,
    /// Asks which table is meant, with their names in place of `{names}`.
    pub which_table: String,
    /// Asks which column is meant.
    pub which_column: String,
    pub cannot: NotComputedWording,
}

/// Why a figure is not computed.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NotComputedWording {
    /// The `{cell}` in `{column}` holds `{value}`.
    pub no_figure: String,
    /// The cells of `{column}` are in several units.
    pub units: String,
    /// The decimals of `{column}` cannot be told from its thousands.
    pub decimals: String,
    /// The row `{cell}`, called `{label}`, may repeat what others say.
    pub perhaps_total: String,
    /// No row of `{table}` has what is asked for.
    pub no_rows: String,
    /// What stands in `{column}` stands there several times.
    pub repeated: String,
    /// The figure has too many digits.
    pub too_long: String,
    /// Cells of `{table}` could not be read.
    pub partial: String,
    /// `{table}` has too many rows.
    pub too_many_rows: String,
    /// Cells of `{column}` are merged over several rows.
    pub merged: String,
    /// A line of `{table}` with one cell may be a row or a label.
    pub perhaps_rows: String,
    /// More than one step or one table is asked for.
    pub unclear: String,
    /// `{table}` has none of these `{words}`.
    pub unknown_words: String,
}
