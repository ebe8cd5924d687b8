//! reStructuredText: the headings, paragraphs, lists, tables and code of a document, block by block.

use ibidem_ports::intake::Format;

use super::manuscript::{Manuscript, TitleHeading, collapsed};
use super::markup::{Included, lines, write_words};
use super::{LONGEST_HEADING, MOST_SECTIONS, ReadDocument, ReadError, front_matter};

mod directives;
mod inline;
mod tables;
#[cfg(test)]
mod tests;

use inline::{Names, words};

/// Blocks in blocks: deeper ones are words.
const DEEPEST: usize = 50;

pub(super) fn extract(text: &str) -> Result<ReadDocument, ReadError> {
    let (stated, body) = front_matter::split(text);
    // A tabulator is as wide as eight places.
    let body = body.replace('\t', "        ");
    let lines = lines(&body)?;
    let title = stated.title.clone().map_or(TitleHeading::First, TitleHeading::Saying);
    let mut reader = Reader {
        manuscript: Manuscript::new(title),
        names: names(&lines),
        included: Included::default(),
        title_forms: Vec::new(),
        depth: 0,
    };
    reader.body(&lines);
    let mut document = reader.manuscript.finish(Format::ReStructuredText, stated)?;
    reader.included.remark(&mut document);
    Ok(document)
}

/// What the document names: sections, addresses, and words to be put in the place of others.
fn names(lines: &[&str]) -> Names {
    let mut names = Names::default();
    let mut above: Vec<String> = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let line = line.trim_start();
        if let Some(target) = line.strip_prefix(".. _") {
            let (name, address) = target.split_once(':').unwrap_or((target, ""));
            let name = name.trim_matches('`').to_lowercase();
            if address.trim().is_empty() {
                above.push(name.clone());
            }
            names.links.insert(name);
        } else if let Some((name, value)) = line.strip_prefix(".. |").and_then(|rest| rest.split_once("| ")) {
            let words = value.strip_prefix("replace::").map(str::trim).unwrap_or_default();
            names.replacements.insert(name.to_owned(), inline::words(words, &Names::default()));
        } else if let Some((title, _)) = title(&lines[at..]) {
            let title: String = inline::words(title, &Names::default()).chars().take(LONGEST_HEADING).collect();
            names.sections.extend(above.drain(..).map(|name| (name, title.clone())));
        } else if !line.is_empty() && !line.starts_with("..") && !is_drawn(line) {
            above.clear();
        }
        if names.sections.len() + names.links.len() + names.replacements.len() > MOST_SECTIONS {
            break;
        }
    }
    names
}

/// A line of one and the same sign.
fn is_drawn(line: &str) -> bool {
    let sign = line.chars().next().filter(char::is_ascii_punctuation);
    sign.is_some_and(|sign| line.chars().all(|other| other == sign))
}

/// The title that begins here, with how many lines it has: words over a line of signs, or between two.
fn title<'a>(lines: &[&'a str]) -> Option<(&'a str, usize)> {
    let is_under = |title: &str, line: &str| is_drawn(line) && line.len() >= title.chars().count().clamp(1, 4);
    match lines {
        [over, title, under, ..] if is_drawn(over) && over == under && over.len() >= 3 && !title.is_empty() => {
            Some((title.trim(), 3))
        }
        [title, under, ..]
            if !title.is_empty() && !title.starts_with(' ') && !is_drawn(title) && is_under(title, under) =>
        {
            Some((title, 2))
        }
        _ => None,
    }
}

struct Reader {
    manuscript: Manuscript,
    names: Names,
    included: Included,
    /// The signs around titles, those of higher levels first.
    title_forms: Vec<(char, bool)>,
    depth: usize,
}

impl Reader {
    /// Reads blocks that lie at the edge of these lines.
    fn body(&mut self, lines: &[&str]) {
        if self.depth >= DEEPEST {
            return self.paragraph_of(&lines.join(" "));
        }
        self.depth += 1;
        let mut at = 0;
        while at < lines.len() && !self.manuscript.is_overfull() {
            at += if lines[at].is_empty() { 1 } else { self.block(&lines[at..]) };
        }
        self.depth -= 1;
    }

    /// Reads the block that begins with the first line. Returns how many lines it has.
    fn block(&mut self, lines: &[&str]) -> usize {
        let first = lines[0];
        if first.starts_with(' ') {
            let length = indented(lines);
            self.body(&dedented(&lines[..length]));
            return length;
        }
        if let Some((title, length)) = title(lines).filter(|_| self.depth == 1) {
            self.title(title, lines[length - 1], length);
            return length;
        }
        if first == ".." || first.starts_with(".. ") {
            let length = 1 + indented(&lines[1..]);
            self.explicit(&lines[..length]);
            return length;
        }
        if first.starts_with("__ ") || is_drawn(first) && first.len() >= 4 && first != "::::" {
            return 1;
        }
        if let Some(length) = self.table(lines) {
            return length;
        }
        if let Some(length) = self.fields(lines) {
            return length;
        }
        if item(lines).is_some() {
            return self.list(lines);
        }
        if first == "|" || first.starts_with("| ") {
            return self.line_block(lines);
        }
        if first.starts_with(">>>") {
            let length = lines.iter().take_while(|line| !line.is_empty()).count();
            self.manuscript.verbatim(&lines[..length].join("\n"));
            return length;
        }
        if lines.get(1).is_some_and(|line| line.starts_with(' ')) && !first.ends_with("::") {
            return self.definitions(lines);
        }
        self.paragraph(lines)
    }

    fn title(&mut self, title: &str, under: &str, length: usize) {
        let form = (under.chars().next().unwrap_or('='), length == 3);
        let place = self.title_forms.iter().position(|known| *known == form).unwrap_or_else(|| {
            self.title_forms.push(form);
            self.title_forms.len() - 1
        });
        let level = u8::try_from(place + 1).unwrap_or(u8::MAX).min(6);
        self.manuscript.heading(level, &words(title, &self.names));
    }

    fn table(&mut self, lines: &[&str]) -> Option<usize> {
        let first = lines[0];
        let (rows, length) = if tables::begins_grid(first) {
            let length = lines.iter().take_while(|line| line.starts_with(['+', '|'])).count();
            (tables::grid(&lines[..length]), length)
        } else if tables::begins_simple(first) {
            let length = tables::simple_length(lines);
            (tables::simple(&lines[..length]), length)
        } else {
            return None;
        };
        tables::write(&rows, &self.names, &mut self.manuscript);
        Some(length)
    }

    /// `:name: words`. Above the first words of a document they say something of the file.
    fn fields(&mut self, lines: &[&str]) -> Option<usize> {
        field(lines[0])?;
        let is_head = self.manuscript.is_empty();
        let mut at = 0;
        self.manuscript.open_list(None);
        while let Some((name, value)) = lines.get(at).and_then(|line| field(line)) {
            let length = 1 + indented(&lines[at + 1..]);
            if !is_head {
                // `:param int width:` is of the width.
                let name = name.rsplit(' ').next().unwrap_or(name);
                self.manuscript.open_item();
                self.manuscript.words(&format!("{}: ", words(name, &self.names)));
                let rest = dedented(&lines[at + 1..at + length]);
                self.body(&std::iter::once(value).chain(rest).collect::<Vec<_>>());
                self.manuscript.close_item();
            }
            at += length;
            at += empty(&lines[at..]);
        }
        self.manuscript.close_list();
        Some(at)
    }

    fn list(&mut self, lines: &[&str]) -> usize {
        let mut at = 0;
        self.manuscript.open_list(None);
        let kind = item(lines).map(|item| item.kind);
        while let Some(item) = item(&lines[at..]).filter(|item| Some(item.kind) == kind) {
            let below = &lines[at + 1..];
            let length = below.iter().take_while(|line| line.is_empty() || line.starts_with(' ')).count();
            let inside = below[..length].iter().map(|line| without_places(line, item.width));
            let inside: Vec<&str> = std::iter::once(item.words).chain(inside).collect();
            match item.kind {
                Kind::Bullet | Kind::Option => self.manuscript.open_item(),
                Kind::Number => self.manuscript.open_marked_item(item.marker),
            }
            if item.kind == Kind::Option {
                self.manuscript.words(&format!("{}: ", item.marker));
            }
            self.body(&inside);
            self.manuscript.close_item();
            at += length + 1;
            if self.manuscript.is_overfull() {
                break;
            }
        }
        self.manuscript.close_list();
        at
    }

    fn line_block(&mut self, lines: &[&str]) -> usize {
        let length = lines.iter().take_while(|line| line.starts_with(['|', ' '])).count();
        let shown: Vec<String> =
            lines[..length].iter().map(|line| words(line.trim_start_matches('|').trim(), &self.names)).collect();
        write_words(&shown.join("\n"), &mut self.manuscript);
        self.manuscript.end_block();
        length
    }

    /// A term, and below it, indented, what it means.
    fn definitions(&mut self, lines: &[&str]) -> usize {
        let mut at = 0;
        self.manuscript.open_list(None);
        while let [term, meaning, ..] = &lines[at..]
            && !term.is_empty()
            && !term.starts_with(' ')
            && !term.starts_with("..")
            && meaning.starts_with(' ')
            && item(&lines[at..]).is_none()
        {
            let length = indented(&lines[at + 1..]);
            self.manuscript.open_item();
            let term = words(term, &self.names);
            let sign = if term.ends_with([':', '?', '!', '.']) { "" } else { ":" };
            self.manuscript.words(&format!("{term}{sign} "));
            self.body(&dedented(&lines[at + 1..at + 1 + length]));
            self.manuscript.close_item();
            at += length + 1;
            at += empty(&lines[at..]);
        }
        self.manuscript.close_list();
        at.max(1)
    }

    /// Lines up to an empty one. Two colons at their end say that what is indented below is shown as it is.
    fn paragraph(&mut self, lines: &[&str]) -> usize {
        let length = lines.iter().take_while(|line| !line.is_empty()).count();
        let text = lines[..length].join(" ");
        let Some(lead) = text.strip_suffix("::") else {
            self.paragraph_of(&text);
            return length;
        };
        let colon = if lead.is_empty() || lead.ends_with(' ') { "" } else { ":" };
        self.paragraph_of(&format!("{}{colon}", lead.trim_end()));
        let below = &lines[length..];
        let code = match below.iter().find(|line| !line.is_empty()) {
            Some(line) if line.starts_with(' ') => indented(below),
            // Such lines may be quoted instead of indented.
            Some(line) if line.starts_with('>') => {
                let gap = empty(below);
                gap + below[gap..].iter().take_while(|line| line.starts_with('>')).count()
            }
            _ => 0,
        };
        self.code(&below[..code]);
        length + code
    }

    fn code(&mut self, lines: &[&str]) {
        self.manuscript.verbatim(&dedented(lines).join("\n"));
    }

    fn paragraph_of(&mut self, text: &str) {
        write_words(&words(text, &self.names), &mut self.manuscript);
        self.manuscript.end_block();
    }

    /// Whatever begins with two dots: a directive, a note, a name, a remark.
    fn explicit(&mut self, lines: &[&str]) {
        let first = lines[0].get(3..).unwrap_or_default();
        let is_name = |name: &str| {
            !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_:.+".contains(&byte))
        };
        if let Some((name, note)) = first.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            let rest = dedented(&lines[1..]);
            match name.trim_start_matches(['#', '*']) {
                "" => self.manuscript.words("Note: "),
                name => self.manuscript.words(&format!("Note {name}: ")),
            }
            self.body(&std::iter::once(note.trim()).chain(rest).collect::<Vec<_>>());
        } else if let Some((name, argument)) = first.split_once("::").filter(|(name, _)| is_name(name.trim())) {
            let below = dedented(&lines[1..]);
            directives::read(self, name.trim(), argument.trim(), &below);
        }
    }
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Kind {
    Bullet,
    Number,
    /// `-v, --verbose  says more`
    Option,
}

struct Item<'a> {
    kind: Kind,
    marker: &'a str,
    words: &'a str,
    /// How far its words are indented.
    width: usize,
}

/// The item of a list that begins with the first line.
fn item<'a>(lines: &[&'a str]) -> Option<Item<'a>> {
    let first = *lines.first()?;
    let (marker, rest) = first.split_once(' ').unwrap_or((first, ""));
    let words = rest.trim_start();
    let width = first.len() - words.len();
    if matches!(marker, "*" | "-" | "+" | "•" | "‣") {
        return Some(Item { kind: Kind::Bullet, marker: "-", words, width });
    }
    if is_number(marker) && !words.is_empty() {
        let next = lines.get(1).copied().unwrap_or_default();
        let goes_on = next.is_empty() || next.starts_with(' ') || is_number(next.split(' ').next().unwrap_or_default());
        let marker = if marker == "#." { "-" } else { marker };
        return goes_on.then_some(Item { kind: Kind::Number, marker, words, width });
    }
    let is_option =
        first.starts_with('-') && marker.trim_start_matches('-').starts_with(|sign: char| sign.is_ascii_alphabetic());
    let (options, words) = first.split_once("  ").unwrap_or((first, ""));
    let below = lines.get(1).is_some_and(|line| line.starts_with(' '));
    (is_option && (!words.is_empty() || below)).then(|| Item {
        kind: Kind::Option,
        marker: options,
        words: words.trim_start(),
        width: 1,
    })
}

/// `1.`, `(2)`, `b)`, `iv.`, `#.`
fn is_number(marker: &str) -> bool {
    let inside = marker.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    let Some(number) = inside.or_else(|| marker.strip_suffix(['.', ')'])) else { return false };
    let all = |belongs: fn(&u8) -> bool| number.bytes().all(|byte| belongs(&byte));
    let is_letter = number.len() == 1 && all(u8::is_ascii_alphabetic);
    let is_roman = number.len() < 6 && number.bytes().all(|byte| b"ivxIVX".contains(&byte));
    !number.is_empty() && number.len() <= 4 && (all(u8::is_ascii_digit) || is_letter || is_roman || number == "#")
}

/// `:name: words`, and not a role in front of words.
fn field(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.strip_prefix(':')?.split_once(':')?;
    let is_field = !name.is_empty()
        && !name.starts_with(' ')
        && !name.contains('`')
        && (value.is_empty() || value.starts_with(' '));
    is_field.then(|| (name, value.trim()))
}

/// How many lines there are up to the next one at the edge. Empty lines before that are not among them.
fn indented(lines: &[&str]) -> usize {
    let length = lines.iter().take_while(|line| line.is_empty() || line.starts_with(' ')).count();
    length - lines[..length].iter().rev().take_while(|line| line.is_empty()).count()
}

fn empty(lines: &[&str]) -> usize {
    lines.iter().take_while(|line| line.is_empty()).count()
}

/// The lines without the indentation that all have.
fn dedented<'a>(lines: &[&'a str]) -> Vec<&'a str> {
    let places = |line: &&str| line.len() - line.trim_start_matches(' ').len();
    let least = lines.iter().filter(|line| !line.is_empty()).map(places).min().unwrap_or(0);
    lines.iter().map(|line| line.get(least..).unwrap_or_default()).collect()
}

/// The line without up to so many spaces at its beginning.
fn without_places(line: &str, most: usize) -> &str {
    let places = line.bytes().take(most).take_while(|byte| *byte == b' ').count();
    &line[places..]
}
