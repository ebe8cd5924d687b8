//! `ibidem mcp`: the tools of a running server, for programs that start a server on standard input and output.

mod bridge;
mod message;

use std::io::BufRead as _;
use std::path::PathBuf;

use anyhow::Context as _;
use ibidem_words::escaped_json;
use tokio::sync::mpsc;

use self::bridge::Bridge;
use super::running_server;
use crate::console;
use crate::settings::{SecretSource, Settings};

/// How many messages may wait to be passed on.
const WAITING: usize = 64;

#[derive(clap::Args)]
pub(crate) struct Mcp {
    /// The address of the running server, for example https://ibidem.example.org. Default: `agents.server`, and without
    /// it the address of `server.listen`.
    #[arg(long)]
    url: Option<String>,
    /// A file with your API key, or with the access token that `ibidem login` printed. It is read before every call.
    /// Default: `agents.key_file` or `agents.key`.
    #[arg(long, value_name = "FILE")]
    key_file: Option<PathBuf>,
}

impl Mcp {
    pub(crate) async fn run(self, settings: &Settings) -> anyhow::Result<()> {
        let agents = &settings.agents;
        let server = self.url.or_else(|| Some(agents.server.as_ref()?.base().to_owned()));
        let server = server.unwrap_or_else(|| running_server::address(settings.server.listen));
        let credential = self.key_file.map(SecretSource::File).or_else(|| agents.credential());
        let credential = credential.context(
            "there is no API key to call the server with: set IBIDEM__AGENTS__KEY, or name a file that holds it with \
             --key-file; an operator creates keys with `ibidem key create`",
        )?;
        let bridge = Bridge::new(&server, credential, agents.timeout_ms.get())?;
        bridge.run(lines_of_input(), |line| console::say(&escaped_json(line))).await;
        Ok(())
    }
}

/// The lines of standard input, until it is closed.
fn lines_of_input() -> mpsc::Receiver<String> {
    let (sender, lines) = mpsc::channel(WAITING);
    // Reading it blocks, and cannot be interrupted: a thread of its own ends with the process.
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines() {
            let Ok(line) = line else { return };
            if sender.blocking_send(line).is_err() {
                return;
            }
        }
    });
    lines
}
