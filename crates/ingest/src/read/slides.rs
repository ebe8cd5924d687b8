//! Slides: each is a section under its title and a page by its number, with what is on it and what its speaker notes say.

use ibidem_ports::intake::Format;

use super::manuscript::{Manuscript, TitleHeading, collapsed};
use super::package::properties::Properties;
use super::{MOST_PAGES, ReadDocument, ReadError};

/// What a slide shows, in reading order.
#[derive(Default, Debug)]
pub(super) struct Slide {
    pub(super) title: String,
    pub(super) blocks: Vec<Block>,
    pub(super) notes: String,
}

#[derive(PartialEq, Debug)]
pub(super) enum Block {
    Paragraph(String),
    /// `depth` from 0; `is_numbered` where the slide counts it.
    Item {
        depth: usize,
        is_numbered: bool,
        words: String,
    },
    Row(Vec<String>),
}

/// Deeper lists are indented no further by any program.
const DEEPEST_ITEM: usize = 8;

/// `slides` with the number that each has among all, the hidden ones included.
pub(super) fn write(
    slides: &[(u32, Slide)],
    hidden: usize,
    properties: &Properties,
    format: Format,
) -> Result<ReadDocument, ReadError> {
    if slides.len() > MOST_PAGES {
        return Err(ReadError::TooLarge { what: "its slides".into(), limit: format!("{MOST_PAGES} slides") });
    }
    // What the first slide shows wins over a property that templates tend to leave behind.
    let shown = slides.first().map(|(_, slide)| title_of(slide)).filter(|title| !title.is_empty());
    let mut manuscript = Manuscript::new(shown.map_or(TitleHeading::No, TitleHeading::Saying));
    for (number, slide) in slides {
        if manuscript.is_overfull() {
            break;
        }
        manuscript.page(*number);
        write_slide(*number, slide, &mut manuscript);
    }
    let mut document = manuscript.finish(format, properties.stated())?;
    document.title = document.title.or_else(|| properties.title());
    document.remarks.extend(remark_on_hidden(hidden));
    Ok(document)
}

fn title_of(slide: &Slide) -> String {
    collapsed(&slide.title)
}

fn write_slide(number: u32, slide: &Slide, manuscript: &mut Manuscript) {
    let title = title_of(slide);
    if title.is_empty() && slide.blocks.is_empty() && slide.notes.trim().is_empty() {
        return;
    }
    let heading = if title.is_empty() { format!("Slide {number}") } else { title };
    manuscript.heading(1, &heading);
    let mut lists: Vec<bool> = Vec::new();
    let mut in_table = false;
    for block in &slide.blocks {
        if in_table && !matches!(block, Block::Row(_)) {
            manuscript.close_table();
            in_table = false;
        }
        if !matches!(block, Block::Item { .. }) {
            close_lists(0, &mut lists, manuscript);
        }
        match block {
            Block::Item { depth, is_numbered, words } => item(*depth, *is_numbered, words, &mut lists, manuscript),
            Block::Paragraph(words) => paragraph(words, manuscript),
            Block::Row(cells) => {
                if !std::mem::replace(&mut in_table, true) {
                    manuscript.open_table();
                }
                row(cells, manuscript);
            }
        }
    }
    if in_table {
        manuscript.close_table();
    }
    close_lists(0, &mut lists, manuscript);
    if !slide.notes.trim().is_empty() {
        paragraph(&format!("Notes: {}", slide.notes.trim()), manuscript);
    }
}

fn item(depth: usize, is_numbered: bool, words: &str, lists: &mut Vec<bool>, manuscript: &mut Manuscript) {
    let depth = depth.min(DEEPEST_ITEM);
    close_lists(depth + 1, lists, manuscript);
    if lists.len() == depth + 1 && lists.last() != Some(&is_numbered) {
        close_lists(depth, lists, manuscript);
    }
    while lists.len() <= depth {
        manuscript.open_list(is_numbered.then_some(1));
        lists.push(is_numbered);
    }
    manuscript.open_item();
    lines(words, manuscript);
    manuscript.close_item();
}

fn close_lists(depth: usize, lists: &mut Vec<bool>, manuscript: &mut Manuscript) {
    while lists.len() > depth {
        manuscript.close_list();
        lists.pop();
    }
}

fn row(cells: &[String], manuscript: &mut Manuscript) {
    manuscript.open_row();
    for cell in cells {
        manuscript.words(cell);
        manuscript.close_cell();
    }
    manuscript.close_row();
}

fn paragraph(words: &str, manuscript: &mut Manuscript) {
    manuscript.end_block();
    lines(words, manuscript);
    manuscript.end_block();
}

fn lines(words: &str, manuscript: &mut Manuscript) {
    for (place, line) in words.split('\n').enumerate() {
        if place > 0 {
            manuscript.line_break();
        }
        manuscript.words(line);
    }
}

fn remark_on_hidden(hidden: usize) -> Option<String> {
    match hidden {
        0 => None,
        1 => Some("1 hidden slide was left out".to_owned()),
        _ => Some(format!("{hidden} hidden slides were left out")),
    }
}
