//! Patterns of addresses and of questions, read once with the policy.

use regex::{Regex, RegexBuilder};
use serde::Deserialize;

/// How the addresses of a series are written: a regular expression without regard to case, at the bounds of words.
/// A group named `to` is the last number of a range.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "String")]
pub struct AddressPattern(Regex);

impl AddressPattern {
    pub fn regex(&self) -> &Regex {
        &self.0
    }
}

impl PartialEq for AddressPattern {
    fn eq(&self, other: &Self) -> bool {
        self.0.as_str() == other.0.as_str()
    }
}

impl TryFrom<String> for AddressPattern {
    type Error = String;

    fn try_from(written: String) -> Result<Self, Self::Error> {
        bounded(&written, "pattern of addresses").map(Self)
    }
}

/// What a question says, or a part of it: a regular expression without regard to case, at the bounds of words.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "String")]
pub struct QuestionPattern(Regex);

impl QuestionPattern {
    pub fn regex(&self) -> &Regex {
        &self.0
    }
}

impl PartialEq for QuestionPattern {
    fn eq(&self, other: &Self) -> bool {
        self.0.as_str() == other.0.as_str()
    }
}

impl TryFrom<String> for QuestionPattern {
    type Error = String;

    fn try_from(written: String) -> Result<Self, Self::Error> {
        bounded(&written, "pattern of questions").map(Self)
    }
}

fn bounded(written: &str, what: &str) -> Result<Regex, String> {
    /// Compiled; a pattern that needs more is none.
    const MOST_BYTES: usize = 1 << 20;
    let bounded = format!(r"\b(?:{written})\b");
    let regex = RegexBuilder::new(&bounded).case_insensitive(true).size_limit(MOST_BYTES).build();
    let regex = regex.map_err(|error| format!("{written:?} is no {what}: {error}"))?;
    if regex.is_match("") {
        return Err(format!("{written:?} is no {what}: it matches nothing at all"));
    }
    Ok(regex)
}
