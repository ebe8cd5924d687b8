//! What an office document's properties say of it.

use chrono::{DateTime, NaiveDateTime, Utc};
use ibidem_language::addresses::sole_address;
use ibidem_ports::intake::Format;

use super::xml::{Part, Step};
use crate::read::manuscript::collapsed;
use crate::read::{ReadError, Stated};

#[derive(Default)]
pub(in crate::read) struct Properties {
    pub(in crate::read) title: Option<String>,
    pub(in crate::read) subject: Option<String>,
    pub(in crate::read) modified: Option<DateTime<Utc>>,
}

impl Properties {
    /// The property title, on one line.
    pub(in crate::read) fn title(&self) -> Option<String> {
        self.title.as_deref().map(collapsed).filter(|title| !title.is_empty())
    }

    /// What is stated by them: the address where the subject is nothing else, and the date.
    pub(in crate::read) fn stated(&self) -> Stated {
        let address = self.subject.as_deref().and_then(sole_address).map(str::to_owned);
        Stated { address, updated_at: self.modified, ..Stated::default() }
    }
}

pub(in crate::read) fn parse(part: &str, format: Format) -> Result<Properties, ReadError> {
    let mut properties = Properties::default();
    let mut inside = String::new();
    let mut words = String::new();
    let mut steps = Part::new(part, format);
    while let Some(step) = steps.step()? {
        match step {
            Step::Open { name, .. } => {
                inside = name;
                words.clear();
            }
            Step::Text(text) => words.push_str(&text),
            Step::Close { name } if name == inside => {
                let words = words.trim();
                match name.as_str() {
                    "title" if !words.is_empty() => properties.title = Some(words.to_owned()),
                    "subject" if !words.is_empty() => properties.subject = Some(words.to_owned()),
                    // The latter in OpenDocument.
                    "modified" | "date" => properties.modified = moment(words),
                    _ => {}
                }
            }
            Step::Close { .. } => {}
        }
    }
    Ok(properties)
}

/// OpenDocument writes no time zone.
fn moment(words: &str) -> Option<DateTime<Utc>> {
    let zoned = DateTime::parse_from_rfc3339(words).ok().map(|at| at.to_utc());
    zoned.or_else(|| Some(NaiveDateTime::parse_from_str(words, "%Y-%m-%dT%H:%M:%S%.f").ok()?.and_utc()))
}
