//! The shapes of one slide: its title, its lists and paragraphs, its tables.

use ibidem_ports::intake::Format;

use crate::read::ReadError;
use crate::read::package::xml::{Attributes, Part, Step};
use crate::read::slides::{Block, Slide};

/// What a shape is for on its slide.
#[derive(Clone, Copy, PartialEq, Default)]
enum Role {
    Title,
    /// The text the slide is about: its paragraphs are points unless they say otherwise.
    Points,
    /// Number, date and footer, the same on each slide, or the picture of the slide on its notes.
    Furniture,
    #[default]
    Box,
}

impl Role {
    fn of(placeholder: &Attributes) -> Self {
        match placeholder.get("type") {
            Some("title" | "ctrTitle") => Self::Title,
            Some("sldNum" | "dt" | "ftr" | "hdr" | "sldImg") => Self::Furniture,
            Some("subTitle") => Self::Box,
            Some("body" | "obj") | None => Self::Points,
            Some(_) => Self::Box,
        }
    }
}

#[derive(Default)]
struct Paragraph {
    words: String,
    depth: usize,
    /// Whether it has a sign or a number before it, where it says so itself.
    is_item: Option<bool>,
    is_numbered: bool,
}

#[derive(Default)]
struct Walk {
    slide: Slide,
    role: Role,
    paragraph: Paragraph,
    row: Option<Vec<String>>,
    struck: bool,
    in_text: bool,
}

/// The slide; none if it is hidden.
pub(super) fn slide(xml: &str) -> Result<Option<Slide>, ReadError> {
    let mut walk = Walk::default();
    let mut part = Part::new(xml, Format::Pptx);
    while let Some(step) = part.step()? {
        match step {
            Step::Open { name, attributes } => match name.as_str() {
                "sld" if attributes.get("show").is_some_and(|show| matches!(show, "0" | "false")) => return Ok(None),
                // It repeats what came before it.
                "Fallback" => part.pass_over()?,
                _ => walk.open(&name, &attributes),
            },
            Step::Close { name } => walk.close(&name),
            Step::Text(text) if walk.in_text => walk.words(&text),
            Step::Text(_) => {}
        }
    }
    Ok(Some(walk.slide))
}

/// What the speaker notes say: the text of the notes' page without its number and date.
pub(super) fn notes(xml: &str) -> Result<String, ReadError> {
    let Some(page) = slide(xml)? else { return Ok(String::new()) };
    let words = page.blocks.into_iter().map(|block| match block {
        Block::Paragraph(words) | Block::Item { words, .. } => words,
        Block::Row(cells) => cells.join(" | "),
    });
    Ok(words.collect::<Vec<_>>().join("\n"))
}

impl Walk {
    fn open(&mut self, name: &str, attributes: &Attributes) {
        match name {
            "sp" => self.role = Role::Box,
            "ph" => self.role = Role::of(attributes),
            "p" => self.paragraph = Paragraph::default(),
            "pPr" => self.paragraph.depth = attributes.get("lvl").and_then(|level| level.parse().ok()).unwrap_or(0),
            "buNone" => self.paragraph.is_item = Some(false),
            "buChar" | "buBlip" => self.paragraph.is_item = Some(true),
            "buAutoNum" => {
                self.paragraph.is_item = Some(true);
                self.paragraph.is_numbered = true;
            }
            "rPr" => self.strike(attributes.get("strike").is_some_and(|kind| kind != "noStrike")),
            "br" => self.words("\n"),
            "t" => self.in_text = true,
            "tr" => self.row = Some(Vec::new()),
            "tc" => {
                if let Some(row) = &mut self.row {
                    row.push(String::new());
                }
            }
            _ => {}
        }
    }

    fn close(&mut self, name: &str) {
        match name {
            "t" => self.in_text = false,
            "r" => self.strike(false),
            "p" => self.end_paragraph(),
            "tr" => self.slide.blocks.extend(self.row.take().map(Block::Row)),
            "sp" => self.role = Role::Box,
            _ => {}
        }
    }

    fn words(&mut self, words: &str) {
        self.paragraph.words.push_str(words);
    }

    /// Text that was struck out is kept, visibly so.
    fn strike(&mut self, struck: bool) {
        if std::mem::replace(&mut self.struck, struck) != struck {
            self.words("~~");
        }
    }

    fn end_paragraph(&mut self) {
        self.strike(false);
        let Paragraph { words, depth, is_item, is_numbered } = std::mem::take(&mut self.paragraph);
        let words = words.trim();
        if words.is_empty() || self.role == Role::Furniture {
            return;
        }
        if let Some(cell) = self.row.as_mut().and_then(|row| row.last_mut()) {
            cell.push_str(words);
            return cell.push(' ');
        }
        let words = words.to_owned();
        match self.role {
            Role::Title => {
                self.slide.title.push_str(&words);
                self.slide.title.push(' ');
            }
            role if is_item.unwrap_or(role == Role::Points) => {
                self.slide.blocks.push(Block::Item { depth, is_numbered, words });
            }
            _ => self.slide.blocks.push(Block::Paragraph(words)),
        }
    }
}
