//! `ibidem read-original`: one original on standard input is read in this process, which can do nothing else.
//!
//! Workers start it for each document; nobody needs to by hand.

use std::ffi::OsString;
use std::process::ExitCode;

use anyhow::Context as _;
use clap::Parser;
use ibidem_ingest::read::child::COMMAND;
use ibidem_ingest::read::confined;
use ibidem_ports::intake::Format;

/// Reads one original on standard input, confined; workers start it for each document.
#[derive(Parser)]
#[command(name = "ibidem read-original")]
pub(crate) struct ReadOriginal {
    #[arg(long, required_unless_present = "probe", help = format!("How it is to be read: {}", Format::names()))]
    format: Option<Format>,
    /// Address space that may be used.
    #[arg(long)]
    memory_bytes: u64,
    /// Processor time that may be used.
    #[arg(long)]
    seconds: u64,
    /// Reads nothing, and answers what it could still do that it should not.
    #[arg(long)]
    probe: bool,
}

impl ReadOriginal {
    /// This command, if it is the one that was called. It is told apart before all others, which take longer to set up
    /// than many a document takes to be read.
    pub(crate) fn called(mut arguments: impl Iterator<Item = OsString>) -> Option<Self> {
        let program = arguments.next()?;
        arguments.next().filter(|command| command == COMMAND)?;
        Some(Self::parse_from(std::iter::once(program).chain(arguments)))
    }

    pub(crate) fn run(&self) -> anyhow::Result<ExitCode> {
        confined::confine(self.memory_bytes, self.seconds)?;
        match self.format {
            Some(format) if !self.probe => confined::answer(format).context("the original or the answer")?,
            _ => confined::answer_probe().context("the answer")?,
        }
        Ok(ExitCode::SUCCESS)
    }
}
