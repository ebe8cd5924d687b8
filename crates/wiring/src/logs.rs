//! Log lines, to standard error.

use std::io::IsTerminal as _;

use ibidem_server::logs::JsonLines;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::settings::{LogFormat, LogSettings};

pub fn start(settings: &LogSettings) {
    // The filter was checked with the settings.
    let filter = settings.filter.parse().unwrap_or_else(|_| EnvFilter::new("info"));
    match settings.format {
        LogFormat::Text => tracing_subscriber::fmt()
            .with_env_filter(filter)
            .with_writer(std::io::stderr)
            .with_ansi(std::io::stderr().is_terminal())
            .init(),
        LogFormat::Json => {
            tracing_subscriber::registry().with(filter).with(JsonLines::to(std::io::stderr)).init();
        }
    }
}
