//! What a Word document's properties say of it.

use chrono::{DateTime, Utc};

use super::xml::{Part, Step};
use crate::read::ReadError;

#[derive(Default)]
pub(super) struct Properties {
    pub(super) title: Option<String>,
    pub(super) subject: Option<String>,
    pub(super) modified: Option<DateTime<Utc>>,
}

pub(super) fn parse(core: &str) -> Result<Properties, ReadError> {
    let mut properties = Properties::default();
    let mut inside = String::new();
    let mut words = String::new();
    let mut part = Part::new(core);
    while let Some(step) = part.step()? {
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
                    "modified" => properties.modified = DateTime::parse_from_rfc3339(words).ok().map(|at| at.to_utc()),
                    _ => {}
                }
            }
            Step::Close { .. } => {}
        }
    }
    Ok(properties)
}
