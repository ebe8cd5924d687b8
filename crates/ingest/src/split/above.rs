//! What stands above a passage and its sentences need: found in one walk along the lines of a section.

use std::iter::Peekable;
use std::ops::Range;

use ibidem_language::layout::{Begun, Line, Place, Sort, lines};
use ibidem_words::{CharSpan, LineAbove, LinesAbove};

use super::{CharacterCounter, SplitError, narrowed};

/// Longer lines are not kept with every passage below them.
const LONGEST: usize = 600;

/// The lines of one stretch, asked for from its beginning to its end.
pub(super) struct Above<'t, I: Iterator<Item = Line>> {
    text: &'t str,
    lines: Peekable<I>,
    /// The stretch opens with so many bytes of headings, the last of which is its own.
    headings: usize,
    heading: Option<LineAbove>,
    lead_in: Kept,
    head: Kept,
}

/// The last line of one sort, with the counter that gives such lines their spans: they come in order.
struct Kept {
    counter: CharacterCounter,
    bytes: Range<usize>,
    line: Option<LineAbove>,
}

impl Kept {
    fn from(counter: CharacterCounter) -> Self {
        Self { counter, bytes: 0..0, line: None }
    }

    fn line(&mut self, text: &str, bytes: Range<usize>) -> Result<Option<LineAbove>, SplitError> {
        if self.bytes != bytes {
            let start = self.counter.advance(text, bytes.start);
            let words = &text[bytes.clone()];
            let length = words.chars().count();
            let span = CharSpan { start: narrowed(start)?, end: narrowed(start + length)? };
            self.line = (length <= LONGEST).then(|| LineAbove { text: words.to_owned(), span });
            self.bytes = bytes;
        }
        Ok(self.line.clone())
    }
}

/// Of a stretch that opens with `headings` bytes of headings, of which `own` is its own, and begins at this character.
pub(super) fn above<'t>(
    text: &'t str,
    headings: usize,
    own: Option<&str>,
    begins_at: usize,
) -> Result<Above<'t, impl Iterator<Item = Line> + use<'t>>, SplitError> {
    let counter = || CharacterCounter { bytes: 0, characters: begins_at };
    let last = text[..headings].trim_end();
    let start = last.rfind('\n').map_or(0, |end| end + 1);
    let start = start + (last[start..].len() - last[start..].trim_start().len());
    // In the path long headings are cut.
    let is_own = own.is_some_and(|own| !own.is_empty() && last[start..].starts_with(own));
    let heading = if is_own { Kept::from(counter()).line(text, start..last.len())? } else { None };
    Ok(Above {
        text,
        lines: lines(text, Begun::default()).peekable(),
        headings,
        heading,
        lead_in: Kept::from(counter()),
        head: Kept::from(counter()),
    })
}

impl<I: Iterator<Item = Line>> Above<'_, I> {
    /// What stands above a passage that begins at this byte. Asked for in order.
    pub(super) fn at(&mut self, byte: usize) -> Result<LinesAbove, SplitError> {
        while self.lines.next_if(|line| line.bytes.end <= byte).is_some() {}
        let heading = self.heading.clone().filter(|_| byte >= self.headings);
        let mut above = LinesAbove { heading, ..LinesAbove::default() };
        let Some(line) = self.lines.peek() else { return Ok(above) };
        match (line.sort, &line.lead_in, &line.head) {
            (Sort::Item, Some(Place::Here(bytes)), _) => above.lead_in = self.lead_in.line(self.text, bytes.clone())?,
            (Sort::Row, _, Some(Place::Here(bytes))) => above.head = self.head.line(self.text, bytes.clone())?,
            _ => {}
        }
        Ok(above)
    }
}
