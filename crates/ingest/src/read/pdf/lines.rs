//! Letters that stand beside each other, put together as lines.

use super::glyphs::Glyph;

/// Shares of the font's size. A gap that parts words; one that parts columns; how far a letter may
/// stand above or below its line (an exponent does); how far back a letter may stand in its line.
const WORD_GAP: f64 = 0.11;
const COLUMN_GAP: f64 = 1.5;
const RISE: f64 = 0.45;
const STEP_BACK: f64 = 0.5;

pub(super) struct Page {
    /// From 1.
    pub(super) number: u32,
    pub(super) height: f64,
    /// In the order they are drawn, which is nearly always the order they are read in.
    pub(super) lines: Vec<Line>,
}

#[derive(Debug, Default, Clone)]
pub(super) struct Line {
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) across: f64,
    pub(super) size: f64,
    pub(super) angle: i32,
    /// Set in a type whose letters are all equally wide, as programs and commands are.
    pub(super) is_code: bool,
    /// Its words; where wide gaps part them, as in the row of a table, in several cells.
    pub(super) cells: Vec<String>,
}

impl Line {
    pub(super) fn words(&self) -> String {
        self.cells.join(" ")
    }
}

#[derive(Default)]
pub(super) struct Lines {
    done: Vec<Line>,
    line: Option<Line>,
    cell: String,
    space_due: bool,
    pitch: Pitch,
}

/// Whether the letters of a line are all equally wide.
#[derive(Default)]
struct Pitch {
    letters: Vec<char>,
    narrowest: f64,
    widest: f64,
}

impl Pitch {
    fn add(&mut self, glyph: &Glyph) {
        let width = glyph.width / glyph.size;
        if self.letters.is_empty() {
            (self.narrowest, self.widest) = (width, width);
        }
        self.narrowest = self.narrowest.min(width);
        self.widest = self.widest.max(width);
        let letter = glyph.letters.chars().next().unwrap_or_default();
        if self.letters.len() < 8 && !self.letters.contains(&letter) {
            self.letters.push(letter);
        }
    }

    /// Different letters, or it would prove nothing: digits are equally wide in nearly all types.
    fn is_fixed(&self) -> bool {
        let telling = self.letters.iter().filter(|letter| !letter.is_ascii_digit()).count();
        telling >= 4 && self.widest - self.narrowest < 0.01
    }
}

impl Lines {
    pub(super) fn add(&mut self, glyph: &Glyph) {
        if !self.line.as_ref().is_some_and(|line| belongs(glyph, line)) {
            self.end_line();
        }
        let is_space = glyph.letters.trim().is_empty();
        if !is_space {
            self.pitch.add(glyph);
        }
        let Some(line) = &mut self.line else {
            if !is_space {
                self.line = Some(Line {
                    left: glyph.along,
                    right: glyph.along + glyph.width,
                    across: glyph.across,
                    size: glyph.size,
                    angle: glyph.angle,
                    is_code: false,
                    cells: Vec::new(),
                });
                self.cell.push_str(&glyph.letters);
            }
            return;
        };
        let gap = glyph.along - line.right;
        line.right = line.right.max(glyph.along + glyph.width);
        if is_space {
            self.space_due = true;
            return;
        }
        // The size of a line is that of its largest letters: exponents and footnote marks are smaller.
        line.size = line.size.max(glyph.size);
        if gap > COLUMN_GAP * glyph.size {
            line.cells.push(std::mem::take(&mut self.cell).trim_end().to_owned());
        } else if self.space_due || gap > WORD_GAP * glyph.size {
            self.cell.push(' ');
        }
        self.space_due = false;
        self.cell.push_str(&glyph.letters);
    }

    fn end_line(&mut self) {
        self.space_due = false;
        let cell = std::mem::take(&mut self.cell);
        let pitch = std::mem::take(&mut self.pitch);
        if let Some(mut line) = self.line.take() {
            line.is_code = pitch.is_fixed();
            line.cells.push(cell.trim_end().to_owned());
            line.cells.retain(|cell| !cell.is_empty());
            join_marker(&mut line.cells);
            self.done.push(line);
        }
    }

    pub(super) fn finish(mut self) -> Vec<Line> {
        self.end_line();
        self.done
    }
}

fn belongs(glyph: &Glyph, line: &Line) -> bool {
    let size = glyph.size.max(line.size);
    glyph.angle == line.angle
        && (glyph.across - line.across).abs() <= RISE * size
        && glyph.along >= line.right - STEP_BACK * size
}

/// The marker of a list item or the number of a heading often stands far from its words.
fn join_marker(cells: &mut Vec<String>) {
    if cells.len() > 1 && (is_marker(&cells[0]) || is_number(&cells[0])) {
        let marker = cells.remove(0);
        cells[0] = format!("{marker} {}", cells[0]);
    }
}

/// A bullet, or `a)`, `(ii)`, `3.`
pub(super) fn is_marker(word: &str) -> bool {
    const BULLETS: &str = "•‣◦▪▫●○■□·–—-*";
    let mut letters = word.chars();
    if let (Some(only), None) = (letters.next(), letters.next()) {
        return BULLETS.contains(only);
    }
    let bare = word.trim_start_matches('(');
    let Some(counted) = bare.strip_suffix([')', '.']) else { return false };
    let is_count = (1..=2).contains(&counted.len()) && counted.bytes().all(|byte| byte.is_ascii_digit());
    let is_letter = counted.len() == 1 && counted.bytes().all(|byte| byte.is_ascii_lowercase());
    let is_roman = (1..=4).contains(&counted.len()) && counted.bytes().all(|byte| b"ivx".contains(&byte));
    is_count || is_letter || is_roman
}

/// The number of a heading: `3`, `3.2`, `A.1`.
pub(super) fn is_number(word: &str) -> bool {
    let mut parts = word.trim_end_matches('.').split('.');
    let first = parts.next().unwrap_or_default();
    let is_count = |part: &str| (1..=2).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
    let is_appendix = first.len() == 1 && first.bytes().all(|byte| byte.is_ascii_uppercase()) && word.contains('.');
    (is_count(first) || is_appendix) && parts.all(is_count)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A word with the place of its first letter.
    type WordAt<'a> = (f64, f64, &'a str);

    fn set(placed: &[WordAt<'_>], width_of: impl Fn(char) -> f64) -> Vec<Line> {
        let mut lines = Lines::default();
        for &(x, y, word) in placed {
            let mut along = x;
            for letter in word.chars() {
                let width = width_of(letter);
                lines.add(&Glyph { along, across: y, width, size: 10.0, angle: 0, letters: letter.to_string() });
                along += width;
            }
        }
        lines.finish()
    }

    fn lines(placed: &[WordAt<'_>]) -> Vec<Vec<String>> {
        set(placed, |_| 5.0).into_iter().map(|line| line.cells).collect()
    }

    #[test]
    fn code_is_known_by_its_even_letters() {
        let is_code = |word, width_of: fn(char) -> f64| set(&[(0.0, 0.0, word)], width_of)[0].is_code;
        assert!(is_code("fn main()", |_| 6.0));
        assert!(!is_code("fn main()", |letter| if letter == 'm' { 9.0 } else { 6.0 }));
        assert!(!is_code("2024 1150", |_| 5.0));
    }

    #[test]
    fn letters_become_words_lines_and_cells() {
        let cases: [(&[WordAt<'_>], &[&[&str]]); 6] = [
            (&[(0.0, 0.0, "ab"), (10.5, 0.0, "c")], &[&["abc"]]),
            (&[(0.0, 0.0, "ab"), (12.5, 0.0, "c")], &[&["ab c"]]),
            (&[(0.0, 0.0, "ab "), (15.0, 0.0, "c")], &[&["ab c"]]),
            (
                &[(0.0, 0.0, "Oslo"), (60.0, 0.0, "120"), (0.0, 12.0, "Bergen"), (60.0, 12.0, "95")],
                &[&["Oslo", "120"], &["Bergen", "95"]],
            ),
            (&[(0.0, 0.0, "x"), (5.0, -4.0, "2"), (10.0, 0.0, "y")], &[&["x2y"]]),
            (
                &[(0.0, 0.0, "•"), (25.0, 0.0, "item"), (0.0, 12.0, "3.2"), (40.0, 12.0, "Travel")],
                &[&["• item"], &["3.2 Travel"]],
            ),
        ];
        for (placed, expected) in cases {
            assert_eq!(lines(placed), expected, "{placed:?}");
        }
    }

    #[test]
    fn markers_and_numbers_are_told_from_words() {
        for marker in ["•", "-", "1.", "12)", "(a)", "b.", "(iv)"] {
            assert!(is_marker(marker), "{marker}");
        }
        for word in ["a", "2024.", "Oslo.", "no)", "1.2"] {
            assert!(!is_marker(word), "{word}");
        }
        for number in ["1", "1.", "1.2", "10.4.2.", "A.1"] {
            assert!(is_number(number), "{number}");
        }
        for word in ["A", "2024", "1.a", "Oslo", "1,150"] {
            assert!(!is_number(word), "{word}");
        }
    }
}
