//! The paragraphs of an RTF file, told to the manuscript in reading order.

use ibidem_ports::intake::Format;

use super::declared::{Styles, level_of_heading};
use crate::read::manuscript::{Manuscript, TitleHeading, collapsed};
use crate::read::{ReadDocument, ReadError, Stated};

/// No number of a list item is longer: `(xviii)`.
const LONGEST_MARKER: usize = 8;

/// How a paragraph is set, as far as that says what it is.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Layout {
    pub(super) style: i32,
    /// From 0; 9 is body text.
    pub(super) outline_level: Option<i32>,
    /// How deep it lies in its list, from 0.
    pub(super) list_level: Option<i32>,
    pub(super) indent: i32,
    /// How much further its first line is indented. Less than 0: its marker stands out.
    pub(super) first_line: i32,
    pub(super) in_table: bool,
}

pub(super) struct Paragraphs {
    manuscript: Manuscript,
    pub(super) styles: Styles,
    /// The words of the paragraph being read, and whether they are struck out.
    pieces: Vec<(String, bool)>,
    /// As it was when the first words came.
    layout: Option<Layout>,
    marker: Option<String>,
    /// The lists open in the manuscript, by how deep or how far indented they lie.
    lists: Vec<i32>,
    /// Whether the file began a row that it has not ended.
    row_begun: bool,
    /// Whether the manuscript has a table open, and a row of it.
    table_open: bool,
    row_open: bool,
    /// The paragraph that carries the title's style.
    title: Option<String>,
    notes_seen: usize,
    notes_due: Vec<(usize, String)>,
}

impl Paragraphs {
    pub(super) fn new() -> Self {
        Self {
            manuscript: Manuscript::new(TitleHeading::No),
            styles: Styles::default(),
            pieces: Vec::new(),
            layout: None,
            marker: None,
            lists: Vec::new(),
            row_begun: false,
            table_open: false,
            row_open: false,
            title: None,
            notes_seen: 0,
            notes_due: Vec::new(),
        }
    }

    pub(super) fn is_overfull(&self) -> bool {
        self.manuscript.is_overfull()
    }

    pub(super) fn words(&mut self, words: &str, layout: Layout, struck: bool) {
        if self.layout.is_none() && words.trim().is_empty() {
            return;
        }
        self.layout.get_or_insert(layout);
        match self.pieces.last_mut() {
            Some((piece, was_struck)) if *was_struck == struck => piece.push_str(words),
            _ => self.pieces.push((words.to_owned(), struck)),
        }
    }

    /// The number or bullet that the writing program counted for the list item.
    pub(super) fn marker(&mut self, written: &str) {
        self.marker = Some(shown_marker(written));
    }

    /// A note is written below the paragraph that refers to it.
    pub(super) fn note(&mut self, note: &str, layout: Layout) {
        let note = collapsed(note);
        if !note.is_empty() {
            self.notes_seen += 1;
            self.words(&format!(" (note {})", self.notes_seen), layout, false);
            self.notes_due.push((self.notes_seen, note));
        }
    }

    pub(super) fn begin_row(&mut self) {
        self.row_begun = true;
    }

    pub(super) fn end_cell(&mut self, layout: Layout) {
        self.row_begun = true;
        self.end(layout);
        self.open_row();
        self.manuscript.close_cell();
    }

    pub(super) fn end_row(&mut self, layout: Layout) {
        self.end(layout);
        self.manuscript.close_row();
        (self.row_open, self.row_begun) = (false, false);
    }

    /// Ends the paragraph.
    pub(super) fn end(&mut self, layout: Layout) {
        let layout = self.layout.take().unwrap_or(layout);
        let marker = self.marker.take();
        let pieces = std::mem::take(&mut self.pieces);
        let style = layout.style;
        let in_table = layout.in_table || self.row_begun;
        if !in_table {
            self.close_table();
        }
        let is_empty = pieces.iter().all(|(words, _)| words.trim().is_empty());
        if is_empty || self.styles.is_contents(style) || self.styles.is_hidden(style) {
            return;
        }
        let heading = match layout.outline_level {
            Some(level) => level_of_heading(level.saturating_add(1)),
            None => self.styles.heading_level(style),
        };
        match heading {
            _ if in_table => self.write_in_cell(marker, &pieces),
            _ if self.styles.is_title(style) => self.write_title(&pieces),
            Some(level) => self.write_heading(level, marker, &pieces),
            None => self.write_text(layout, marker, pieces),
        }
        if !in_table {
            self.write_notes();
        }
    }

    fn write_in_cell(&mut self, marker: Option<String>, pieces: &[(String, bool)]) {
        self.open_row();
        if let Some(marker) = marker {
            self.manuscript.words(&format!("{marker} "));
        }
        self.write(pieces);
        self.manuscript.end_block();
    }

    fn write_title(&mut self, pieces: &[(String, bool)]) {
        self.close_lists();
        let words: String = pieces.iter().map(|(words, _)| words.as_str()).collect();
        self.manuscript.title_line(&words);
        self.title.get_or_insert(collapsed(&words));
    }

    fn write_heading(&mut self, level: u8, marker: Option<String>, pieces: &[(String, bool)]) {
        self.close_lists();
        self.manuscript.open_heading(level);
        // "3.2 Travel": the number is what people see and refer to.
        if let Some(marker) = marker.filter(|marker| marker != "-") {
            self.manuscript.words(&format!("{marker} "));
        }
        self.write(pieces);
        self.manuscript.close_heading();
    }

    fn write_text(&mut self, layout: Layout, marker: Option<String>, mut pieces: Vec<(String, bool)>) {
        let marker = marker.or_else(|| typed_marker(layout, &mut pieces));
        match marker {
            Some(marker) => {
                self.open_list(layout.list_level.unwrap_or(layout.indent));
                self.manuscript.open_marked_item(&marker);
            }
            None => self.close_lists(),
        }
        self.write(&pieces);
        self.manuscript.end_block();
    }

    fn write(&mut self, pieces: &[(String, bool)]) {
        for (words, struck) in pieces {
            self.manuscript.strike(*struck);
            for part in words.split_inclusive(['\n', '\t']) {
                self.manuscript.words(part.trim_end_matches(['\n', '\t']));
                match part.chars().next_back() {
                    Some('\n') => self.manuscript.line_break(),
                    Some('\t') => self.manuscript.raw("\t"),
                    _ => {}
                }
            }
        }
        self.manuscript.strike(false);
    }

    fn open_list(&mut self, depth: i32) {
        while self.lists.last().is_some_and(|open| *open > depth) {
            self.manuscript.close_list();
            self.lists.pop();
        }
        if self.lists.last() != Some(&depth) {
            self.manuscript.open_list(None);
            self.lists.push(depth);
        }
    }

    fn close_lists(&mut self) {
        for _ in self.lists.drain(..) {
            self.manuscript.close_list();
        }
    }

    fn open_row(&mut self) {
        if !self.table_open {
            self.close_lists();
            self.manuscript.open_table();
            self.table_open = true;
        }
        if !self.row_open {
            self.manuscript.open_row();
            self.row_open = true;
        }
    }

    fn close_table(&mut self) {
        if self.table_open {
            self.manuscript.close_table();
            (self.table_open, self.row_open) = (false, false);
            self.write_notes();
        }
    }

    fn write_notes(&mut self) {
        for (number, note) in std::mem::take(&mut self.notes_due) {
            self.close_lists();
            self.manuscript.words(&format!("Note {number}: {note}"));
            self.manuscript.end_block();
        }
    }

    pub(super) fn finish(mut self, title: Option<String>, stated: Stated) -> Result<ReadDocument, ReadError> {
        self.row_begun = false;
        self.end(Layout::default());
        self.close_lists();
        let mut document = self.manuscript.finish(Format::Rtf, stated)?;
        // What people see at the top of the page wins over a property that templates tend to leave behind.
        document.title = self.title.or(title).or(document.title);
        Ok(document)
    }
}

/// Bullets of all shapes are a dash; numbers stay.
fn shown_marker(written: &str) -> String {
    let written = collapsed(written);
    let is_number = written.contains(char::is_alphanumeric) && written != "o";
    if is_number { written } else { "-".to_owned() }
}

/// A marker that was typed before the words and stands out to their left, taken out of them.
fn typed_marker(layout: Layout, pieces: &mut [(String, bool)]) -> Option<String> {
    let (first, _) = pieces.first_mut()?;
    let (marker, words) = first.split_once('\t')?;
    let marker = marker.trim();
    let is_short = (1..=LONGEST_MARKER).contains(&marker.chars().count());
    let is_bullet = !marker.contains(char::is_alphanumeric) || marker == "o";
    let is_marker = is_bullet || marker.ends_with(['.', ')']);
    if layout.first_line >= 0 || !is_short || !is_marker {
        return None;
    }
    let marker = shown_marker(marker);
    *first = words.to_owned();
    Some(marker)
}
