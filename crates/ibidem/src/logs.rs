//! Log lines, to standard error.

use std::io::IsTerminal as _;

use tracing_subscriber::EnvFilter;

use crate::settings::{LogFormat, LogSettings};

pub(crate) fn start(settings: &LogSettings) {
    // The filter was checked with the settings.
    let filter = settings.filter.parse().unwrap_or_else(|_| EnvFilter::new("info"));
    let builder = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal());
    match settings.format {
        LogFormat::Text => builder.init(),
        LogFormat::Json => builder.json().flatten_event(true).init(),
    }
}
