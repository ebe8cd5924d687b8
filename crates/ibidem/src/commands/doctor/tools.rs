//! The tool servers: whether each answers, and whether its tools are those that the policy pins.

use ibidem_ports::degrade::Deadline;

use super::Finding;
use crate::compose;
use crate::settings::Settings;

const PART: &str = "tools";

/// One finding for each server; none where no server is configured.
pub(super) async fn tools(settings: &Settings) -> Vec<Finding> {
    let servers = match compose::tools(settings) {
        Ok(servers) => servers,
        Err(error) => return vec![Finding::broken(PART, format!("{error:#}"), "correct `tools.servers`")],
    };
    let policy = compose::policy(settings, None).ok();
    let mut findings = Vec::new();
    for (name, server) in &servers {
        let listed = match server.call(Deadline::NONE, |server| server.list()).await {
            Ok(listed) => listed,
            Err(error) => {
                let mend = format!("start the server, or correct `tools.servers.{name}`; what it knows is refused");
                findings.push(Finding::broken(PART, format!("{name}: {error}"), mend));
                continue;
            }
        };
        let rules = policy.iter().flat_map(|policy| &policy.rules.gather.tools).filter(|rules| rules.server == *name);
        let is_as_pinned =
            |tool: &str, pin| listed.iter().any(|described| described.name == tool && described.pin() == pin);
        let changed = rules.filter(|rules| !is_as_pinned(&rules.tool, rules.pinned)).map(|rules| rules.tool.as_str());
        let changed: Vec<&str> = changed.collect();
        findings.push(if changed.is_empty() {
            Finding::ok(PART, format!("{name}: {} tools", listed.len()))
        } else {
            let found = format!("{name}: not as the policy pins them, and not called: {}", changed.join(", "));
            Finding::warning(PART, found, "look at them with `ibidem tools --json`, and pin them in the policy file")
        });
    }
    findings
}
