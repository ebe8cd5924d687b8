//! What a paragraph's style makes of it: a heading, the title, a list item, something hidden.

use std::collections::HashMap;

use ibidem_ports::intake::Format;

use crate::read::ReadError;
use crate::read::package::xml::{Part, Step};

/// No real chain of styles is longer; a longer one goes in circles.
const LONGEST_CHAIN: usize = 32;

#[derive(Default)]
pub(super) struct Styles {
    by_id: HashMap<String, Style>,
}

#[derive(Default)]
struct Style {
    /// Word's own name for it, the same in every language ("heading 1" where the id is "berschrift1").
    name: String,
    based_on: Option<String>,
    /// From 0; 9 is body text.
    outline_level: Option<u8>,
    list: ListPlace,
    hidden: Option<bool>,
}

/// Which list, and how deep in it.
#[derive(Clone, Default, PartialEq, Debug)]
pub(super) struct ListPlace {
    pub(super) list: Option<String>,
    pub(super) level: Option<u8>,
}

impl Styles {
    pub(super) fn parse(xml: &str) -> Result<Self, ReadError> {
        let mut styles = Self::default();
        let mut id = None;
        let mut style = Style::default();
        let mut part = Part::new(xml, Format::Docx);
        while let Some(step) = part.step()? {
            match step {
                Step::Open { name, attributes } => {
                    let value = attributes.get("val");
                    match name.as_str() {
                        "style" => {
                            id = attributes.get("styleId").map(str::to_owned);
                            style = Style::default();
                        }
                        "name" => style.name = value.unwrap_or_default().to_lowercase(),
                        "basedOn" => style.based_on = value.map(str::to_owned),
                        "outlineLvl" => style.outline_level = value.and_then(|level| level.parse().ok()),
                        "numId" => style.list.list = value.map(str::to_owned),
                        "ilvl" => style.list.level = value.and_then(|level| level.parse().ok()),
                        "vanish" => style.hidden = Some(attributes.is_on()),
                        _ => {}
                    }
                }
                Step::Close { name } if name == "style" => {
                    if let Some(id) = id.take() {
                        styles.by_id.insert(id, std::mem::take(&mut style));
                    }
                }
                Step::Close { .. } | Step::Text(_) => {}
            }
        }
        Ok(styles)
    }

    /// The style and those it builds upon, nearest first.
    fn chain(&self, id: &str) -> impl Iterator<Item = &Style> {
        let based_on = |style: &&Style| style.based_on.as_ref().and_then(|id| self.by_id.get(id));
        std::iter::successors(self.by_id.get(id), based_on).take(LONGEST_CHAIN)
    }

    /// The level of the heading a style makes, from 1.
    pub(super) fn heading_level(&self, id: &str) -> Option<u8> {
        for style in self.chain(id) {
            let by_name = style.name.strip_prefix("heading ").and_then(|level| level.parse::<u8>().ok());
            if let Some(level) = style.outline_level.map(|level| level.saturating_add(1)).or(by_name) {
                return (1..=9).contains(&level).then_some(level);
            }
        }
        None
    }

    pub(super) fn is_title(&self, id: &str) -> bool {
        self.by_id.get(id).is_some_and(|style| style.name == "title")
    }

    /// Lines of a table of contents: the way around the document, not the document.
    pub(super) fn is_contents(&self, id: &str) -> bool {
        self.by_id.get(id).is_some_and(|style| style.name.starts_with("toc "))
    }

    pub(super) fn list_place(&self, id: &str) -> ListPlace {
        let list = self.chain(id).find_map(|style| style.list.list.clone());
        let level = self.chain(id).find_map(|style| style.list.level);
        ListPlace { list, level }
    }

    pub(super) fn is_hidden(&self, id: &str) -> bool {
        self.chain(id).find_map(|style| style.hidden).unwrap_or(false)
    }
}
