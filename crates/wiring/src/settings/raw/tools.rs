//! The section `tools`.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use ibidem_adapters::mcp::{McpSettings, Reached};
use serde::Deserialize;

use super::Problems;
use crate::settings::checked::{ToolServerSettings, ToolToken};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawTools {
    servers: BTreeMap<String, RawServer>,
    timeout_ms: u64,
    at_once: usize,
    max_message_bytes: usize,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawServer {
    #[serde(default)]
    command: Vec<String>,
    #[serde(default)]
    environment: BTreeMap<String, String>,
    #[serde(default)]
    url: Option<String>,
    #[serde(default)]
    token_file: Option<PathBuf>,
    #[serde(default)]
    timeout_ms: Option<u64>,
    #[serde(default)]
    at_once: Option<usize>,
}

impl RawTools {
    pub(super) fn check(self, problems: &mut Problems) -> BTreeMap<String, ToolServerSettings> {
        problems.at_least("tools.timeout_ms", self.timeout_ms, 1);
        problems.at_least("tools.at_once", self.at_once as u64, 1);
        problems.at_least("tools.max_message_bytes", self.max_message_bytes as u64, 1024);
        let (timeout_ms, at_once, most_bytes) = (self.timeout_ms, self.at_once, self.max_message_bytes);
        let servers = self.servers.into_iter().filter_map(|(name, server)| {
            let key = |setting: &str| format!("tools.servers.{name}{setting}");
            let is_name = |sign: char| sign.is_ascii_alphanumeric() || "-_.".contains(sign);
            if name.is_empty() || !name.chars().all(is_name) {
                problems.note(&key(""), "is no name; use letters, digits, '-', '_' and '.'");
            }
            let timeout_ms = server.timeout_ms.unwrap_or(timeout_ms);
            let at_once = server.at_once.unwrap_or(at_once);
            problems.at_least(&key(".timeout_ms"), timeout_ms, 1);
            problems.at_least(&key(".at_once"), at_once as u64, 1);
            if server.url.is_none() && server.token_file.is_some() {
                problems.note(&key(".token_file"), "is for a server with a `url`");
            }
            let (reached, token) = match (server.url, server.command.is_empty()) {
                (Some(url), true) => {
                    problems.url(&key(".url"), &url, &["http://", "https://"]);
                    (Reached::Url { url, token: None }, server.token_file.map(ToolToken))
                }
                (None, false) => (Reached::Program { command: server.command, environment: server.environment }, None),
                _ => {
                    problems.note(&key(""), "needs a `command` or a `url`, and not both");
                    return None;
                }
            };
            let mcp = McpSettings { reached, at_once, most_bytes };
            Some((name, ToolServerSettings { mcp, token, timeout: Duration::from_millis(timeout_ms) }))
        });
        servers.collect()
    }
}
