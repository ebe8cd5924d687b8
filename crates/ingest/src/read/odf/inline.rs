//! The words of one paragraph of OpenDocument, with its notes told apart.

use super::Styles;
use crate::read::ReadError;
use crate::read::package::xml::{Part, Step};

/// Comments, tracked deletions and the signs above words are not the text.
pub(super) const UNREAD: [&str; 6] =
    ["annotation", "annotation-end", "tracked-changes", "ruby-text", "forms", "sequence-decls"];

/// A paragraph's words, its line breaks as `\n`.
#[derive(Default)]
pub(super) struct Words {
    pub(super) text: String,
    /// What its footnotes and endnotes say.
    pub(super) notes: Vec<String>,
}

/// Reads up to the end of the paragraph or heading that was just opened. Paragraphs inside it, in frames, are part of it.
/// Notes are numbered from `first_note` on.
pub(super) fn words(part: &mut Part<'_>, styles: &Styles, first_note: usize) -> Result<Words, ReadError> {
    let mut words = Words::default();
    let mut note: Option<String> = None;
    let mut spans: Vec<bool> = Vec::new();
    let mut depth = 1_usize;
    while let Some(step) = part.step()? {
        match step {
            Step::Open { name, attributes } => match name.as_str() {
                name if UNREAD.contains(&name) => part.pass_over()?,
                "note-citation" => part.pass_over()?,
                "span" if styles.is_hidden(attributes.get("style-name")) => part.pass_over()?,
                "hidden-text" | "hidden-paragraph" => part.pass_over()?,
                "note" => {
                    let number = first_note + words.notes.len();
                    words.text.push_str(&format!(" (note {number})"));
                    note = Some(String::new());
                }
                "span" => {
                    let is_struck = styles.is_struck(attributes.get("style-name"));
                    if is_struck {
                        target(&mut words, &mut note).push_str("~~");
                    }
                    spans.push(is_struck);
                }
                "p" | "h" => {
                    depth += 1;
                    target(&mut words, &mut note).push(' ');
                }
                name => target(&mut words, &mut note).push_str(space(name)),
            },
            Step::Close { name } => match name.as_str() {
                "note" => words.notes.extend(note.take()),
                "span" if spans.pop() == Some(true) => target(&mut words, &mut note).push_str("~~"),
                "p" | "h" => {
                    depth -= 1;
                    if depth == 0 {
                        return Ok(words);
                    }
                    target(&mut words, &mut note).push(' ');
                }
                _ => {}
            },
            Step::Text(text) => target(&mut words, &mut note).push_str(&text.replace('\n', " ")),
        }
    }
    Ok(words)
}

fn target<'a>(words: &'a mut Words, note: &'a mut Option<String>) -> &'a mut String {
    note.as_mut().unwrap_or(&mut words.text)
}

fn space(name: &str) -> &'static str {
    match name {
        "s" | "tab" => " ",
        "line-break" => "\n",
        _ => "",
    }
}
