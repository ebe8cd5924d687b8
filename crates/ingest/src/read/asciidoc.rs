//! AsciiDoc: the headings, paragraphs, lists, tables and code of a document, line by line.

use chrono::NaiveDate;
use ibidem_ports::intake::Format;

use super::grid::Allowance;
use super::manuscript::{Manuscript, TitleHeading};
use super::markup::{Included, box_label, lines, write_words};
use super::{LONGEST_HEADING, MOST_SECTIONS, ReadDocument, ReadError, Stated, front_matter, html};

mod attributes;
mod inline;
mod line;
mod tables;
#[cfg(test)]
mod tests;

use attributes::Attributes;
use inline::Places;
use line::{
    Block, block, heading, included, is_block_attributes, is_marker, place_name, term, underline_level, unescaped,
    without_callouts, without_indentation,
};
use tables::Cells;

/// Lists in lists: deeper ones are lists of the deepest level.
const DEEPEST_LIST: usize = 40;
/// Blocks in blocks.
const DEEPEST_BLOCK: usize = 100;

pub(super) fn extract(text: &str) -> Result<ReadDocument, ReadError> {
    let (stated, body) = front_matter::split(text);
    let lines = lines(body)?;
    let title = stated.title.clone().map_or(TitleHeading::First, TitleHeading::Saying);
    let mut reader = Reader::new(Manuscript::new(title), places(&lines));
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        at += 1;
        at += reader.take(line, &lines[at..])?;
        if reader.manuscript.is_overfull() {
            break;
        }
    }
    reader.finish(stated)
}

/// The titles of the sections that references may name, by what the writer called them or by their words.
fn places(lines: &[&str]) -> Places {
    let mut places = Places::new();
    let mut name = None;
    for line in lines {
        if let Some(found) = place_name(line) {
            name = Some(found);
        } else if let Some((_, title)) = heading(line) {
            let title: String = inline::words(title, &Places::new()).chars().take(LONGEST_HEADING).collect();
            let parts: Vec<String> = title
                .split(|sign: char| !sign.is_alphanumeric())
                .map(str::to_lowercase)
                .filter(|part| !part.is_empty())
                .collect();
            let of_words = [format!("_{}", parts.join("_")), parts.join("-")];
            places.extend(of_words.into_iter().chain(name.take()).map(|name| (name, title.clone())));
        } else if !line.is_empty() && !is_block_attributes(line) {
            name = None;
        }
        if places.len() > MOST_SECTIONS {
            break;
        }
    }
    places
}

struct Reader {
    manuscript: Manuscript,
    attributes: Attributes,
    places: Places,
    included: Included,
    allowance: Allowance,
    /// The lines of the paragraph being read.
    paragraph: Vec<String>,
    /// The markers of the lists that are open.
    lists: Vec<String>,
    /// The blocks that are open, each with how many lists were open around it.
    containers: Vec<(String, usize)>,
    /// What the line above the next block says of it: `source,java`, `NOTE`.
    above: String,
    /// What is written in front of the next words, as they stand in a box.
    label: Option<&'static str>,
    is_after_gap: bool,
    /// A line `+` said that the next block belongs to the list item.
    is_attached: bool,
    /// The term of a list waits for its words.
    waits: bool,
    /// Below the title stand authors and versions, up to the next empty line.
    in_head: bool,
}

impl Reader {
    fn new(manuscript: Manuscript, places: Places) -> Self {
        Self {
            manuscript,
            attributes: Attributes::new(),
            places,
            included: Included::default(),
            allowance: Allowance::default(),
            paragraph: Vec::new(),
            lists: Vec::new(),
            containers: Vec::new(),
            above: String::new(),
            label: None,
            is_after_gap: true,
            is_attached: false,
            waits: false,
            in_head: false,
        }
    }

    /// Takes a line, and of those below it as many as belong to it. Returns their number.
    fn take(&mut self, line: &str, below: &[&str]) -> Result<usize, ReadError> {
        if let Some(words) = self.attributes.condition(line) {
            if let Some(words) = words {
                return self.take_words(words, below);
            }
            return Ok(0);
        }
        if !self.attributes.is_read() {
            return Ok(0);
        }
        self.take_words(line, below)
    }

    fn take_words(&mut self, line: &str, below: &[&str]) -> Result<usize, ReadError> {
        if line.is_empty() {
            self.gap();
        } else if self.is_underline(line) {
            let title = self.paragraph.concat();
            self.paragraph.clear();
            self.heading(underline_level(line), &title);
        } else if let Some(block) = block(line) {
            return self.block(block, line, below);
        } else {
            let is_remark = line.starts_with("//");
            let is_unread = is_remark || self.paragraph.is_empty() && self.is_setting(line);
            return if is_unread { Ok(0) } else { self.line(line, below) };
        }
        Ok(0)
    }

    fn gap(&mut self) {
        if !self.waits {
            self.end_paragraph();
            self.is_attached = false;
        }
        (self.is_after_gap, self.in_head) = (true, false);
    }

    /// `:name: value`. A value may go on below.
    fn is_setting(&mut self, line: &str) -> bool {
        self.attributes.take(line.trim_end_matches([' ', '\\']))
    }

    /// A line of signs as long as the one line of words above it, which is a heading then.
    fn is_underline(&self, line: &str) -> bool {
        let [title] = self.paragraph.as_slice() else { return false };
        let sign = line.chars().next().filter(|sign| "=-~^+".contains(*sign));
        let length = title.chars().count();
        sign.is_some_and(|sign| line.chars().all(|other| other == sign))
            && line.len() >= 3
            && line.len().abs_diff(length) <= 2
            && self.lists.is_empty()
            && title.contains(char::is_alphanumeric)
    }

    /// Lines up to one that is equal to the first.
    fn block(&mut self, block: Block, line: &str, below: &[&str]) -> Result<usize, ReadError> {
        if block == Block::Container {
            self.container(line);
            return Ok(0);
        }
        let end = if line.starts_with("```") { "```" } else { line };
        let length = below.iter().position(|other| *other == end).unwrap_or(below.len());
        let taken = (length + 1).min(below.len());
        if block == Block::Comment || self.above.starts_with("comment") {
            self.above.clear();
            return Ok(taken);
        }
        self.begin_block();
        self.write_label();
        let inside = self.inside(&below[..length], block);
        let above = std::mem::take(&mut self.above);
        let is_formula = ["stem", "latexmath", "asciimath"].iter().any(|kind| above.starts_with(kind));
        match block {
            Block::Table(cells) => {
                let cells = if above.contains("format=csv") || above.contains("format=\"csv\"") {
                    Cells::Commas
                } else {
                    cells
                };
                tables::write(&inside, (&above, cells), &mut self.allowance, &self.places, &mut self.manuscript)?;
            }
            Block::Raw if !is_formula => html::write_fragment(&inside.join("\n"), &mut self.manuscript)?,
            _ => self.manuscript.verbatim(&inside.join("\n")),
        }
        Ok(taken)
    }

    /// The lines inside a block, without what is said of other files and conditions.
    fn inside(&mut self, lines: &[&str], block: Block) -> Vec<String> {
        let mut inside = Vec::new();
        for line in lines {
            if let Some(words) = self.attributes.condition(line) {
                inside.extend(words.map(str::to_owned));
            } else if let Some(file) = included(line) {
                self.included.add(file);
            } else if self.attributes.is_read() {
                inside.push(match block {
                    Block::Table(_) => self.attributes.filled(line),
                    _ => without_callouts(unescaped(line)).to_owned(),
                });
            }
        }
        inside
    }

    fn container(&mut self, line: &str) {
        if let Some(open) = self.containers.iter().rposition(|(mark, _)| mark == line) {
            self.end_paragraph();
            let around = self.containers[open].1;
            self.containers.truncate(open);
            self.close_lists(around);
            (self.label, self.is_attached) = (None, true);
            return;
        }
        self.begin_block();
        let kind: String = self.above.chars().take_while(|sign| sign.is_ascii_alphabetic()).collect();
        self.label = self.label.or(box_label(&kind));
        self.above.clear();
        if self.containers.len() < DEEPEST_BLOCK {
            self.containers.push((line.to_owned(), self.lists.len()));
        }
        (self.is_attached, self.is_after_gap) = (false, false);
    }

    fn line(&mut self, line: &str, below: &[&str]) -> Result<usize, ReadError> {
        let begins = self.paragraph.is_empty() || !self.lists.is_empty();
        if self.in_head {
            return Ok(0);
        }
        if line == "+" {
            self.end_paragraph();
            self.is_attached = true;
        } else if begins && self.item(line) || self.paragraph.is_empty() && self.block_line(line) {
        } else if self.paragraph.is_empty() && line.starts_with([' ', '\t']) {
            return Ok(self.literal(line, below));
        } else {
            if self.paragraph.is_empty() {
                self.begin_block();
            }
            let line = self.attributes.filled(line.trim_start());
            self.paragraph.push(line);
            self.waits = false;
        }
        self.is_after_gap = false;
        Ok(0)
    }

    /// A line that is a block or says something of the next one.
    fn block_line(&mut self, line: &str) -> bool {
        if let Some((level, title)) = heading(line) {
            self.heading(level, title);
        } else if is_block_attributes(line) {
            self.above.push_str(line.trim_start_matches('[').trim_end_matches(']'));
        } else if let Some(title) = line.strip_prefix('.').filter(|title| !title.starts_with([' ', '.'])) {
            self.begin_block();
            let title = self.words(title);
            write_words(&title, &mut self.manuscript);
            self.manuscript.end_block();
        } else if matches!(line, "'''" | "---" | "***" | "<<<" | "- - -" | "* * *") {
            self.begin_block();
        } else {
            return self.macro_line(line);
        }
        true
    }

    /// `include::file[]`, `image::file[words]`. Others stand for what a program makes: a table of contents, a video.
    fn macro_line(&mut self, line: &str) -> bool {
        if let Some(file) = included(line) {
            self.included.add(file);
            return true;
        }
        let Some((name, rest)) = line.split_once("::") else { return false };
        let is_name =
            |name: &str| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
        let Some((_, words)) = rest.split_once('[').filter(|(target, _)| !target.contains(' ') && is_name(name)) else {
            return false;
        };
        self.begin_block();
        if name == "image"
            && let Some(alternative) =
                words.trim_end_matches(']').split(',').next().filter(|words| !words.contains('='))
        {
            let words = self.words(alternative.trim_matches('"'));
            self.manuscript.words(&words);
            self.manuscript.end_block();
        }
        self.above.clear();
        true
    }

    fn heading(&mut self, level: u8, title: &str) {
        self.begin_block();
        self.close_lists(0);
        self.containers.clear();
        let title = self.words(title);
        let is_title = level == 1 && self.manuscript.is_empty();
        self.manuscript.heading(level, &title);
        self.above.clear();
        self.label = None;
        self.in_head = is_title;
    }

    /// Lines that are indented are shown as they are.
    fn literal(&mut self, line: &str, below: &[&str]) -> usize {
        // In a list such lines belong to its item.
        self.is_attached |= !self.lists.is_empty();
        self.begin_block();
        let length = below.iter().take_while(|line| !line.is_empty() && **line != "+").count();
        let lines: Vec<&str> = std::iter::once(line).chain(below[..length].iter().copied()).collect();
        self.manuscript.verbatim(&without_indentation(&lines).join("\n"));
        self.above.clear();
        length
    }

    /// The first line of a list's item.
    fn item(&mut self, line: &str) -> bool {
        let line = line.trim_start();
        let (marker, rest) = line.split_once(' ').unwrap_or((line, ""));
        let rest = rest.trim_start();
        if is_marker(marker) && !rest.is_empty() {
            let number = marker.trim_start_matches('<').trim_end_matches(['.', '>']);
            let is_number = number.bytes().all(|byte| byte.is_ascii_digit()) && !number.is_empty();
            let key = if is_number { "1." } else { marker };
            self.open_item(key, is_number.then_some(number));
            let words = rest.strip_prefix("[*] ").map(|words| format!("[x] {words}"));
            let words = self.attributes.filled(&words.unwrap_or_else(|| rest.to_owned()));
            self.paragraph.push(words);
            return true;
        }
        let Some((term, separator, words)) = term(line) else { return false };
        self.open_item(separator, None);
        let term = self.attributes.filled(term);
        let sign = if term.ends_with([':', '?', '!', '.']) { "" } else { ":" };
        let words = self.attributes.filled(words);
        self.waits = words.is_empty();
        self.paragraph.push(format!("{term}{sign} {words}"));
        true
    }

    fn open_item(&mut self, marker: &str, number: Option<&str>) {
        self.end_paragraph();
        self.write_label();
        let base = self.base();
        match self.lists[base..].iter().position(|open| open == marker) {
            Some(place) => self.close_lists(base + place + 1),
            None if self.lists.len() >= DEEPEST_LIST => {}
            None => {
                let first = self.above.split_once("start=").map(|(_, first)| first.trim_matches('"'));
                let first = first.and_then(|first| first.parse().ok()).unwrap_or(1);
                self.manuscript.open_list(marker.starts_with('.').then_some(first));
                self.lists.push(marker.to_owned());
            }
        }
        match number {
            Some(number) => self.manuscript.open_marked_item(&format!("{number}.")),
            None => self.manuscript.open_item(),
        }
        self.above.clear();
        (self.is_attached, self.waits) = (false, false);
    }

    /// How many lists stand around the innermost block.
    fn base(&self) -> usize {
        self.containers.last().map_or(0, |(_, lists)| *lists).min(self.lists.len())
    }

    fn close_lists(&mut self, to: usize) {
        while self.lists.len() > to {
            self.manuscript.close_list();
            self.lists.pop();
        }
    }

    /// What begins below an empty line ends the lists, unless it is said to belong to them.
    fn begin_block(&mut self) {
        let belongs = self.waits || self.is_attached;
        self.end_paragraph();
        if self.is_after_gap && !belongs {
            self.close_lists(self.base());
        }
    }

    fn words(&mut self, text: &str) -> String {
        inline::words(&self.attributes.filled(text), &self.places)
    }

    /// In front of a block that has no words to stand before.
    fn write_label(&mut self) {
        if let Some(label) = self.label.take() {
            self.manuscript.words(&format!("{label}:"));
            self.manuscript.end_block();
        }
    }

    fn end_paragraph(&mut self) {
        self.waits = false;
        let lines = std::mem::take(&mut self.paragraph);
        let Some(first) = lines.first() else { return };
        let above = std::mem::take(&mut self.above);
        let kind = above.split([',', '%']).next().unwrap_or_default();
        match kind {
            "comment" => return,
            "source" | "listing" | "literal" | "stem" => return self.manuscript.verbatim(&lines.join("\n")),
            _ => {}
        }
        let named = first.split_once(": ").filter(|(name, _)| name.chars().all(|sign| sign.is_ascii_uppercase()));
        let own = named.and_then(|(name, words)| Some((box_label(name)?, words.len())));
        let label = self.label.take().or(box_label(kind)).or(own.map(|(label, _)| label));
        if let Some(label) = label {
            self.manuscript.words(&format!("{label}: "));
        }
        let text = joined(&lines);
        let start = own.map_or(0, |(_, length)| first.len() - length);
        write_words(&inline::words(&text[start..], &self.places), &mut self.manuscript);
        self.manuscript.end_block();
    }

    fn finish(mut self, mut stated: Stated) -> Result<ReadDocument, ReadError> {
        self.end_paragraph();
        self.close_lists(0);
        let date = self.attributes.value("revdate").and_then(|date| NaiveDate::parse_from_str(date, "%Y-%m-%d").ok());
        stated.updated_at = stated.updated_at.or_else(|| Some(date?.and_hms_opt(0, 0, 0)?.and_utc()));
        let mut document = self.manuscript.finish(Format::AsciiDoc, stated)?;
        self.included.remark(&mut document);
        Ok(document)
    }
}

/// A space and a plus sign end a line that people see; other lines go on.
fn joined(lines: &[String]) -> String {
    let mut text = String::new();
    for (place, line) in lines.iter().enumerate() {
        let is_last = place + 1 == lines.len();
        match line.strip_suffix(" +").filter(|_| !is_last) {
            Some(line) => text.extend([line, "\n"]),
            None => text.extend([line.as_str(), if is_last { "" } else { " " }]),
        }
    }
    text
}
