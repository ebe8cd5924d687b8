//! Log lines, to standard error, and traces, to a collector.

use std::io::IsTerminal as _;

use anyhow::Context as _;
use ibidem_adapters::otlp::Otlp;
use ibidem_server::logs::JsonLines;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, Layer, Registry, fmt, registry};

use crate::settings::{LogFormat, LogSettings, Settings};

/// Where traces go, if anywhere.
pub fn traces(settings: &Settings) -> anyhow::Result<Option<Otlp>> {
    let url = settings.server.otlp_url.as_deref();
    url.map(Otlp::start).transpose().context("check `server.otlp_url`")
}

/// The log's filter holds for log lines alone: traces are whole at any level.
pub fn start(settings: &LogSettings, traces: Option<&Otlp>) {
    start_with(settings, traces.map(Otlp::layer));
}

/// Log lines, and something else that is told of every span.
pub fn start_with(settings: &LogSettings, also: impl Layer<Registry> + Send + Sync) {
    // Tool servers tell of themselves when they are connected to. That is not for the log, unless somebody asks for it.
    let written = if settings.level == "info" { "info,rmcp=warn" } else { settings.level.as_str() };
    // The filter was checked with the settings.
    let filter = written.parse().unwrap_or_else(|_| EnvFilter::new("info"));
    let lines = match settings.format.get() {
        LogFormat::Text => fmt::layer().with_writer(std::io::stderr).with_ansi(std::io::stderr().is_terminal()).boxed(),
        LogFormat::Json => JsonLines::to(std::io::stderr).boxed(),
    };
    registry().with(also).with(lines.with_filter(filter)).init();
}
