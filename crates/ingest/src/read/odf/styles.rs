//! What a style of OpenDocument makes of its text: the title, something struck out or hidden, a list that counts.

use std::collections::HashMap;

use ibidem_ports::intake::Format;

use crate::read::ReadError;
use crate::read::package::xml::{Attributes, Part, Step};

/// No real chain of styles is longer; a longer one goes in circles.
const LONGEST_CHAIN: usize = 32;

#[derive(Default)]
pub(super) struct Styles {
    by_name: HashMap<String, Style>,
    /// For each level of a list's style whether it counts its items.
    lists: HashMap<String, Vec<bool>>,
}

#[derive(Default)]
struct Style {
    parent: Option<String>,
    hidden: Option<bool>,
    struck: Option<bool>,
}

impl Styles {
    /// Adds the styles of one part. Those of `content.xml` come last and win.
    pub(super) fn add(&mut self, xml: &str, format: Format) -> Result<(), ReadError> {
        let mut part = Part::new(xml, format);
        let (mut style, mut list) = (None, None);
        while let Some(step) = part.step()? {
            let (name, attributes) = match step {
                Step::Open { name, attributes } => (name, attributes),
                // Styles stand before the text.
                Step::Close { name } if name == "automatic-styles" || name == "master-styles" => {
                    style = None;
                    list = None;
                    continue;
                }
                _ => continue,
            };
            match name.as_str() {
                "body" => break,
                "style" => {
                    style = attributes.get("name").map(str::to_owned);
                    let parent = attributes.get("parent-style-name").map(str::to_owned);
                    if let Some(name) = &style {
                        self.by_name.insert(name.clone(), Style { parent, ..Style::default() });
                    }
                }
                "list-style" => list = attributes.get("name").map(str::to_owned),
                "list-level-style-number" | "list-level-style-bullet" | "list-level-style-image" => {
                    if let Some(list) = &list {
                        let is_numbered =
                            name.ends_with("number") && !attributes.get("num-format").unwrap_or("").is_empty();
                        self.lists.entry(list.clone()).or_default().push(is_numbered);
                    }
                }
                "text-properties" | "table-properties" | "drawing-page-properties" => {
                    if let Some(style) = style.as_ref().and_then(|name| self.by_name.get_mut(name)) {
                        style.add(&attributes);
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn chain(&self, name: &str) -> impl Iterator<Item = (&str, &Style)> {
        let find = |name: &str| self.by_name.get_key_value(name).map(|(name, style)| (name.as_str(), style));
        std::iter::successors(find(name), move |(_, style)| find(style.parent.as_deref()?)).take(LONGEST_CHAIN)
    }

    pub(super) fn is_title(&self, name: Option<&str>) -> bool {
        name.is_some_and(|name| name == "Title" || self.chain(name).any(|(name, _)| name == "Title"))
    }

    pub(super) fn is_hidden(&self, name: Option<&str>) -> bool {
        name.is_some_and(|name| self.chain(name).find_map(|(_, style)| style.hidden).unwrap_or(false))
    }

    pub(super) fn is_struck(&self, name: Option<&str>) -> bool {
        name.is_some_and(|name| self.chain(name).find_map(|(_, style)| style.struck).unwrap_or(false))
    }

    /// Whether a list counts its items at this depth, from 0.
    pub(super) fn is_numbered(&self, list: Option<&str>, depth: usize) -> bool {
        list.and_then(|list| self.lists.get(list)?.get(depth).copied()).unwrap_or(false)
    }
}

impl Style {
    fn add(&mut self, attributes: &Attributes) {
        let line = attributes.get("text-line-through-style").or(attributes.get("text-line-through-type"));
        self.struck = line.map(|line| line != "none").or(self.struck);
        // Of text and of a slide; of a sheet.
        let hidden = attributes.get("visibility").map(|visibility| visibility == "hidden");
        let shown = attributes.get("display").map(|display| matches!(display, "none" | "false"));
        self.hidden = hidden.or(shown).or(self.hidden);
    }
}
