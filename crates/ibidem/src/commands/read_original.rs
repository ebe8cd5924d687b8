//! `ibidem read-original`: one original on standard input is read in this process, which can do nothing else.
//!
//! Workers start it for each document; nobody needs to by hand.

use std::process::ExitCode;

use anyhow::Context as _;
use ibidem_engine::ports::intake::Format;
use ibidem_ingest::read::confined;

#[derive(clap::Args)]
pub(crate) struct ReadOriginal {
    /// How it is to be read: markdown, html, plain, pdf or docx.
    #[arg(long, required_unless_present = "probe")]
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
    pub(crate) fn run(&self) -> anyhow::Result<ExitCode> {
        confined::confine(self.memory_bytes, self.seconds)?;
        match self.format {
            Some(format) if !self.probe => confined::answer(format).context("the original or the answer")?,
            _ => confined::answer_probe().context("the answer")?,
        }
        Ok(ExitCode::SUCCESS)
    }
}
