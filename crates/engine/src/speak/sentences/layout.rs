//! What only orders an answer, and what claims something.

use super::boundary::Shape;
use super::signs::{closes, emphasises, is_bullet};
use super::{Kind, Sentence};

/// A heading or a lead-in of more words than this says something of its own.
const MOST_WORDS: usize = 12;

/// What a sentence is. Whatever could be a claim is one: only layout is shown without a source.
pub(super) fn kind_of(text: &str, is_cited: bool, shape: Shape) -> Kind {
    if shape == Shape::Code {
        return Kind::Claim;
    }
    if !without_citations(text).chars().any(char::is_alphanumeric) {
        return Kind::Layout;
    }
    let orders = !is_cited && (shape == Shape::TableHeader || is_heading(text) || leads_in(text));
    if orders { Kind::Layout } else { Kind::Claim }
}

/// The text without the numbers of notes.
pub fn without_citations(text: &str) -> String {
    let mut left = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, bracket)) = rest.split_once('[') {
        left.push_str(before);
        let number = bracket.chars().take_while(char::is_ascii_digit).count();
        match bracket[number..].strip_prefix(']') {
            Some(after) if number > 0 => rest = after,
            _ => {
                left.push('[');
                rest = bracket;
            }
        }
    }
    left + rest
}

/// `## Scope`, `**Scope**`, with or without a number before it.
fn is_heading(text: &str) -> bool {
    let text = text.trim();
    let hashes = text.chars().take_while(|sign| *sign == '#').count();
    let title = match &text[hashes..] {
        title if (1..=6).contains(&hashes) && title.starts_with([' ', '\t']) => title,
        title if hashes == 0 => {
            let bold = title.strip_prefix("**").and_then(|bold| bold.trim_end_matches(':').strip_suffix("**"));
            match bold {
                Some(bold) if !bold.contains("**") && !bold.trim_end().ends_with(['.', '!', '?']) => bold,
                _ => return false,
            }
        }
        _ => return false,
    };
    // Its number is not a figure.
    says_little(title.trim_start().trim_start_matches(|sign: char| sign.is_ascii_digit() || matches!(sign, '.' | ')')))
}

/// `The steps are:`
fn leads_in(text: &str) -> bool {
    let text = text.trim_end_matches(|sign: char| sign.is_whitespace() || emphasises(sign) || closes(sign));
    let item = text.trim_start().trim_start_matches(|sign: char| is_bullet(sign) || sign.is_whitespace());
    text.ends_with(['：', ':']) && says_little(item)
}

/// Few words and no figure.
fn says_little(text: &str) -> bool {
    text.split_whitespace().count() <= MOST_WORDS && !text.chars().any(char::is_numeric)
}

/// Layout that waits for a claim after it: without one it orders nothing, and is not shown.
#[derive(Clone, Debug, Default)]
pub struct WaitingLayout {
    held: Vec<Sentence>,
    /// A claim after the last of it was dropped.
    dropped_since: bool,
}

impl WaitingLayout {
    /// Takes layout. What it stands above of goes: a heading ends what was under the heading before.
    pub fn hold(&mut self, layout: Sentence) {
        let rank = rank(&layout.text);
        self.held.retain(|held| self::rank(&held.text) < rank);
        self.held.push(layout);
        self.dropped_since = false;
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
            shown.retain(|layout| rank(&layout.text) < LEAD_IN);
        }
        shown
    }
}

const BOLD_HEADING: usize = 7;
const LEAD_IN: usize = 8;
const TABLE_HEADER: usize = 9;
const RULE: usize = 10;

/// How far up a piece of layout stands: a heading's level, then what is inside a section.
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
