//! The one place that writes to the terminal.

use std::io::Write as _;

/// A line for the person or program that called us. A closed pipe is not our problem.
pub(crate) fn say(line: &str) {
    let _ = writeln!(std::io::stdout(), "{line}");
}

/// A line about what is going on or went wrong, kept out of what programs read.
pub(crate) fn note(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

pub(crate) fn complain(error: &str) {
    note(&format!("error: {error}"));
}

/// A value as one JSON document.
pub(crate) fn say_json(value: &impl serde::Serialize) -> anyhow::Result<()> {
    say(&serde_json::to_string_pretty(value)?);
    Ok(())
}

/// A plain table that fits the terminal.
pub(crate) fn table(header: &[&str]) -> comfy_table::Table {
    let mut table = comfy_table::Table::new();
    table.load_style(comfy_table::presets::NOTHING);
    table.set_content_arrangement(comfy_table::ContentArrangement::Dynamic);
    table.set_header(header);
    table
}
