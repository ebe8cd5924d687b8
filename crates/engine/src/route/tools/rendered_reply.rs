//! How a result is told: in the policy's words, with no figure that the result does not have.
//!
//! Pure, so that a decision can be made again from its record.

use std::collections::BTreeSet;

use ibidem_language::figures::{self, FindingKind};
use ibidem_ports::records::ToolOutcome;

use super::{Field, Stop};
use crate::policy::{Piece, Template, ToolRules};

/// What a result comes to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum RenderedReply {
    /// The reply, and the note that it stands on: the fields, one in a line.
    Text { text: String, note: String },
    /// The system knows no such thing.
    Absent,
}

impl RenderedReply {
    pub(crate) fn outcome(&self) -> ToolOutcome {
        match self {
            Self::Text { .. } => ToolOutcome::Answered,
            Self::Absent => ToolOutcome::Absent,
        }
    }
}

/// What is said of these fields of a result.
pub(crate) fn render(rules: &ToolRules, fields: &[Field]) -> Result<RenderedReply, Stop> {
    let value = |name: &str| fields.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str());
    if rules.absent.iter().any(|(name, absent)| value(name) == Some(absent.as_str())) {
        return Ok(RenderedReply::Absent);
    }
    let Some(text) = filled(&rules.wording.answer, value) else {
        let lacking = rules.wording.answer.names().find(|name| value(name).is_none()).unwrap_or_default();
        let explanation = "Results that have what the reply needs (0 of 1)";
        return Err(Stop::new(ToolOutcome::InvalidResult, explanation).because(format!("{lacking} is not there")));
    };
    let note = note(&rules.wording.answer, fields);
    match unsupported(&text, fields, &note) {
        None => Ok(RenderedReply::Text { text, note }),
        Some(figure) => {
            let explanation = "Figures of the reply that no result has (1) above those that may be (0)";
            Err(Stop::new(ToolOutcome::UnsupportedFigure, explanation).because(format!("{figure} is in no field")))
        }
    }
}

/// The words with their holes filled; none where a value is missing.
pub(super) fn filled<'a>(template: &Template, value: impl Fn(&str) -> Option<&'a str>) -> Option<String> {
    let mut text = String::new();
    for piece in &template.pieces {
        match piece {
            Piece::Words(words) => text.push_str(words),
            Piece::Hole { name, decimals } => {
                let value = value(name).filter(|value| !value.is_empty())?;
                text.push_str(&with_decimals(value, *decimals));
            }
        }
    }
    Some(text)
}

/// With so many decimals, unless that would make another number of it.
fn with_decimals(value: &str, decimals: Option<usize>) -> String {
    let written =
        decimals.zip(value.parse::<f64>().ok()).map(|(decimals, number)| (format!("{number:.decimals$}"), number));
    match written {
        Some((written, number)) if written.parse() == Ok(number) => written,
        _ => value.to_owned(),
    }
}

/// The fields as a source, each as the reply writes it.
fn note(template: &Template, fields: &[Field]) -> String {
    let decimals = |field: &str| {
        template.pieces.iter().find_map(|piece| match piece {
            Piece::Hole { name, decimals } if name == field => *decimals,
            _ => None,
        })
    };
    let lines = fields.iter().map(|(name, value)| format!("{name}: {}", with_decimals(value, decimals(name))));
    lines.collect::<Vec<_>>().join("\n")
}

/// The first figure of the reply that no field has: by the numerals themselves, and by the rules that hold for every
/// sentence, which also read numbers in words, dates and identifiers.
fn unsupported(text: &str, fields: &[Field], note: &str) -> Option<String> {
    let known: BTreeSet<String> = fields.iter().flat_map(|(_, value)| numerals(value)).collect();
    if let Some(figure) = numerals(text).into_iter().find(|figure| !known.contains(figure)) {
        return Some(figure);
    }
    let is_figure =
        |kind: FindingKind| matches!(kind, FindingKind::Number | FindingKind::Date | FindingKind::Identifier);
    // Without the sign, or half would pass for 50 %.
    let findings = figures::check(text, &[&note.replace('%', " ")]);
    findings.into_iter().find(|finding| is_figure(finding.kind)).map(|finding| finding.claimed)
}

/// Every run of digits with its decimal point, without zeros that change nothing: `45.00` is `45`.
pub(super) fn numerals(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find(char::is_numeric) {
        rest = &rest[start..];
        let mut end = 0;
        let mut signs = rest.char_indices().peekable();
        while let Some((place, sign)) = signs.next() {
            let goes_on = sign.is_numeric() || (sign == '.' && signs.peek().is_some_and(|(_, next)| next.is_numeric()));
            if !goes_on {
                break;
            }
            end = place + sign.len_utf8();
        }
        found.push(normal(&rest[..end]));
        rest = &rest[end..];
    }
    found
}

fn normal(numeral: &str) -> String {
    // With two points it is a version or a date, and every zero counts.
    if numeral.matches('.').count() != 1 {
        return numeral.to_owned();
    }
    numeral.trim_end_matches('0').trim_end_matches('.').to_owned()
}
