//! Where a page ended: the moment and the id of its last entry.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::problem::Problem;

pub(super) fn of(at: DateTime<Utc>, id: Uuid) -> String {
    format!("{}_{id}", at.timestamp_micros())
}

pub(super) fn parse(written: &str) -> Result<(DateTime<Utc>, Uuid), Problem> {
    let parsed = written.split_once('_').and_then(|(at, id)| {
        let at = DateTime::from_timestamp_micros(at.parse().ok()?)?;
        Some((at, id.parse().ok()?))
    });
    parsed.ok_or_else(|| Problem::invalid("cursor: send `next` of the page before."))
}
