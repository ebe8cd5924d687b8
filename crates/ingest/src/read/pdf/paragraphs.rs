//! Lines put together as paragraphs, list items and rows, the way a reader's eye does it.

use std::collections::BTreeMap;

use super::headings::{Mark, Plan};
use super::lines::{Line, Page, is_marker};
use crate::read::manuscript::Manuscript;

/// What is usual in this document.
pub(super) struct Measures {
    /// The size most letters are set in.
    pub(super) body_size: f64,
    /// From one line of a paragraph to the next.
    pub(super) leading: f64,
}

impl Measures {
    pub(super) fn of(pages: &[Page]) -> Self {
        let mut letters: BTreeMap<i64, usize> = BTreeMap::new();
        for line in pages.iter().flat_map(|page| &page.lines) {
            *letters.entry(half_points(line.size)).or_default() += line.words().len();
        }
        let commonest = letters.iter().max_by_key(|(_, count)| **count).map_or(20, |(size, _)| *size);
        #[expect(clippy::cast_precision_loss, reason = "a font size in half points")]
        let body_size = commonest as f64 / 2.0;
        let mut gaps: Vec<f64> = pages
            .iter()
            .flat_map(|page| page.lines.windows(2))
            .filter(|pair| pair.iter().all(|line| half_points(line.size) == commonest))
            .map(|pair| pair[1].across - pair[0].across)
            .filter(|gap| *gap > 0.5 * body_size && *gap < 3.0 * body_size)
            .collect();
        gaps.sort_by(f64::total_cmp);
        // The lower third: gaps between paragraphs are larger, and there may be more of them.
        let leading = gaps.get(gaps.len() / 3).copied().unwrap_or(1.2 * body_size);
        Self { body_size, leading }
    }

    fn leading_of(&self, line: &Line) -> f64 {
        self.leading * (line.size / self.body_size.max(1.0)).max(0.5)
    }
}

#[expect(clippy::cast_possible_truncation, reason = "a font size is a small number, and a cast of floats saturates")]
fn half_points(size: f64) -> i64 {
    (size * 2.0).round() as i64
}

pub(super) fn write(pages: &[Page], plan: &Plan, manuscript: &mut Manuscript) {
    let mut writer =
        Writer { measures: Measures::of(pages), manuscript, paragraph: None, in_list: false, in_table: false };
    for (index, page) in pages.iter().enumerate() {
        writer.turn_to(page.number);
        let right = page.lines.iter().map(|line| line.right).fold(0.0, f64::max);
        let mut at = 0;
        while at < page.lines.len() {
            at += writer.line(page, at, plan.at(index, at), right);
            if writer.manuscript.is_overfull() {
                return;
            }
        }
    }
    writer.end_paragraph();
    writer.leave_list_and_table();
}

enum Piece {
    Words(String),
    LineBreak,
    Page(u32),
}

/// A paragraph that may go on.
struct Paragraph {
    pieces: Vec<Piece>,
    last: Line,
    lines: usize,
    is_item: bool,
    /// The right edge of the column it stands in.
    right: f64,
}

struct Writer<'a> {
    measures: Measures,
    manuscript: &'a mut Manuscript,
    paragraph: Option<Paragraph>,
    in_list: bool,
    in_table: bool,
}

impl Writer<'_> {
    fn turn_to(&mut self, page: u32) {
        match &mut self.paragraph {
            Some(paragraph) => paragraph.pieces.push(Piece::Page(page)),
            None => self.manuscript.page(page),
        }
    }

    /// Writes the line, or the lines of the heading that begins at it, and returns how many.
    fn line(&mut self, page: &Page, at: usize, marks: &[Mark], right: f64) -> usize {
        for mark in marks {
            self.end_paragraph();
            self.leave_list_and_table();
            match mark {
                Mark::Section { level, words } => self.manuscript.section(*level, words),
                Mark::Heading { level, lines } => {
                    self.manuscript.heading(*level, &joined(&page.lines[at..at + lines]));
                    return *lines;
                }
                Mark::Title { lines } => {
                    self.manuscript.title_line(&joined(&page.lines[at..at + lines]));
                    return *lines;
                }
            }
        }
        let line = &page.lines[at];
        if is_row(&page.lines, at) {
            self.row(line);
        } else if let Some(paragraph) = self.paragraph.as_mut().filter(|open| continues(open, line, &self.measures)) {
            if line.is_code {
                paragraph.pieces.extend([Piece::LineBreak, Piece::Words(line.words())]);
            } else {
                join(&mut paragraph.pieces, &line.words());
            }
            paragraph.last = line.clone();
            paragraph.lines += 1;
        } else {
            self.begin_paragraph(line, right);
        }
        1
    }

    fn row(&mut self, line: &Line) {
        self.end_paragraph();
        if !self.in_table {
            self.leave_list_and_table();
            self.manuscript.open_table();
            self.in_table = true;
        }
        self.manuscript.open_row();
        for cell in &line.cells {
            self.manuscript.words(cell);
            self.manuscript.close_cell();
        }
        self.manuscript.close_row();
    }

    fn begin_paragraph(&mut self, line: &Line, right: f64) {
        self.end_paragraph();
        let words = line.words();
        let marked = words.split_once(' ').filter(|(marker, _)| is_marker(marker) && !line.is_code);
        let (marker, rest) = marked.unwrap_or(("", &words));
        let is_item = !marker.is_empty();
        if is_item {
            if !self.in_list {
                self.leave_list_and_table();
                self.manuscript.open_list(None);
                self.in_list = true;
            }
            let is_bullet = !marker.contains(|letter: char| letter.is_ascii_alphanumeric());
            self.manuscript.open_marked_item(if is_bullet { "-" } else { marker });
        } else {
            self.leave_list_and_table();
        }
        let pieces = vec![Piece::Words(rest.to_owned())];
        self.paragraph = Some(Paragraph { pieces, last: line.clone(), lines: 1, is_item, right });
    }

    fn end_paragraph(&mut self) {
        for piece in self.paragraph.take().into_iter().flat_map(|paragraph| paragraph.pieces) {
            match piece {
                Piece::Words(words) => self.manuscript.words(&words),
                Piece::LineBreak => self.manuscript.line_break(),
                Piece::Page(number) => self.manuscript.page(number),
            }
        }
        self.manuscript.end_block();
    }

    fn leave_list_and_table(&mut self) {
        if std::mem::take(&mut self.in_list) {
            self.manuscript.close_list();
        }
        if std::mem::take(&mut self.in_table) {
            self.manuscript.close_table();
        }
    }
}

/// Wide gaps make a row only beside another such line: one alone is a line with a gap in it.
fn is_row(lines: &[Line], at: usize) -> bool {
    let has_cells = |line: &Line| line.cells.len() > 1;
    let beside = [at.checked_sub(1), at.checked_add(1)];
    has_cells(&lines[at]) && beside.into_iter().flatten().filter_map(|other| lines.get(other)).any(has_cells)
}

fn continues(open: &Paragraph, line: &Line, measures: &Measures) -> bool {
    let last = &open.last;
    let words = line.words();
    let begins_item = words.split_once(' ').is_some_and(|(marker, _)| is_marker(marker));
    if line.angle != last.angle || (line.size - last.size).abs() > 0.12 * last.size || line.is_code != last.is_code {
        return false;
    }
    let gap = line.across - last.across;
    if line.is_code {
        // Lines of code keep their ends, and may be indented and begin as they like.
        return gap > 0.0 && gap <= 1.3 * measures.leading_of(line);
    }
    if begins_item {
        return false;
    }
    let turned = matches!(open.pieces.last(), Some(Piece::Page(_)));
    if turned || gap <= 0.0 {
        // The next page or column: the sentence goes on, or it does not.
        let last_words = last.words();
        let unfinished = !last_words.ends_with(['.', '!', '?', ':', ';', '”', '"', ')']);
        return unfinished && words.starts_with(|letter: char| letter.is_lowercase() || letter.is_ascii_digit());
    }
    if gap > 1.3 * measures.leading_of(line) {
        return false;
    }
    let indent = line.left - last.left;
    let step = 0.8 * line.size;
    // The second line of an item hangs under its words; that of a paragraph may stand left of its first.
    let hangs = open.is_item && open.lines == 1;
    if (indent > step && !hangs) || (indent < -step && open.lines > 1) {
        return false;
    }
    let is_short = last.right < open.right - 0.25 * (open.right - last.left);
    !(is_short && last.words().ends_with(['.', '!', '?', ':']))
}

fn joined(lines: &[Line]) -> String {
    let mut pieces = Vec::new();
    for line in lines {
        join(&mut pieces, &line.words());
    }
    let words = pieces.into_iter().filter_map(|piece| match piece {
        Piece::Words(words) => Some(words),
        Piece::LineBreak | Piece::Page(_) => None,
    });
    words.collect()
}

/// Adds a line to what stands before it: a word broken with a hyphen becomes whole again, if both
/// its parts are lower case (`exam-`, `ple`); `EU-` and `Russia` stay apart.
fn join(pieces: &mut Vec<Piece>, line: &str) {
    let before = pieces.iter_mut().rev().find_map(|piece| match piece {
        Piece::Words(words) => Some(words),
        Piece::LineBreak | Piece::Page(_) => None,
    });
    let Some(before) = before else { return pieces.push(Piece::Words(line.to_owned())) };
    let mut letters = before.chars().rev();
    let (last, last_but_one) = (letters.next(), letters.next());
    let next = line.chars().next();
    let goes_on = last_but_one.is_some_and(char::is_lowercase) && next.is_some_and(char::is_lowercase);
    let needs_space = match (last, next) {
        (Some('-' | '\u{2010}' | '\u{ad}'), _) if goes_on => {
            before.pop();
            false
        }
        (Some('-' | '/' | '\u{2010}'), _) => false,
        (Some(last), Some(next)) => !(is_cjk(last) && is_cjk(next)),
        _ => false,
    };
    pieces.push(Piece::Words(if needs_space { format!(" {line}") } else { line.to_owned() }));
}

/// Scripts written without spaces between words.
fn is_cjk(letter: char) -> bool {
    matches!(letter, '\u{2e80}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ffef}' | '\u{20000}'..='\u{3ffff}')
}
