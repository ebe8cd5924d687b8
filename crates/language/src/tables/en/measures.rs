//! How English writes numbers, units and dates.

use super::numbers::{MAGNITUDES, NUMBERS};
use super::units::{HOW_OFTEN, UNITS};
use crate::tables::measures::Measures;

pub(super) const MEASURES: Measures = Measures {
    numbers: &NUMBERS,
    ordinal_endings: &[],
    magnitudes: &MAGNITUDES,
    joins_tens: "",
    units: UNITS,
    how_often: HOW_OFTEN,
    months: &[
        ("january", 1),
        ("february", 2),
        ("march", 3),
        ("april", 4),
        ("may", 5),
        ("june", 6),
        ("july", 7),
        ("august", 8),
        ("september", 9),
        ("october", 10),
        ("november", 11),
        ("december", 12),
        ("sept", 9),
    ],
    weekdays: &["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"],
    clock: &[],
    per: &["per", "a", "an", "each", "every"],
    has_decimal_comma: false,
};
