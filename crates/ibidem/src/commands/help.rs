//! The first page of `--help`: the commands by what one wants to do.

use std::fmt::Write as _;

use clap::{Command, CommandFactory as _};

use super::Arguments;
use crate::terminal::{Terminal, wrapped};

/// Every command that is shown, in the group in which somebody would look for it.
const GROUPS: [(&str, &[&str]); 7] = [
    ("Begin", &["try", "migrate", "doctor"]),
    ("Ask", &["ask", "search", "explain", "term", "verify"]),
    ("Documents and curated answers", &["ingest", "document", "memory", "tag"]),
    ("People and their access", &["key", "groups", "login", "tenant", "audit", "hand-over"]),
    ("Rules and quality", &["policy", "policies", "eval", "calibrate", "replay"]),
    ("Run", &["serve", "worker", "models", "tools", "mcp", "metrics", "openapi", "completions"]),
    ("Keep and repair", &["backup", "restore", "reindex", "reconcile", "signing-key"]),
];

/// The commands in their groups, in place of the one long list.
const TEMPLATE: &str = "\
{about-with-newline}
{usage-heading} {usage}{after-help}

Options:
{options}";

/// The arguments of the program, with its commands in groups.
pub(super) fn command() -> Command {
    let command = Arguments::command();
    let groups = groups(&command);
    command.help_template(TEMPLATE).after_help(groups.clone()).after_long_help(groups)
}

fn groups(command: &Command) -> String {
    let about = |name: &str| command.find_subcommand(name).and_then(Command::get_about).map(ToString::to_string);
    let widest = GROUPS.iter().flat_map(|(_, names)| names.iter()).map(|name| name.len()).max().unwrap_or(0);
    let (columns, mut text) = (Terminal::of_output().columns(), String::new());
    for (group, names) in GROUPS {
        let _ = writeln!(text, "{group}:");
        for name in names {
            let about = wrapped(&about(name).unwrap_or_default(), widest + 4, columns);
            let _ = writeln!(text, "  {name:widest$}  {about}");
        }
        text.push('\n');
    }
    text.push_str("`ibidem help COMMAND` explains one of them.\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_in_one_group() {
        let command = Arguments::command();
        let shown = command.get_subcommands().filter(|command| !command.is_hide_set());
        let mut shown: Vec<&str> = shown.map(Command::get_name).filter(|name| *name != "help").collect();
        let mut grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        shown.sort_unstable();
        grouped.sort_unstable();
        assert_eq!(grouped, shown);
    }

    #[test]
    fn the_first_page_has_the_groups_and_a_mistyped_command_is_understood() {
        let help = command().render_help().to_string();
        assert!(help.contains("\nBegin:\n  try ") && help.contains("\nOptions:\n"), "{help}");
        assert!(!help.contains("run-child") && !help.contains("\nCommands:"), "{help}");
        let mistyped = command().try_get_matches_from(["ibidem", "docter"]).unwrap_err().to_string();
        assert!(mistyped.contains("'doctor'"), "{mistyped}");
    }
}
