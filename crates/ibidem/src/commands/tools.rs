//! `ibidem tools`: the tools of the configured servers, with the digests that policy files pin.

use ibidem_ports::degrade::Deadline;
use ibidem_ports::tools::ToolDescription;

use crate::compose;
use crate::console;
use crate::settings::Settings;

#[derive(clap::Args)]
pub(crate) struct Tools {
    /// Compares with the tools of this policy file: the name of a built-in one, or a file. Default: `policy.use`.
    #[arg(long)]
    policy: Option<String>,
    /// Prints JSON, with the schemas.
    #[arg(long)]
    json: bool,
}

impl Tools {
    pub(crate) async fn run(self, settings: &Settings) -> anyhow::Result<()> {
        let policy = compose::policy(settings, self.policy.as_deref())?;
        let servers = compose::tools(settings)?;
        if servers.is_empty() {
            console::note("no tool server is configured (`tools.servers`)");
        }
        let mut listed: Vec<(String, ToolDescription)> = Vec::new();
        for (name, server) in &servers {
            let tools = server.call(Deadline::NONE, |server| server.list()).await;
            let tools = tools.map_err(|error| anyhow::anyhow!("{name}: {error}; check `tools.servers.{name}`"))?;
            listed.extend(tools.into_iter().map(|tool| (name.clone(), tool)));
        }
        let in_policy = |server: &str, tool: &ToolDescription| {
            let mut rules = policy.rules.gather.tools.iter();
            match rules.find(|rules| rules.server == server && rules.tool == tool.name) {
                None => "not in the policy",
                Some(rules) if rules.pinned != tool.pin() => "changed: not called",
                Some(rules) if rules.writes && rules.wording.confirm.is_some() => "called when the asker confirms it",
                Some(rules) if rules.writes || tool.read_only == Some(false) => "changes something: not called",
                Some(_) => "called",
            }
        };
        if self.json {
            let tools = listed.iter().map(|(server, tool)| {
                serde_json::json!({
                    "server": server, "tool": tool.name, "pin": tool.pin(), "read_only": tool.read_only,
                    "policy": in_policy(server, tool), "arguments": tool.arguments, "result": tool.result,
                })
            });
            console::say_json(&tools.collect::<Vec<_>>())?;
            return Ok(());
        }
        let mut table = console::table(&["server", "tool", "under this policy", "pin"]);
        for (server, tool) in &listed {
            table.add_row([server, tool.name.as_str(), in_policy(server, tool), &tool.pin().to_string()]);
        }
        console::say(&table.to_string());
        Ok(())
    }
}
