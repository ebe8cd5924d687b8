//! RTF: the paragraphs, lists, tables and notes of a text that word processors of all kinds write.

use chrono::{DateTime, NaiveDate, Utc};
use ibidem_ports::intake::Format;

use super::package::properties::Properties;
use super::{ReadDocument, ReadError};

mod characters;
mod declared;
mod paragraphs;
#[cfg(test)]
mod tests;
mod tokens;

use characters::Characters;
use declared::{Fonts, Style};
use paragraphs::{Layout, Paragraphs};
use tokens::{Token, Tokens};

/// No program nests groups as deep.
const DEEPEST_GROUP: usize = 10_000;

pub(super) fn extract(bytes: &[u8]) -> Result<ReadDocument, ReadError> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start();
    if !bytes.starts_with(b"{\\rtf") {
        return Err(ReadError::unreadable(Format::Rtf, "it does not begin as RTF does; save it again as RTF"));
    }
    let mut reader = Reader::new();
    for token in Tokens::new(bytes) {
        reader.take(token)?;
        if reader.groups.is_empty() || reader.paragraphs.is_overfull() {
            break;
        }
    }
    reader.finish()
}

/// What becomes of the words of a group.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Destination {
    /// They are read: into the text, or into what is being collected.
    Words,
    /// They are not, but a group inside may hold words: an object with what it shows, a shape with its text.
    Frame,
    /// They are not, nor are those of groups inside.
    Nothing,
    Fonts,
    Styles,
    Properties,
    DateChanged,
}

/// What holds until the group ends.
#[derive(Clone, Copy)]
struct Group {
    destination: Destination,
    hidden: bool,
    deleted: bool,
    struck: bool,
    /// None: the document's own.
    font: Option<i32>,
    /// How many characters stand in for one that is written by its number.
    stand_ins: usize,
    layout: Layout,
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Collected {
    Marker,
    Note,
    Title,
    Subject,
}

/// Words that are kept apart until the group in which they stand ends.
struct Collection {
    what: Collected,
    depth: usize,
    words: String,
}

struct Reader {
    group: Group,
    /// Those around it.
    groups: Vec<Group>,
    paragraphs: Paragraphs,
    fonts: Fonts,
    style: Style,
    collections: Vec<Collection>,
    /// Bytes of text that are not decoded yet: a character may have two.
    bytes: Vec<u8>,
    characters: Characters,
    default_font: Option<i32>,
    /// How many characters to pass over because the one that they stand in for was read.
    to_pass_over: usize,
    half_of_pair: Option<u32>,
    /// A group was opened and nothing of it was read yet.
    is_at_start: bool,
    /// `\*` began the group: if its purpose is unknown, it is left out.
    may_leave_out: bool,
    properties: Properties,
    /// Year, month and day of the last change.
    changed: [i32; 3],
}

impl Reader {
    fn new() -> Self {
        let group = Group {
            destination: Destination::Words,
            hidden: false,
            deleted: false,
            struck: false,
            font: None,
            stand_ins: 1,
            layout: Layout::default(),
        };
        Self {
            group,
            groups: Vec::new(),
            paragraphs: Paragraphs::new(),
            fonts: Fonts::default(),
            style: Style::default(),
            collections: Vec::new(),
            bytes: Vec::new(),
            characters: Characters::Encoded(encoding_rs::WINDOWS_1252),
            default_font: None,
            to_pass_over: 0,
            half_of_pair: None,
            is_at_start: false,
            may_leave_out: false,
            properties: Properties::default(),
            changed: [0; 3],
        }
    }

    fn take(&mut self, token: Token<'_>) -> Result<(), ReadError> {
        let is_at_start = std::mem::replace(&mut self.is_at_start, token == Token::Open);
        match token {
            Token::Byte(byte) | Token::Plain(byte) if self.to_pass_over == 0 => {
                self.bytes.push(byte);
                return Ok(());
            }
            Token::Byte(_) | Token::Plain(_) => {
                self.to_pass_over -= 1;
                return Ok(());
            }
            _ => {}
        }
        self.decode();
        self.to_pass_over = 0;
        let may_leave_out = std::mem::take(&mut self.may_leave_out);
        match token {
            Token::Open => return self.open(),
            Token::Close => self.close(),
            Token::Sign(b'*') => self.may_leave_out = is_at_start,
            Token::Sign(sign) => self.sign(sign),
            Token::Word(word, number) => self.word(word, number, may_leave_out),
            Token::Byte(_) | Token::Plain(_) => {}
        }
        Ok(())
    }

    fn open(&mut self) -> Result<(), ReadError> {
        if self.groups.len() >= DEEPEST_GROUP {
            return Err(ReadError::unreadable(Format::Rtf, "its groups are nested too deep; save it again as RTF"));
        }
        self.groups.push(self.group);
        Ok(())
    }

    fn close(&mut self) {
        let depth = self.groups.len();
        if let Some(collection) = self.collections.pop_if(|collection| collection.depth == depth) {
            self.settle(collection);
        }
        if let Some(around) = self.groups.pop() {
            self.group = around;
        }
    }

    fn settle(&mut self, collection: Collection) {
        let Collection { what, words, .. } = collection;
        match what {
            Collected::Marker => self.paragraphs.marker(&words),
            Collected::Note => {
                let around = self.groups.last().map_or(self.group.layout, |group| group.layout);
                self.paragraphs.note(&words, around);
            }
            Collected::Title => self.properties.title = Some(words),
            Collected::Subject => self.properties.subject = Some(words),
        }
    }

    /// Bytes as characters of the font in use.
    fn decode(&mut self) {
        if !self.bytes.is_empty() {
            let words = self.characters_in_use().decoded(&self.bytes);
            self.bytes.clear();
            self.words(&words);
        }
    }

    fn characters_in_use(&self) -> Characters {
        let font = self.group.font.or(self.default_font);
        font.and_then(|font| self.fonts.characters(font)).unwrap_or(self.characters)
    }

    fn words(&mut self, words: &str) {
        match self.group.destination {
            Destination::Words if self.group.hidden || self.group.deleted => {}
            Destination::Words => match self.collections.last_mut() {
                Some(collection) => collection.words.push_str(words),
                None => self.paragraphs.words(words, self.group.layout, self.group.struck),
            },
            Destination::Fonts => self.fonts.add_name(words),
            Destination::Styles => self.name_of_style(words),
            Destination::Frame | Destination::Nothing | Destination::Properties | Destination::DateChanged => {}
        }
    }

    /// A semicolon ends a style. Other names of the same stand behind commas.
    fn name_of_style(&mut self, words: &str) {
        for part in words.split_inclusive(';') {
            self.style.name.push_str(part.trim_end_matches(';'));
            if part.ends_with(';') {
                let mut style = std::mem::take(&mut self.style);
                let name = style.name.split(',').next().unwrap_or_default();
                style.name = name.trim().to_lowercase();
                self.paragraphs.styles.add(style);
            }
        }
    }

    fn sign(&mut self, sign: u8) {
        match sign {
            b'~' => self.words(" "),
            b'_' => self.words("-"),
            b'\\' | b'{' | b'}' => self.bytes.push(sign),
            // A place where a word may be parted, and marks of an index.
            _ => {}
        }
    }

    fn word(&mut self, word: &str, number: Option<i32>, may_leave_out: bool) {
        match self.group.destination {
            Destination::Nothing => return,
            Destination::Fonts => return self.fonts.declare(word, number.unwrap_or(0)),
            Destination::Styles => return self.declare_style(word, number, may_leave_out),
            Destination::DateChanged => return self.date(word, number.unwrap_or(0)),
            Destination::Words | Destination::Frame | Destination::Properties => {}
        }
        if self.enter(word) {
            return;
        }
        if may_leave_out {
            self.group.destination = Destination::Nothing;
            return;
        }
        if !self.of_text(word, number) && !self.of_paragraph(word, number) {
            self.of_characters(word, number);
        }
    }

    /// Begins what a group is for, if the word says that.
    fn enter(&mut self, word: &str) -> bool {
        let destination = match (word, self.group.destination) {
            ("fonttbl", _) => Destination::Fonts,
            ("stylesheet", _) => Destination::Styles,
            ("info", _) => Destination::Properties,
            ("revtim", Destination::Properties) => Destination::DateChanged,
            ("title", Destination::Properties) => return self.collect(Collected::Title),
            ("subject", Destination::Properties) => return self.collect(Collected::Subject),
            ("listtext" | "pntext", Destination::Words) => return self.collect(Collected::Marker),
            ("footnote", Destination::Words) if self.collections.is_empty() => return self.collect(Collected::Note),
            // The same in two ways, of which the second is in Unicode.
            ("object" | "shp" | "shpinst" | "do" | "upr", Destination::Words | Destination::Frame) => {
                Destination::Frame
            }
            ("result" | "shptxt" | "dptxbxtext" | "ud", Destination::Frame) => {
                self.end_paragraph_if(word != "ud" && word != "result");
                Destination::Words
            }
            (word, _) if is_unread(word) => Destination::Nothing,
            _ => return false,
        };
        self.group.destination = destination;
        true
    }

    fn collect(&mut self, what: Collected) -> bool {
        self.collections.push(Collection { what, depth: self.groups.len(), words: String::new() });
        self.group.destination = Destination::Words;
        true
    }

    /// What stands for characters, and ends of lines, paragraphs, cells and rows.
    fn of_text(&mut self, word: &str, number: Option<i32>) -> bool {
        let layout = self.group.layout;
        let is_read = self.group.destination == Destination::Words;
        let is_collected = !self.collections.is_empty();
        match word {
            "u" => self.character(number.unwrap_or(0)),
            "tab" | "nestcell" => self.words("\t"),
            "line" | "nestrow" => self.words("\n"),
            "emdash" => self.words("—"),
            "endash" => self.words("–"),
            "lquote" => self.words("‘"),
            "rquote" => self.words("’"),
            "ldblquote" => self.words("“"),
            "rdblquote" => self.words("”"),
            "bullet" => self.words("•"),
            "emspace" | "enspace" | "qmspace" => self.words(" "),
            "par" | "sect" | "page" | "column" | "cell" | "row" if is_collected => self.words(" "),
            "par" | "sect" | "page" | "column" => self.end_paragraph_if(is_read),
            "trowd" if is_read && !is_collected => self.paragraphs.begin_row(),
            "cell" if is_read => self.paragraphs.end_cell(layout),
            "row" if is_read => self.paragraphs.end_row(layout),
            _ => return false,
        }
        true
    }

    fn end_paragraph_if(&mut self, is_end: bool) {
        if is_end && self.collections.is_empty() {
            self.paragraphs.end(self.group.layout);
        }
    }

    /// Numbers above 32,767 are written as negative ones. Two halves of a pair are one character.
    fn character(&mut self, number: i32) {
        self.to_pass_over = self.group.stand_ins;
        let unit = u32::try_from(number.rem_euclid(0x1_0000)).unwrap_or(0);
        let code = match (unit, self.half_of_pair.take()) {
            (0xd800..=0xdbff, _) => {
                self.half_of_pair = Some(unit);
                return;
            }
            (0xdc00..=0xdfff, Some(first)) => 0x1_0000 + ((first - 0xd800) << 10) + (unit - 0xdc00),
            _ => unit,
        };
        if let Some(character) = self.characters_in_use().of_number(code) {
            self.words(character.encode_utf8(&mut [0; 4]));
        }
    }

    fn of_paragraph(&mut self, word: &str, number: Option<i32>) -> bool {
        let layout = &mut self.group.layout;
        let value = number.unwrap_or(0);
        match word {
            "pard" => *layout = Layout::default(),
            "s" => layout.style = value,
            "outlinelevel" => layout.outline_level = number,
            "ilvl" => layout.list_level = number,
            "li" => layout.indent = value,
            "fi" => layout.first_line = value,
            "intbl" => layout.in_table = number != Some(0),
            _ => return false,
        }
        true
    }

    fn of_characters(&mut self, word: &str, number: Option<i32>) {
        let is_on = number != Some(0);
        let group = &mut self.group;
        match word {
            "plain" => (group.hidden, group.deleted, group.struck, group.font) = (false, false, false, None),
            "v" | "webhidden" => group.hidden = is_on,
            "deleted" => group.deleted = is_on,
            "strike" | "striked" => group.struck = is_on,
            "f" => group.font = number,
            "uc" => group.stand_ins = usize::try_from(number.unwrap_or(1)).unwrap_or(1),
            "deff" => self.default_font = number,
            "ansicpg" => self.characters = number.and_then(Characters::of_code_page).unwrap_or(self.characters),
            "mac" => self.characters = Characters::of_code_page(10_000).unwrap_or(self.characters),
            _ => {}
        }
    }

    fn declare_style(&mut self, word: &str, number: Option<i32>, may_leave_out: bool) {
        match word {
            "s" => self.style.number = number.unwrap_or(0),
            "sbasedon" => self.style.based_on = number,
            "outlinelevel" => self.style.outline_level = number,
            "v" => self.style.is_hidden = number != Some(0),
            // Styles of characters, tables and sections.
            "cs" | "ts" | "ds" => self.group.destination = Destination::Nothing,
            _ if may_leave_out => self.group.destination = Destination::Nothing,
            _ => {}
        }
    }

    fn date(&mut self, word: &str, number: i32) {
        let place = ["yr", "mo", "dy"].iter().position(|known| *known == word);
        if let Some(part) = place.and_then(|place| self.changed.get_mut(place)) {
            *part = number;
        }
    }

    fn finish(mut self) -> Result<ReadDocument, ReadError> {
        self.decode();
        let is_cut = !self.groups.is_empty() && !self.paragraphs.is_overfull();
        while let Some(collection) = self.collections.pop() {
            self.settle(collection);
        }
        self.properties.modified = day(self.changed);
        let mut document = self.paragraphs.finish(self.properties.title(), self.properties.stated())?;
        if is_cut {
            document.remarks.push("the file breaks off before its end; what comes before was read".to_owned());
        }
        Ok(document)
    }
}

fn day([year, month, day]: [i32; 3]) -> Option<DateTime<Utc>> {
    let (month, day) = (u32::try_from(month).ok()?, u32::try_from(day).ok()?);
    Some(NaiveDate::from_ymd_opt(year, month, day)?.and_hms_opt(0, 0, 0)?.and_utc())
}

/// Groups that have no words of the text, or words that people do not see where they read it.
fn is_unread(word: &str) -> bool {
    const UNREAD: [&str; 38] = [
        "annotation",
        "atnauthor",
        "atnid",
        "bkmkend",
        "bkmkstart",
        "colortbl",
        "comment",
        "datafield",
        "filetbl",
        "fldinst",
        "footer",
        "footerf",
        "footerl",
        "footerr",
        "ftncn",
        "ftnsep",
        "ftnsepc",
        "header",
        "headerf",
        "headerl",
        "headerr",
        "htmltag",
        "listoverridetable",
        "listtable",
        "nesttableprops",
        "nonesttables",
        "nonshppict",
        "objclass",
        "objdata",
        "pict",
        "pn",
        "revtbl",
        "rxe",
        "shprslt",
        "sp",
        "tc",
        "template",
        "xe",
    ];
    UNREAD.contains(&word)
}
