//! What AsciiDoc and reStructuredText have in common: boxes with a name, references, and parts that other files hold.

use super::manuscript::{Manuscript, collapsed};
use super::{ReadDocument, ReadError};

/// A span of markup inside a line ends within so many bytes; what looks like its beginning is a sign else.
pub(super) const LONGEST_SPAN: usize = 4_000;
/// So many bytes of a paragraph are looked through for ends of spans, and 20 times its length: signs without an end must
/// not cost more. What begins after that is a sign of the text.
pub(super) fn searched(paragraph: &str) -> usize {
    const SEARCHED: usize = 200_000;
    SEARCHED + paragraph.len().saturating_mul(20)
}

const MOST_LINES: usize = 2_000_000;
/// So many files are named as left out; more say nothing more.
const MOST_NAMED: usize = 5;
const LONGEST_NAME: usize = 60;

/// The lines of a text, which has no more than any book.
pub(super) fn lines(text: &str) -> Result<Vec<&str>, ReadError> {
    let lines: Vec<&str> = text.lines().take(MOST_LINES + 1).map(str::trim_end).collect();
    if lines.len() > MOST_LINES {
        return Err(ReadError::TooLarge { what: "its lines".into(), limit: "2 million lines".to_owned() });
    }
    Ok(lines)
}

/// How a box is called in front of its words, by what the markup calls it.
pub(super) fn box_label(name: &str) -> Option<&'static str> {
    let label = match name.to_ascii_lowercase().as_str() {
        "note" => "Note",
        "tip" => "Tip",
        "hint" => "Hint",
        "important" => "Important",
        "warning" => "Warning",
        "caution" => "Caution",
        "attention" => "Attention",
        "danger" => "Danger",
        "error" => "Error",
        "seealso" => "See also",
        _ => return None,
    };
    Some(label)
}

/// What a reference without words of its own is called: `config/set-up.adoc#first_steps` is `first steps`.
pub(super) fn target_words(target: &str) -> String {
    let place = target.rsplit(['#', '/']).find(|part| !part.is_empty()).unwrap_or(target);
    let stem = place.strip_suffix(".adoc").or_else(|| place.strip_suffix(".rst")).unwrap_or(place);
    collapsed(&stem.replace(['_', '-'], " "))
}

/// Writes words in which `\n` stands for the end of a line that people see.
pub(super) fn write_words(words: &str, manuscript: &mut Manuscript) {
    for (place, line) in words.split('\n').enumerate() {
        if place > 0 {
            manuscript.line_break();
        }
        manuscript.words(line);
    }
}

/// Writes a table, each cell as the words that its markup stands for.
pub(super) fn write_table(rows: &[Vec<String>], words: impl Fn(&str) -> String, manuscript: &mut Manuscript) {
    manuscript.open_table();
    for row in rows {
        manuscript.open_row();
        for cell in row {
            write_words(&words(cell), manuscript);
            manuscript.close_cell();
        }
        manuscript.close_row();
        if manuscript.is_overfull() {
            break;
        }
    }
    manuscript.close_table();
}

/// Files whose text the document includes. They are documents of their own, or no documents.
#[derive(Default)]
pub(super) struct Included {
    files: Vec<String>,
    number: usize,
}

impl Included {
    pub(super) fn add(&mut self, file: &str) {
        self.number += 1;
        let name: String = collapsed(file).chars().take(LONGEST_NAME).collect();
        if self.files.len() < MOST_NAMED && !self.files.contains(&name) {
            self.files.push(name);
        }
    }

    pub(super) fn remark(&self, document: &mut ReadDocument) {
        if self.number > 0 {
            let files = self.files.join(", ");
            document.remarks.push(format!("{} parts that other files hold were left out: {files}", self.number));
        }
    }
}
