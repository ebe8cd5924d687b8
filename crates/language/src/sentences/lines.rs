//! What sort of line is being read: prose, a heading, a row of a table, code.

use super::signs::{emphasises, is_bullet};

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Line {
    /// Nothing of it was read yet, or only what quotes it.
    #[default]
    Begun,
    /// Perhaps the fence of a block of code: so many of its signs.
    Fence(char, usize),
    Prose,
    Heading,
    FirstRow,
    Row,
    /// The fence that opens a block of code, still growing.
    Opening,
    /// The rest of that line: the language.
    Opened,
    Code,
    EndOfCode,
}

/// The line that is being read, the one before it, and the code that they may be in.
#[derive(Clone, Debug, Default)]
pub(super) struct Lines {
    line: Line,
    before: Line,
    /// The fence that opened a block of code.
    block: Option<(char, usize)>,
    /// The sentence is, or began as, a block of code.
    code_since: bool,
    /// The run of backticks that opened code inside the line.
    inline: Option<usize>,
    /// Backticks in a row, not counted yet.
    backticks: usize,
    /// Only signs that number or mark an item were read of the line.
    at_head: bool,
}

impl Lines {
    /// The last line that had anything in it, for a sign at the beginning of the next.
    pub(super) fn before(&self) -> Line {
        self.before
    }

    pub(super) fn in_code(&self) -> bool {
        self.block.is_some()
    }

    pub(super) fn is_code_since(&self) -> bool {
        self.code_since
    }

    pub(super) fn begin_sentence(&mut self) {
        self.code_since = self.block.is_some();
    }

    /// Whether a full stop means anything here.
    pub(super) fn has_stops(&self) -> bool {
        self.line == Line::Prose && self.block.is_none() && self.inline.is_none() && self.backticks == 0
    }

    /// Whether this, before a full stop, numbers the item that the line is.
    pub(super) fn is_ordinal(&self, word: &str) -> bool {
        let number = word.trim_start_matches(emphasises);
        let is_short = (1..=3).contains(&number.len()) || (number.contains('.') && number.len() <= 8);
        self.at_head && is_short && number.chars().all(|sign| sign.is_ascii_digit() || sign == '.')
    }

    /// White space: what counts signs in a row begins anew.
    pub(super) fn pause(&mut self) {
        self.close_run();
        match self.line {
            Line::Fence(..) => self.line = if self.block.is_some() { Line::Code } else { Line::Prose },
            Line::Opening => self.line = Line::Opened,
            _ => {}
        }
    }

    pub(super) fn end(&mut self) {
        if self.line != Line::Begun {
            self.before = self.line;
        }
        self.line = Line::Begun;
        // Code in a line ends with the line at the latest.
        self.inline = None;
        self.backticks = 0;
    }

    /// Takes a sign that is not white space; so many lines ended before it.
    pub(super) fn take(&mut self, sign: char, lines_before: usize) {
        self.at_head |= self.line == Line::Begun;
        // An item may be a block of code too.
        let may_be_fence = self.line == Line::Prose && self.at_head && matches!(sign, '`' | '~');
        if self.line == Line::Begun || may_be_fence {
            self.line = match sign {
                '>' => Line::Begun,
                '`' | '~' => Line::Fence(sign, 0),
                _ if self.block.is_some() => Line::Code,
                '#' => Line::Heading,
                '|' if lines_before == 1 && matches!(self.before, Line::FirstRow | Line::Row) => Line::Row,
                '|' => Line::FirstRow,
                _ => Line::Prose,
            };
        }
        self.count_fence(sign);
        if self.block.is_none() {
            self.follow_inline(sign);
        }
        self.at_head &= sign.is_ascii_digit() || is_bullet(sign) || emphasises(sign) || matches!(sign, '>' | '.' | ')');
    }

    fn count_fence(&mut self, sign: char) {
        match (self.line, self.block) {
            (Line::Fence(fence, count), None) if sign == fence => {
                self.line = Line::Fence(fence, count + 1);
                if count + 1 == 3 {
                    self.block = Some((fence, 3));
                    self.line = Line::Opening;
                    self.code_since = true;
                    self.backticks = 0;
                }
            }
            (Line::Fence(fence, count), Some((opened, least))) if sign == fence && fence == opened => {
                self.line = Line::Fence(fence, count + 1);
                if count + 1 == least {
                    self.block = None;
                    self.line = Line::EndOfCode;
                }
            }
            (Line::Fence(..), block) => self.line = if block.is_some() { Line::Code } else { Line::Prose },
            (Line::Opening, Some((fence, count))) if sign == fence => self.block = Some((fence, count + 1)),
            // Backticks again in the same line: that was code inside the line.
            (Line::Opened, Some(('`', count))) if sign == '`' => {
                self.block = None;
                self.line = Line::Prose;
                self.code_since = false;
                self.inline = Some(count);
            }
            (Line::Opening, _) => self.line = Line::Opened,
            _ => {}
        }
    }

    fn follow_inline(&mut self, sign: char) {
        if self.line == Line::EndOfCode {
            return;
        }
        if sign == '`' {
            self.backticks += 1;
        } else {
            self.close_run();
        }
    }

    /// Backticks in a row open code, or close what as many opened.
    fn close_run(&mut self) {
        let run = std::mem::take(&mut self.backticks);
        if run > 0 {
            self.inline = match self.inline {
                None => Some(run),
                Some(opened) if opened == run => None,
                still => still,
            };
        }
    }
}
