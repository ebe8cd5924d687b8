//! The one place that writes to the terminal.

use std::borrow::Cow;
use std::io::{IsTerminal as _, Write as _};

use anyhow::Context as _;
use ibidem_words::{escaped_json, seen};
use indicatif::{ProgressBar, ProgressStyle};

use crate::terminal::{Look, Painted, Terminal};

/// A line for the person or program that called us. A closed pipe is not our problem.
pub fn say(line: &str) {
    let _ = writeln!(std::io::stdout(), "{}", harmless(line));
}

/// Text without an end of line, shown at once.
pub fn say_part(text: &str) {
    let mut out = std::io::stdout();
    let _ = write!(out, "{}", harmless(text)).and_then(|()| out.flush());
}

/// The same in colours, where the terminal has them.
pub fn say_painted(line: &Painted) {
    let _ = writeln!(std::io::stdout(), "{}", line.as_str());
}

/// Painted text without an end of line, shown at once.
pub fn say_painted_part(text: &Painted) {
    let mut out = std::io::stdout();
    let _ = write!(out, "{}", text.as_str()).and_then(|()| out.flush());
}

/// Documents and models may hold signs that steer a terminal: none of them reaches it.
fn harmless(text: &str) -> Cow<'_, str> {
    seen(text)
}

/// A line about what is going on or went wrong, kept out of what programs read.
pub fn note(line: &str) {
    let _ = writeln!(std::io::stderr(), "{}", harmless(line));
}

/// Asks for a yes at the terminal; no answer where nobody sits at one.
pub fn confirmed(question: &str) -> std::io::Result<Option<bool>> {
    let (input, shown) = (std::io::stdin(), std::io::stderr());
    if !input.is_terminal() || !shown.is_terminal() {
        return Ok(None);
    }
    let _ = write!(&shown, "{} [y/N] ", harmless(question));
    let mut answer = String::new();
    input.read_line(&mut answer)?;
    Ok(Some(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes")))
}

pub fn complain(error: &str) {
    let terminal = Terminal::of_errors();
    let mut line = terminal.paint(Look::Bad, "error:");
    line.add(terminal, Look::Plain, &format!(" {error}"));
    let _ = writeln!(std::io::stderr(), "{}", line.as_str());
}

/// A value as one JSON document.
pub fn say_json(value: &impl serde::Serialize) -> anyhow::Result<()> {
    // As escapes, and not taken out: programs read what was there, byte for byte.
    say(&escaped_json(&serde_json::to_string_pretty(value)?));
    Ok(())
}

/// A value as one JSON document where that is asked for, or else as it is shown to people.
pub fn say_json_or(json: bool, value: &impl serde::Serialize, show: impl FnOnce()) -> anyhow::Result<()> {
    if json {
        return say_json(value);
    }
    show();
    Ok(())
}

/// A bar for so many steps, and what is written behind their count.
pub fn bar(steps: u64, what: &str) -> anyhow::Result<ProgressBar> {
    let style = ProgressStyle::with_template(&format!("{{bar:30}} {{pos}}/{{len}} {what}"));
    Ok(ProgressBar::new(steps).with_style(style.context("the progress bar's template")?))
}

/// A plain table that fits the terminal.
pub fn table(header: &[&str]) -> comfy_table::Table {
    let mut table = comfy_table::Table::new();
    table.load_style(comfy_table::presets::NOTHING);
    table.set_content_arrangement(comfy_table::ContentArrangement::Dynamic);
    table.set_header(header);
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_steers_a_terminal_reaches_it() {
        assert_eq!(harmless("a\u{1b}[31mred\u{7}\u{9b}2J\r\n\tb é \u{202e}flow"), "a[31mred2J\n\tb é flow");
    }
}
