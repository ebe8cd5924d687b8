//! Ibidem: answers from an organisation's own documents, each claim traced to its source.

mod commands;
mod compose;
mod console;
mod json_lines;
mod logs;
mod operator;
mod roles_in_force;
mod settings;

use std::process::ExitCode;

use clap::Parser as _;

fn main() -> ExitCode {
    if let Some(reading) = commands::read_original::ReadOriginal::called(std::env::args_os()) {
        return ended(reading.run());
    }
    // Two TLS libraries are compiled into the parts below us; they share this one's cryptography.
    let _ = rustls::crypto::ring::default_provider().install_default();
    ended(commands::run(commands::Arguments::parse()))
}

fn ended(result: anyhow::Result<ExitCode>) -> ExitCode {
    match result {
        Ok(code) => code,
        Err(error) => {
            console::complain(&format!("{error:#}"));
            ExitCode::FAILURE
        }
    }
}
