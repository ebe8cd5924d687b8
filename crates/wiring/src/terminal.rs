//! What the terminal can show: colours, and lines of its width. Where nobody sits at one, text goes out as it is.

use std::ffi::OsStr;
use std::io::IsTerminal as _;

use ibidem_words::seen;

/// A terminal of fewer columns than these is not written for.
const NARROWEST: usize = 40;
/// Lines that are longer are hard to read.
const WIDEST: usize = 100;

/// What part of a line means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Look {
    Plain,
    Heading,
    /// What a number or a mark leads to.
    Mark,
    /// What one may pass over.
    Aside,
    Bad,
}

impl Look {
    fn code(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Heading => "\u{1b}[1m",
            Self::Mark => "\u{1b}[36m",
            Self::Aside => "\u{1b}[2m",
            Self::Bad => "\u{1b}[1;31m",
        }
    }
}

/// What standard output or standard error shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Terminal {
    has_colours: bool,
    /// None where it is no terminal: a file, or another program.
    width: Option<usize>,
}

impl Terminal {
    pub fn of_output() -> Self {
        let width = comfy_table::Table::new().width().map(usize::from);
        Self::of(std::io::stdout().is_terminal(), width)
    }

    pub fn of_errors() -> Self {
        Self::of(std::io::stderr().is_terminal(), None)
    }

    fn of(is_terminal: bool, width: Option<usize>) -> Self {
        let (no_colour, kind) = (std::env::var_os("NO_COLOR"), std::env::var_os("TERM"));
        Self::new(is_terminal.then_some(width.unwrap_or(80)), no_colour.as_deref(), kind.as_deref())
    }

    /// By its width, if it is one, `NO_COLOR` (no-color.org) and `TERM`.
    fn new(width: Option<usize>, no_colour: Option<&OsStr>, kind: Option<&OsStr>) -> Self {
        let wants_none = no_colour.is_some_and(|value| !value.is_empty()) || kind.is_some_and(|kind| kind == "dumb");
        let has_colours = width.is_some() && !wants_none;
        Self { has_colours, width: width.map(|width| width.clamp(NARROWEST, WIDEST)) }
    }

    /// Whether somebody sits at it; otherwise a program reads what is written.
    pub fn is_for_people(&self) -> bool {
        self.width.is_some()
    }

    /// Text with its look. What it holds steers no terminal.
    pub fn paint(&self, look: Look, text: &str) -> Painted {
        let mut painted = Painted::default();
        painted.add(*self, look, text);
        painted
    }

    /// Breaks text that comes in pieces.
    pub fn flow(&self) -> Flow {
        Flow { terminal: *self, column: 0, keeps_lines: false, gap: String::new() }
    }

    /// Text broken into lines, with so many spaces before each but the first.
    pub fn wrapped(&self, text: &str, indent: usize) -> Painted {
        match self.width {
            Some(width) => self.paint(Look::Plain, &wrapped(text, indent, width)),
            None => self.paint(Look::Plain, text),
        }
    }

    /// Where lines end; elsewhere than at a terminal too.
    pub fn columns(&self) -> usize {
        self.width.unwrap_or(WIDEST)
    }
}

/// Words in lines of at most so many columns, with so many spaces before each line but the first, which begins there.
pub fn wrapped(text: &str, indent: usize, width: usize) -> String {
    let (mut lines, mut column) = (String::new(), indent);
    for word in text.split_whitespace() {
        let length = word.chars().count();
        if column > indent && column + 1 + length > width {
            lines.push('\n');
            lines.extend(std::iter::repeat_n(' ', indent));
            column = indent;
        } else if column > indent {
            lines.push(' ');
            column += 1;
        }
        lines.push_str(word);
        column += length;
    }
    lines
}

/// Text whose colours are ours; nothing else in it steers a terminal.
#[derive(Default, PartialEq, Eq, Debug)]
pub struct Painted(String);

impl Painted {
    pub fn add(&mut self, terminal: Terminal, look: Look, text: &str) {
        let text = seen(text);
        match terminal.has_colours && look != Look::Plain && !text.is_empty() {
            true => self.0.extend([look.code(), text.as_ref(), "\u{1b}[0m"]),
            false => self.0.push_str(&text),
        }
    }

    pub fn append(&mut self, other: &Self) {
        self.0.push_str(&other.0);
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

/// Breaks lines between words while text comes in, and gives the marks of sources their look.
#[derive(Debug)]
pub struct Flow {
    terminal: Terminal,
    column: usize,
    /// A row of a table stays on its line.
    keeps_lines: bool,
    /// White space that is written when a word follows on the same line.
    gap: String,
}

impl Flow {
    /// What is to be shown of the next piece, all of it.
    pub fn add(&mut self, text: &str) -> Painted {
        let mut painted = Painted::default();
        let Some(width) = self.terminal.width else {
            painted.add(self.terminal, Look::Plain, text);
            return painted;
        };
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let is_gap = first.is_whitespace();
            let end = rest.find(|c: char| c.is_whitespace() != is_gap).unwrap_or(rest.len());
            let (part, after) = rest.split_at(end);
            rest = after;
            if !is_gap {
                self.word(part, width, &mut painted);
                continue;
            }
            match part.rfind('\n') {
                Some(last) => {
                    let breaks: String = part.chars().filter(|c| *c == '\n').collect();
                    painted.add(self.terminal, Look::Plain, &breaks);
                    (self.column, self.keeps_lines) = (0, false);
                    self.gap = part[last + 1..].to_owned();
                }
                None => self.gap.push_str(part),
            }
        }
        painted
    }

    fn word(&mut self, word: &str, width: usize, painted: &mut Painted) {
        if self.column == 0 {
            self.keeps_lines = word.starts_with('|');
        }
        let gap = std::mem::take(&mut self.gap);
        let length = word.chars().count();
        let is_over = self.column > 0 && !gap.is_empty() && self.column + gap.chars().count() + length > width;
        if is_over && !self.keeps_lines {
            painted.add(self.terminal, Look::Plain, "\n");
            self.column = 0;
        } else {
            painted.add(self.terminal, Look::Plain, &gap);
            self.column += gap.chars().count();
        }
        self.column += length;
        let mut rest = word;
        while let Some((before, mark, after)) = first_mark(rest) {
            painted.add(self.terminal, Look::Plain, before);
            painted.add(self.terminal, Look::Mark, mark);
            rest = after;
        }
        painted.add(self.terminal, Look::Plain, rest);
    }
}

/// The first mark of a source, such as `[2]`, with what stands around it.
fn first_mark(word: &str) -> Option<(&str, &str, &str)> {
    let mut from = 0;
    while let Some(open) = word[from..].find('[').map(|at| from + at) {
        let digits = word[open + 1..].bytes().take_while(u8::is_ascii_digit).count();
        let close = open + 1 + digits;
        if digits > 0 && word[close..].starts_with(']') {
            return Some((&word[..open], &word[open..=close], &word[close + 1..]));
        }
        from = open + 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terminal(width: Option<usize>, no_colour: &str, kind: &str) -> Terminal {
        Terminal::new(width, Some(OsStr::new(no_colour)), Some(OsStr::new(kind)))
    }

    #[test]
    fn only_a_terminal_gets_colours_and_only_where_nobody_forbids_them() {
        for (width, no_colour, kind, has_colours) in [
            (Some(80), "", "xterm", true),
            (Some(80), "1", "xterm", false),
            (Some(80), "", "dumb", false),
            (None, "", "xterm", false),
        ] {
            let terminal = terminal(width, no_colour, kind);
            assert_eq!(terminal.has_colours, has_colours, "{width:?} {no_colour:?} {kind:?}");
            assert_eq!(terminal.is_for_people(), width.is_some());
        }
        assert_eq!(terminal(Some(5), "", "").width, Some(NARROWEST));
        assert_eq!(terminal(Some(500), "", "").width, Some(WIDEST));
    }

    #[test]
    fn what_a_document_says_never_steers_the_terminal() {
        let painted = terminal(Some(80), "", "xterm").paint(Look::Mark, "a\u{1b}[31mb\u{202e}");
        assert_eq!(painted.as_str(), "\u{1b}[36ma[31mb\u{1b}[0m");
        assert_eq!(terminal(None, "", "xterm").paint(Look::Mark, "a").as_str(), "a");
    }

    #[test]
    fn an_answer_flows_in_the_width_of_the_terminal_and_goes_to_programs_as_it_is() {
        let pieces = [
            "The daily limit for meals is 45 euros in the country.[1] ",
            "Abroad it is 60 euros.[2][3]\n\n",
            "| Country | Limit of a whole day in euros, breakfast included |\n",
            "It is paid [later].\n",
        ];
        let written = |terminal: Terminal| {
            let mut flow = terminal.flow();
            pieces.iter().map(|piece| flow.add(piece).0).collect::<String>()
        };
        assert_eq!(
            written(terminal(Some(44), "1", "")),
            "The daily limit for meals is 45 euros in the\ncountry.[1] Abroad it is 60 euros.[2][3]\n\n\
             | Country | Limit of a whole day in euros, breakfast included |\nIt is paid [later].\n"
        );
        let coloured = written(terminal(Some(90), "", "xterm"));
        assert!(coloured.contains("country.\u{1b}[36m[1]\u{1b}[0m Abroad"), "{coloured:?}");
        assert!(coloured.contains("[later]"), "{coloured:?}");
        assert_eq!(written(terminal(None, "", "")), pieces.concat());
    }

    #[test]
    fn lines_are_indented_under_their_first() {
        let text = "one two three four five six seven eight nine ten eleven";
        assert_eq!(
            terminal(Some(40), "1", "").wrapped(text, 4).as_str(),
            "one two three four five six seven\n    eight nine ten eleven"
        );
        assert_eq!(terminal(None, "", "").wrapped(text, 4).as_str(), text);
    }
}
