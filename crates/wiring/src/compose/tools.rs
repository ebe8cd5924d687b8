//! The tool servers, each behind its breaker. None is connected to before it is asked for something.

use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::Context as _;
use ibidem_adapters::mcp::{McpTools, Reached};
use ibidem_ports::degrade::{Breakers, Part};
use ibidem_ports::tools::Tools;

use crate::settings::{Settings, ToolServerSettings};

/// By the names that the settings give them, each bounded in time.
pub fn tools(settings: &Settings) -> anyhow::Result<BTreeMap<String, Part<dyn Tools>>> {
    let servers = settings.tools.iter().map(|(name, server)| {
        let tools: Arc<dyn Tools> =
            Arc::new(connected(server).with_context(|| format!("check `tools.servers.{name}`"))?);
        Ok((name.clone(), Part::patient(tools, server.timeout)))
    });
    servers.collect()
}

/// The same, each behind its breaker.
pub(super) fn guarded(settings: &Settings, breakers: &Breakers) -> anyhow::Result<BTreeMap<String, Part<dyn Tools>>> {
    let guard = |(name, bare): (String, Part<dyn Tools>)| {
        let patience = settings.tools[&name].timeout;
        let breaker = breakers.of(&format!("tools_{name}"), patience);
        (name, bare.behind(breaker))
    };
    Ok(tools(settings)?.into_iter().map(guard).collect())
}

fn connected(server: &ToolServerSettings) -> anyhow::Result<McpTools> {
    let mut mcp = server.mcp.clone();
    if let (Reached::Url { token, .. }, Some(file)) = (&mut mcp.reached, &server.token) {
        let read = std::fs::read_to_string(&file.0);
        *token = Some(read.with_context(|| format!("{} cannot be read", file.0.display()))?.trim().to_owned());
    }
    Ok(McpTools::new(mcp))
}
