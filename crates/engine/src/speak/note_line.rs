//! The line above a note: what its document is called, which part of it this is, and from when it is.
//!
//! It is data like the note itself: no id, no path. A model may need it to understand the note, and may say what it says,
//! so a verifier reads it too.

use chrono::{DateTime, Utc};
use ibidem_ports::catalogue::CataloguePassage;

/// A part of the line is not longer than this, so that it never crowds out the note.
const LONGEST_PART: usize = 160;

/// What is known of a note beside its text.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct NoteLine<'a> {
    pub title: &'a str,
    pub section: Option<&'a str>,
    pub address: Option<&'a str>,
    pub updated_at: Option<DateTime<Utc>>,
}

impl<'a> NoteLine<'a> {
    pub fn of(passage: &'a CataloguePassage) -> Self {
        Self {
            title: &passage.title,
            section: passage.section.as_deref(),
            address: passage.address.as_deref(),
            updated_at: Some(passage.updated_at),
        }
    }

    /// Writes the line: `Title: Leave; Section: Carry-over; Address: HR-05; Date: 2026-03-01`. What is not known is
    /// left out.
    pub fn text(&self) -> String {
        let date = self.updated_at.map(|date| date.date_naive().to_string());
        let parts = [
            ("Title", Some(self.title)),
            ("Section", self.section),
            ("Address", self.address),
            ("Date", date.as_deref()),
        ];
        let parts = parts.into_iter().filter_map(|(name, value)| {
            let value: String = value?.split_whitespace().collect::<Vec<_>>().join(" ");
            let value: String = value.chars().take(LONGEST_PART).collect();
            (!value.is_empty()).then(|| format!("{name}: {value}"))
        });
        parts.collect::<Vec<_>>().join("; ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_has_what_is_known_and_is_bounded() {
        let line = NoteLine {
            title: "Leave\nrules",
            section: Some("Carry-over"),
            address: Some("HR-05"),
            updated_at: Some(DateTime::UNIX_EPOCH),
        };
        assert_eq!(line.text(), "Title: Leave rules; Section: Carry-over; Address: HR-05; Date: 1970-01-01");
        assert_eq!(NoteLine { title: "", ..NoteLine::default() }.text(), "");
        let long = "x".repeat(1_000);
        assert_eq!(NoteLine { title: &long, ..NoteLine::default() }.text().len(), "Title: ".len() + LONGEST_PART);
    }
}
