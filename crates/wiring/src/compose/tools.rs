//! The tool servers, each behind its breaker. None is connected to before it is asked for something.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context as _;
use ibidem_adapters::mcp::McpTools;
use ibidem_ports::degrade::{Breakers, Part};
use ibidem_ports::tools::Tools;

use crate::settings::{Settings, ToolServerSettings};

/// By the names that the settings give them, each bounded in time.
pub fn tools(settings: &Settings) -> anyhow::Result<BTreeMap<String, Part<dyn Tools>>> {
    let servers = settings.tools.servers.iter().map(|(name, server)| {
        let tools: Arc<dyn Tools> =
            Arc::new(connected(settings, server).with_context(|| format!("check `tools.servers.{name}`"))?);
        Ok((name.clone(), Part::patient(tools, settings.tools.timeout(server))))
    });
    servers.collect()
}

/// The same, each behind its breaker.
pub(super) fn guarded(settings: &Settings, breakers: &Breakers) -> anyhow::Result<BTreeMap<String, Part<dyn Tools>>> {
    let guard = |(name, bare): (String, Part<dyn Tools>)| {
        let patience = settings.tools.timeout(&settings.tools.servers[&name]);
        let breaker = breakers.of(&format!("tools_{name}"), patience);
        (name, bare.behind(breaker))
    };
    Ok(tools(settings)?.into_iter().map(guard).collect())
}

fn connected(settings: &Settings, server: &ToolServerSettings) -> anyhow::Result<McpTools> {
    let read = |file: &PathBuf| {
        let read = std::fs::read_to_string(file).with_context(|| format!("{} cannot be read", file.display()))?;
        anyhow::Ok(read.trim().to_owned())
    };
    let token = server.token_file.as_ref().map(read).transpose()?;
    Ok(McpTools::new(settings.tools.mcp(server, token)))
}
