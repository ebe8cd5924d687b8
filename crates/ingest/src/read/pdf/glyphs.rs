//! The letters of a PDF's pages in the order they are drawn, each with its place.

use std::panic::resume_unwind;

use hayro_interpret::font::{Glyph as Drawn, GlyphRun};
use hayro_interpret::hayro_cmap::{BfString, WritingMode};
use hayro_interpret::hayro_syntax::Pdf;
use hayro_interpret::hayro_syntax::object::Dict;
use hayro_interpret::kurbo::{BezPath, Rect};
use hayro_interpret::{
    BlendMode, ClipPath, Context, Device, DrawMode, DrawProps, Image, ImageDrawProps, InterpreterCache,
    InterpreterSettings, RenderContent, SoftMask, TransformExt, interpret_page,
};

use super::lines::{Lines, Page};
use crate::read::LONGEST_TEXT;

/// Drawing steps a document may take: forms that draw forms can multiply without end.
const MOST_STEPS: usize = 2 * LONGEST_TEXT;

/// Every form clips what it draws, and costs more to enter than a letter or a line.
const STEPS_OF_A_CLIP: usize = 64;

/// The share of an em that a letter without a known width takes.
const USUAL_WIDTH: f64 = 0.5;

/// A letter, or the letters of a ligature, on its page.
pub(super) struct Glyph {
    /// Where it begins along its line of text.
    pub(super) along: f64,
    /// Where its line lies across the page: grows downwards for ordinary text.
    pub(super) across: f64,
    pub(super) width: f64,
    /// The size of its font, as it appears.
    pub(super) size: f64,
    /// The direction of its line, in degrees.
    pub(super) angle: i32,
    pub(super) letters: String,
}

pub(super) struct Collected {
    pub(super) pages: Vec<Page>,
    /// Letters whose font does not say what they are.
    pub(super) unmapped: usize,
    pub(super) mapped: usize,
}

pub(super) fn collect(pdf: &Pdf) -> Collected {
    let mut collector = Collector::default();
    let mut pages = Vec::new();
    let cache = InterpreterCache::new();
    let settings = InterpreterSettings { render_content: RenderContent::PAGE, ..InterpreterSettings::default() };
    for (page, number) in pdf.pages().iter().zip(1..) {
        let (width, height) = page.render_dimensions();
        let bounds = Rect::new(0.0, 0.0, f64::from(width), f64::from(height));
        collector.begin_page();
        let start = page.initial_transform(true).to_kurbo();
        let mut context = Context::new(start, bounds, &cache, pdf.xref(), settings.clone());
        interpret_page(page, &mut context, &mut collector);
        let lines = std::mem::take(&mut collector.lines).finish();
        pages.push(Page { number, height: f64::from(height), lines });
    }
    Collected { pages, unmapped: collector.unmapped, mapped: collector.mapped }
}

#[derive(Default)]
struct Collector {
    lines: Lines,
    /// Marked content that is open, and whether it is an artifact: a running head, a page number, a
    /// watermark, so called by the program that made the file.
    marked: Vec<bool>,
    last_run: Option<Run>,
    steps: usize,
    unmapped: usize,
    mapped: usize,
}

/// Enough of a run of letters to know it again.
struct Run {
    letters: String,
    along: f64,
    across: f64,
    size: f64,
}

impl Collector {
    fn begin_page(&mut self) {
        self.marked.clear();
        self.last_run = None;
    }

    fn step(&mut self, steps: usize) {
        self.steps += steps;
        if self.steps > MOST_STEPS {
            // There is no other way to stop the interpreter; the reader catches it.
            resume_unwind(Box::new("too many drawing steps"));
        }
    }

    /// Bold is imitated by drawing the same letters twice: once is enough to read them.
    fn is_drawn_again(&mut self, glyphs: &[Glyph]) -> bool {
        let Some(first) = glyphs.first() else { return true };
        let letters: String = glyphs.iter().map(|glyph| glyph.letters.as_str()).collect();
        let run = Run { letters, along: first.along, across: first.across, size: first.size };
        let again = self.last_run.as_ref().is_some_and(|last| {
            let near = run.size * 0.1;
            last.letters == run.letters
                && (last.along - run.along).abs() < near
                && (last.across - run.across).abs() < near
        });
        self.last_run = Some(run);
        again
    }
}

impl Device<'_> for Collector {
    fn draw_glyph_run(&mut self, run: &GlyphRun<'_, '_>, props: DrawProps<'_>, _: &DrawMode) {
        let is_vertical = matches!(run.writing_mode(), WritingMode::Vertical);
        let mut glyphs = Vec::with_capacity(run.glyphs().len());
        for glyph in run.glyphs() {
            self.step(1);
            let letters = match glyph.as_unicode() {
                Some(BfString::Char(letter)) => letter.to_string(),
                Some(BfString::String(letters)) => letters,
                None => String::new(),
            };
            let letters = readable(&letters);
            if letters.is_empty() {
                self.unmapped += 1;
                continue;
            }
            self.mapped += 1;
            let [a, b, c, d, x, y] = (props.transform * glyph.transform()).as_coeffs();
            // Fonts are drawn in thousandths of an em.
            let size = c.hypot(d) * 1000.0;
            let advance = match &**glyph {
                Drawn::Outline(outline) => outline.advance_width(),
                Drawn::Type3(drawn) => drawn.advance_width(),
            };
            let width = advance.map_or(USUAL_WIDTH, |advance| f64::from(advance) / 1000.0) * size;
            if !(x.is_finite() && y.is_finite() && size.is_finite() && width.is_finite()) || size <= 0.0 {
                continue;
            }
            glyphs.push(if is_vertical {
                Glyph { along: y, across: -x, width: size, size, angle: 90, letters }
            } else {
                let length = a.hypot(b).max(f64::MIN_POSITIVE);
                let (right, down) = (a / length, b / length);
                let angle = rounded(down.atan2(right).to_degrees());
                Glyph { along: x * right + y * down, across: y * right - x * down, width, size, angle, letters }
            });
        }
        if self.marked.contains(&true) || self.is_drawn_again(&glyphs) {
            return;
        }
        for glyph in &glyphs {
            self.lines.add(glyph);
        }
    }

    fn begin_marked_content(&mut self, tag: &[u8], _: Option<&Dict<'_>>) {
        self.step(1);
        self.marked.push(tag == b"Artifact");
    }

    fn end_marked_content(&mut self) {
        self.marked.pop();
    }

    fn draw_path(&mut self, _: &BezPath, _: DrawProps<'_>, _: &DrawMode) {
        self.step(1);
    }

    fn push_clip_path(&mut self, _: &ClipPath) {
        self.step(STEPS_OF_A_CLIP);
    }

    fn push_transparency_group(&mut self, _: f32, _: Option<SoftMask<'_>>, _: BlendMode) {
        self.step(STEPS_OF_A_CLIP);
    }

    fn draw_image(&mut self, _: Image<'_, '_>, _: ImageDrawProps<'_>) {
        self.step(1);
    }

    fn pop_clip(&mut self) {}

    fn pop_transparency_group(&mut self) {}
}

#[expect(clippy::cast_possible_truncation, reason = "an angle between -180 and 180")]
fn rounded(degrees: f64) -> i32 {
    degrees.round() as i32
}

/// Ligatures as their letters, bullets of symbol fonts as bullets, nothing from private alphabets.
fn readable(letters: &str) -> String {
    let mut readable = String::with_capacity(letters.len());
    for letter in letters.chars() {
        match letter {
            '\u{fb00}' => readable.push_str("ff"),
            '\u{fb01}' => readable.push_str("fi"),
            '\u{fb02}' => readable.push_str("fl"),
            '\u{fb03}' => readable.push_str("ffi"),
            '\u{fb04}' => readable.push_str("ffl"),
            '\u{fb05}' | '\u{fb06}' => readable.push_str("st"),
            '\u{f0b7}' | '\u{f0a7}' => readable.push('•'),
            '\u{a0}' => readable.push(' '),
            '\u{e000}'..='\u{f8ff}' | '\u{fffd}' => {}
            _ if letter.is_control() => {}
            _ => readable.push(letter),
        }
    }
    readable
}
