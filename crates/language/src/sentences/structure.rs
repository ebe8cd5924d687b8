//! What has the form of something that only orders an answer: headings, lead-ins, heads of tables, rules.

use super::boundary::Shape;
use super::signs::{closes, emphasises, is_bullet};
use super::{Kind, Sentence};
use crate::markers::without_markers;

/// What a sentence is by its form. Neither form lets anything out: a claim must be supported, and the words of structure
/// must be a note's or the question's.
pub(super) fn kind_of(text: &str, is_cited: bool, shape: Shape) -> Kind {
    if shape == Shape::Code {
        return Kind::Claim;
    }
    if !without_markers(text).chars().any(char::is_alphanumeric) {
        return Kind::Structure;
    }
    let orders = !is_cited && (shape == Shape::TableHeader || is_heading(text) || leads_in(text));
    if orders { Kind::Structure } else { Kind::Claim }
}

/// `## Scope`, `**Scope**`.
fn is_heading(text: &str) -> bool {
    let text = text.trim();
    let hashes = text.chars().take_while(|sign| *sign == '#').count();
    if hashes > 0 {
        return hashes <= 6 && text[hashes..].starts_with([' ', '\t']);
    }
    let bold = text.strip_prefix("**").and_then(|bold| bold.trim_end_matches([':', '：']).strip_suffix("**"));
    bold.is_some_and(|bold| !bold.contains("**") && !bold.trim_end().ends_with(['.', '!', '?']))
}

/// `The steps are:`
fn leads_in(text: &str) -> bool {
    let text = text.trim_end_matches(|sign: char| sign.is_whitespace() || emphasises(sign) || closes(sign));
    text.ends_with(['：', ':'])
}

/// Structure that waits for a claim after it: without one it orders nothing, and is not shown.
#[derive(Clone, Debug, Default)]
pub struct WaitingStructure {
    held: Vec<Sentence>,
    /// A claim after the last of it was dropped.
    dropped_since: bool,
}

impl WaitingStructure {
    /// Takes structure. What it stands above of goes: a heading ends what was under the heading before.
    pub fn hold(&mut self, structure: Sentence) {
        self.end_before(&structure);
        self.held.push(structure);
    }

    /// Structure that is not shown. It ends what was under the heading before all the same.
    pub fn end_before(&mut self, structure: &Sentence) {
        let rank = rank(&structure.text);
        self.held.retain(|held| self::rank(&held.text) < rank);
        self.dropped_since = false;
    }

    /// What waits so far.
    pub fn held(&self) -> &[Sentence] {
        &self.held
    }

    /// The next claim is not shown.
    pub fn dropped(&mut self) {
        self.dropped_since = true;
    }

    /// The next claim is shown: what is shown before it.
    pub fn before(&mut self, claim: &Sentence) -> Vec<Sentence> {
        let mut shown = std::mem::take(&mut self.held);
        let is_listed = claim.text.trim_start().starts_with(|sign: char| {
            is_bullet(sign) || sign.is_ascii_digit() || matches!(sign, '|' | '`' | '~' | '(')
        });
        if std::mem::take(&mut self.dropped_since) && !is_listed {
            // What was announced did not come.
            shown.retain(|structure| rank(&structure.text) < LEAD_IN);
        }
        shown
    }
}

const BOLD_HEADING: usize = 7;
const LEAD_IN: usize = 8;
const TABLE_HEADER: usize = 9;
const RULE: usize = 10;

/// How far up a piece of structure stands: a heading's level, then what is inside a section.
fn rank(text: &str) -> usize {
    let text = text.trim();
    match text.chars().take_while(|sign| *sign == '#').count() {
        0 if !text.chars().any(char::is_alphanumeric) => RULE,
        0 if text.starts_with('|') => TABLE_HEADER,
        0 if leads_in(text) && !text.starts_with("**") => LEAD_IN,
        0 => BOLD_HEADING,
        level => level.min(6),
    }
}
