//! `ibidem policy`: what a policy says, whether it can be meant, and how two differ. Needs nothing but the files.

mod check;
mod diff;
mod explain;
mod table;
mod written;

use std::process::ExitCode;

use ibidem_engine::policy::Policy;

use crate::compose::SHIPPED_POLICIES;
use crate::console;

#[derive(clap::Subcommand)]
pub(crate) enum PolicyCommand {
    /// Lists the policies that come with the binary.
    List,
    /// Checks policies: what cannot be read or contradicts itself is wrong, what can never have an effect is named.
    Check(check::Check),
    /// Tells in which settings two policies differ. Ends with 0 when in none, 1 when in some, 2 when one is wrong.
    Diff(diff::Diff),
    /// Tells in plain words, in the order in which it happens, what a policy does with a question.
    Explain(explain::Explain),
    /// Prints every number of the policies that come with the binary, as Markdown.
    Table,
}

impl PolicyCommand {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        match self {
            Self::List => list()?,
            Self::Check(command) => return Ok(command.run()),
            Self::Diff(command) => return Ok(command.run()),
            Self::Explain(command) => command.run()?,
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
