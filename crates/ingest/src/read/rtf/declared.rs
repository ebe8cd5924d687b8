//! What an RTF file declares at its beginning: its fonts and the styles of its paragraphs.

use std::collections::HashMap;

use super::characters::Characters;

/// No real chain of styles is longer; a longer one goes in circles.
const LONGEST_CHAIN: usize = 32;
/// More fonts or styles than any program writes.
const MOST_DECLARED: usize = 20_000;

#[derive(Default)]
pub(super) struct Fonts {
    by_number: HashMap<i32, Font>,
    current: Option<i32>,
}

#[derive(Default)]
struct Font {
    name: String,
    characters: Option<Characters>,
}

impl Fonts {
    /// A control word inside the table of fonts.
    pub(super) fn declare(&mut self, word: &str, number: i32) {
        if word == "f" {
            let is_new = self.by_number.len() < MOST_DECLARED && !self.by_number.contains_key(&number);
            self.current = is_new.then_some(number);
            return self.current.into_iter().for_each(|number| drop(self.by_number.insert(number, Font::default())));
        }
        let characters = match word {
            "fcharset" => Characters::of_character_set(number),
            "cpg" => Characters::of_code_page(number),
            _ => return,
        };
        if let Some(font) = self.declared() {
            font.characters = characters.or(font.characters);
        }
    }

    fn declared(&mut self) -> Option<&mut Font> {
        self.by_number.get_mut(&self.current?)
    }

    pub(super) fn add_name(&mut self, words: &str) {
        if let Some(font) = self.declared() {
            font.name.push_str(words);
        }
    }

    /// How the bytes of a font are to be understood, unless as the document's own.
    pub(super) fn characters(&self, number: i32) -> Option<Characters> {
        let font = self.by_number.get(&number)?;
        let is_symbol = font.name.trim_end_matches([';', ' ']).eq_ignore_ascii_case("symbol");
        if is_symbol { Some(Characters::Symbols) } else { font.characters }
    }
}

#[derive(Default)]
pub(super) struct Styles {
    by_number: HashMap<i32, Style>,
}

#[derive(Default, Clone)]
pub(super) struct Style {
    pub(super) number: i32,
    /// In lower case. Word and others write the names of their own styles in English ("heading 1").
    pub(super) name: String,
    pub(super) based_on: Option<i32>,
    /// From 0; 9 is body text.
    pub(super) outline_level: Option<i32>,
    pub(super) is_hidden: bool,
}

impl Styles {
    pub(super) fn add(&mut self, style: Style) {
        if self.by_number.len() < MOST_DECLARED {
            self.by_number.insert(style.number, style);
        }
    }

    /// The style and those it builds upon, nearest first.
    fn chain(&self, number: i32) -> impl Iterator<Item = &Style> {
        let based_on = |style: &&Style| self.by_number.get(&style.based_on?);
        std::iter::successors(self.by_number.get(&number), based_on).take(LONGEST_CHAIN)
    }

    /// The level of the heading a style makes, from 1.
    pub(super) fn heading_level(&self, number: i32) -> Option<u8> {
        for style in self.chain(number) {
            let by_name = style.name.strip_prefix("heading ").and_then(|level| level.parse::<i32>().ok());
            if let Some(level) = style.outline_level.map(|level| level.saturating_add(1)).or(by_name) {
                return level_of_heading(level);
            }
        }
        None
    }

    pub(super) fn is_title(&self, number: i32) -> bool {
        self.by_number.get(&number).is_some_and(|style| style.name == "title")
    }

    /// Lines of a table of contents: the way around the document, not the document.
    pub(super) fn is_contents(&self, number: i32) -> bool {
        let is_contents = |style: &Style| style.name.starts_with("toc ") || style.name.starts_with("contents ");
        self.by_number.get(&number).is_some_and(is_contents)
    }

    pub(super) fn is_hidden(&self, number: i32) -> bool {
        self.chain(number).any(|style| style.is_hidden)
    }
}

/// Headings have nine levels; a tenth is body text.
pub(super) fn level_of_heading(level: i32) -> Option<u8> {
    u8::try_from(level).ok().filter(|level| (1..=9).contains(level))
}
