//! The canonical text while it is being written: block after block, with sections and pages noted where they begin.

use ibidem_ports::intake::Format;

use super::{
    LONGEST_HEADING, LONGEST_TEXT, MOST_SECTIONS, PageStart, ReadDocument, ReadError, SectionStart, SheetTable, Stated,
};

mod clean;

pub(super) use clean::{collapsed, folded, same_words};

/// Deeper lists are indented no further: the indentation of a hostile list must not outgrow its words.
const DEEPEST_INDENTATION: usize = 8;

/// Which heading is the document's title, and so no part of section paths.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum TitleHeading {
    /// The first heading of level 1 becomes the title.
    First,
    /// The first heading of level 1 that says the same as the known title.
    Saying(String),
    /// The first heading of level 1 whose words occur in the known title ("Leave" in "Leave — Intranet").
    Within(String),
    /// None: the title stands elsewhere, and every heading is a section.
    No,
}

struct Heading {
    level: u8,
    words: String,
}

struct List {
    /// The number of the next item, if items are numbered.
    next: Option<u64>,
}

enum Writing {
    Words,
    Heading(u8),
    Verbatim,
}

/// Readers tell it what they meet, in reading order; it decides how that looks as text.
pub(super) struct Manuscript {
    text: String,
    /// Characters in `text`.
    length: usize,
    sections: Vec<SectionStart>,
    pages: Vec<PageStart>,
    tables: Vec<SheetTable>,
    title_heading: TitleHeading,
    title: Option<String>,
    under: Vec<Heading>,
    /// The block being written, not yet part of the text.
    block: String,
    writing: Writing,
    /// White space was met and counts only if words follow.
    space_due: bool,
    lists: Vec<List>,
    /// What stands before the next block, if it is the first of a list item.
    marker: Option<String>,
    /// The cells of the table row being written, the current one excepted.
    row: Option<Vec<String>>,
    /// Blocks of one list or one table follow each other without an empty line; this numbers them.
    group: Option<usize>,
    groups: usize,
    last_group: Option<usize>,
    /// Pages that begin inside the block being written.
    page_marks: Vec<(usize, u32)>,
    sections_due: Vec<(u8, String)>,
    struck: bool,
    /// Characters that cannot be seen and were taken out.
    removed: usize,
    /// The text may have this many characters.
    longest: usize,
    /// What there is too much of; nothing more is written then.
    overfull: Option<ReadError>,
}

impl Manuscript {
    pub(super) fn new(title_heading: TitleHeading) -> Self {
        Self {
            text: String::new(),
            length: 0,
            sections: Vec::new(),
            pages: Vec::new(),
            tables: Vec::new(),
            title_heading,
            title: None,
            under: Vec::new(),
            block: String::new(),
            writing: Writing::Words,
            space_due: false,
            lists: Vec::new(),
            marker: None,
            row: None,
            group: None,
            groups: 0,
            last_group: None,
            page_marks: Vec::new(),
            sections_due: Vec::new(),
            struck: false,
            removed: 0,
            longest: LONGEST_TEXT,
            overfull: None,
        }
    }

    /// Words in running text: white space in them is only a space.
    pub(super) fn words(&mut self, words: &str) {
        if matches!(self.writing, Writing::Verbatim) {
            return self.raw(words);
        }
        for c in words.chars() {
            if c.is_whitespace() {
                self.space_due = true;
            } else {
                self.owe_space();
                self.block.push(c);
            }
        }
    }

    /// Characters as they are, white space included.
    pub(super) fn raw(&mut self, characters: &str) {
        self.owe_space();
        self.block.push_str(characters);
    }

    pub(super) fn line_break(&mut self) {
        if self.row.is_some() || matches!(self.writing, Writing::Heading(_)) {
            self.space_due = true;
        } else {
            self.space_due = false;
            self.block.push('\n');
        }
    }

    fn owe_space(&mut self) {
        if self.space_due && !self.block.is_empty() && !self.block.ends_with([' ', '\n', '\t']) {
            self.block.push(' ');
        }
        self.space_due = false;
    }

    /// Text that was struck out is kept, visibly so: dropping it would hide what was decided
    /// before, and showing it plain would state what was withdrawn.
    pub(super) fn strike(&mut self, struck: bool) {
        if self.struck != struck {
            if struck {
                self.owe_space();
            }
            self.block.push_str("~~");
            self.struck = struck;
        }
    }

    /// Ends the paragraph, heading line or list item part being written, if any.
    pub(super) fn end_block(&mut self) {
        if self.row.is_some() || matches!(self.writing, Writing::Heading(_)) {
            // A table row and a heading are one line: blocks inside them only part words.
            self.space_due = true;
            return;
        }
        if matches!(self.writing, Writing::Verbatim) {
            if !self.block.is_empty() && !self.block.ends_with('\n') {
                self.block.push('\n');
            }
            return;
        }
        self.strike(false);
        self.space_due = false;
        let block = std::mem::take(&mut self.block);
        let indentation = "  ".repeat(self.lists.len().saturating_sub(1).min(DEEPEST_INDENTATION));
        let cleaned = clean::cleaned(&block, &mut self.removed);
        let words = cleaned.trim();
        if !words.is_empty() {
            let marker = self.marker.take();
            let beneath = if self.lists.is_empty() { "" } else { "  " };
            let before = format!("{indentation}{}", marker.as_deref().unwrap_or(beneath));
            self.append(&before, words, !self.lists.is_empty());
        }
        self.settle_pages();
    }

    /// Preformatted text: its lines and their indentation are kept.
    pub(super) fn verbatim(&mut self, characters: &str) {
        self.open_verbatim();
        self.raw(characters);
        self.close_verbatim();
    }

    pub(super) fn open_verbatim(&mut self) {
        self.end_block();
        if self.row.is_none() && matches!(self.writing, Writing::Words) {
            self.writing = Writing::Verbatim;
        }
    }

    pub(super) fn close_verbatim(&mut self) {
        if !matches!(self.writing, Writing::Verbatim) {
            return self.end_block();
        }
        self.writing = Writing::Words;
        self.space_due = false;
        self.struck = false;
        let cleaned = clean::cleaned(&std::mem::take(&mut self.block), &mut self.removed);
        let lines = cleaned.trim_end().trim_start_matches('\n');
        if !lines.trim().is_empty() {
            let marker = self.marker.take().unwrap_or_default();
            self.append(&marker, lines, !self.lists.is_empty());
        }
        self.settle_pages();
    }

    pub(super) fn heading(&mut self, level: u8, words: &str) {
        self.open_heading(level);
        self.words(words);
        self.close_heading();
    }

    pub(super) fn open_heading(&mut self, level: u8) {
        self.end_block();
        if self.row.is_none() && matches!(self.writing, Writing::Words) {
            self.writing = Writing::Heading(level);
        }
    }

    pub(super) fn close_heading(&mut self) {
        let Writing::Heading(level) = self.writing else { return self.end_block() };
        self.writing = Writing::Words;
        self.strike(false);
        self.space_due = false;
        let words = collapsed(&clean::cleaned(&std::mem::take(&mut self.block), &mut self.removed));
        if !words.is_empty() {
            self.marker = None;
            let at = self.append("", &words, false);
            self.begin_section(at, level, words);
        }
        self.settle_pages();
    }

    /// A section that begins with the next block, without a line of its own.
    pub(super) fn section(&mut self, level: u8, words: &str) {
        self.end_block();
        let words = collapsed(&clean::cleaned(words, &mut self.removed));
        self.sections_due.push((level, words));
    }

    /// A line that is the document's title wherever it stands: no section, but the end of the one before.
    pub(super) fn title_line(&mut self, words: &str) {
        self.end_block();
        let words = collapsed(&clean::cleaned(words, &mut self.removed));
        if !words.is_empty() {
            let at = self.append("", &words, false);
            self.take_title(at, words);
        }
    }

    fn begin_section(&mut self, at: usize, level: u8, words: String) {
        let is_title = level == 1
            && self.title.is_none()
            && match &self.title_heading {
                TitleHeading::First => true,
                TitleHeading::Saying(title) => same_words(title, &words),
                TitleHeading::Within(title) => clean::words_within(&words, title),
                TitleHeading::No => false,
            };
        if is_title {
            return self.take_title(at, words);
        }
        while self.under.last().is_some_and(|above| above.level >= level) {
            self.under.pop();
        }
        self.under.push(Heading { level, words: words.chars().take(LONGEST_HEADING).collect() });
        if self.sections.len() >= MOST_SECTIONS {
            let limit = format!("{MOST_SECTIONS} headings");
            self.overfull.get_or_insert(ReadError::TooLarge { what: "its headings".into(), limit });
            return;
        }
        let path = self.under.iter().map(|heading| heading.words.clone()).collect();
        self.sections.push(SectionStart { at, path });
    }

    /// Ends the sections of this level and of those below it: what follows stands under the heading above them.
    pub(super) fn end_section(&mut self, level: u8) {
        self.end_block();
        let had = self.under.len();
        self.under.retain(|above| above.level < level);
        if self.under.len() < had && self.sections.len() < MOST_SECTIONS {
            let path = self.under.iter().map(|heading| heading.words.clone()).collect();
            self.sections.push(SectionStart { at: self.length, path });
        }
    }

    /// Notes a table of a sheet that was written.
    pub(super) fn sheet_table(&mut self, table: SheetTable) {
        self.tables.push(table);
    }

    fn take_title(&mut self, at: usize, words: String) {
        self.under.clear();
        if !self.sections.is_empty() {
            self.sections.push(SectionStart { at, path: Vec::new() });
        }
        self.title.get_or_insert(words);
    }

    /// `first`: the number of its first item, if its items are numbered.
    pub(super) fn open_list(&mut self, first: Option<u64>) {
        self.end_block();
        if self.lists.is_empty() {
            self.open_group();
        }
        self.lists.push(List { next: first });
    }

    pub(super) fn close_list(&mut self) {
        self.end_block();
        self.marker = None;
        self.lists.pop();
        if self.lists.is_empty() {
            self.group = None;
        }
    }

    pub(super) fn open_item(&mut self) {
        let marker = match self.lists.last_mut().and_then(|list| list.next.as_mut()) {
            Some(next) => {
                let marker = format!("{next}. ");
                *next = next.saturating_add(1);
                marker
            }
            None => "- ".to_owned(),
        };
        self.open_marked_item(&marker);
    }

    pub(super) fn open_marked_item(&mut self, marker: &str) {
        self.end_block();
        self.marker = Some(collapsed(&clean::cleaned(marker, &mut self.removed)) + " ");
    }

    pub(super) fn close_item(&mut self) {
        self.end_block();
        self.marker = None;
    }

    pub(super) fn open_table(&mut self) {
        self.end_block();
        if self.group.is_none() {
            self.open_group();
        }
    }

    pub(super) fn close_table(&mut self) {
        self.close_row();
        if self.lists.is_empty() {
            self.group = None;
        }
    }

    pub(super) fn open_row(&mut self) {
        // A table inside a cell: what the outer row has so far becomes a row of its own.
        self.close_row();
        self.end_block();
        self.row = Some(Vec::new());
    }

    pub(super) fn close_cell(&mut self) {
        if self.row.is_none() {
            return self.end_block();
        }
        self.strike(false);
        self.space_due = false;
        let cell = collapsed(&clean::cleaned(&std::mem::take(&mut self.block), &mut self.removed));
        if let Some(row) = &mut self.row {
            row.push(cell);
        }
    }

    pub(super) fn close_row(&mut self) {
        if self.row.is_some() && !self.block.is_empty() {
            self.close_cell();
        }
        let Some(row) = self.row.take() else { return };
        if row.iter().any(|cell| !cell.is_empty()) {
            let marker = self.marker.take().unwrap_or_default();
            self.append(&marker, row.join(" | ").trim_end(), true);
        }
        self.settle_pages();
    }

    pub(super) fn page(&mut self, number: u32) {
        self.page_marks.push((self.block.chars().count(), number));
    }

    /// Pages that began inside a block begin inside it in the text as well; `append` has placed
    /// those, what is left began before a block that came to nothing.
    fn settle_pages(&mut self) {
        for mark in &mut self.page_marks {
            mark.0 = 0;
        }
    }

    fn open_group(&mut self) {
        self.groups += 1;
        self.group = Some(self.groups);
    }

    /// Puts a block into the text and returns where its words begin. `in_group`: it is a list item or a row.
    fn append(&mut self, before: &str, words: &str, in_group: bool) -> usize {
        let group = self.group.filter(|_| in_group);
        let continues = group.is_some() && group == self.last_group;
        let gap = match (self.text.is_empty(), continues) {
            (true, _) => "",
            (false, true) => "\n",
            (false, false) => "\n\n",
        };
        self.last_group = group;
        let added = words.chars().count();
        let at = self.length + gap.chars().count() + before.chars().count();
        if at + added > self.longest {
            let limit = "16 million characters".to_owned();
            self.overfull.get_or_insert(ReadError::TooLarge { what: "its text".into(), limit });
            return self.length;
        }
        for (inside, number) in self.page_marks.drain(..) {
            self.pages.push(PageStart { at: at + inside.min(added), number });
        }
        for (level, heading) in std::mem::take(&mut self.sections_due) {
            self.begin_section(at, level, heading);
        }
        self.text.push_str(gap);
        self.text.push_str(before);
        self.text.push_str(words);
        self.length = at + added;
        at
    }

    pub(super) fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// The characters that are written so far, without the block that is being written.
    pub(super) fn length(&self) -> usize {
        self.length
    }

    pub(super) fn is_overfull(&self) -> bool {
        self.overfull.is_some()
    }

    /// The text is complete. A title the document states wins over one found among its headings.
    pub(super) fn finish(mut self, format: Format, stated: Stated) -> Result<ReadDocument, ReadError> {
        self.close_row();
        match self.writing {
            Writing::Words => self.end_block(),
            Writing::Heading(_) => self.close_heading(),
            Writing::Verbatim => self.close_verbatim(),
        }
        if let Some(error) = self.overfull {
            return Err(error);
        }
        if !self.text.chars().any(char::is_alphanumeric) {
            return Err(ReadError::NoText { format });
        }
        let title = stated.title.clone().or(self.title);
        let remarks = match self.removed {
            0 => Vec::new(),
            1 => vec!["1 character that cannot be seen was taken out".to_owned()],
            removed => vec![format!("{removed} characters that cannot be seen were taken out")],
        };
        let Self { text, sections, pages, tables, .. } = self;
        Ok(ReadDocument { title, text, sections, pages, tables, stated, remarks })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(longest: usize) -> Result<ReadDocument, ReadError> {
        let mut manuscript = Manuscript::new(TitleHeading::First);
        manuscript.longest = longest;
        manuscript.heading(1, "Title");
        manuscript.words("Twelve words");
        manuscript.end_block();
        manuscript.finish(Format::Plain, Stated::default())
    }

    #[test]
    fn text_that_outgrows_its_bound_is_refused_not_cut() {
        let whole = "Title\n\nTwelve words";
        assert_eq!(written(whole.len()).unwrap().text, whole);
        assert!(matches!(written(whole.len() - 1), Err(ReadError::TooLarge { .. })));
    }

    #[test]
    fn pages_begin_at_words_not_at_the_gap_before_them() {
        let mut manuscript = Manuscript::new(TitleHeading::No);
        manuscript.page(1);
        manuscript.page(2);
        manuscript.words("one");
        manuscript.end_block();
        manuscript.page(3);
        manuscript.words("two ");
        manuscript.page(4);
        manuscript.words("three");
        let document = manuscript.finish(Format::Pdf, Stated::default()).unwrap();
        assert_eq!(document.text, "one\n\ntwo three");
        let pages: Vec<_> = document.pages.iter().map(|page| (page.number, page.at)).collect();
        assert_eq!(pages, [(1, 0), (2, 0), (3, 5), (4, 8)]);
    }
}
