//! A figure that was computed from the cells of a table: what was done, so that anybody can do it again.

use serde::{Deserialize, Serialize};

use super::{CharSpan, Sha256Hash};

/// What was computed from which cells, and what came of it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Computation {
    pub function: ComputedFunction,
    /// The place of the column among those of the table, counted from 0. Left out where rows were counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    /// The rows were taken that meet all of these.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<ComputedCondition>,
    /// Where the cells do not say which sign their decimals follow, it is a point: a workbook has numbers, and no signs.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub decimal_points: bool,
    /// Holds the figure as it was said.
    pub figure: String,
    /// How many cells it comes from.
    pub cells: u32,
    /// Names them: `Tariffs!C2:C15`.
    pub range: String,
    /// Where the table stands in the document's text.
    pub table: CharSpan,
    /// How many rows the table has.
    pub rows: u32,
    /// Covers the head and the rows of the table, a line each.
    pub rows_sha256: Sha256Hash,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ComputedFunction {
    Count,
    Sum,
    Average,
    Greatest,
    Least,
}

/// What a row must have in one column.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ComputedCondition {
    /// The place of the column among those of the table, counted from 0.
    pub column: u32,
    /// How its cell stands to the values.
    pub test: ComputedTest,
    /// Words of which the cell has one, or figures as decimals, or days as `2027-01-31`.
    pub values: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ComputedTest {
    /// It has one of these words.
    Is,
    /// It has this figure.
    Equals,
    Above,
    Below,
    AtLeast,
    AtMost,
    /// From the first to the second, both included.
    Between,
}
