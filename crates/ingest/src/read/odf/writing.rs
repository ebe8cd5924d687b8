//! ODT: headings, paragraphs, lists and tables in reading order.

use std::collections::HashMap;

use ibidem_ports::intake::Format;

use super::Opened;
use super::inline::{self, UNREAD, Words};
use crate::read::manuscript::{Manuscript, TitleHeading, collapsed};
use crate::read::package::xml::{Attributes, Part, Step};
use crate::read::{ReadDocument, ReadError};

/// Indexes show the way around the document and are not the document.
const INDEXES: [&str; 7] = [
    "table-of-content",
    "alphabetical-index",
    "illustration-index",
    "table-index",
    "object-index",
    "user-index",
    "bibliography",
];

/// A row may claim any number of empty cells behind its last one.
const MOST_REPEATED: usize = 64;

pub(super) fn extract(opened: &Opened) -> Result<ReadDocument, ReadError> {
    let mut body = Body {
        opened,
        title: None,
        lists: Vec::new(),
        counted: HashMap::new(),
        notes: Vec::new(),
        notes_seen: 0,
        tables: 0,
    };
    let mut manuscript = Manuscript::new(TitleHeading::No);
    body.write(&mut manuscript)?;
    let mut read = manuscript.finish(Format::Odt, opened.properties.stated())?;
    read.title = body.title.or_else(|| opened.properties.title()).or(read.title);
    Ok(read)
}

struct List {
    style: Option<String>,
    is_numbered: bool,
    items: u64,
}

struct Body<'a> {
    opened: &'a Opened,
    title: Option<String>,
    lists: Vec<List>,
    /// How far the numbered lists of a style have counted, for those that go on with it.
    counted: HashMap<String, u64>,
    notes: Vec<(usize, String)>,
    notes_seen: usize,
    tables: usize,
}

impl Body<'_> {
    fn write(&mut self, manuscript: &mut Manuscript) -> Result<(), ReadError> {
        let mut part = Part::new(&self.opened.content, Format::Odt);
        let mut in_text = false;
        while let Some(step) = part.step()? {
            if manuscript.is_overfull() {
                break;
            }
            match step {
                Step::Open { name, .. } if name == "text" && !in_text => in_text = true,
                Step::Open { name, attributes } if in_text => match name.as_str() {
                    name if UNREAD.contains(&name) || INDEXES.contains(&name) => part.pass_over()?,
                    "section" if attributes.get("display") == Some("none") => part.pass_over()?,
                    "p" | "h" => {
                        let words = inline::words(&mut part, &self.opened.styles, self.notes_seen + 1)?;
                        self.paragraph(&name, &attributes, words, manuscript);
                    }
                    _ => self.open(&name, &attributes, manuscript),
                },
                Step::Close { name } if in_text => self.close(&name, manuscript),
                _ => {}
            }
        }
        Ok(())
    }

    fn open(&mut self, name: &str, attributes: &Attributes, manuscript: &mut Manuscript) {
        match name {
            "list" => self.open_list(attributes, manuscript),
            "list-item" => {
                if let Some(list) = self.lists.last_mut() {
                    list.items += 1;
                    manuscript.open_item();
                }
            }
            "table" => {
                self.tables += 1;
                manuscript.open_table();
            }
            "table-row" if self.tables > 0 => manuscript.open_row(),
            _ => {}
        }
        if matches!(name, "table-cell" | "covered-table-cell") && self.tables > 0 {
            let repeated = attributes.get("number-columns-repeated").and_then(|number| number.parse().ok());
            for _ in 1..repeated.unwrap_or(1_usize).min(MOST_REPEATED) {
                manuscript.close_cell();
            }
        }
    }

    fn close(&mut self, name: &str, manuscript: &mut Manuscript) {
        match name {
            "list" => {
                if let Some(List { style: Some(style), is_numbered: true, items }) = self.lists.pop() {
                    self.counted.insert(style, items);
                }
                manuscript.close_list();
            }
            "list-item" => manuscript.close_item(),
            "table-cell" | "covered-table-cell" if self.tables > 0 => manuscript.close_cell(),
            "table-row" if self.tables > 0 => manuscript.close_row(),
            "table" => {
                self.tables = self.tables.saturating_sub(1);
                manuscript.close_table();
                self.write_notes(manuscript);
            }
            _ => {}
        }
    }

    fn open_list(&mut self, attributes: &Attributes, manuscript: &mut Manuscript) {
        let outer = self.lists.last().and_then(|list| list.style.clone());
        let style = attributes.get("style-name").map(str::to_owned).or(outer);
        let is_numbered = self.opened.styles.is_numbered(style.as_deref(), self.lists.len());
        let goes_on = attributes.get("continue-numbering") == Some("true") || attributes.get("continue-list").is_some();
        let counted = style.as_ref().filter(|_| goes_on).and_then(|style| self.counted.get(style)).copied();
        let items = counted.unwrap_or(0);
        manuscript.open_list(is_numbered.then_some(items.saturating_add(1)));
        self.lists.push(List { style, is_numbered, items });
    }

    fn paragraph(&mut self, name: &str, attributes: &Attributes, words: Words, manuscript: &mut Manuscript) {
        let style = attributes.get("style-name");
        if self.opened.styles.is_hidden(style) {
            return;
        }
        self.notes.extend((self.notes_seen + 1..).zip(words.notes));
        self.notes_seen = self.notes.last().map_or(self.notes_seen, |(number, _)| *number);
        if self.opened.styles.is_title(style) && self.tables == 0 {
            manuscript.title_line(&words.text);
            let title = Some(collapsed(&words.text)).filter(|title| !title.is_empty());
            self.title = self.title.take().or(title);
        } else if name == "h" && self.tables == 0 {
            let level = attributes.get("outline-level").and_then(|level| level.parse::<u8>().ok()).unwrap_or(1);
            manuscript.heading(level.clamp(1, 9), &words.text);
        } else {
            manuscript.strike(self.opened.styles.is_struck(style));
            for (place, line) in words.text.split('\n').enumerate() {
                if place > 0 {
                    manuscript.line_break();
                }
                manuscript.words(line);
            }
            manuscript.end_block();
        }
        if self.tables == 0 && self.lists.is_empty() {
            self.write_notes(manuscript);
        }
    }

    fn write_notes(&mut self, manuscript: &mut Manuscript) {
        if self.tables > 0 {
            return;
        }
        for (number, note) in std::mem::take(&mut self.notes) {
            manuscript.words(&format!("Note {number}: {note}"));
            manuscript.end_block();
        }
    }
}
