//! What a curator writes down, checked before it is kept and cut into passages that the embedding model takes whole.

mod cut;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use crate::embedder::TokenCounter;
use ibidem_words::{AddressKey, MemoryKind, Reference, Tag};

pub const MOST_TRIGGERS: usize = 20;
pub const LONGEST_TRIGGER: usize = 500;
pub const LONGEST_NOTE: usize = 20_000;
pub const MOST_REFERENCES: usize = 50;
pub const LONGEST_ADDRESS: usize = 200;
pub const MOST_TAGS: usize = 50;

/// What of a text the embedding model takes at once.
#[derive(Clone)]
pub struct Window {
    pub counter: Arc<dyn TokenCounter>,
    /// How many tokens the model reads at once, its special tokens included.
    pub max_tokens: usize,
}

impl Window {
    /// Whatever the tokens, no passage is longer than so many characters for each of them: a tokenizer may count ten
    /// thousand letters without a space as one unknown word.
    const CHARACTERS_A_TOKEN: usize = 8;

    fn holds(&self, text: &str) -> bool {
        let most_characters = Self::CHARACTERS_A_TOKEN * self.max_tokens;
        text.chars().nth(most_characters).is_none() && self.counter.count(text) <= self.max_tokens
    }
}

/// A draft is an entry as its author hands it in, before it is checked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EntryDraft {
    pub kind: MemoryKind,
    pub triggers: Vec<String>,
    pub references: Vec<Reference>,
    pub tags: Vec<Tag>,
}

#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum InvalidDraft {
    #[error("there is no trigger: give at least one question that should call the entry up")]
    NoTrigger,
    #[error("there are {0} triggers: give at most {MOST_TRIGGERS}")]
    TooManyTriggers(usize),
    #[error("the trigger {0:?} has no letter or digit: write a question as somebody would ask it")]
    BlankTrigger(String),
    #[error("the trigger {0:?} has more than {LONGEST_TRIGGER} characters: shorten it, or make several of it")]
    LongTrigger(String),
    #[error(
        "the trigger {beginning:?} takes {tokens} tokens and the embedding model takes {limit}: shorten it, or make several of it"
    )]
    TriggerBeyondWindow { beginning: String, tokens: usize, limit: usize },
    #[error("the note is blank: write what should shape the answer")]
    BlankNote,
    #[error("the note has {0} characters: write at most {LONGEST_NOTE}, or make several notes of it")]
    LongNote(usize),
    #[error("{0} holds a NUL character: remove it")]
    Nul(&'static str),
    #[error("a pin needs at least one source: name an address (ADR-0012), a document's id or a passage")]
    PinWithoutSource,
    #[error("there are {0} references: give at most {MOST_REFERENCES}")]
    TooManyReferences(usize),
    #[error(
        "{0:?} is no address: write it as people do, for instance ADR-0012, in at most {LONGEST_ADDRESS} characters"
    )]
    NoAddress(String),
    #[error("there is no tag: say who may be helped by it, or `public`")]
    NoTag,
    #[error("there are {0} tags: give at most {MOST_TAGS}")]
    TooManyTags(usize),
}

/// An entry that was checked, with what is embedded of it. Nothing else is kept.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CheckedEntry {
    entry: EntryDraft,
    passages: Vec<String>,
}

impl CheckedEntry {
    pub fn entry(&self) -> &EntryDraft {
        &self.entry
    }

    /// What is embedded and found: the triggers, each whole and in their order, then the passages of the note.
    pub fn passages(&self) -> &[String] {
        &self.passages
    }
}

impl EntryDraft {
    /// Repeats and stray white space go; what cannot be kept, found or shown is refused.
    pub fn checked(self, window: &Window) -> Result<CheckedEntry, InvalidDraft> {
        let kind = checked_kind(self.kind)?;
        let triggers = checked_triggers(self.triggers, window)?;
        let references = checked_references(self.references)?;
        if kind == MemoryKind::Pin && references.is_empty() {
            return Err(InvalidDraft::PinWithoutSource);
        }
        let tags = without_repeats(self.tags);
        match tags.len() {
            0 => return Err(InvalidDraft::NoTag),
            count if count > MOST_TAGS => return Err(InvalidDraft::TooManyTags(count)),
            _ => {}
        }
        let mut passages = triggers.clone();
        passages.extend(kind.text().map(|text| cut::passages(text, window)).unwrap_or_default());
        Ok(CheckedEntry { entry: Self { kind, triggers, references, tags }, passages })
    }
}

fn checked_kind(kind: MemoryKind) -> Result<MemoryKind, InvalidDraft> {
    let MemoryKind::Note { text } = kind else { return Ok(kind) };
    let text = text.trim();
    let characters = text.chars().count();
    if characters > LONGEST_NOTE {
        return Err(InvalidDraft::LongNote(characters));
    }
    if !text.contains(char::is_alphanumeric) {
        return Err(InvalidDraft::BlankNote);
    }
    if text.contains('\0') {
        return Err(InvalidDraft::Nul("the note"));
    }
    Ok(MemoryKind::Note { text: text.to_owned() })
}

fn checked_triggers(triggers: Vec<String>, window: &Window) -> Result<Vec<String>, InvalidDraft> {
    if triggers.len() > MOST_TRIGGERS {
        return Err(InvalidDraft::TooManyTriggers(triggers.len()));
    }
    let mut checked = Vec::with_capacity(triggers.len());
    for written in triggers {
        // Before anything else looks at all of it.
        if written.chars().count() > LONGEST_TRIGGER {
            return Err(InvalidDraft::LongTrigger(beginning(&written)));
        }
        let trigger = written.split_whitespace().collect::<Vec<_>>().join(" ");
        if !trigger.contains(char::is_alphanumeric) {
            return Err(InvalidDraft::BlankTrigger(written));
        }
        if trigger.contains('\0') {
            return Err(InvalidDraft::Nul("a trigger"));
        }
        if !window.holds(&trigger) {
            let (tokens, limit) = (window.counter.count(&trigger), window.max_tokens);
            return Err(InvalidDraft::TriggerBeyondWindow { beginning: beginning(&trigger), tokens, limit });
        }
        checked.push(trigger);
    }
    let checked = without_repeats(checked);
    if checked.is_empty() { Err(InvalidDraft::NoTrigger) } else { Ok(checked) }
}

fn checked_references(references: Vec<Reference>) -> Result<Vec<Reference>, InvalidDraft> {
    if references.len() > MOST_REFERENCES {
        return Err(InvalidDraft::TooManyReferences(references.len()));
    }
    for reference in &references {
        let Reference::Address(address) = reference else { continue };
        let is_short = address.chars().count() <= LONGEST_ADDRESS;
        if !is_short || address.contains('\0') || AddressKey::of(address).is_none() {
            return Err(InvalidDraft::NoAddress(beginning(address)));
        }
    }
    Ok(without_repeats(references))
}

fn without_repeats<T: PartialEq>(values: Vec<T>) -> Vec<T> {
    let mut distinct = Vec::with_capacity(values.len());
    for value in values {
        if !distinct.contains(&value) {
            distinct.push(value);
        }
    }
    distinct
}

/// Enough of a text to know which one is meant.
fn beginning(text: &str) -> String {
    const CHARACTERS: usize = 40;
    match text.char_indices().nth(CHARACTERS) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}
