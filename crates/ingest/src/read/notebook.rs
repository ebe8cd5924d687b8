//! Jupyter notebooks: cells of Markdown and of code, with the short texts that the code printed.

use std::fmt;
use std::marker::PhantomData;

use ibidem_ports::intake::Format;
use serde::Deserialize;
use serde::de::{Deserializer, Error, SeqAccess, Visitor};

use super::manuscript::{Manuscript, TitleHeading};
use super::{ReadDocument, ReadError, Stated, front_matter, markdown};

#[cfg(test)]
mod tests;

/// More cells than anybody writes.
const MOST_CELLS: usize = 50_000;
/// A longer output is a table or a protocol that only the notebook itself shows well.
const LONGEST_OUTPUT: usize = 600;
const MOST_OUTPUT_LINES: usize = 10;

#[derive(Deserialize)]
struct Notebook {
    #[serde(default)]
    cells: Bounded<Cell>,
    /// Where cells were kept before version 4.
    #[serde(default)]
    worksheets: Bounded<Worksheet>,
    #[serde(default)]
    metadata: Metadata,
}

#[derive(Deserialize)]
struct Worksheet {
    #[serde(default)]
    cells: Bounded<Cell>,
}

#[derive(Deserialize, Default)]
struct Metadata {
    #[serde(default)]
    title: Words,
}

#[derive(Deserialize)]
struct Cell {
    cell_type: CellType,
    /// Called `input` in cells of code before version 4.
    #[serde(default, alias = "input")]
    source: Words,
    #[serde(default)]
    outputs: Bounded<Output>,
    /// Of a heading, before version 4.
    level: Option<u8>,
}

#[derive(Deserialize, Clone, Copy, PartialEq, Debug)]
#[serde(rename_all = "lowercase")]
enum CellType {
    Markdown,
    Code,
    Heading,
    Html,
    #[serde(other)]
    Raw,
}

#[derive(Deserialize)]
struct Output {
    /// What the code printed.
    #[serde(default)]
    text: Words,
    #[serde(default, alias = "stream")]
    name: Words,
    #[serde(default)]
    data: Data,
}

#[derive(Deserialize, Default)]
struct Data {
    #[serde(default, rename = "text/plain")]
    plain: Words,
}

pub(super) fn extract(json: &str) -> Result<ReadDocument, ReadError> {
    let notebook: Notebook = serde_json::from_str(json)
        .map_err(|error| ReadError::unreadable(Format::Notebook, format!("it is damaged or no notebook ({error})")))?;
    let cells = notebook.worksheets.0.into_iter().flat_map(|worksheet| worksheet.cells.0);
    let mut cells: Vec<Cell> = notebook.cells.0.into_iter().chain(cells).collect();
    let stated = stated(&mut cells, notebook.metadata);
    if !cells.iter().any(Cell::is_text) {
        let reason = "it has no cell of text, only code; add words that say what it is about, or leave it out";
        return Err(ReadError::unreadable(Format::Notebook, reason));
    }
    let title = stated.title.clone().map_or(TitleHeading::First, TitleHeading::Saying);
    let mut manuscript = Manuscript::new(title);
    let mut left_out = 0;
    for cell in &cells {
        left_out += write(cell, &mut manuscript)?;
        if manuscript.is_overfull() {
            break;
        }
    }
    let mut document = manuscript.finish(Format::Notebook, stated)?;
    if left_out > 0 {
        document.remarks.push(format!("{left_out} long outputs of code were left out"));
    }
    Ok(document)
}

/// What the notebook says of itself: in a first cell that is front matter, or beside its cells.
fn stated(cells: &mut [Cell], metadata: Metadata) -> Stated {
    let mut stated = Stated::default();
    if let Some(first) = cells.first_mut().filter(|cell| matches!(cell.cell_type, CellType::Raw | CellType::Markdown)) {
        let (found, rest) = front_matter::split(&first.source.0);
        stated = found;
        let rest = rest.to_owned();
        first.source.0 = rest;
    }
    let title = Some(metadata.title.0).filter(|title| !title.trim().is_empty());
    Stated { title: stated.title.or(title), ..stated }
}

/// Returns how many outputs were left out.
fn write(cell: &Cell, manuscript: &mut Manuscript) -> Result<usize, ReadError> {
    let source = &cell.source.0;
    match cell.cell_type {
        CellType::Markdown | CellType::Html => markdown::write(source, manuscript)?,
        CellType::Heading => manuscript.heading(cell.level.unwrap_or(1).clamp(1, 6), source),
        CellType::Code => {
            manuscript.verbatim(source);
            return Ok(write_outputs(&cell.outputs.0, manuscript));
        }
        // Meant for a converter, not for people.
        CellType::Raw => {}
    }
    Ok(0)
}

fn write_outputs(outputs: &[Output], manuscript: &mut Manuscript) -> usize {
    let mut left_out = 0;
    for output in outputs {
        let is_complaint = output.name.0 == "stderr";
        for words in [&output.text.0, &output.data.plain.0] {
            let words = words.trim_end();
            if words.trim().is_empty() || is_complaint || names_object(words) {
                continue;
            }
            if words.len() > LONGEST_OUTPUT || words.lines().count() > MOST_OUTPUT_LINES {
                left_out += 1;
            } else {
                manuscript.verbatim(&format!("Output:\n{words}"));
            }
        }
    }
    left_out
}

/// `<Figure size 640x480 with 1 Axes>`, `[<Line2D at 0x7f>]`: what stands in for something that is not text.
fn names_object(words: &str) -> bool {
    let words = words.trim();
    words.contains(" at 0x") || words.starts_with('<') && words.ends_with('>') && !words.contains('\n')
}

impl Cell {
    fn is_text(&self) -> bool {
        let is_for_people = matches!(self.cell_type, CellType::Markdown | CellType::Heading | CellType::Html);
        is_for_people && self.source.0.contains(char::is_alphanumeric)
    }
}

/// Text that is written as one string or as one for each line. Anything else is none.
#[derive(Default)]
struct Words(String);

impl<'de> Deserialize<'de> for Words {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(WordsVisitor)
    }
}

struct WordsVisitor;

impl<'de> Visitor<'de> for WordsVisitor {
    type Value = Words;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("text, or a list of lines")
    }

    fn visit_str<E>(self, text: &str) -> Result<Words, E> {
        Ok(Words(text.to_owned()))
    }

    fn visit_unit<E>(self) -> Result<Words, E> {
        Ok(Words::default())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut lines: A) -> Result<Words, A::Error> {
        let mut text = String::new();
        while let Some(line) = lines.next_element::<std::borrow::Cow<'de, str>>()? {
            text.push_str(&line);
        }
        Ok(Words(text))
    }
}

/// A list that ends reading when it is longer than any real one, before it fills the memory.
struct Bounded<T>(Vec<T>);

impl<T> Default for Bounded<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Bounded<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(BoundedVisitor(PhantomData))
    }
}

struct BoundedVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for BoundedVisitor<T> {
    type Value = Bounded<T>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Bounded<T>, A::Error> {
        let mut taken = Vec::new();
        while let Some(item) = items.next_element()? {
            if taken.len() >= MOST_CELLS {
                return Err(A::Error::custom(format!("a list of it has more than {MOST_CELLS} parts; split it")));
            }
            taken.push(item);
        }
        Ok(Bounded(taken))
    }
}
