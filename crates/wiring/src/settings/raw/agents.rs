//! The section `agents`.

use std::path::PathBuf;
use std::time::Duration;

use serde::Deserialize;

use super::Problems;
use crate::settings::checked::{AgentCredential, AgentSettings};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawAgents {
    server: Option<String>,
    key: Option<String>,
    key_file: Option<PathBuf>,
    timeout_ms: u64,
}

impl RawAgents {
    pub(super) fn check(self, problems: &mut Problems) -> AgentSettings {
        let server = self.server.filter(|server| !server.is_empty());
        if let Some(server) = &server {
            problems.url("agents.server", server, &["http://", "https://"]);
        }
        problems.at_least("agents.timeout_ms", self.timeout_ms, 1);
        let key = self.key.filter(|key| !key.is_empty());
        let file = self.key_file.filter(|file| !file.as_os_str().is_empty());
        if key.is_some() && file.is_some() {
            problems.note("agents.key_file", "is set beside `agents.key`; set one of them");
        }
        AgentSettings {
            server: server.map(|server| server.trim_end_matches('/').to_owned()),
            credential: key.map(AgentCredential::Given).or(file.map(AgentCredential::File)),
            timeout: Duration::from_millis(self.timeout_ms),
        }
    }
}
