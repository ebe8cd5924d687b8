//! Ibidem: answers from an organisation's own documents, each claim traced to its source.

mod commands;
mod handing_over;
mod roles_in_force;

use std::process::ExitCode;

use clap::Parser as _;
use ibidem_wiring::{compose, console, json_lines, logs, operator, settings};

fn main() -> ExitCode {
    ibidem_wiring::begin(|| commands::run(commands::Arguments::parse()))
}
