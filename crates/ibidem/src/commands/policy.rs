//! `ibidem policy`: what a policy says, whether it can be meant, and how two differ. Needs nothing but the files.

mod check;
mod diff;
mod explain;
mod table;
mod written;

use std::process::ExitCode;

use ibidem_engine::policy::Policy;

use self::written::Written;
use crate::compose::SHIPPED_POLICIES;
use crate::console;

#[derive(clap::Subcommand)]
pub(crate) enum PolicyCommand {
    /// Lists the built-in policy files.
    List,
    /// Finds settings of policy files that are invalid or contradict each other, and names those that have no effect.
    Check(check::Check),
    /// Lists the settings in which two policy files differ. Exits with 0 when there are none, with 1 when there are
    /// some, and with 2 when a file is wrong.
    Diff(diff::Diff),
    /// Explains in plain words, step by step, what happens to a question under a policy file.
    Explain(explain::Explain),
    /// Prints a policy file as it is written: a built-in one by its name, or a path.
    Show {
        /// A policy file: the name of a built-in one, or a path.
        policy: String,
    },
    /// Prints the numbers of the built-in policy files side by side, as Markdown.
    Table,
}

impl PolicyCommand {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        match self {
            Self::List => list()?,
            Self::Check(command) => return Ok(command.run()),
            Self::Diff(command) => return Ok(command.run()),
            Self::Explain(command) => command.run()?,
            Self::Show { policy } => console::say(Written::load(&policy)?.policy.texts.policy.trim_end()),
            Self::Table => console::say(table::shipped()?.trim_end()),
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn list() -> anyhow::Result<()> {
    let mut table = console::table(&["name", "hash", "what it is for"]);
    for (name, text) in SHIPPED_POLICIES {
        let policy = Policy::parse(text)?;
        table.add_row([name.to_owned(), policy.hash.short(12).to_string(), policy.rules.about]);
    }
    console::say(&table.to_string());
    Ok(())
}
