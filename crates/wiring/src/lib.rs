//! What every program of the project begins with: its settings, the parts put together from them, the operator who calls
//! it, the terminal.

pub mod arguments;
pub mod compose;
pub mod console;
pub mod json_lines;
pub mod logs;
pub mod models;
mod no_telemetry;
pub mod operator;
mod read_original;
pub mod settings;
pub mod terminal;

use std::process::ExitCode;

/// Runs a program to its end. An error is told on standard error.
///
/// Loading a document starts the same program again, to read the original apart; that is told apart here.
pub fn begin(program: impl FnOnce() -> anyhow::Result<ExitCode>) -> ExitCode {
    if let Some(reading) = read_original::ReadOriginal::called(std::env::args_os()) {
        return ended(reading.run());
    }
    no_telemetry::ensure();
    // Two TLS libraries are compiled into the parts below us; they share this one's cryptography.
    let _ = rustls::crypto::ring::default_provider().install_default();
    ended(program())
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
