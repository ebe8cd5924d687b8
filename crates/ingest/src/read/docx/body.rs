//! The body of a Word document, told to the manuscript in reading order.

use std::collections::HashMap;

use ibidem_ports::intake::Format;

use super::numbering::Numbering;
use super::styles::{ListPlace, Styles};
use crate::read::ReadError;
use crate::read::manuscript::{Manuscript, collapsed};
use crate::read::package::xml::{Attributes, Part, Step};

pub(super) struct Body<'a> {
    styles: &'a Styles,
    numbering: Numbering,
    /// Those that nothing has referred to yet.
    notes: HashMap<String, String>,
    note_numbers: HashMap<String, usize>,
    /// The paragraph that carries the title's style.
    pub(super) title: Option<String>,
    paragraphs: Vec<Paragraph>,
    run: Run,
    /// Lists open in the manuscript.
    lists_open: usize,
    table_depth: usize,
    title_words: String,
    notes_seen: usize,
    notes_due: Vec<(usize, String)>,
}

#[derive(Default)]
struct Paragraph {
    style: Option<String>,
    outline_level: Option<u8>,
    place: ListPlace,
    /// Its properties are read: what comes now are its words.
    begun: bool,
    role: Role,
}

#[derive(Default, Clone, Copy, PartialEq)]
enum Role {
    #[default]
    Text,
    Heading,
    Title,
    /// A line of the table of contents, or one hidden by its style.
    Unread,
}

#[derive(Default)]
struct Run {
    hidden: Option<bool>,
    style_hidden: bool,
    struck: bool,
}

impl<'a> Body<'a> {
    pub(super) fn new(styles: &'a Styles, numbering: Numbering) -> Self {
        Self {
            styles,
            numbering,
            notes: HashMap::new(),
            note_numbers: HashMap::new(),
            title: None,
            paragraphs: Vec::new(),
            run: Run::default(),
            lists_open: 0,
            table_depth: 0,
            title_words: String::new(),
            notes_seen: 0,
            notes_due: Vec::new(),
        }
    }

    /// Footnotes and endnotes, to be written below the paragraph that refers to them.
    pub(super) fn collect_notes(&mut self, xml: &str) -> Result<(), ReadError> {
        let mut part = Part::new(xml, Format::Docx);
        let mut note: Option<(String, String)> = None;
        let mut in_text = false;
        while let Some(step) = part.step()? {
            match step {
                Step::Open { name, attributes } => match name.as_str() {
                    // Separators are notes too, of a type.
                    "footnote" | "endnote" if attributes.get("type").is_none() => {
                        let key = attributes.get("id").map(|id| note_key(&name, id));
                        note = key.map(|key| (key, String::new()));
                    }
                    "del" | "moveFrom" | "Fallback" => part.pass_over()?,
                    "t" => in_text = true,
                    "p" | "tab" | "br" => {
                        if let Some((_, words)) = &mut note {
                            words.push(' ');
                        }
                    }
                    _ => {}
                },
                Step::Text(text) if in_text => {
                    if let Some((_, words)) = &mut note {
                        words.push_str(&text);
                    }
                }
                Step::Close { name } if name == "t" => in_text = false,
                Step::Close { name } if name == "footnote" || name == "endnote" => {
                    if let Some((key, words)) = note.take() {
                        self.notes.insert(key, collapsed(&words));
                    }
                }
                Step::Close { .. } | Step::Text(_) => {}
            }
        }
        Ok(())
    }

    pub(super) fn write(&mut self, xml: &str, manuscript: &mut Manuscript) -> Result<(), ReadError> {
        let mut part = Part::new(xml, Format::Docx);
        let mut in_text = false;
        // Inside a paragraph's or a run's properties.
        let (mut in_paragraph_properties, mut in_run_properties) = (false, false);
        while let Some(step) = part.step()? {
            if manuscript.is_overfull() {
                break;
            }
            match step {
                Step::Open { name, attributes } => match name.as_str() {
                    // Deleted and moved-away text is no longer there; a fallback repeats what came before it.
                    "del" | "moveFrom" | "Fallback" if !in_paragraph_properties => part.pass_over()?,
                    // What the properties were before a tracked change.
                    "pPrChange" | "rPrChange" => part.pass_over()?,
                    "pPr" => in_paragraph_properties = true,
                    "rPr" => in_run_properties = true,
                    _ if in_paragraph_properties => self.paragraph_property(&name, &attributes, in_run_properties),
                    _ if in_run_properties => self.run_property(&name, &attributes),
                    "t" => in_text = true,
                    _ => self.open(&name, &attributes, manuscript),
                },
                Step::Close { name } => match name.as_str() {
                    "pPr" => in_paragraph_properties = false,
                    "rPr" => in_run_properties = false,
                    "t" => in_text = false,
                    _ if in_paragraph_properties || in_run_properties => {}
                    _ => self.close(&name, manuscript),
                },
                Step::Text(text) if in_text => self.words(&text, manuscript),
                Step::Text(_) => {}
            }
        }
        self.close_lists(0, manuscript);
        Ok(())
    }

    fn paragraph_property(&mut self, name: &str, attributes: &Attributes, of_its_mark: bool) {
        let Some(paragraph) = self.paragraphs.last_mut().filter(|_| !of_its_mark) else { return };
        let value = attributes.get("val");
        match name {
            "pStyle" => paragraph.style = value.map(str::to_owned),
            "outlineLvl" => paragraph.outline_level = value.and_then(|level| level.parse().ok()),
            "numId" => paragraph.place.list = value.map(str::to_owned),
            "ilvl" => paragraph.place.level = value.and_then(|level| level.parse().ok()),
            _ => {}
        }
    }

    fn run_property(&mut self, name: &str, attributes: &Attributes) {
        match name {
            "vanish" | "webHidden" => self.run.hidden = Some(attributes.is_on()),
            "strike" | "dstrike" => self.run.struck = attributes.is_on(),
            "rStyle" => self.run.style_hidden = attributes.get("val").is_some_and(|id| self.styles.is_hidden(id)),
            _ => {}
        }
    }

    fn open(&mut self, name: &str, attributes: &Attributes, manuscript: &mut Manuscript) {
        match name {
            "p" => {
                // A paragraph in a text box stands inside another paragraph.
                self.end_of_line(manuscript);
                self.paragraphs.push(Paragraph::default());
            }
            "r" => self.run = Run::default(),
            "tab" => self.characters("\t", manuscript),
            "noBreakHyphen" => self.characters("-", manuscript),
            "br" | "cr" if self.is_read() => manuscript.line_break(),
            "footnoteReference" | "endnoteReference" => {
                let kind = name.trim_end_matches("Reference");
                let Some(key) = attributes.get("id").map(|id| note_key(kind, id)) else { return };
                if let Some(note) = self.notes.remove(&key) {
                    self.notes_seen += 1;
                    self.notes_due.push((self.notes_seen, note));
                    self.note_numbers.insert(key.clone(), self.notes_seen);
                }
                // A note is written once, however often it is referred to: or a small file makes a huge text.
                if let Some(number) = self.note_numbers.get(&key) {
                    self.words(&format!(" (note {number})"), manuscript);
                }
            }
            "tbl" => {
                self.close_lists(0, manuscript);
                self.table_depth += 1;
                manuscript.open_table();
            }
            "tr" if self.table_depth > 0 => manuscript.open_row(),
            _ => {}
        }
    }

    fn close(&mut self, name: &str, manuscript: &mut Manuscript) {
        match name {
            "p" => {
                self.begin_paragraph(manuscript);
                self.end_of_line(manuscript);
                self.paragraphs.pop();
                if self.table_depth == 0 {
                    self.write_notes(manuscript);
                }
            }
            "tc" if self.table_depth > 0 => manuscript.close_cell(),
            "tr" if self.table_depth > 0 => manuscript.close_row(),
            "tbl" => {
                self.table_depth = self.table_depth.saturating_sub(1);
                manuscript.close_table();
                if self.table_depth == 0 {
                    self.write_notes(manuscript);
                }
            }
            _ => {}
        }
    }

    fn write_notes(&mut self, manuscript: &mut Manuscript) {
        for (number, note) in std::mem::take(&mut self.notes_due) {
            manuscript.words(&format!("Note {number}: {note}"));
            manuscript.end_block();
        }
    }

    /// What a paragraph is shows once its properties are read.
    fn begin_paragraph(&mut self, manuscript: &mut Manuscript) {
        let styles = self.styles;
        let in_table = self.table_depth > 0;
        let Some(paragraph) = self.paragraphs.last_mut().filter(|paragraph| !paragraph.begun) else { return };
        paragraph.begun = true;
        let style = paragraph.style.as_deref().unwrap_or_default();
        if styles.is_contents(style) || styles.is_hidden(style) {
            paragraph.role = Role::Unread;
            return;
        }
        let of_style = styles.list_place(style);
        let list = paragraph.place.list.clone().or(of_style.list);
        let list_level = paragraph.place.level.or(of_style.level).unwrap_or(0);
        let heading = match paragraph.outline_level {
            Some(level) => Some(level.saturating_add(1)).filter(|level| *level <= 9),
            None => styles.heading_level(style),
        };
        if styles.is_title(style) && !in_table {
            paragraph.role = Role::Title;
        } else if heading.is_some() && !in_table {
            paragraph.role = Role::Heading;
        }
        let role = paragraph.role;
        let marker = list.and_then(|list| self.numbering.marker(&list, list_level));
        match (role, heading, marker) {
            (Role::Title, ..) => self.close_lists(0, manuscript),
            (Role::Heading, Some(level), marker) => {
                self.close_lists(0, manuscript);
                manuscript.open_heading(level);
                // "3.2 Travel": the number Word counted is what people see and refer to.
                manuscript.words(&marker.filter(|marker| marker != "-").unwrap_or_default());
                manuscript.words(" ");
            }
            (_, _, Some(marker)) if in_table => manuscript.words(&format!("{marker} ")),
            (_, _, Some(marker)) => {
                let depth = usize::from(list_level) + 1;
                self.close_lists(depth, manuscript);
                while self.lists_open < depth {
                    manuscript.open_list(None);
                    self.lists_open += 1;
                }
                manuscript.open_marked_item(&marker);
            }
            _ if !in_table => self.close_lists(0, manuscript),
            _ => {}
        }
    }

    fn close_lists(&mut self, depth: usize, manuscript: &mut Manuscript) {
        while self.lists_open > depth {
            manuscript.close_list();
            self.lists_open -= 1;
        }
    }

    fn end_of_line(&mut self, manuscript: &mut Manuscript) {
        let role = self.paragraphs.last().map(|paragraph| paragraph.role);
        match role {
            Some(Role::Title) => {
                let words = std::mem::take(&mut self.title_words);
                manuscript.title_line(&words);
                self.title.get_or_insert_with(|| collapsed(&words));
                self.title = self.title.take().filter(|title| !title.is_empty());
            }
            Some(Role::Heading) => manuscript.close_heading(),
            Some(Role::Text | Role::Unread) | None => manuscript.end_block(),
        }
    }

    fn is_read(&self) -> bool {
        let unread = self.paragraphs.last().is_some_and(|paragraph| paragraph.role == Role::Unread);
        !unread && !self.run.hidden.unwrap_or(self.run.style_hidden)
    }

    fn words(&mut self, words: &str, manuscript: &mut Manuscript) {
        self.begin_paragraph(manuscript);
        if !self.is_read() {
            return;
        }
        if self.paragraphs.last().is_some_and(|paragraph| paragraph.role == Role::Title) {
            return self.title_words.push_str(words);
        }
        manuscript.strike(self.run.struck);
        manuscript.words(words);
    }

    fn characters(&mut self, characters: &str, manuscript: &mut Manuscript) {
        self.begin_paragraph(manuscript);
        if !self.is_read() {
            return;
        }
        if self.paragraphs.last().is_some_and(|paragraph| paragraph.role == Role::Title) {
            self.title_words.push(' ');
        } else {
            manuscript.raw(characters);
        }
    }
}

fn note_key(kind: &str, id: &str) -> String {
    format!("{kind} {id}")
}
