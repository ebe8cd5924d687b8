//! ODP: the pages of a presentation, each with its frames in reading order.

use ibidem_ports::intake::Format;

use super::inline::{self, UNREAD};
use super::{Opened, Styles};
use crate::read::package::xml::{Attributes, Part, Step};
use crate::read::slides::{self, Block, Slide};
use crate::read::{ReadDocument, ReadError};

/// A row may claim any number of cells.
const MOST_REPEATED: usize = 64;

pub(super) fn extract(opened: &Opened) -> Result<ReadDocument, ReadError> {
    let mut part = Part::new(&opened.content, Format::Odp);
    let mut slides = Vec::new();
    let (mut number, mut hidden) = (0, 0);
    while let Some(step) = part.step()? {
        let Step::Open { name, attributes } = step else { continue };
        if name == "page" {
            number += 1;
            if opened.styles.is_hidden(attributes.get("style-name")) {
                hidden += 1;
                part.pass_over()?;
            } else {
                slides.push((number, slide(&mut part, &opened.styles)?));
            }
        }
    }
    slides::write(&slides, hidden, &opened.properties, Format::Odp)
}

/// What a frame is for.
#[derive(Clone, Copy, PartialEq, Default)]
enum Role {
    Title,
    Furniture,
    #[default]
    Text,
}

impl Role {
    fn of(frame: &Attributes) -> Self {
        match frame.get("class") {
            Some("title") => Self::Title,
            Some("header" | "footer" | "date-time" | "page-number" | "page") => Self::Furniture,
            _ => Self::Text,
        }
    }
}

#[derive(Default)]
struct Walk {
    slide: Slide,
    role: Role,
    in_notes: bool,
    lists: Vec<Option<String>>,
    row: Option<Vec<String>>,
}

fn slide(part: &mut Part<'_>, styles: &Styles) -> Result<Slide, ReadError> {
    let mut walk = Walk::default();
    while let Some(step) = part.step()? {
        match step {
            Step::Open { name, attributes } => match name.as_str() {
                name if UNREAD.contains(&name) => part.pass_over()?,
                "p" | "h" => {
                    let words = inline::words(part, styles, 1)?;
                    walk.paragraph(words.text.trim(), styles);
                }
                _ => walk.open(&name, &attributes),
            },
            Step::Close { name } if name == "page" => break,
            Step::Close { name } => walk.close(&name),
            Step::Text(_) => {}
        }
    }
    Ok(walk.slide)
}

impl Walk {
    fn open(&mut self, name: &str, attributes: &Attributes) {
        match name {
            "notes" => self.in_notes = true,
            "frame" => self.role = Role::of(attributes),
            "list" => {
                let outer = self.lists.last().cloned().flatten();
                self.lists.push(attributes.get("style-name").map(str::to_owned).or(outer));
            }
            "table-row" => self.row = Some(Vec::new()),
            "table-cell" | "covered-table-cell" => {
                let repeated = attributes.get("number-columns-repeated").and_then(|number| number.parse().ok());
                let cells = repeated.unwrap_or(1_usize).clamp(1, MOST_REPEATED);
                if let Some(row) = &mut self.row {
                    row.resize(row.len() + cells, String::new());
                }
            }
            _ => {}
        }
    }

    fn close(&mut self, name: &str) {
        match name {
            "notes" => self.in_notes = false,
            "frame" => self.role = Role::Text,
            "list" => drop(self.lists.pop()),
            "table-row" => self.slide.blocks.extend(self.row.take().map(Block::Row)),
            _ => {}
        }
    }

    fn paragraph(&mut self, words: &str, styles: &Styles) {
        if words.is_empty() || self.role == Role::Furniture {
            return;
        }
        if self.in_notes {
            self.slide.notes.push_str(words);
            return self.slide.notes.push('\n');
        }
        if let Some(cell) = self.row.as_mut().and_then(|row| row.last_mut()) {
            cell.push_str(words);
            return cell.push(' ');
        }
        if self.role == Role::Title {
            self.slide.title.push_str(words);
            return self.slide.title.push(' ');
        }
        let words = words.to_owned();
        let depth = self.lists.len().checked_sub(1);
        self.slide.blocks.push(match depth {
            Some(depth) => {
                let style = self.lists.last().and_then(Option::as_deref);
                Block::Item { depth, is_numbered: styles.is_numbered(style, depth), words }
            }
            None => Block::Paragraph(words),
        });
    }
}
