//! Ibidem: answers from an organisation's own documents, each claim traced to its source.

mod commands;
mod handing_over;
mod roles_in_force;
mod short_ids;

use std::process::ExitCode;

use ibidem_wiring::{compose, console, json_lines, logs, operator, settings, terminal};

fn main() -> ExitCode {
    ibidem_wiring::begin(|| commands::run(commands::Arguments::of_program()))
}
